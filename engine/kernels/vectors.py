"""Steps of neural nets and of their inputs, written as vector instructions: loops do not compile to them.

Each is a Python function that defines the result, and another that emits the instructions. Compiled callers
get the instructions; with the compiler off they call the Python function. Every sum is added up in one order,
so that a result is the same to the bit whoever calls.

Vectors are those of AVX-512. Where a processor lacks it, the compiler takes several registers for a vector;
so there are fewer sums side by side, and the Python function itself is compiled where it is as fast.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

GROUP = 64
"""Columns that are processed together; arrays have whole groups of them."""

POINTS_OF_SIDE = 26
"""Places for checkers of a side: off, 24 points, bar."""

_PAIRS = [(high, low) for high in range(2, 7) for low in range(1, high)]

STEP = 4
"""Rows that are added together; a list of rows ends with as many whose factors are 0."""

_P = ParamSpec("_P")
_R = TypeVar("_R")

# The classes of numba and llvmlite have no types.
_Builder: TypeAlias = Any
_Value: TypeAlias = Any
_Block: TypeAlias = Any
_Type: TypeAlias = Any

_LANES = 16
_PLACES = range(0, GROUP, _LANES)
_INT = ir.IntType(64)
_LANE = ir.IntType(32)
_SHORT = ir.IntType(16)
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, _LANES)
_INT_VECTOR = ir.VectorType(_LANE, _LANES)
_SHORT_VECTOR = ir.VectorType(_SHORT, _LANES)
_FUSED = ("contract",)

_FEATURES = numba.config.CPU_FEATURES  # type: ignore[attr-defined]  # made at run time
_HAS_AVX512 = "+avx512f" in (get_host_cpu_features().flatten() if _FEATURES is None else _FEATURES)
_SUMS = 2 if _HAS_AVX512 else 1
"""Sums that take rows by turns: an addition takes as long as adding a row to two of them."""

_FLOATS = types.float32[::1]
_FLOAT_ROWS = types.float32[:, ::1]
_BOARDS = types.int8[:, :, ::1]
_SHORT_ROWS = types.Array(types.int16, 2, "C", readonly=True)
_INDEX_ROWS = types.uint16[:, ::1]


def emitted_by(
    emit: Callable[[_Builder, list[_Value]], _Value | None],
    result: _Type,
    *argument_types: _Type,
    is_compiled: bool = False,
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Replace a function in compiled callers.

    Args:
        emit: Emits the instructions and returns the result, given the builder and the arguments.
        result: The numba type of the result.
        argument_types: The numba types of the arguments.
        is_compiled: Whether the function itself is to be compiled instead.
    """

    def generate(context: _Builder, builder: _Builder, signature: _Type, values: list[_Value]) -> _Value:
        arguments = [
            context.make_array(kind)(context, builder, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, values, strict=True)
        ]
        returned = emit(builder, arguments)
        return context.get_dummy_value() if returned is None else returned

    def find_type(_: _Builder, *given: _Type) -> _Type:
        return result(*argument_types), generate

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        signature = inspect.signature(function)
        find_type.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[context, *signature.parameters.values()]
        )
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # made at run time
            return function
        emitted: Any = numba.njit(forceinline=True)(function) if is_compiled else intrinsic(find_type)
        typed: Callable[_P, _R] = emitted
        return typed

    return decorate


def _emit_add_rows(builder: _Builder, arguments: list[_Value]) -> None:
    weights, bias, base, rows, factors, at, count, least, sums, column = arguments
    rows, factors, sums = (_row_pointer(builder, array, at) for array in (rows, factors, sums))
    base, sums = builder.gep(weights.data, [base]), builder.gep(sums, [column])
    biases = [_load(builder, builder.gep(weights.data, [bias]), place) for place in _PLACES]
    zeros = [ir.Constant(_VECTOR, [0.0] * _LANES) for _ in _PLACES]
    starts = biases + zeros * (_SUMS - 1)
    before = builder.block
    loop, end = builder.append_basic_block("rows"), builder.append_basic_block("end")
    builder.cbranch(builder.icmp_signed(">", count, _INT(0)), loop, end)

    builder.position_at_end(loop)
    i = builder.phi(_INT)
    totals = [builder.phi(_VECTOR) for _ in starts]
    added = list(totals)
    numbers = builder.load(builder.bitcast(builder.gep(rows, [i]), _INT.as_pointer()), align=2)
    for number in range(STEP):
        row = builder.and_(builder.lshr(numbers, _INT(16 * number)), _INT(0xFFFF))
        terms = builder.gep(base, [builder.mul(row, _INT(GROUP))])
        factor = builder.load(builder.gep(factors, [builder.add(i, _INT(number))]))
        factor = _repeat(builder, factor, _VECTOR)
        first = number % _SUMS * len(_PLACES)
        for k, start in enumerate(_PLACES, first):
            product = builder.fmul(_load(builder, terms, start), factor, flags=_FUSED)
            added[k] = builder.fadd(product, added[k], flags=_FUSED)
    following = builder.add(i, _INT(STEP))
    _join([i, *totals], before, [_INT(0), *starts], loop, [following, *added])
    builder.cbranch(builder.icmp_signed("<", following, count), loop, end)

    builder.position_at_end(end)
    results = [builder.phi(_VECTOR) for _ in starts]
    _join(results, before, starts, loop, added)
    bound = _repeat(builder, least, _VECTOR)
    for k, place in enumerate(_PLACES):
        total = functools.reduce(builder.fadd, results[k :: len(_PLACES)])
        total = builder.select(builder.fcmp_ordered("<", total, bound), bound, total)
        builder.store(total, _vector_pointer(builder, sums, place, _VECTOR), align=4)


