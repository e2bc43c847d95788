"""The compiled loops: they evaluate as the evaluator does, steps go down the error, mirrors stay mirrors."""

import numpy as np
import pytest

from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.nets.heritage.computational_backgammon.net import NODE_COUNTS, ClassicNet
from gammond.nets.router import Router
from gammond.tools.heritage.computational_backgammon.kernels import games as kernel_steps
from gammond.tools.heritage.computational_backgammon.kernels.evaluation import (
    LearningParameters,
    compute_reply_equity,
    new_evaluation_buffers,
)
from gammond.tools.heritage.computational_backgammon.kernels.games import learn_game
from gammond.tools.heritage.computational_backgammon.kernels.kinds import KINDS, classify_kinds, find_kind
from gammond.tools.heritage.computational_backgammon.net_set import ClassicNetSet, load_bearoff_table
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support.boards import position

RATE = 0.5


def net(layout, outputs, seed=5, hidden=7):
    made = ClassicNet.untrained(layout, outputs, hidden, np.random.default_rng(seed))
    made.weights[1][:] = np.linspace(-0.5, 0.5, hidden)
    return made


def learning(
    *, mirrored=False, trace=0.0, table=False, alpha=RATE, beta=RATE, turn=True, weighs=True, knows=True
):
    ranks, wins = np.zeros((7, 1), np.int64), np.zeros((0, 0), np.float32)
    for array in (ranks, wins):
        array.setflags(write=False)
    if table:
        ranks, wins = load_bearoff_table().numbering.ranks, load_bearoff_table().wins
    return LearningParameters(alpha, beta, trace, mirrored, turn, weighs, knows, False, False, ranks, wins)


def untaken(boards):
    """Positions in which both sides can still lose a gammon: all nodes count."""
    return boards[(boards[:, :, 0] == 0).all(axis=1)]


def learn(own, board, target, how):
    nets = (own.weights,) * len(KINDS)
    desk = new_evaluation_buffers(nets)
    desk.target[:] = target
    kernel_steps.learn_position(board[None], 0, nets, how, desk)


@pytest.mark.slow
@pytest.mark.parametrize("outputs", NODE_COUNTS)
@pytest.mark.parametrize("table", [False, True])
def test_replies_are_evaluated_as_by_the_evaluator(outputs, table):
    contact, race = net("normal", outputs), net("normal", outputs, seed=6, hidden=5)
    if outputs == 5:  # gammons less often than wins: the router makes them so, the loop does not
        for one in (contact, race):
            one.weights[2][:] *= np.float32(0.1)
            one.weights[3][:] = [0, -2, -4, -2, -4]
    evaluator = Router("twin", contact, race, exact=(load_bearoff_table(),) if table else ())
    boards = sample_random_positions(4000, seed=3)[:400]
    boards = np.concatenate([boards, position({2: 3, 1: 1}, {20: 2, 24: 4}).board[None]])
    expected = cubeless_equity(evaluator.evaluate(boards))
    nets = tuple(
        each.weights for each in ClassicNetSet({"contact": contact, "race": race}, "none").nets_by_kind
    )
    desk, how = new_evaluation_buffers(nets), learning(table=table)
    found = [compute_reply_equity(board[None].copy(), nets, how, desk) for board in boards]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert {Phase.CONTACT, Phase.RACE} <= set(classify_phases(boards))


