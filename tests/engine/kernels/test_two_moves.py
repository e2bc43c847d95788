"""Doubles as two moves against a slow twin, and all other rolls as ever."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Doubles, Rules
from tests.support import boards, naive
from tests.support.evaluators import RacingEvaluator

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


def _doubles(count: int, seed: int):
    return np.repeat(np.random.default_rng(seed).integers(1, 7, (count, 1)), 2, axis=1).astype(np.int8)


def test_doubles_agree_with_the_slow_twin():
    sample = np.concatenate(
        [boards.random_boards(1000, seed=1), boards.played_boards(RacingEvaluator(), 1000, seed=2)]
    )
    assert _disagreements(sample, _doubles(2000, seed=3)) == []


@pytest.mark.nojit
def test_some_doubles_agree_with_the_compiler_off_too():
    assert _disagreements(boards.random_boards(60, seed=4), _doubles(60, seed=5)) == []


def test_all_other_rolls_are_played_as_usual():
    sample, dice = boards.random_boards(500, seed=6), boards.random_rolls(500, seed=7)
    others = dice[:, 0] != dice[:, 1]
    for two, usual in zip(
        expand_rolls(sample[others], dice[others], TWO_MOVES),
        expand_rolls(sample[others], dice[others]),
        strict=True,
    ):
        assert np.array_equal(two, usual)


def test_a_double_is_at_most_two_checker_moves():
    _, moves, _ = expand_rolls(Position.start().board[None], np.array([[1, 1]], np.int8), TWO_MOVES)
    assert (moves[:, :4] > 0).any()
    assert (moves[:, 4:] == 0).all()
