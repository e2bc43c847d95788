import math

import numpy as np
import pytest

from engine.cubeful import build_cube_state_space
from engine.rollout import CubefulScoring, EquityDifference, RolloutState
from engine.rollout.trial_scoring import TrialCubes
from engine.rules.match import MatchState
from engine.rules.outcome import Outcome
from engine.rules.position import Position

SCORES = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 1], [1, 0, 0, 0, 0]], float)


def _state(*scores):
    starts = np.stack([Position.start().board] * len(scores))
    return RolloutState(
        starts, TrialCubes.make_initial(len(scores)), 0, 0, True, ("evaluator",), "cubeless", scores
    )


def test_an_estimate_is_the_mean_with_its_standard_error():
    estimate = _state(SCORES).estimate()
    equities = np.array([2, -3, 1])
    assert estimate.trials == 3
    assert estimate.outcome == pytest.approx((2 / 3, 1 / 3, 0, 1 / 3, 1 / 3))
    assert estimate.errors.win == pytest.approx(np.std([1, 0, 1], ddof=1) / np.sqrt(3))
    assert estimate.errors.win_bg == 0
    assert estimate.equity == pytest.approx(0)
    assert estimate.equity_error == pytest.approx(equities.std(ddof=1) / np.sqrt(3))
    assert (estimate.cubeless_equity, estimate.cubeless_error) == (estimate.equity, estimate.equity_error)


def test_with_the_cube_an_estimate_keeps_the_cubeless_equity_beside_it():
    with_cube = np.concatenate([SCORES, [[2.0], [-4.0], [1.0]]], axis=1)
    scoring = CubefulScoring(build_cube_state_space(MatchState()))
    plain, both = _state(SCORES).estimate(), _state(with_cube).estimate(0, scoring)
    assert (both.cubeless_equity, both.cubeless_error) == (plain.equity, plain.equity_error)
    assert both.equity == pytest.approx(-1 / 3)
    turned = _state(with_cube).estimate(0, scoring, for_opponent=True)
    assert turned.cubeless_equity == -both.cubeless_equity
    assert turned.cubeless_error == both.cubeless_error


def test_the_other_side_sees_the_same_errors():
    state = _state(SCORES)
    here, there = state.estimate(), state.estimate(for_opponent=True)
    assert there.outcome == pytest.approx((1 / 3, 1 / 3, 1 / 3, 1 / 3, 0))
    assert there.errors == pytest.approx(Outcome(*(here.errors[i] for i in (0, 3, 4, 1, 2))))
    assert there.equity == pytest.approx(-here.equity)


def test_a_single_trial_has_no_error():
    estimate = _state(SCORES[:1]).estimate()
    assert math.isnan(estimate.equity_error)
    assert math.isnan(estimate.errors.win)
    assert estimate.equity == 2


def test_a_difference_is_taken_over_the_trials_that_both_have():
    difference = _state(SCORES, SCORES[::-1][:2]).estimate_difference(0, 1)
    pairs = np.array([-2 - -1, 3 - 3])
    assert difference.trials == 2
    assert difference.equity == pytest.approx(pairs.mean())
    assert difference.error == pytest.approx(pairs.std(ddof=1) / np.sqrt(2))
    assert difference.jsds == pytest.approx(-1)


def test_a_difference_without_spread_is_beyond_all_doubt():
    assert EquityDifference(10, 0.5, 0.0).jsds == math.inf
    assert EquityDifference(10, -0.5, 0.0).jsds == -math.inf
    assert EquityDifference(10, 0.0, 0.0).jsds == 0
