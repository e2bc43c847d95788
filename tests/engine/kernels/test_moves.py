"""The compiled move generator against counts known elsewhere and against its slow twin."""

import numpy as np
import pytest

from gammond.engine.kernels import moves as kernel_moves
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Doubles, Rules
from tests.support import boards, naive
from tests.support.evaluators import RacingEvaluator, RandomEvaluator


def test_the_opening_position_has_447_distinct_results_and_these_have_202782():
    dice = np.array(ROLLS, np.int8)
    results, _, _ = expand_rolls(np.repeat(Position.start().board[None], 21, axis=0), dice)
    assert len(results) == 447
    _, _, offsets = expand_rolls(np.repeat(results, 21, axis=0), np.tile(dice, (447, 1)))
    assert offsets[-1] == 202_782


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_positions_agree_with_the_slow_twin(count):
    sample = boards.random_boards(count, seed=1)
    assert naive.disagreements(sample, boards.random_rolls(count, seed=2)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "evaluator",
    [RacingEvaluator(), RandomEvaluator(seed=3)],
    ids=lambda evaluator: evaluator.name,
)
def test_20000_positions_of_played_games_agree_with_the_slow_twin(evaluator):
    sample = boards.played_boards(evaluator, 20_000, seed=4)
    assert naive.disagreements(sample, boards.random_rolls(20_000, seed=5)) == []


@pytest.mark.nojit
def test_some_positions_of_every_kind_agree_with_the_slow_twin_with_the_compiler_off_too():
    sample = np.concatenate([boards.random_boards(100, seed=6), Position.start().board[None]])
    assert naive.disagreements(sample, boards.random_rolls(101, seed=8)) == []


@pytest.mark.parametrize("o", [{4: 1}, {0: 1}])
def test_every_roll_agrees_with_the_slow_twin_when_fifteen_blots_can_move(o):
    apart = boards.position(x={point: 1 for point in range(10, 25)}, o=o)
    sample, dice = np.repeat(apart.board[None], 21, axis=0), np.array(ROLLS, np.int8)
    assert naive.disagreements(sample, dice) == []
    children, moves, offsets = expand_rolls(sample, dice)
    assert 500 < np.diff(offsets).max() <= kernel_moves.MAX_PLAYS
    many = expand_rolls(np.tile(sample, (30, 1, 1)), np.tile(dice, (30, 1)))  # outgrows the first array
    assert np.array_equal(many[0], np.tile(children, (30, 1, 1)))
    assert np.array_equal(many[1], np.tile(moves, (30, 1)))
    assert np.array_equal(np.diff(many[2]), np.tile(np.diff(offsets), 30))


def test_checker_moves_lead_one_by_one_through_legal_moves_to_the_result():
    sample = np.concatenate(
        [boards.random_boards(200, seed=9), boards.played_boards(RacingEvaluator(), 200, 10)]
    )
    dice = boards.random_rolls(400, seed=11)
    children, moves, offsets = expand_rolls(sample, dice)
    results = naive.states(children[:, ::-1])
    for i, state in enumerate(naive.states(sample)):
        for row in range(offsets[i], offsets[i + 1]):
            left = [int(dice[i, 0])] * 4 if dice[i, 0] == dice[i, 1] else [int(die) for die in dice[i]]
            assert results[row] == _followed(state, moves[row].reshape(4, 2).tolist(), left)


def _followed(state, moves, left):
    """Play checker moves in their order, each with a die that is left."""
    for source, target in moves:
        if source == 0:
            continue
        for die in sorted(left):
            after = [s for s in naive.checker_moves(state, die) if s[source] == state[source] - 1]
            if after and max(source - die, 0) == target:
                left.remove(die)
                state = after[0]
                break
        else:
            pytest.fail(f"no die left of {left} plays {source}/{target}")
    return state


def test_no_positions_have_no_results():
    children, moves, offsets = expand_rolls(np.empty((0, 2, 26), np.int8), np.empty((0, 2), np.int8))
    assert (len(children), len(moves), offsets.tolist()) == (0, 0, [0])


TWO_MOVES = Rules(doubles=Doubles.TWO)


def _slow_results(state: naive.State, die: int) -> set[naive.State]:
    """All states after one die and then the same once more, for as long as any checker can be moved."""
    reached = {state}
    for _ in range(2):
        following = {after for before in reached for after in naive.checker_moves(before, die)}
        if not following:
            break
        reached = following
    return reached


def _disagreements(sample, dice) -> list[int]:
    children, _, offsets = expand_rolls(sample, dice, TWO_MOVES)
    reached = naive.states(children[:, ::-1])
    wrong = []
    for i, state in enumerate(naive.states(sample)):
        own = reached[offsets[i] : offsets[i + 1]]
        if len(own) != len(set(own)) or set(own) != _slow_results(state, int(dice[i, 0])):
            wrong.append(i)
    return wrong


@pytest.mark.parametrize("count", [1000, pytest.param(30, marks=pytest.mark.nojit)])
def test_doubles_agree_with_the_slow_twin(count):
    sample = np.concatenate(
        [boards.random_boards(count, seed=1), boards.played_boards(RacingEvaluator(), count, seed=2)]
    )
    dice = np.repeat(np.random.default_rng(3).integers(1, 7, (2 * count, 1)), 2, axis=1)
    assert _disagreements(sample, dice.astype(np.int8)) == []


def test_all_other_rolls_are_played_as_usual():
    sample, dice = boards.random_boards(500, seed=6), boards.random_rolls(500, seed=7)
    others = dice[:, 0] != dice[:, 1]
    for two, usual in zip(
        expand_rolls(sample[others], dice[others], TWO_MOVES),
        expand_rolls(sample[others], dice[others]),
        strict=True,
    ):
        assert np.array_equal(two, usual)
