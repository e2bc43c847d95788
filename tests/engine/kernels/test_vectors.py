"""The vector instructions against the Python functions that define them."""

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels.instructions import LANES
from gammond.engine.kernels.vectors import GROUP, STEP, add_byte_rows, add_narrow_rows, add_rows, list_nonzero


@kernel
def _list_nonzero(values, at, columns, shift, listed, rows, factors):
    return list_nonzero(values, at, columns, shift, listed, rows, factors)


@kernel
def _add_rows(terms, term, weights, base, rows, factors, at, count, least, sums, column):
    add_rows(terms, term, weights, base, rows, factors, at, count, least, sums, column)


@kernel
def _add_narrow_rows(terms, term, weights, base, rows, factors, at, count, least, sums, column):
    add_narrow_rows(terms, term, weights, base, rows, factors, at, count, least, sums, column)


@kernel
def _add_byte_rows(numbers, base, rows, at, count, weights, bias, scale, sums, place):
    add_byte_rows(numbers, base, rows, at, count, weights, bias, scale, sums, place)


def _values(groups=3):
    generator = np.random.default_rng(1)
    values = generator.normal(size=(4, groups * GROUP)).astype(np.float32)
    kept = generator.random(values.shape) < np.array([[0.3], [0.3], [0.0], [1.0]])
    return np.where(kept, values, np.float32(0.0))


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
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 50])
@pytest.mark.parametrize("least", [-np.inf, 0.0])
@pytest.mark.parametrize(("add", "units"), [(_add_rows, GROUP), (_add_narrow_rows, LANES)])
def test_listed_rows_are_added_to_the_biases(count, least, add, units):
    generator = np.random.default_rng(2)
    sums = np.full((4, 3 * GROUP), 9.0, np.float32)
    weights = generator.normal(size=7 + units + 192 * units).astype(np.float32)
    rows = generator.integers(0, 192, (4, 60)).astype(np.uint16)
    factors = generator.normal(size=rows.shape).astype(np.float32)
    factors[2, count : count + STEP] = 0.0
    add(weights, 7, weights, 7 + units, rows, factors, 2, count, np.float32(least), sums, GROUP)
    listed = weights[7 + units :].reshape(-1, units)[rows[2, :count]]
    expected = weights[7 : 7 + units] + factors[2, :count] @ listed
    np.testing.assert_allclose(sums[2, GROUP : GROUP + units], np.maximum(expected, least), atol=1e-5)
    sums[2, GROUP : GROUP + units] = 9.0
    assert (sums == 9.0).all()


@pytest.mark.nojit
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 50])
@pytest.mark.parametrize("limit", [3, 127])
def test_rows_of_whole_numbers_are_added_with_the_scales_of_their_units(count, limit):
    generator = np.random.default_rng(5)
    numbers = generator.integers(-limit, limit + 1, 5 + 192 * GROUP).astype(np.int8)
    numbers[5 : 5 + GROUP] = 0
    numbers[5 + 191 * GROUP :] = limit
    rows = np.zeros((4, 60), np.uint16)
    rows[2, :count] = generator.integers(0, 192, count)
    rows[2, : count // 2] = 191
    weights = generator.normal(size=3 + 2 * GROUP).astype(np.float32)
    sums = np.full(3 * GROUP, 9.0, np.float32)
    _add_byte_rows(numbers, 5, rows, 2, count, weights, 3, 3 + GROUP, sums, GROUP)
    total = numbers[5:].reshape(-1, GROUP)[rows[2, :count]].sum(axis=0, dtype=np.int64)
    expected = weights[3 : 3 + GROUP] + total * weights[3 + GROUP :]
    np.testing.assert_allclose(sums[GROUP : 2 * GROUP], expected, rtol=1e-5, atol=1e-4)
    sums[GROUP : 2 * GROUP] = 9.0
    assert (sums == 9.0).all()
