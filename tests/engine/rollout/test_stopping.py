import numpy as np
import pytest

from engine.cubeful import cube_game
from engine.match import MatchState
from engine.position import Position
from engine.rollout import Cubeful, Cubeless, Cubes, RolloutSettings, RolloutState, StopReason
from engine.rollout.stopping import candidate_rule, cube_rule

SETTINGS = RolloutSettings(min_trials=108)
MONEY = Cubeful(cube_game(MatchState()))


def _cube_state(held, taken, spread, trials=216):
    """A state whose values without a double and after a take have given means, and spreads of their own."""
    noise = np.tile([1.0, -1.0], trials // 2) * spread
    columns = [np.zeros((trials, 5)) for _ in range(2)]
    values = held + noise, taken + np.roll(np.repeat(noise[:2], trials // 2), 1)
    scores = tuple(np.column_stack([each, value]) for each, value in zip(columns, values, strict=True))
    starts = np.stack([Position.start().board] * 2)
    return RolloutState(starts, Cubes.present(2), 0, 0, True, ("judge",), MONEY.name, scores)


@pytest.mark.parametrize(
    ("held", "taken", "stops"),
    [
        (0.1, 0.5, True),  # double, take
        (0.45, 0.5, False),  # double or not?
        (0.5, 0.98, False),  # take or pass?
        (0.5, 1.5, True),  # double, pass
        (0.98, 1.5, False),  # double or play on?
        (1.4, 1.5, True),  # too good, by far: what a take is worth does not matter
        (0.5, -0.5, True),  # no double
    ],
)
def test_a_cube_rollout_stops_when_neither_decision_is_in_doubt(held, taken, stops):
    _, reason = cube_rule(_cube_state(held, taken, 0.4), [0, 1], SETTINGS, MONEY)
    assert (reason is StopReason.JSD) == stops


def test_a_cube_rollout_stops_by_standard_error_too():
    settings = RolloutSettings(min_trials=108, stop_jsd=0.0, stop_error=0.05)
    for spread, reason in ((0.4, StopReason.ERROR), (4.0, None)):
        assert cube_rule(_cube_state(0.5, 0.98, spread), [0, 1], settings, MONEY)[1] is reason


@pytest.mark.parametrize("trials", [36, 107, 110])
def test_rules_wait_for_their_moment(trials):
    scores = np.zeros((trials, 5))
    better = scores.copy()
    better[:, 0] = 1
    starts = np.stack([Position.start().board] * 2)
    state = RolloutState(starts, Cubes.present(2), 0, 0, True, ("judge",), "cubeless", (scores, better))
    assert candidate_rule(state, [0, 1], SETTINGS, Cubeless()) == ([0, 1], None)


def test_the_candidate_with_the_least_equity_for_the_next_mover_is_kept():
    scores = np.zeros((108, 5))
    better = scores.copy()
    better[:, 0] = 1
    starts = np.stack([Position.start().board] * 2)
    state = RolloutState(starts, Cubes.present(2), 0, 0, True, ("judge",), "cubeless", (scores, better))
    assert candidate_rule(state, [0, 1], SETTINGS, Cubeless()) == ([0], StopReason.JSD)
