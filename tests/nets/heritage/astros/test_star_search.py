"""The choice with cut-offs is that of the full average, to the last bit, and brute force agrees."""

import numpy as np
import pytest

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.play.player import ScorerPlayer
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS, BevScorer
from gammond.nets.heritage.astros.leaf_evaluators import EquityLeafEvaluator, ScorerLeafEvaluator
from gammond.nets.heritage.astros.star_evaluator import Cutoffs
from gammond.nets.heritage.astros.star_search import StarSearch
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

PLAYED = boards.played_boards(RacingEvaluator(), 400, seed=3)[::80]
RANDOM = boards.random_boards(5, seed=4)
FEW = [
    boards.position(x={1: 1, 3: 1}, o={24: 1, 20: 1}),
    boards.position(x={6: 2}, o={20: 2}),
    boards.position(x={20: 1, 2: 1}, o={24: 1, 23: 1}),
    boards.position(x={6: 1, 25: 1}, o={24: 1, 3: 1}),
]
PRUNER = EvaluatorPruner(SmoothEvaluator(seed=7, knows_the_end=True))


def equity_leaves(seed=1):
    return EquityLeafEvaluator(SmoothEvaluator(seed=seed))


def naive_value(leaves, board, plies):
    """The value of a position before the roll, from its definition."""
    if plies == 0 or leaves.is_settled(board[None])[0]:
        return leaves.evaluate(board[None])[0]
    total = 0.0
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        replies = [play.result.board for play in legal_plays(Position.from_valid_board(board), roll)]
        if plies == 1:
            values = leaves.evaluate(np.stack(replies))
        else:
            values = [naive_value(leaves, reply, plies - 1) for reply in replies]
        total += weight * -min(values)
    return total


def decisions(sample, seed):
    rolls = boards.random_rolls(len(sample), seed)
    return [(Position(board), (int(a), int(b))) for board, (a, b) in zip(sample, rolls, strict=True)]


def same(first, second):
    return [(play.place, play.value) for play in first.best] == [(p.place, p.value) for p in second.best]


@pytest.mark.parametrize(
    ("plies", "cases"),
    [(1, decisions([PLAYED[-2], RANDOM[0]], seed=5)), (2, [(position, (2, 1)) for position in FEW])],
)
def test_values_and_choice_are_those_of_brute_force(plies, cases):
    leaves = equity_leaves()
    for position, roll in cases:
        values = [-naive_value(leaves, play.result.board, plies) for play in legal_plays(position, roll)]
        for cutoffs in Cutoffs:
            found = StarSearch(leaves, PRUNER, cutoffs).search(position, roll, plies)
            assert found.play_count == len(values)
            assert found.best[0].value == pytest.approx(max(values), abs=1e-12)
            assert values[found.best[0].place] == pytest.approx(max(values), abs=1e-12)


@pytest.mark.parametrize("wanted", [1, 5])
@pytest.mark.parametrize("pruner", [PRUNER, None], ids=["finder", "no finder"])
def test_cut_offs_change_no_choice_and_no_bit_of_its_value(wanted, pruner):
    full = StarSearch(equity_leaves(2), None, Cutoffs.NONE)
    searches = [StarSearch(equity_leaves(2), pruner, each) for each in (Cutoffs.STAR1, Cutoffs.STAR2)]
    for position, roll in decisions(np.concatenate([PLAYED, RANDOM]), seed=6):
        expected = full.search(position, roll, 1, count=wanted)
        assert len(expected.best) == min(wanted, expected.play_count)
        for search in searches:
            assert same(search.search(position, roll, 1, count=wanted), expected)


@pytest.mark.parametrize("is_deepening", [False, True])
def test_cut_offs_change_no_choice_at_two_plies_and_save_most_leaves(is_deepening):
    position, roll = boards.position(x={13: 1, 6: 2, 5: 1}, o={15: 2, 3: 1}), (6, 1)
    evaluator = RacingEvaluator()
    full = StarSearch(EquityLeafEvaluator(evaluator), None, Cutoffs.NONE).search(position, roll, 2)
    pruner = EvaluatorPruner(evaluator)
    search = StarSearch(EquityLeafEvaluator(evaluator), pruner, Cutoffs.STAR2, is_deepening=is_deepening)
    found = search.search(position, roll, 2)
    assert same(found, full)
    assert found.play_count > 2
    assert found.effort.nodes < 0.5 * full.effort.nodes


