"""The compiled phases against a slow twin."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.kernels import phases as kernel_phases
from tests.support import boards, naive


def _slow_phase(state: naive.State) -> int:
    if 0 in naive.pips(state):
        return kernel_phases.OVER
    if not naive.has_contact(state):
        return kernel_phases.RACE
    if any(_useful(side) <= kernel_phases.MAX_CRASHED_CHECKERS for side in (state, naive.turned(state))):
        return kernel_phases.CRASHED
    return kernel_phases.CONTACT


def _useful(state: naive.State) -> int:
    """The checkers of the player to move that are neither off, nor buried on its ace and deuce points."""
    useful = sum(state[point] for point in range(3, 26) if state[point] > 0)
    on_ace, on_deuce = max(state[1], 0), max(state[2], 0)
    return useful + (1 if on_ace == 1 else 0) + min(on_deuce, 1)


@pytest.mark.nojit
def test_phases_agree_with_the_slow_twin_in_all_phases():
    finished = [boards.position(x={}, o={19: 3}), boards.position(x={25: 2, 4: 8}, o={})]
    races = [boards.position(x={point: 5}, o={25 - point: 4}) for point in range(1, 13)]
    crashed = [
        boards.position(x={1: on_ace, 2: on_deuce, 24: 15 - on_ace - on_deuce}, o={12: 15})
        for on_ace in range(8)
        for on_deuce in range(8)
    ]
    made = np.stack([one.board for one in finished + races + crashed])
    sample = np.concatenate([made, boards.random_boards(400, seed=31)])
    found = np.empty(len(sample), np.int8)
    kernel_phases.classify_phases(sample, found)
    expected = [_slow_phase(state) for state in naive.states(sample)]
    assert found.tolist() == expected
    assert np.bincount(found, minlength=4).min() >= 2


@pytest.mark.nojit
def test_one_finished_position_is_noticed_on_either_side():
    going = boards.random_boards(40, seed=3)
    going = going[(going[:, :, 0] < 15).all(axis=1)]
    assert not kernel_phases.is_any_over(going)
    for finished in (boards.position(x={}, o={19: 3}), boards.position(x={25: 2, 4: 8}, o={})):
        assert kernel_phases.is_any_over(np.concatenate([going, finished.board[None]]))


@pytest.mark.nojit
@pytest.mark.parametrize("checkers", [1, 2, 3, 7])
def test_phases_count_the_checkers_of_the_game(checkers):
    finished = boards.position(x={}, o={19: 1}, checkers=checkers).board
    sample = np.concatenate([boards.random_boards(100, 5, checkers), finished[None], finished[None, ::-1]])
    found = np.empty(len(sample), np.int8)
    kernel_phases.classify_phases(sample, found)
    assert found.tolist() == [_slow_phase(state) for state in naive.states(sample)]
    over = [kernel_phases.is_over(sample, at) for at in range(len(sample))]
    assert over == (found == kernel_phases.OVER).tolist()
    assert kernel_phases.is_any_over(sample)
    assert not kernel_phases.is_any_over(sample[:100])
