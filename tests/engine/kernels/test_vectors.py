"""The vector instructions against the Python functions that define them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels import kernel
from engine.kernels.vectors import GROUP, add_rows, list_nonzero


@kernel
def _list_nonzero(values, at, count, listed):
    return list_nonzero(values, at, count, listed)


@kernel
def _add_rows(weights, bias, base, inputs, listed, at, count, least, sums, column):
    add_rows(weights, bias, base, inputs, listed, at, count, least, sums, column)


def _values(groups=3):
    generator = np.random.default_rng(1)
    values = generator.normal(size=(4, groups * GROUP)).astype(np.float32)
    return np.where(generator.random(values.shape) < 0.3, values, np.float32(0.0))


@pytest.mark.nojit
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_the_columns_that_are_not_zero_are_listed_in_order(groups):
    values = _values()
    listed = np.zeros(values.shape, np.uint16)
    for row in range(4):
        found = _list_nonzero(values, row, groups * GROUP, listed)
        assert listed[row, :found].tolist() == np.flatnonzero(values[row, : groups * GROUP]).tolist()


@pytest.mark.nojit
def test_negative_numbers_and_nan_are_not_zero_and_minus_zero_is():
    values = np.zeros((1, GROUP), np.float32)
    values[0, [0, 5, 9, 62, 63]] = [-1e-30, np.nan, -0.0, -2.0, np.inf]
    listed = np.zeros(values.shape, np.uint16)
    assert listed[0, : _list_nonzero(values, 0, GROUP, listed)].tolist() == [0, 5, 62, 63]


@pytest.mark.nojit
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_none_or_all_columns_are_listed(value):
    values = np.full((1, 2 * GROUP), value, np.float32)
    listed = np.zeros(values.shape, np.uint16)
    assert _list_nonzero(values, 0, 2 * GROUP, listed) == 2 * GROUP * value


@pytest.mark.nojit
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 50])
@pytest.mark.parametrize("least", [-np.inf, 0.0])
def test_listed_rows_are_added_to_the_biases(count, least):
    generator = np.random.default_rng(2)
    inputs = _values()
    weights = generator.normal(size=7 + GROUP + inputs.shape[1] * GROUP).astype(np.float32)
    listed = np.argsort(generator.random(inputs.shape), axis=1).astype(np.uint16)
    sums = np.full(inputs.shape, 9.0, np.float32)
    _add_rows(weights, 7, 7 + GROUP, inputs, listed, 2, count, np.float32(least), sums, GROUP)
    rows = weights[7 + GROUP :].reshape(-1, GROUP)[listed[2, :count]]
    expected = weights[7 : 7 + GROUP] + inputs[2, listed[2, :count]] @ rows
    np.testing.assert_allclose(sums[2, GROUP : 2 * GROUP], np.maximum(expected, least), atol=1e-5)
    sums[2, GROUP : 2 * GROUP] = 9.0
    assert (sums == 9.0).all()
