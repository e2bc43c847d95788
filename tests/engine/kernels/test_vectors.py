"""The vector instructions against the Python functions that define them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels import kernel
from engine.kernels.vectors import GROUP, STEP, add_rows, list_nonzero


@kernel
def _list_nonzero(values, at, columns, shift, listed, rows, factors):
    return list_nonzero(values, at, columns, shift, listed, rows, factors)


@kernel
def _add_rows(weights, bias, base, rows, factors, at, count, least, sums, column):
    add_rows(weights, bias, base, rows, factors, at, count, least, sums, column)


def _values(groups=3):
    generator = np.random.default_rng(1)
    values = generator.normal(size=(4, groups * GROUP)).astype(np.float32)
    return np.where(generator.random(values.shape) < 0.3, values, np.float32(0.0))


def _make_lists(values):
    shape = (len(values), values.shape[1] + GROUP)
    return np.full(shape, 77, np.uint16), np.full(shape, 9.0, np.float32)


@pytest.mark.nojit
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_the_columns_that_are_not_zero_are_listed_in_order(groups):
    values = _values()
    rows, factors = _make_lists(values)
    for at in range(4):
        found = _list_nonzero(values, at, groups * GROUP, 0, 0, rows, factors)
        columns = np.flatnonzero(values[at, : groups * GROUP])
        assert rows[at, :found].tolist() == columns.tolist()
        assert factors[at, :found].tolist() == values[at, columns].tolist()
        assert rows[at, found : found + STEP].tolist() == [0] * STEP
        assert factors[at, found : found + STEP].tolist() == [0.0] * STEP


@pytest.mark.nojit
def test_a_list_goes_on_after_the_rows_that_are_in_it():
    values = _values()
    rows, factors = _make_lists(values)
    found = _list_nonzero(values, 1, GROUP, 500, 3, rows, factors)
    columns = np.flatnonzero(values[1, :GROUP])
    assert rows[1, :found].tolist() == [77] * 3 + [500 + column for column in columns]
    assert factors[1, :found].tolist() == [9.0] * 3 + values[1, columns].tolist()


@pytest.mark.nojit
def test_negative_numbers_and_nan_are_not_zero_and_minus_zero_is():
    values = np.zeros((1, GROUP), np.float32)
    values[0, [0, 5, 9, 62, 63]] = [-1e-30, np.nan, -0.0, -2.0, np.inf]
    rows, factors = _make_lists(values)
    assert rows[0, : _list_nonzero(values, 0, GROUP, 0, 0, rows, factors)].tolist() == [0, 5, 62, 63]


@pytest.mark.nojit
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_none_or_all_columns_are_listed(value):
    values = np.full((1, 2 * GROUP), value, np.float32)
    rows, factors = _make_lists(values)
    assert _list_nonzero(values, 0, 2 * GROUP, 0, 0, rows, factors) == 2 * GROUP * value


@pytest.mark.nojit
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 50])
@pytest.mark.parametrize("least", [-np.inf, 0.0])
def test_listed_rows_are_added_to_the_biases(count, least):
    generator = np.random.default_rng(2)
    sums = np.full((4, 3 * GROUP), 9.0, np.float32)
    weights = generator.normal(size=7 + GROUP + 192 * GROUP).astype(np.float32)
    rows = generator.integers(0, 192, (4, 60)).astype(np.uint16)
    factors = generator.normal(size=rows.shape).astype(np.float32)
    factors[2, count : count + STEP] = 0.0
    _add_rows(weights, 7, 7 + GROUP, rows, factors, 2, count, np.float32(least), sums, GROUP)
    listed = weights[7 + GROUP :].reshape(-1, GROUP)[rows[2, :count]]
    expected = weights[7 : 7 + GROUP] + factors[2, :count] @ listed
    np.testing.assert_allclose(sums[2, GROUP : 2 * GROUP], np.maximum(expected, least), atol=1e-5)
    sums[2, GROUP : 2 * GROUP] = 9.0
    assert (sums == 9.0).all()
