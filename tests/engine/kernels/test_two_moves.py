"""Doubles as two moves against a slow twin, and all other rolls as ever."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.rules.moves import expand_rolls
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
