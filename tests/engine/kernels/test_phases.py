"""The phases of positions, and which are over, against a slow twin."""

import numpy as np
import pytest

from gammond.engine.kernels import phases as kernel_phases
from gammond.engine.rules.position import CHECKERS, Phase, Position, classify_phases, find_finished
from tests.support import boards, naive


def _slow_phase(state: naive.State) -> Phase:
    if 0 in naive.pips(state):
        return Phase.OVER
    if not naive.has_contact(state):
        return Phase.RACE
    has_crashed = naive.has_crashed(state) or naive.has_crashed(naive.turned(state))
    return Phase.CRASHED if has_crashed else Phase.CONTACT


def _list_bounds(checkers: int) -> list[Position]:
    """Positions that a side has won, or that are just before or after a change of phase."""
    finished = boards.position(x={}, o={19: 1}, checkers=checkers)
    if checkers < CHECKERS:
        return [finished, finished.swap_sides()]
    races = [boards.position(x={point: 5}, o={25 - point: 4}) for point in range(1, 13)]
    crashed = [
        boards.position(x={1: on_ace, 2: on_deuce, 24: 15 - on_ace - on_deuce}, o={12: 15})
        for on_ace in range(8)
        for on_deuce in range(8)
    ]
    return [finished, finished.swap_sides(), *races, *crashed]


@pytest.mark.nojit
@pytest.mark.parametrize("checkers", [1, 2, 3, 7, 15])
def test_phases_agree_with_the_slow_twin(checkers):
    made = np.stack([each.board for each in _list_bounds(checkers)])
    sample = np.concatenate([boards.random_boards(400, 31, checkers), made])
    found = classify_phases(sample)
    assert found.tolist() == [_slow_phase(state) for state in naive.states(sample)]
    assert checkers < 7 or set(found.tolist()) == set(Phase)
    over = found == Phase.OVER
    assert find_finished(sample).tolist() == over.tolist()
    assert [kernel_phases.is_over(sample, at) for at in range(len(sample))] == over.tolist()
    assert not kernel_phases.is_any_over(sample[~over])
    for at in np.flatnonzero(over):
        assert kernel_phases.is_any_over(np.concatenate([sample[~over], sample[at : at + 1]]))
        assert Position(sample[at], checkers).is_over
