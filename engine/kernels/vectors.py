"""Steps of neural nets and of their inputs, written as vector instructions: loops do not compile to them.

Every sum is added up in one order, so that a result is the same to the bit whoever calls.

Vectors are those of AVX-512. Where a processor lacks it, the compiler takes several registers for a vector;
so `add_rows` has fewer sums side by side, and the Python function itself is compiled where it is as fast.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba.core import types
from numpy.typing import NDArray

from engine.kernels.instructions import (
    BOARDS,
    FLOAT,
    FLOAT_ROWS,
    FUSED,
    INDEX_ROWS,
    INT,
    INT_VECTOR,
    LANE,
    LANES,
    VECTOR,
    Builder,
    Value,
    compress,
    emitted_by,
    fill,
    join,
    pick,
    point_to_row,
    repeat,
)

GROUP = 64
"""Columns that are processed together; arrays have whole groups of them."""

POINTS_OF_SIDE = 26
"""Places for checkers of a side: off, 24 points, bar."""

_PAIRS = [(high, low) for high in range(2, 7) for low in range(1, high)]

STEP = 4
"""Rows that are added together; a list of rows ends with as many that add nothing."""

_PLACES = range(0, GROUP, LANES)
_BYTE = ir.IntType(8)
_SHORT = ir.IntType(16)
_SHORT_VECTOR = ir.VectorType(_SHORT, LANES)
_HALF = GROUP // 2
_HALF_VECTOR = ir.VectorType(_SHORT, _HALF)
"""Half a group of 16-bit numbers, as wide as `VECTOR`."""

_FEATURES = numba.config.CPU_FEATURES  # type: ignore[attr-defined]  # made at run time
HAS_AVX512 = "+avx512f" in (get_host_cpu_features().flatten() if _FEATURES is None else _FEATURES)
_SUMS = 2 if HAS_AVX512 else 1
"""Sums that take rows by turns: an addition takes as long as adding a row to two of them."""

_FLOATS, _BYTES = types.float32[::1], types.int8[::1]
_ADDING = (
    *(_FLOATS, types.int64, _FLOATS, types.int64, INDEX_ROWS, FLOAT_ROWS, types.int64, types.int64),
    *(types.float32, FLOAT_ROWS, types.int64),
)
"""Types of the arguments of `add_rows`."""
_SHORT_ROWS = types.Array(types.int16, 2, "C", readonly=True)


def _emit_add_rows(builder: Builder, arguments: list[Value]) -> None:
    _emit_add_rows_of(GROUP, _SUMS, builder, arguments)


def _emit_add_narrow_rows(builder: Builder, arguments: list[Value]) -> None:
    _emit_add_rows_of(LANES, STEP, builder, arguments)


def _emit_add_rows_of(units: int, sums_side_by_side: int, builder: Builder, arguments: list[Value]) -> None:
    places = range(0, units, LANES)
    terms, term, weights, base, rows, factors, at, count, least, sums, column = arguments
    rows, factors, sums = (point_to_row(builder, array, at) for array in (rows, factors, sums))
    base, sums = builder.gep(weights.data, [base]), builder.gep(sums, [column])
    first_terms = [_load(builder, builder.gep(terms.data, [term]), place) for place in places]
    zeros = [ir.Constant(VECTOR, [0.0] * LANES) for _ in places]
    starts = first_terms + zeros * (sums_side_by_side - 1)
    before = builder.block
    loop, end = builder.append_basic_block("rows"), builder.append_basic_block("end")
    builder.cbranch(builder.icmp_signed(">", count, INT(0)), loop, end)

    builder.position_at_end(loop)
    i = builder.phi(INT)
    totals = [builder.phi(VECTOR) for _ in starts]
    added = list(totals)
    for number, row in enumerate(_load_step(builder, rows, i)):
        own = builder.gep(base, [builder.mul(row, INT(units))])
        factor = builder.load(builder.gep(factors, [builder.add(i, INT(number))]))
        factor = repeat(builder, factor)
        first = number % sums_side_by_side * len(places)
        for k, start in enumerate(places, first):
            product = builder.fmul(_load(builder, own, start), factor, flags=FUSED)
            added[k] = builder.fadd(product, added[k], flags=FUSED)
    following = builder.add(i, INT(STEP))
    join([i, *totals], (before, [INT(0), *starts]), (loop, [following, *added]))
    builder.cbranch(builder.icmp_signed("<", following, count), loop, end)

    builder.position_at_end(end)
    results = [builder.phi(VECTOR) for _ in starts]
    join(results, (before, starts), (loop, added))
    bound = repeat(builder, least)
    for k, place in enumerate(places):
        total = functools.reduce(builder.fadd, results[k :: len(places)])
        total = builder.select(builder.fcmp_ordered("<", total, bound), bound, total)
        builder.store(total, _vector_pointer(builder, sums, place, VECTOR), align=4)


def _load_step(builder: Builder, rows: Value, first: Value) -> list[Value]:
    """Emit the loading of `STEP` numbers of rows."""
    numbers = builder.load(builder.bitcast(builder.gep(rows, [first]), INT.as_pointer()), align=2)
    return [builder.and_(builder.lshr(numbers, INT(16 * step)), INT(0xFFFF)) for step in range(STEP)]


def _emit_add_byte_rows(builder: Builder, arguments: list[Value]) -> None:
    numbers, base, rows, at, count, weights, bias, scale, sums, place = arguments
    rows, sums = point_to_row(builder, rows, at), builder.gep(sums.data, [place])
    base = builder.gep(numbers.data, [base])
    zeros = [ir.Constant(_HALF_VECTOR, None)] * 2
    before = builder.block
    loop, end = builder.append_basic_block("rows"), builder.append_basic_block("end")
    builder.cbranch(builder.icmp_signed(">", count, INT(0)), loop, end)

    builder.position_at_end(loop)
    i = builder.phi(INT)
    totals = [builder.phi(_HALF_VECTOR) for _ in zeros]
    added = list(totals)
    for row in _load_step(builder, rows, i):
        own = builder.gep(base, [builder.mul(row, INT(GROUP))])
        for half in range(2):
            bytes_ = _vector_pointer(builder, own, half * _HALF, ir.VectorType(_BYTE, _HALF))
            term = builder.sext(builder.load(bytes_, align=1), _HALF_VECTOR)
            added[half] = builder.add(added[half], term)
    following = builder.add(i, INT(STEP))
    join([i, *totals], (before, [INT(0), *zeros]), (loop, [following, *added]))
    builder.cbranch(builder.icmp_signed("<", following, count), loop, end)

    builder.position_at_end(end)
    results = [builder.phi(_HALF_VECTOR) for _ in zeros]
    join(results, (before, zeros), (loop, added))
    biases, scales = (builder.gep(weights.data, [place]) for place in (bias, scale))
    for place in _PLACES:
        half, first = divmod(place, _HALF)
        whole = builder.sext(pick(builder, results[half], range(first, first + LANES)), INT_VECTOR)
        product = builder.fmul(builder.sitofp(whole, VECTOR), _load(builder, scales, place), flags=FUSED)
        total = builder.fadd(product, _load(builder, biases, place), flags=FUSED)
        builder.store(total, _vector_pointer(builder, sums, place, VECTOR), align=4)


def _emit_list_nonzero(builder: Builder, arguments: list[Value]) -> Value:
    values, at, columns, shift, listed, rows, factors = arguments
    values, rows, factors = (point_to_row(builder, array, at) for array in (values, rows, factors))
    lanes = ir.Constant(INT_VECTOR, list(range(LANES)))
    before = builder.block
    loop, end = builder.append_basic_block("group"), builder.append_basic_block("end")
    builder.branch(loop)

    builder.position_at_end(loop)
    first, found = builder.phi(INT), builder.phi(INT)
    places = [found]
    for place in _PLACES:
        start = builder.add(first, INT(place))
        vector = builder.load(_vector_pointer(builder, values, start, VECTOR), align=4)
        mask = builder.fcmp_unordered("!=", vector, ir.Constant(VECTOR, [0.0] * LANES))
        numbers = repeat(builder, builder.trunc(builder.add(start, shift), LANE))
        numbers = compress(builder, builder.add(numbers, lanes), mask)
        narrow = builder.trunc(numbers, _SHORT_VECTOR)
        builder.store(narrow, _vector_pointer(builder, rows, places[-1], _SHORT_VECTOR), align=2)
        vector = compress(builder, vector, mask)
        builder.store(vector, _vector_pointer(builder, factors, places[-1], VECTOR), align=4)
        number = builder.ctpop(builder.bitcast(mask, ir.IntType(LANES)))
        places.append(builder.add(places[-1], builder.zext(number, INT)))
    following = builder.add(first, INT(GROUP))
    join([first, found], (before, [INT(0), listed]), (loop, [following, places[-1]]))
    builder.cbranch(builder.icmp_signed("<", following, columns), loop, end)

    builder.position_at_end(end)
    emit_end_of_rows(builder, places[-1], rows, factors)
    return places[-1]


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
        narrow = builder.trunc(compress(builder, lanes, is_listed), _SHORT_VECTOR)
        builder.store(narrow, _vector_pointer(builder, rows, found, _SHORT_VECTOR), align=2)
        if factors is not None:
            builder.store(ones, _vector_pointer(builder, factors, found, VECTOR), align=4)
        number = builder.ctpop(builder.bitcast(is_listed, ir.IntType(LANES)))
        found = builder.add(found, builder.zext(number, INT))
    return found


def emit_end_of_rows(builder: Builder, found: Value, rows: Value, factors: Value | None = None) -> None:
    """Emit `STEP` times the first row at the end of a list, and the factor 0."""
    for step in range(STEP):
        place = builder.add(found, INT(step))
        builder.store(_SHORT(0), builder.gep(rows, [place]))
        if factors is not None:
            builder.store(FLOAT(0.0), builder.gep(factors, [place]))


def emit_load_counts(builder: Builder, boards: Value, place: Value, count: int) -> Value:
    """Emit the loading of checkers of a position, ``int8[n, 2, 26]``, as 16-bit numbers from a place on."""
    kind = ir.VectorType(_BYTE, count)
    loaded = builder.load(_vector_pointer(builder, boards.data, place, kind), align=1)
    return builder.zext(loaded, ir.VectorType(_SHORT, count))


def _emit_weigh_counts(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, side, weights, row = arguments
    counts = builder.gep(boards.data, [builder.mul(builder.add(builder.mul(at, INT(2)), side), INT(26))])
    weights = builder.gep(weights.data, [builder.mul(row, INT(POINTS_OF_SIDE))])
    total = _SHORT(0)
    for start, kind in (
        (0, ir.VectorType(_SHORT, 16)),
        (16, ir.VectorType(_SHORT, 8)),
        (24, ir.VectorType(_SHORT, 2)),
    ):
        bytes_ = ir.VectorType(_BYTE, kind.count)
        these = builder.load(_vector_pointer(builder, counts, start, bytes_), align=1)
        factors = builder.load(_vector_pointer(builder, weights, start, kind), align=2)
        products = builder.mul(builder.zext(these, kind), factors)
        signature = ir.FunctionType(_SHORT, [kind])
        name = f"llvm.vector.reduce.add.v{kind.count}i16"
        add_up = builder.module.declare_intrinsic(name, (), signature)
        total = builder.add(total, builder.call(add_up, [products]))
    return builder.sext(total, INT)


def _emit_find_rear(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, side = arguments
    place = builder.mul(builder.add(builder.mul(at, INT(2)), side), INT(POINTS_OF_SIDE))
    counts = emit_load_counts(builder, boards, place, POINTS_OF_SIDE)
    places = builder.bitcast(builder.icmp_signed("!=", counts, fill(counts, 0)), ir.IntType(POINTS_OF_SIDE))
    points = builder.or_(builder.and_(builder.zext(places, INT), INT(-2)), INT(1))
    return builder.sub(INT(63), builder.ctlz(points, ir.IntType(1)(1)))


def _emit_count_shots(builder: Builder, arguments: list[Value]) -> Value:
    occupied, open_points, blots = (repeat(builder, builder.trunc(mask, LANE)) for mask in arguments)

    def move(points: Value, dice: list[int]) -> Value:
        return builder.lshr(points, ir.Constant(INT_VECTOR, dice))

    def stop(points: Value, dice: list[int]) -> Value:
        return builder.and_(move(points, dice), open_points)

    def count(stops: list[Value], times: list[int]) -> Value:
        hits = builder.and_(functools.reduce(builder.or_, stops), blots)
        zeros, ones = ir.Constant(INT_VECTOR, None), ir.Constant(INT_VECTOR, [1] * LANES)
        signature = ir.FunctionType(INT_VECTOR, [INT_VECTOR, ir.IntType(1)])
        count_zeros = builder.module.declare_intrinsic(f"llvm.ctlz.v{LANES}i32", (), signature)
        above = builder.call(count_zeros, [hits, ir.IntType(1)(0)])
        highest = builder.sub(ir.Constant(INT_VECTOR, [31] * LANES), above)
        rest = builder.and_(hits, builder.sub(hits, ones))
        chooses = builder.zext(builder.icmp_signed("!=", rest, zeros), INT_VECTOR)
        each = builder.or_(builder.shl(highest, ir.Constant(INT_VECTOR, [16] * LANES)), ones)
        each = builder.or_(each, builder.shl(chooses, ir.Constant(INT_VECTOR, [8] * LANES)))
        each = builder.mul(each, ir.Constant(INT_VECTOR, times))
        return builder.select(builder.icmp_signed("!=", hits, zeros), each, zeros)

    high, low = ([pair[k] for pair in _PAIRS] + [0] for k in range(2))
    by_high, by_low = stop(occupied, high), stop(occupied, low)
    of_pairs = count([by_high, by_low, move(by_high, low), move(by_low, high)], [2] * 15 + [0])
    dice = [1, 2, 3, 4, 5, 6] + [0] * 10
    once = stop(occupied, dice)
    twice = stop(once, dice)
    thrice = stop(twice, dice)
    of_doubles = count([once, twice, thrice, move(thrice, dice)], [1] * 6 + [0] * 10)
    add_up = builder.module.declare_intrinsic(
        f"llvm.vector.reduce.add.v{LANES}i32", (), ir.FunctionType(LANE, [INT_VECTOR])
    )
    return builder.zext(builder.call(add_up, [builder.add(of_pairs, of_doubles)]), INT)


def _vector_pointer(builder: Builder, pointer: Value, place: Value, vector: Value) -> Value:
    place = INT(place) if isinstance(place, int) else place
    return builder.bitcast(builder.gep(pointer, [place]), vector.as_pointer())


def _load(builder: Builder, pointer: Value, place: int) -> Value:
    return builder.load(_vector_pointer(builder, pointer, place, VECTOR), align=4)


@emitted_by(_emit_add_rows, types.void, *_ADDING)
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
    starts = base + GROUP * rows[at, :count].astype(np.int64)
    products = weights[starts[:, None] + np.arange(GROUP)] * factors[at, :count, None]
    total = terms[term : term + GROUP] + products.sum(axis=0)
    sums[at, column : column + GROUP] = np.maximum(total, least)


@emitted_by(_emit_add_narrow_rows, types.void, *_ADDING)
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
    starts = base + LANES * rows[at, :count].astype(np.int64)
    products = weights[starts[:, None] + np.arange(LANES)] * factors[at, :count, None]
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
    starts = base + GROUP * rows[at, :count].astype(np.int64)
    total = numbers[starts[:, None] + np.arange(GROUP)].sum(axis=0, dtype=np.int16)
    sums[place : place + GROUP] = weights[bias : bias + GROUP] + total * weights[scale : scale + GROUP]


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


@emitted_by(_emit_weigh_counts, types.int64, *(BOARDS, types.int64, types.int64, _SHORT_ROWS, types.int64))
def weigh_counts(boards: NDArray[np.int8], at: int, side: int, weights: NDArray[np.int16], row: int) -> int:
    """Return the sum of a side's checkers times weights of their points.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        side: The side, 0 or 1.
        weights: A constant ``int16[m, 26]``, such that the sum fits in 16 bits.
        row: The row of the weights.
    """
    return int(boards[at, side].astype(np.int64) @ weights[row])


@emitted_by(_emit_find_rear, types.int64, *(BOARDS, types.int64, types.int64))
def find_rear(boards: NDArray[np.int8], at: int, side: int) -> int:
    """Return the point of a side's rear checker, 0 if it has borne all off, in ``int8[n, 2, 26]``."""
    point = 25
    while point > 0 and boards[at, side, point] == 0:
        point -= 1
    return point


@emitted_by(_emit_count_shots, types.int64, *[types.int64] * 3)
def count_shots(occupied: int, open_points: int, blots: int) -> int:
    """Count the rolls by which a side without checkers on the bar can hit.

    Points are bits, all in the hitting side's numbering.

    Args:
        occupied: The points of its checkers.
        open_points: The points that the other side has not made.
        blots: The other side's blots.

    Returns:
        Three numbers: in the lowest 8 bits the rolls of 36 that hit, in the next 8 those that can hit more
        than one blot, and above them the sum of the highest point that each can hit.
    """
    total = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            if high == low:
                hits, at = 0, occupied
                for _ in range(4):
                    at = (at >> high) & open_points
                    hits |= at & blots
            else:
                by_high, by_low = (occupied >> high) & open_points, (occupied >> low) & open_points
                hits = (by_high | by_low | (by_high >> low) | (by_low >> high)) & blots
            if hits:
                chooses = int(hits & (hits - 1) != 0)
                total += (1 if high == low else 2) * (1 | chooses << 8 | (int(hits).bit_length() - 1) << 16)
    return total