def test_the_leaf_evaluator_decides_among_equals_by_the_order_of_the_plays():
    class Level:
        name, plies = "level", 0

        def evaluate(self, sample):
            return np.full((len(sample), 5), 0.0, np.float32) + np.array([0.5, 0, 0, 0, 0], np.float32)

    position = Position.start()
    for cutoffs in Cutoffs:
        found = StarSearch(EquityLeafEvaluator(Level()), None, cutoffs).search(position, (3, 1), 1, count=3)
        assert [play.place for play in found.best] == [0, 1, 2]


def test_star2_evaluates_fewer_leaves_than_the_full_average():
    counts = {}
    pruner = EvaluatorPruner(SmoothEvaluator(seed=2, knows_the_end=True))
    for cutoffs in Cutoffs:
        search = StarSearch(equity_leaves(2), pruner, cutoffs)
        counts[cutoffs] = sum(search.search(*each, 1).effort.nodes for each in decisions(PLAYED, seed=6))
    assert counts[Cutoffs.STAR2] < 0.75 * counts[Cutoffs.NONE]


@pytest.mark.parametrize("cutoffs", list(Cutoffs))
def test_scores_without_bounds_are_searched_too(cutoffs):
    leaves = ScorerLeafEvaluator("bev", BevScorer(HAND_WEIGHTS.vector))
    player = ScorerPlayer("bev", BevScorer(HAND_WEIGHTS.vector))
    for position, roll in decisions(PLAYED[:6], seed=5):
        at_0_ply = StarSearch(leaves, PRUNER, cutoffs).search(position, roll, 0)
        chosen = player.choose(position.board[None].copy(), np.array([roll], np.int8))[0]
        assert np.array_equal(at_0_ply.best[0].result, chosen)
        full = StarSearch(leaves, None, Cutoffs.NONE).search(position, roll, 1)
        assert same(StarSearch(leaves, PRUNER, cutoffs).search(position, roll, 1), full)


def test_a_search_that_is_stopped_has_the_last_finished_depth():
    position = Position(PLAYED[-2])
    nothing = StarSearch(equity_leaves(), PRUNER).search(position, (6, 1), 1, SearchWatch(lambda: True))
    assert (nothing.effort.plies, nothing.effort.is_finished) == (0, False)
    assert nothing.best[0].place == StarSearch(equity_leaves()).search(position, (6, 1), 0).best[0].place
    deep = StarSearch(equity_leaves(), PRUNER, is_deepening=True)
    one = deep.search(position, (6, 1), 1)
    watch = SearchWatch(lambda: watch.nodes > 2 * one.effort.nodes)
    stopped = deep.search(position, (6, 1), 2, watch)
    assert (stopped.effort.plies, stopped.effort.is_finished) == (1, False)
    assert same(stopped, one)
    assert one.effort.is_finished


def test_bounds_hold_for_all_that_follows():
    leaves = equity_leaves()
    sample = np.concatenate([PLAYED, RANDOM, np.stack([each.board for each in FEW])])
    low, high = leaves.bounds(sample)
    assert {-3.0, -1.0} <= set(low.tolist())
    assert {1.0, 3.0} <= set(high.tolist())
    races = [boards.position(x, o={24: 15}).board for x in ({6: 15}, {6: 14, 19: 1})]
    assert leaves.bounds(np.stack(races))[0].tolist() == [-2.0, -3.0]  # home, and with a straggler
    for board, least, most in zip(sample, low, high, strict=True):
        for roll in ((6, 6), (2, 1)):
            replies = np.stack([play.result.board for play in legal_plays(Position(board), roll)])
            reply_low, reply_high = leaves.bounds(replies)
            assert (-reply_high >= least).all()
            assert (-reply_low <= most).all()
            assert ((leaves.evaluate(replies) >= reply_low) & (leaves.evaluate(replies) <= reply_high)).all()


def test_bad_arguments_are_named():
    search = StarSearch(equity_leaves())
    with pytest.raises(ValueRangeError, match="expected 0 to 2 plies, got 3") as caught:
        search.search(Position.start(), (3, 1), 3)
    assert caught.value.field == "plies"
    with pytest.raises(ValueRangeError, match="expected 1 play or more, got 0"):
        search.search(Position.start(), (3, 1), 1, count=0)
    with pytest.raises(StateError, match="no plays"):
        search.search(boards.position(x={}, o={20: 15}), (3, 1), 1)
