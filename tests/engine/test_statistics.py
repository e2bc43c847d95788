"""Means, ratios and roots with the errors that repeated samples show."""

import math

import numpy as np
import pytest

from gammond.engine.statistics import (
    ValueWithError,
    compute_standard_errors,
    mean_with_error,
    ratio_with_error,
    sqrt_with_error,
)


def test_the_standard_error_is_that_of_the_mean():
    found = mean_with_error(np.array([1.0, 3.0, 5.0, 7.0]))
    assert found == ValueWithError(4.0, pytest.approx((20 / 3) ** 0.5 / 2))
    columns = compute_standard_errors(np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0], [7.0, 0.0]]))
    assert columns.tolist() == [found.error, 0.0]


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (ValueWithError(0.0314, 0.0042), "+0.031 ± 0.004"),
        (ValueWithError(-0.5, math.nan), "-0.500"),
        (ValueWithError(math.nan, math.nan), "-"),
        (ValueWithError(-0.002, 0.0001).scale(-100), "+0.200 ± 0.010"),
    ],
)
def test_a_figure_is_written_with_the_error_that_is_known(figure, text):
    assert f"{figure:+.3f}" == text


def test_what_nothing_is_known_of_is_nan():
    assert math.isnan(mean_with_error(np.empty(0)).value)
    assert math.isnan(mean_with_error(np.array([1.5])).error)
    assert math.isnan(ratio_with_error(np.ones(3), np.zeros(3)).value)
    assert math.isnan(sqrt_with_error(ValueWithError(math.nan, 1.0)).value)
    assert sqrt_with_error(ValueWithError(-1.0, 1.0)).value == 0.0


def test_errors_of_ratios_and_roots_are_those_of_repeated_samples():
    generator = np.random.Generator(np.random.PCG64(1))
    found = []
    for _ in range(400):
        below = generator.uniform(1.0, 3.0, 200)
        above = below * generator.normal(2.0, 0.5, 200)
        ratio = ratio_with_error(above, below)
        found.append((ratio, sqrt_with_error(ratio)))
    for each in zip(*found, strict=True):
        spread = np.std([figure.value for figure in each])
        assert np.mean([figure.error for figure in each]) == pytest.approx(spread, rel=0.1)
