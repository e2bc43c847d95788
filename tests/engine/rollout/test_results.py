import math

import numpy as np
import pytest

from gammond.engine.cubeful import make_cube_game
from gammond.engine.evaluation.results import MeanEquity
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from tests.engine.rollout.racing import make_state

SCORES = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 1], [1, 0, 0, 0, 0]], float)


def test_an_estimate_is_the_mean_with_its_standard_error():
    estimate = make_state(SCORES).estimate()
    equities = np.array([2, -3, 1])
    assert estimate.trials == 3
    assert estimate.outcome == pytest.approx((2 / 3, 1 / 3, 0, 1 / 3, 1 / 3))
    assert estimate.outcome_errors.win == pytest.approx(np.std([1, 0, 1], ddof=1) / np.sqrt(3))
    assert estimate.outcome_errors.win_bg == 0
    assert estimate.equity == pytest.approx(0)
    assert estimate.error == pytest.approx(equities.std(ddof=1) / np.sqrt(3))
    assert (estimate.cubeless_equity, estimate.cubeless_error) == (estimate.equity, estimate.error)


def test_with_the_cube_an_estimate_keeps_the_cubeless_equity_beside_it():
    with_cube = np.concatenate([SCORES, [[2.0], [-4.0], [1.0]]], axis=1)
    game = make_cube_game(MatchState())
    plain, both = make_state(SCORES).estimate(), make_state(with_cube).estimate(0, game)
    assert (both.cubeless_equity, both.cubeless_error) == (plain.equity, plain.error)
    assert both.equity == pytest.approx(-1 / 3)
    turned = make_state(with_cube).estimate(0, game, for_opponent=True)
    assert (turned.equity, turned.cubeless_equity) == (-both.equity, -both.cubeless_equity)
    assert turned.cubeless_error == both.cubeless_error


def test_the_other_side_sees_the_same_errors():
    state = make_state(SCORES)
    here, there = state.estimate(), state.estimate(for_opponent=True)
    assert there.outcome == pytest.approx((1 / 3, 1 / 3, 1 / 3, 1 / 3, 0))
    assert there.outcome_errors == pytest.approx(Outcome(*(here.outcome_errors[i] for i in (0, 3, 4, 1, 2))))
    assert there.equity == pytest.approx(-here.equity)


def test_a_single_trial_has_no_error():
    estimate = make_state(SCORES[:1]).estimate()
    assert math.isnan(estimate.error)
    assert math.isnan(estimate.outcome_errors.win)
    assert estimate.equity == 2


def test_a_difference_is_taken_over_the_trials_that_both_have():
    difference = make_state(SCORES, SCORES[::-1][:2]).estimate_difference(0, 1)
    pairs = np.array([-2 - -1, 3 - 3])
    assert difference.trials == 2
    assert difference.equity == pytest.approx(pairs.mean())
    assert difference.error == pytest.approx(pairs.std(ddof=1) / np.sqrt(2))
    assert difference.jsds == pytest.approx(-1)


def test_a_difference_without_spread_is_beyond_all_doubt():
    assert MeanEquity(10, 0.5, 0.0).jsds == math.inf
    assert MeanEquity(10, -0.5, 0.0).jsds == -math.inf
    assert MeanEquity(10, 0.0, 0.0).jsds == 0