def _emit_list_nonzero(builder: _Builder, arguments: list[_Value]) -> _Value:
    values, at, columns, shift, listed, rows, factors = arguments
    values, rows, factors = (_row_pointer(builder, array, at) for array in (values, rows, factors))
    lanes = ir.Constant(_INT_VECTOR, list(range(_LANES)))
    before = builder.block
    loop, end = builder.append_basic_block("group"), builder.append_basic_block("end")
    builder.branch(loop)

    builder.position_at_end(loop)
    first, found = builder.phi(_INT), builder.phi(_INT)
    places = [found]
    for place in _PLACES:
        start = builder.add(first, _INT(place))
        vector = builder.load(_vector_pointer(builder, values, start, _VECTOR), align=4)
        mask = builder.fcmp_unordered("!=", vector, ir.Constant(_VECTOR, [0.0] * _LANES))
        numbers = _repeat(builder, builder.trunc(builder.add(start, shift), _LANE), _INT_VECTOR)
        numbers = _compress(builder, builder.add(numbers, lanes), mask)
        narrow = builder.trunc(numbers, _SHORT_VECTOR)
        builder.store(narrow, _vector_pointer(builder, rows, places[-1], _SHORT_VECTOR), align=2)
        vector = _compress(builder, vector, mask)
        builder.store(vector, _vector_pointer(builder, factors, places[-1], _VECTOR), align=4)
        number = builder.ctpop(builder.bitcast(mask, ir.IntType(_LANES)))
        places.append(builder.add(places[-1], builder.zext(number, _INT)))
    following = builder.add(first, _INT(GROUP))
    _join([first, found], before, [_INT(0), listed], loop, [following, places[-1]])
    builder.cbranch(builder.icmp_signed("<", following, columns), loop, end)

    builder.position_at_end(end)
    for step in range(STEP):
        place = builder.add(places[-1], _INT(step))
        builder.store(_SHORT(0), builder.gep(rows, [place]))
        builder.store(_FLOAT(0.0), builder.gep(factors, [place]))
    return places[-1]


def _compress(builder: _Builder, vector: _Value, mask: _Value) -> _Value:
    """Emit the lanes of a mask, moved together."""
    kind = vector.type
    name = f"llvm.experimental.vector.compress.v{_LANES}{'f' if kind is _VECTOR else 'i'}32"
    signature = ir.FunctionType(kind, [kind, mask.type, kind])
    function = builder.module.declare_intrinsic(name, (), signature)
    return builder.call(function, [vector, mask, ir.Constant(kind, None)])


def _emit_weigh_counts(builder: _Builder, arguments: list[_Value]) -> _Value:
    boards, at, side, weights, row = arguments
    counts = builder.gep(boards.data, [builder.mul(builder.add(builder.mul(at, _INT(2)), side), _INT(26))])
    weights = builder.gep(weights.data, [builder.mul(row, _INT(POINTS_OF_SIDE))])
    total = _SHORT(0)
    for start, kind in (
        (0, ir.VectorType(_SHORT, 16)),
        (16, ir.VectorType(_SHORT, 8)),
        (24, ir.VectorType(_SHORT, 2)),
    ):
        bytes_ = ir.VectorType(ir.IntType(8), kind.count)
        these = builder.load(_vector_pointer(builder, counts, start, bytes_), align=1)
        factors = builder.load(_vector_pointer(builder, weights, start, kind), align=2)
        products = builder.mul(builder.zext(these, kind), factors)
        signature = ir.FunctionType(_SHORT, [kind])
        name = f"llvm.vector.reduce.add.v{kind.count}i16"
        add_up = builder.module.declare_intrinsic(name, (), signature)
        total = builder.add(total, builder.call(add_up, [products]))
    return builder.sext(total, _INT)


