"""Errors of nets against labels that have errors themselves: unbiased, with honest standard errors."""

import math

import numpy as np
import pytest

from gammond.tools.train.validation.net_errors import compute_net_errors, rms

POSITIONS = 400
LABEL_ERROR, FIRST, SECOND, SHARED, BIAS = 0.03, 0.05, 0.03, 0.02, 0.01


def simulated(seed: int):
    """Two nets with some error in common, labels, and their measurements."""
    generator = np.random.default_rng(seed)
    truth, shared = generator.normal(0, 0.5, POSITIONS), generator.normal(0, SHARED, POSITIONS)
    errors = generator.uniform(0.5, 1.5, POSITIONS) * LABEL_ERROR
    labels = truth + errors * generator.normal(size=POSITIONS)
    nets = {
        "first": truth + shared + generator.normal(0, FIRST, POSITIONS),
        "second": truth + shared + generator.normal(BIAS, SECOND, POSITIONS),
    }
    return compute_net_errors(nets, labels, errors)


TRUE_MSE = {"first": SHARED**2 + FIRST**2, "second": SHARED**2 + SECOND**2 + BIAS**2}
TRUE = {
    "rmse": math.sqrt(TRUE_MSE["second"]),
    "ratio": math.sqrt(TRUE_MSE["second"] / TRUE_MSE["first"]),
    "bias": BIAS,
    "mse_difference": TRUE_MSE["second"] - TRUE_MSE["first"],
}


@pytest.fixture(scope="module")
def many():
    return [simulated(seed)[1] for seed in range(400)]


@pytest.mark.parametrize("figure", TRUE)
def test_a_figure_is_right_on_average_and_as_far_off_as_it_says(many, figure):
    values = np.array([getattr(each, figure).value for each in many])
    errors = np.array([getattr(each, figure).error for each in many])
    assert abs(values.mean() - TRUE[figure]) < 4 * values.std() / math.sqrt(len(values))
    assert errors.mean() == pytest.approx(values.std(), rel=0.12)


def test_the_raw_error_has_that_of_the_labels_in_it(many):
    raw = np.array([each.raw_rmse for each in many]).mean()
    mean_square_of_labels = LABEL_ERROR**2 * (1 + 1 / 12)
    assert raw == pytest.approx(math.sqrt(TRUE_MSE["second"] + mean_square_of_labels), rel=0.01)


def test_the_first_net_is_the_measure():
    first = simulated(1)[0]
    assert (first.ratio.value, first.ratio.error) == (1.0, 0.0)
    assert (first.mse_difference.value, first.mse_difference.error) == (0.0, 0.0)


def test_a_net_as_good_as_the_labels_has_no_error_and_no_ratio():
    labels = np.linspace(-1, 1, 10)
    first, second = compute_net_errors({"a": labels, "b": labels + 0.1}, labels, np.full(10, 0.05))
    assert first.rmse.value == first.raw_rmse == 0.0
    assert second.rmse.value == pytest.approx(math.sqrt(0.1**2 - 0.05**2))
    assert math.isnan(second.ratio.value)
    assert second.bias.value == pytest.approx(0.1)


def test_one_position_has_no_standard_error():
    (only,) = compute_net_errors({"a": np.array([0.5])}, np.array([0.4]), np.array([0.01]))
    assert math.isnan(only.bias.error)
    assert math.isnan(only.rmse.error)
    assert only.bias.value == pytest.approx(0.1)


def test_root_mean_square():
    assert rms(np.array([3.0, 4.0], np.float32)) == pytest.approx(math.sqrt(12.5))
