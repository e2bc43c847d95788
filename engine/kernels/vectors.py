"""Steps of neural nets, written as vector instructions: loops do not compile to them.

Every sum is added up in one order, so that a result is the same to the bit whoever calls, on every processor.

Vectors are those of AVX-512. Where a processor lacks it, the compiler takes several registers for a vector,
and the Python function itself is compiled where it is as fast and adds nothing up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba.core import types
from numpy.typing import NDArray

from gammond.engine.kernels.instructions import (
    BYTE,
    FLOAT,
    FLOAT_ROWS,
    FUSED,
    INDEX_ROWS,
    INT,
    INT_VECTOR,
    LANE,
    LANES,
    SHORT,
    SHORT_VECTOR,
    VECTOR,
    Builder,
    Value,
    compress,
    emit_loop,
    emitted_by,
    pick,
    point_to_row,
    repeat,
    vector_pointer,
)

_Number = TypeVar("_Number", bound=np.generic)

GROUP = 64
"""Columns that are processed together; arrays have whole groups of them."""

STEP = 4
"""Rows that are added together; a list of rows ends with as many that add nothing."""

_PLACES = range(0, GROUP, LANES)
_HALF = GROUP // 2
_HALF_VECTOR = ir.VectorType(SHORT, _HALF)
"""Half a group of 16-bit numbers, as wide as `VECTOR`."""

_FEATURES = numba.config.CPU_FEATURES  # type: ignore[attr-defined]  # made at run time
HAS_AVX512 = "+avx512f" in (get_host_cpu_features().flatten() if _FEATURES is None else _FEATURES)
_SUMS = 2
"""Sums that take rows by turns: an addition takes as long as adding a row to two of them."""

_FLOATS, _BYTES = types.float32[::1], types.int8[::1]
_ADDING = (
    *(_FLOATS, types.int64, _FLOATS, types.int64, INDEX_ROWS, FLOAT_ROWS, types.int64, types.int64),
    *(types.float32, FLOAT_ROWS, types.int64),
)
"""Types of the arguments of `add_rows`."""


def _emit_add_rows(units: int, sums_side_by_side: int, builder: Builder, arguments: list[Value]) -> None:
    terms, term, weights, base, rows, factors, at, count, least, sums, column = arguments
    rows, factors, sums = (point_to_row(builder, array, at) for array in (rows, factors, sums))
    base, sums = builder.gep(weights.data, [base]), builder.gep(sums, [column])
    places = range(0, units, LANES)
    first_terms = [_load(builder, builder.gep(terms.data, [term]), place) for place in places]
    zeros = [ir.Constant(VECTOR, [0.0] * LANES) for _ in places]

    def add_step(i: Value, listed: list[Value], totals: list[Value]) -> list[Value]:
        for number, row in enumerate(listed):
            own = builder.gep(base, [builder.mul(row, INT(units))])
            factor = builder.load(builder.gep(factors, [builder.add(i, INT(number))]))
            factor = repeat(builder, factor)
            first = number % sums_side_by_side * len(places)
            for k, start in enumerate(places, first):
                product = builder.fmul(_load(builder, own, start), factor, flags=FUSED)
                totals[k] = builder.fadd(product, totals[k], flags=FUSED)
        return totals

    starts = first_terms + zeros * (sums_side_by_side - 1)
    results = _emit_steps(builder, rows, count, starts, add_step)
    bound = repeat(builder, least)
    for k, place in enumerate(places):
        total = functools.reduce(builder.fadd, results[k :: len(places)])
        total = builder.select(builder.fcmp_ordered("<", total, bound), bound, total)
        builder.store(total, vector_pointer(builder, sums, place, VECTOR), align=4)


def _emit_add_byte_rows(builder: Builder, arguments: list[Value]) -> None:
    numbers, base, rows, at, count, weights, bias, scale, sums, place = arguments
    rows, sums = point_to_row(builder, rows, at), builder.gep(sums.data, [place])
    base = builder.gep(numbers.data, [base])

    def add_step(_: Value, listed: list[Value], totals: list[Value]) -> list[Value]:
        for row in listed:
            own = builder.gep(base, [builder.mul(row, INT(GROUP))])
            for half in range(2):
                bytes_ = vector_pointer(builder, own, half * _HALF, ir.VectorType(BYTE, _HALF))
                term = builder.sext(builder.load(bytes_, align=1), _HALF_VECTOR)
                totals[half] = builder.add(totals[half], term)
        return totals

    results = _emit_steps(builder, rows, count, [ir.Constant(_HALF_VECTOR, None)] * 2, add_step)
    biases, scales = (builder.gep(weights.data, [place]) for place in (bias, scale))
    for place in _PLACES:
        half, first = divmod(place, _HALF)
        whole = builder.sext(pick(builder, results[half], range(first, first + LANES)), INT_VECTOR)
        product = builder.fmul(builder.sitofp(whole, VECTOR), _load(builder, scales, place), flags=FUSED)
        total = builder.fadd(product, _load(builder, biases, place), flags=FUSED)
        builder.store(total, vector_pointer(builder, sums, place, VECTOR), align=4)


def _emit_steps(
    builder: Builder,
    rows: Value,
    count: Value,
    starts: list[Value],
    add_step: Callable[[Value, list[Value], list[Value]], list[Value]],
) -> list[Value]:
    """Emit a loop that adds listed rows to sums, `STEP` of them at a time.

    Args:
        builder: Builds the instructions.
        rows: The address of the list of rows.
        count: How many are listed.
        starts: The sums before the first row.
        add_step: Emits a step: given how many rows came before, its rows and the sums, returns the sums.

    Returns:
        The sums after the last row.
    """

    def step(i: Value, totals: list[Value]) -> list[Value]:
        numbers = builder.load(builder.bitcast(builder.gep(rows, [i]), INT.as_pointer()), align=2)
        listed = [builder.and_(builder.lshr(numbers, INT(16 * row)), INT(0xFFFF)) for row in range(STEP)]
        return add_step(i, listed, totals)

    return emit_loop(builder, count, STEP, starts, step)


def _emit_list_nonzero(builder: Builder, arguments: list[Value]) -> Value:
    values, at, columns, shift, listed, rows, factors = arguments
    values, rows, factors = (point_to_row(builder, array, at) for array in (values, rows, factors))
    lanes = ir.Constant(INT_VECTOR, list(range(LANES)))

    def list_group(first: Value, carried: list[Value]) -> list[Value]:
        (found,) = carried
        for place in _PLACES:
            start = builder.add(first, INT(place))
            vector = builder.load(vector_pointer(builder, values, start, VECTOR), align=4)
            mask = builder.fcmp_unordered("!=", vector, ir.Constant(VECTOR, [0.0] * LANES))
            numbers = repeat(builder, builder.trunc(builder.add(start, shift), LANE))
            numbers = compress(builder, builder.add(numbers, lanes), mask)
            narrow = builder.trunc(numbers, SHORT_VECTOR)
            builder.store(narrow, vector_pointer(builder, rows, found, SHORT_VECTOR), align=2)
            vector = compress(builder, vector, mask)
            builder.store(vector, vector_pointer(builder, factors, found, VECTOR), align=4)
            number = builder.ctpop(builder.bitcast(mask, ir.IntType(LANES)))
            found = builder.add(found, builder.zext(number, INT))
        return [found]

    (found,) = emit_loop(builder, columns, GROUP, [listed], list_group)
    emit_end_of_rows(builder, found, rows, factors)
    return found


def emit_list_rows(
    builder: Builder,
    numbers: Value,
    bases: Sequence[int],
    found: Value,
    rows: Value,
    factors: Value | None = None,
) -> Value:
    """Emit the listing of numbers that are not zero as rows, for `add_rows` or `add_byte_rows`.

    Args:
        builder: Builds the instructions.
        numbers: A vector of 16-bit numbers.
        bases: What is added to each of them for its row.
        found: How many rows are listed already.
        rows: The address of the list of rows; it is written up to `LANES` entries after the last row.
        factors: The address of a list of factors, which get 1, the same.

    Returns:
        How many are listed then.
    """
    ones = ir.Constant(VECTOR, [1.0] * LANES)
    for start in range(0, len(bases), LANES):
        own = [int(base) for base in bases[start : start + LANES]]
        lanes = builder.zext(pick(builder, numbers, range(start, start + len(own)), LANES), INT_VECTOR)
        is_listed = builder.icmp_signed("!=", lanes, ir.Constant(INT_VECTOR, None))
        lanes = builder.add(lanes, ir.Constant(INT_VECTOR, own + [0] * (LANES - len(own))))
        narrow = builder.trunc(compress(builder, lanes, is_listed), SHORT_VECTOR)
        builder.store(narrow, vector_pointer(builder, rows, found, SHORT_VECTOR), align=2)
        if factors is not None:
            builder.store(ones, vector_pointer(builder, factors, found, VECTOR), align=4)
        number = builder.ctpop(builder.bitcast(is_listed, ir.IntType(LANES)))
        found = builder.add(found, builder.zext(number, INT))
    return found


def emit_end_of_rows(builder: Builder, found: Value, rows: Value, factors: Value | None = None) -> None:
    """Emit `STEP` times the first row at the end of a list, and the factor 0."""
    for step in range(STEP):
        place = builder.add(found, INT(step))
        builder.store(SHORT(0), builder.gep(rows, [place]))
        if factors is not None:
            builder.store(FLOAT(0.0), builder.gep(factors, [place]))


def _load(builder: Builder, pointer: Value, place: int) -> Value:
    return builder.load(vector_pointer(builder, pointer, place, VECTOR), align=4)


@emitted_by(functools.partial(_emit_add_rows, GROUP, _SUMS), types.void, *_ADDING)
def add_rows(
    terms: NDArray[np.float32],
    term: int,
    weights: NDArray[np.float32],
    base: int,
    rows: NDArray[np.uint16],
    factors: NDArray[np.float32],
    at: int,
    count: int,
    least: np.float32,
    sums: NDArray[np.float32],
    column: int,
) -> None:
    """Write the sums of `GROUP` units: their first terms, and the listed rows of weights times their factors.

    Args:
        terms: ``float32[t]``.
        term: The place of the units' first terms, such as their biases.
        weights: ``float32[w]``.
        base: The place of the rows, `GROUP` weights each.
        rows: ``uint16[n, m]``, the rows to add, in the order of the sum, then `STEP` of any.
        factors: ``float32[n, m]``, of each of the rows, then `STEP` zeros.
        at: The row of the lists and of the sums.
        count: The number of rows listed.
        least: What a sum is replaced by if it is less: 0 is ReLU.
        sums: out, ``float32[n, k]``.
        column: The column of the first unit.
    """
    products = _take_rows(weights, base, rows[at, :count], GROUP) * factors[at, :count, None]
    total = terms[term : term + GROUP] + products.sum(axis=0)
    sums[at, column : column + GROUP] = np.maximum(total, least)


@emitted_by(functools.partial(_emit_add_rows, LANES, STEP), types.void, *_ADDING)
def add_narrow_rows(
    terms: NDArray[np.float32],
    term: int,
    weights: NDArray[np.float32],
    base: int,
    rows: NDArray[np.uint16],
    factors: NDArray[np.float32],
    at: int,
    count: int,
    least: np.float32,
    sums: NDArray[np.float32],
    column: int,
) -> None:
    """Write the sums of `LANES` units as `add_rows` does those of a group; rows have as many weights."""
    products = _take_rows(weights, base, rows[at, :count], LANES) * factors[at, :count, None]
    total = terms[term : term + LANES] + products.sum(axis=0)
    sums[at, column : column + LANES] = np.maximum(total, least)


@emitted_by(
    _emit_add_byte_rows,
    types.void,
    *(_BYTES, types.int64, INDEX_ROWS, types.int64, types.int64),
    *(_FLOATS, types.int64, types.int64, _FLOATS, types.int64),
)
def add_byte_rows(
    numbers: NDArray[np.int8],
    base: int,
    rows: NDArray[np.uint16],
    at: int,
    count: int,
    weights: NDArray[np.float32],
    bias: int,
    scale: int,
    sums: NDArray[np.float32],
    place: int,
) -> None:
    """Write the sums of `GROUP` units: their biases, and the listed rows of numbers times the units' scales.

    Args:
        numbers: ``int8[w]``.
        base: The place of the rows, `GROUP` numbers each. The first row is zero, and the listed ones of a
            unit add up to a number of 16 bits.
        rows: ``uint16[n, m]``, the rows to add, then `STEP` times the first row.
        at: The row of the list.
        count: The number of rows listed.
        weights: ``float32[v]``.
        bias: The place of the units' biases.
        scale: The place of the units' scales.
        sums: out, ``float32[s]``.
        place: The place of the first sum.
    """
    total = _take_rows(numbers, base, rows[at, :count], GROUP).sum(axis=0, dtype=np.int16)
    sums[place : place + GROUP] = weights[bias : bias + GROUP] + total * weights[scale : scale + GROUP]


def _take_rows(
    numbers: NDArray[_Number], base: int, rows: NDArray[np.uint16], units: int
) -> NDArray[_Number]:
    """Return rows of numbers by their places, ``[n, units]``."""
    starts = base + units * rows.astype(np.int64)
    return numbers[starts[:, None] + np.arange(units)]


@emitted_by(
    _emit_list_nonzero,
    types.int64,
    *(FLOAT_ROWS, types.int64, types.int64, types.int64, types.int64, INDEX_ROWS, FLOAT_ROWS),
    is_compiled=not HAS_AVX512,
)
def list_nonzero(
    values: NDArray[np.float32],
    at: int,
    columns: int,
    shift: int,
    listed: int,
    rows: NDArray[np.uint16],
    factors: NDArray[np.float32],
) -> int:
    """List the values of a row that are not zero as factors for `add_rows`, in ascending order.

    Args:
        values: ``float32[n, k]``.
        at: The row of the values and of the lists.
        columns: The number of columns to look at, 1 or more; they are looked at in whole groups.
        shift: Where the rows of weights of these columns begin: column c has row ``shift + c``.
        listed: The number of rows that are listed already.
        rows: in and out, ``uint16[n, m]``, with `GROUP` entries more than are listed at most.
        factors: in and out, ``float32[n, m]``.

    Returns:
        The number listed, with those before; after them come `STEP` rows with the factor 0.
    """
    for column in range(-(-columns // GROUP) * GROUP):
        rows[at, listed] = shift + column
        factors[at, listed] = values[at, column]
        listed += int(values[at, column] != 0)
    for place in range(listed, listed + STEP):
        rows[at, place] = 0
        factors[at, place] = 0.0
    return listed