def _emit_count_shots(builder: _Builder, arguments: list[_Value]) -> _Value:
    occupied, open_points, blots = (
        _repeat(builder, builder.trunc(mask, _LANE), _INT_VECTOR) for mask in arguments
    )

    def move(points: _Value, dice: list[int]) -> _Value:
        return builder.lshr(points, ir.Constant(_INT_VECTOR, dice))

    def stop(points: _Value, dice: list[int]) -> _Value:
        return builder.and_(move(points, dice), open_points)

    def count(stops: list[_Value], times: list[int]) -> _Value:
        hits = builder.and_(functools.reduce(builder.or_, stops), blots)
        zeros, ones = ir.Constant(_INT_VECTOR, None), ir.Constant(_INT_VECTOR, [1] * _LANES)
        signature = ir.FunctionType(_INT_VECTOR, [_INT_VECTOR, ir.IntType(1)])
        count_zeros = builder.module.declare_intrinsic(f"llvm.ctlz.v{_LANES}i32", (), signature)
        above = builder.call(count_zeros, [hits, ir.IntType(1)(0)])
        highest = builder.sub(ir.Constant(_INT_VECTOR, [31] * _LANES), above)
        rest = builder.and_(hits, builder.sub(hits, ones))
        chooses = builder.zext(builder.icmp_signed("!=", rest, zeros), _INT_VECTOR)
        each = builder.or_(builder.shl(highest, ir.Constant(_INT_VECTOR, [16] * _LANES)), ones)
        each = builder.or_(each, builder.shl(chooses, ir.Constant(_INT_VECTOR, [8] * _LANES)))
        each = builder.mul(each, ir.Constant(_INT_VECTOR, times))
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
        f"llvm.vector.reduce.add.v{_LANES}i32", (), ir.FunctionType(_LANE, [_INT_VECTOR])
    )
    return builder.zext(builder.call(add_up, [builder.add(of_pairs, of_doubles)]), _INT)


def _row_pointer(builder: _Builder, array: _Value, row: _Value) -> _Value:
    return builder.gep(array.data, [builder.mul(row, builder.extract_value(array.shape, 1))])


def _vector_pointer(builder: _Builder, pointer: _Value, place: _Value, vector: _Value) -> _Value:
    place = _INT(place) if isinstance(place, int) else place
    return builder.bitcast(builder.gep(pointer, [place]), vector.as_pointer())


def _load(builder: _Builder, pointer: _Value, place: int) -> _Value:
    return builder.load(_vector_pointer(builder, pointer, place, _VECTOR), align=4)


def _repeat(builder: _Builder, number: _Value, vector: _Type) -> _Value:
    """Emit a vector with one number in all lanes."""
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, _LANE(0))
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), ir.Constant(_INT_VECTOR, None))


def _join(
    phis: list[_Value], block: _Block, values: list[_Value], other_block: _Block, other_values: list[_Value]
) -> None:
    """Give phis their values from two blocks."""
    for phi, value, other in zip(phis, values, other_values, strict=True):
        phi.add_incoming(value, block)
        phi.add_incoming(other, other_block)


@emitted_by(
    _emit_add_rows,
    types.void,
    *(_FLOATS, types.int64, types.int64, _INDEX_ROWS, _FLOAT_ROWS, types.int64, types.int64),
    *(types.float32, _FLOAT_ROWS, types.int64),
)
def add_rows(
    weights: NDArray[np.float32],
    bias: int,
    base: int,
    rows: NDArray[np.uint16],
    factors: NDArray[np.float32],
    at: int,
    count: int,
    least: np.float32,
    sums: NDArray[np.float32],
    column: int,
) -> None:
    """Write the sums of `GROUP` units: the bias, and the listed rows of weights times their factors.

    Args:
        weights: ``float32[w]``.
        bias: The place of the units' biases.
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
    terms = weights[starts[:, None] + np.arange(GROUP)] * factors[at, :count, None]
    total = weights[bias : bias + GROUP] + terms.sum(axis=0)
    sums[at, column : column + GROUP] = np.maximum(total, least)


@emitted_by(
    _emit_list_nonzero,
    types.int64,
    *(_FLOAT_ROWS, types.int64, types.int64, types.int64, types.int64, _INDEX_ROWS, _FLOAT_ROWS),
    is_compiled=not _HAS_AVX512,
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


@emitted_by(_emit_weigh_counts, types.int64, *(_BOARDS, types.int64, types.int64, _SHORT_ROWS, types.int64))
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
