"""What an outcome, a roll and a double count, against the plain formulas."""

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels import outcomes as kernel_outcomes
from gammond.engine.kernels import values as kernel_values
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.outcome import Outcome, cubeless_equity, invert_outcomes

pytestmark = pytest.mark.nojit

OUTCOMES = np.random.default_rng(3).random((50, 5)).astype(np.float32)
ZERO, TIE = np.float32(0.0), np.float32(1e-5)


@kernel
def turn_all(outcomes, turned, equities):
    for row in range(outcomes.shape[0]):
        kernel_values.turn_round(outcomes, row, turned, row)
        equities[row] = kernel_values.compute_equity(outcomes, row)


def test_an_outcome_turned_round_is_that_of_the_other_side_and_equities_are_those_of_the_formula():
    turned, equities, short = np.empty((50, 5)), np.empty(50), np.empty(50, np.float32)
    turn_all(OUTCOMES, turned, equities)
    kernel_outcomes.compute_equities(np.concatenate([OUTCOMES, OUTCOMES[:, :2]], axis=1), short)
    assert equities.tolist() == [Outcome(*row).equity for row in OUTCOMES.tolist()]
    assert equities.tolist() == cubeless_equity(OUTCOMES.astype(np.float64)).tolist()
    assert short.tolist() == cubeless_equity(OUTCOMES).tolist()
    assert turned.tolist() == invert_outcomes(OUTCOMES.astype(np.float64)).tolist()


@pytest.mark.parametrize(
    ("held_after", "beavers", "tie", "worth"),
    [
        (0.25, True, ZERO, 0.5),
        (-0.25, False, ZERO, -0.5),
        (-0.25, True, ZERO, -1.0),
        (-0.000001, True, TIE, -0.000002),
        (-0.25, True, TIE, -1.0),
    ],
)
def test_a_take_is_worth_twice_the_state_after_it_and_a_beaver_twice_that(held_after, beavers, tie, worth):
    found = kernel_values.value_take(np.float32(held_after), 2.0, beavers, tie)
    assert found == pytest.approx(worth)
    assert kernel_values.is_beaver(np.float32(2 * held_after), beavers, tie) == (worth == 4 * held_after)


@pytest.mark.parametrize(
    ("doubled", "is_preferred", "doubles"),
    [
        (0.6, False, True),
        (0.4, True, False),
        (0.5, True, True),
        (0.5, False, False),
        (0.500001, False, False),
    ],
)
def test_a_double_must_gain_or_be_preferred_between_equals(doubled, is_preferred, doubles):
    assert kernel_values.should_double(np.float32(0.5), np.float32(doubled), is_preferred, TIE) == doubles


def test_rolls_are_those_of_the_rules():
    assert kernel_values.ROLLS.tolist() == [list(roll) for roll in ROLLS]
    assert np.array_equal(kernel_values.ROLL_WEIGHTS / 36, ROLL_WEIGHTS)
