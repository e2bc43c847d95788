"""Two steps of neural nets, written as vector instructions because loops do not compile to them.

Each is a Python function that defines the result, and another that emits the instructions. Compiled callers
get the instructions; with the compiler off they call the Python function. Every sum is added up in one order,
so that a result is the same to the bit whoever calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

GROUP = 64
"""Columns that are processed together; arrays have whole groups of them."""

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
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, _LANES)
_GROUP_VECTOR = ir.VectorType(_FLOAT, GROUP)
_FUSED = ("contract",)

_FLOATS = types.float32[::1]
_FLOAT_ROWS = types.float32[:, ::1]
_INDEX_ROWS = types.uint16[:, ::1]


def _emitted_by(
    emit: Callable[[_Builder, list[_Value]], _Value | None], result: _Type, *argument_types: _Type
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Replace a function in compiled callers.

    Args:
        emit: Emits the instructions and returns the result, given the builder and the arguments.
        result: The numba type of the result.
        argument_types: The numba types of the arguments.
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
        emitted: Any = intrinsic(find_type)
        typed: Callable[_P, _R] = emitted
        return typed

    return decorate


def _emit_add_rows(builder: _Builder, arguments: list[_Value]) -> None:
    weights, bias, base, inputs, listed, at, count, least, sums, column = arguments
    inputs, listed, sums = (_row_pointer(builder, array, at) for array in (inputs, listed, sums))
    rows, sums = builder.gep(weights.data, [base]), builder.gep(sums, [column])
    biases = [_load(builder, builder.gep(weights.data, [bias]), place) for place in _PLACES]
    before = builder.block
    loop, end = builder.append_basic_block("rows"), builder.append_basic_block("end")
    builder.cbranch(builder.icmp_signed(">", count, _INT(0)), loop, end)

    builder.position_at_end(loop)
    i = builder.phi(_INT)
    totals = [builder.phi(_VECTOR) for _ in _PLACES]
    row = builder.zext(builder.load(builder.gep(listed, [i])), _INT)
    factors = _repeat(builder, builder.load(builder.gep(inputs, [row])))
    terms = builder.gep(rows, [builder.mul(row, _INT(GROUP))])
    added = []
    for place, total in zip(_PLACES, totals, strict=True):
        product = builder.fmul(_load(builder, terms, place), factors, flags=_FUSED)
        added.append(builder.fadd(product, total, flags=_FUSED))
    following = builder.add(i, _INT(1))
    _join([i, *totals], before, [_INT(0), *biases], loop, [following, *added])
    builder.cbranch(builder.icmp_signed("<", following, count), loop, end)

    builder.position_at_end(end)
    results = [builder.phi(_VECTOR) for _ in _PLACES]
    _join(results, before, biases, loop, added)
    bound = _repeat(builder, least)
    for place, total in zip(_PLACES, results, strict=True):
        total = builder.select(builder.fcmp_ordered("<", total, bound), bound, total)
        builder.store(total, _vector_pointer(builder, sums, place, _VECTOR), align=4)


def _emit_list_nonzero(builder: _Builder, arguments: list[_Value]) -> _Value:
    values, at, count, listed = arguments
    values, listed = _row_pointer(builder, values, at), _row_pointer(builder, listed, at)
    before = builder.block
    group, bit, next_group, end = (
        builder.append_basic_block(name) for name in ("group", "bit", "next_group", "end")
    )
    builder.branch(group)

    builder.position_at_end(group)
    start, found = builder.phi(_INT), builder.phi(_INT)
    vector = builder.load(_vector_pointer(builder, values, start, _GROUP_VECTOR), align=4)
    zeros = ir.Constant(_GROUP_VECTOR, [0.0] * GROUP)
    mask = builder.bitcast(builder.fcmp_unordered("!=", vector, zeros), _INT)
    builder.cbranch(builder.icmp_unsigned("!=", mask, _INT(0)), bit, next_group)

    builder.position_at_end(bit)
    bits, place = builder.phi(_INT), builder.phi(_INT)
    column = builder.add(start, builder.cttz(bits, ir.IntType(1)(1)))
    builder.store(builder.trunc(column, ir.IntType(16)), builder.gep(listed, [place]))
    rest = builder.and_(bits, builder.sub(bits, _INT(1)))
    next_place = builder.add(place, _INT(1))
    builder.cbranch(builder.icmp_unsigned("!=", rest, _INT(0)), bit, next_group)

    builder.position_at_end(next_group)
    total = builder.phi(_INT)
    next_start = builder.add(start, _INT(GROUP))
    builder.cbranch(builder.icmp_signed("<", next_start, count), group, end)

    _join([start, found], before, [_INT(0), _INT(0)], next_group, [next_start, total])
    _join([bits, place], group, [mask, found], bit, [rest, next_place])
    _join([total], group, [found], bit, [next_place])
    builder.position_at_end(end)
    return total


def _row_pointer(builder: _Builder, array: _Value, row: _Value) -> _Value:
    return builder.gep(array.data, [builder.mul(row, builder.extract_value(array.shape, 1))])


def _vector_pointer(builder: _Builder, pointer: _Value, place: _Value, vector: _Value) -> _Value:
    place = _INT(place) if isinstance(place, int) else place
    return builder.bitcast(builder.gep(pointer, [place]), vector.as_pointer())


def _load(builder: _Builder, pointer: _Value, place: int) -> _Value:
    return builder.load(_vector_pointer(builder, pointer, place, _VECTOR), align=4)


def _repeat(builder: _Builder, number: _Value) -> _Value:
    """Emit a vector with one number in all lanes."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, _LANE(0))
    lanes = ir.Constant(ir.VectorType(_LANE, _LANES), [0] * _LANES)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), lanes)