@pytest.mark.slow
@pytest.mark.parametrize("outputs", NODE_COUNTS)
def test_a_step_goes_down_the_squared_error(outputs):
    """α and β weigh the slopes of the two layers; errors of shares count as what they are shares of."""
    board = untaken(sample_random_positions(4000, seed=4)[:400])[0]
    target = np.linspace(0.2, 0.9, NODE_COUNTS[outputs]).astype(np.float32)
    weights = np.ones(NODE_COUNTS[outputs])
    if outputs == 2:
        weights[1:] = target[0], 1 - target[0]
    own, before = net("normal", outputs), net("normal", outputs)
    alpha, beta = 0.02, 0.01
    learn(own, board, target, learning(alpha=alpha, beta=beta))

    def error():
        return float(weights @ (before.compute_nodes(board[None])[0].astype(np.float64) - target) ** 2) / 2

    for layer, rate in enumerate((beta, beta, alpha, alpha)):
        old, new = before.weights[layer], own.weights[layer]
        changed = np.argwhere(np.abs(new - old) > 1e-5)
        for index in map(tuple, changed[:: max(len(changed) // 6, 1)]):
            kept, width = old[index], np.float32(0.02)
            old[index] = kept + width
            above = error()
            old[index] = kept - width
            below = error()
            old[index] = kept
            slope = (above - below) / (2 * float(width))
            assert (new - old)[index] == pytest.approx(-rate * slope, rel=0.05, abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("outputs", NODE_COUNTS)
def test_a_mirrored_net_learns_and_stays_mirrored(outputs):
    own = net("symmetric", outputs)
    boards = untaken(sample_random_positions(4000, seed=7)[:400])
    target = np.linspace(0.3, 0.6, NODE_COUNTS[outputs]).astype(np.float32)
    first = np.abs(own.compute_nodes(boards[:1])[0] - target).sum()
    for board in boards[[0, 1, 2, 0, 1, 0, 0, 0, 0]]:
        learn(own, board, target, learning(mirrored=True))
    assert np.abs(own.compute_nodes(boards[:1])[0] - target).sum() < first
    w1, _, w2, b2 = own.weights
    half = NODE_COUNTS[outputs] // 2
    np.testing.assert_allclose(w1[98:], -w1[:98], atol=1e-6)
    np.testing.assert_allclose(w2[half + 1 :], -w2[1 : half + 1], atol=1e-6)
    level = b2 + w2.sum(axis=1) / 2
    np.testing.assert_allclose(level[0], 0.0, atol=1e-5)
    np.testing.assert_allclose(level[half + 1 :], level[1 : half + 1], atol=1e-5)


@pytest.mark.slow
@pytest.mark.nojit
@pytest.mark.parametrize("knows", [True, False])
def test_nothing_is_learned_of_gammons_that_cannot_be_unless_the_net_is_to_find_out(knows):
    board = position({6: 14}, {24: 15}).board.copy()
    board[0, 0] = 1
    own, before = net("normal", 5), net("normal", 5)
    learn(own, board, np.full(5, 0.9, np.float32), learning(knows=knows))
    changed = [bool((a != b).any()) for a, b in zip(own.weights[2], before.weights[2], strict=True)]
    assert changed == [True, True, True, not knows, not knows]


@pytest.mark.slow
def test_lambda_one_learns_the_result_at_every_ply():
    own = net("normal", 5)
    boards = np.repeat(Position.start().board[None], 4, axis=0).copy()
    boards[3] = position({6: 15}, {}).board  # the side that has just moved is off, the other has all 15
    boards[3, 1, 0] = 15
    tally = np.zeros(4, np.int64)
    for _ in range(3000):
        learn_game(boards, (own.weights,) * len(KINDS), learning(trace=1.0), tally)
    # the winner moved at plies 0 and 2, the loser at ply 1
    win, win_g, win_bg, lose_g, _ = own.evaluate(boards[:1])[0]
    assert (win, win_g, lose_g) == pytest.approx((2 / 3, 2 / 3, 1 / 3), abs=0.06)
    assert win_bg < 0.05
    assert tally.tolist() == [3000, 9000, 3000, 0]


@pytest.mark.slow
def test_bearoffs_of_the_table_are_not_learned():
    boards = np.zeros((2, 2, 26), np.int8)
    boards[0] = position({1: 2}, {24: 1}).board
    boards[1, 0], boards[1, 1, 0] = boards[0, 1], 15
    for table in (True, False):
        own, before = net("normal", 1), net("normal", 1)
        tally = np.zeros(4, np.int64)
        learn_game(boards, (own.weights,) * len(KINDS), learning(table=table), tally)
        assert (own.weights[0] == before.weights[0]).all() == table


@pytest.mark.slow
def test_shares_of_gammons_may_count_in_full_whoever_wins():
    board = untaken(sample_random_positions(4000, seed=4)[:400])[0]
    target = np.array([0.25, 0.9, 0.9], np.float32)
    steps = []
    for weighs in (True, False):
        own, before = net("normal", 2), net("normal", 2)
        learn(own, board, target, learning(weighs=weighs))
        steps.append(own.weights[3] - before.weights[3])
    np.testing.assert_allclose(steps[0], steps[1] * [1.0, 0.25, 0.75], rtol=1e-3)


@pytest.mark.slow
def test_a_symmetric_net_without_a_turn_gives_even_chances_where_all_looks_alike_from_both_sides():
    boards = sample_random_positions(4000, seed=7)[:40]
    start = Position.start().board[None]
    for turn in (True, False):
        own = ClassicNet.untrained("symmetric", 1, 7, np.random.default_rng(5))
        for board in boards:
            learn(own, board, np.array([0.9], np.float32), learning(mirrored=True, turn=turn))
        assert (own.weights[1] == 0.0).all() != turn
        assert (abs(own.compute_nodes(start)[0, 0] - 0.5) < 1e-4) != turn


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("own", "other", "kind"),
    [
        ({6: 5, 5: 5, 4: 5}, {19: 5, 20: 5, 21: 5}, "bearoff"),
        ({7: 5, 5: 5, 4: 5}, {19: 5, 20: 5, 21: 5}, "race"),
        ({25: 1, 6: 9, 5: 5}, {1: 2, 12: 13}, "bar"),
        ({20: 2, 3: 6, 2: 6}, {19: 15}, "closing"),
        ({20: 1, 13: 1, 1: 6, 2: 7}, {19: 13, 12: 2}, "crashed"),
        ({13: 5, 8: 5, 6: 5}, {12: 5, 17: 5, 19: 5}, "contact"),
        ({24: 1, 13: 5, 8: 4, 6: 5}, {1: 1, 12: 5, 17: 4, 19: 5}, "contact"),
        ({24: 2, 13: 5, 8: 3, 6: 5}, {12: 5, 17: 5, 19: 5}, "holding"),
        ({13: 5, 8: 5, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}, "containing"),
        ({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}, "mutual"),
    ],
)
def test_positions_are_of_nine_kinds(own, other, kind):
    board = position(own, other).board[None].copy()
    assert KINDS[find_kind(board, 0)] == kind
    found = np.empty(1, np.int8)
    classify_kinds(board, found)
    assert KINDS[found[0]] == kind