def _join(
    phis: list[_Value], block: _Block, values: list[_Value], other_block: _Block, other_values: list[_Value]
) -> None:
    """Give phis their values from two blocks."""
    for phi, value, other in zip(phis, values, other_values, strict=True):
        phi.add_incoming(value, block)
        phi.add_incoming(other, other_block)


@_emitted_by(
    _emit_add_rows,
    types.void,
    *(_FLOATS, types.int64, types.int64, _FLOAT_ROWS, _INDEX_ROWS, types.int64, types.int64),
    *(types.float32, _FLOAT_ROWS, types.int64),
)
def add_rows(
    weights: NDArray[np.float32],
    bias: int,
    base: int,
    inputs: NDArray[np.float32],
    listed: NDArray[np.uint16],
    at: int,
    count: int,
    least: np.float32,
    sums: NDArray[np.float32],
    column: int,
) -> None:
    """Write the sums of `GROUP` units: the bias, and the listed inputs times their rows of weights.

    Args:
        weights: ``float32[w]``.
        bias: The place of the units' biases.
        base: The place of the rows, `GROUP` weights for each input.
        inputs: ``float32[n, m]``.
        listed: ``uint16[n, m]``, the inputs to add, in the order of the sum.
        at: The row of the inputs, of the list and of the sums.
        count: The number of inputs listed.
        least: What a sum is replaced by if it is less: 0 is ReLU.
        sums: out, ``float32[n, m]``.
        column: The column of the first unit.
    """
    total = weights[bias : bias + GROUP].copy()
    for row in listed[at, :count].astype(np.int64):
        start = base + GROUP * row
        total += inputs[at, row] * weights[start : start + GROUP]
    sums[at, column : column + GROUP] = np.maximum(total, least)


@_emitted_by(_emit_list_nonzero, types.int64, _FLOAT_ROWS, types.int64, types.int64, _INDEX_ROWS)
def list_nonzero(values: NDArray[np.float32], at: int, count: int, listed: NDArray[np.uint16]) -> int:
    """List the columns of a row that are not zero, in ascending order.

    Args:
        values: ``float32[n, m]``.
        at: The row of the values and of the list.
        count: The number of columns to look at, 1 or more; they are looked at in whole groups.
        listed: out, ``uint16[n, m]``.

    Returns:
        The number listed.
    """
    columns = np.flatnonzero(values[at, : -(-count // GROUP) * GROUP])
    listed[at, : len(columns)] = columns
    return len(columns)
