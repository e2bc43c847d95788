"""Functions that compiled callers get as instructions, and steps that several of them take.

Such a function is written twice: in Python, which defines the result and runs with the compiler off, and as a
function that emits the instructions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

# The classes of numba and llvmlite have no types.
Builder: TypeAlias = Any
Value: TypeAlias = Any
Type: TypeAlias = Any

_P = ParamSpec("_P")
_R = TypeVar("_R")

LANES = 16
"""Numbers of 32 bits in a vector, those of AVX-512; other processors take several registers for one."""

INT = ir.IntType(64)
LANE = ir.IntType(32)
FLOAT = ir.FloatType()
VECTOR = ir.VectorType(FLOAT, LANES)
INT_VECTOR = ir.VectorType(LANE, LANES)
BYTE, SHORT = ir.IntType(8), ir.IntType(16)
SHORT_VECTOR = ir.VectorType(SHORT, LANES)

WHOLE, BOARDS = types.int64, types.int8[:, :, ::1]
INDEX_ROWS, FLOAT_ROWS = types.uint16[:, ::1], types.float32[:, ::1]
"""Types of arguments, by numba."""

FUSED = ("contract",)
"""Flags of products and sums that may become one instruction."""


def emitted_by(
    emit: Callable[[Builder, list[Value]], Value | None],
    result: Type,
    *argument_types: Type | list[Type],
    is_compiled: bool = False,
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Replace a function in compiled callers.

    Args:
        emit: Emits the instructions and returns the result, given the builder and the arguments.
        result: The numba type of the result.
        argument_types: The numba types of the arguments; in a list, that of all items of a tuple, whose
            items ``emit`` is given as a list.
        is_compiled: Whether the function itself is to be compiled instead.
    """

    def generate(context: Builder, builder: Builder, signature: Type, values: list[Value]) -> Value:
        arguments = []
        for kind, value in zip(signature.args, values, strict=True):
            if isinstance(kind, types.Array):
                arguments.append(context.make_array(kind)(context, builder, value))
            elif isinstance(kind, types.UniTuple):
                arguments.append([builder.extract_value(value, place) for place in range(kind.count)])
            else:
                arguments.append(value)
        returned = emit(builder, arguments)
        return context.get_dummy_value() if returned is None else returned

    def find_type(_: Builder, *given: Type) -> Type:
        make_tuple_type: Any = types.UniTuple
        kinds = [
            make_tuple_type(kind[0], len(each)) if isinstance(kind, list) else kind
            for kind, each in zip(argument_types, given, strict=True)
        ]
        return result(*kinds), generate

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


def repeat(builder: Builder, number: Value) -> Value:
    """Emit a vector with one number in all lanes."""
    undefined = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    first = builder.insert_element(undefined, number, LANE(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(INT_VECTOR, None))


def compress(builder: Builder, vector: Value, mask: Value) -> Value:
    """Emit the lanes of a mask, moved together, of a vector of 32-bit numbers."""
    kind = vector.type
    name = f"llvm.experimental.vector.compress.v{LANES}{'f' if kind is VECTOR else 'i'}32"
    signature = ir.FunctionType(kind, [kind, mask.type, kind])
    function = builder.module.declare_intrinsic(name, (), signature)
    return builder.call(function, [vector, mask, ir.Constant(kind, None)])


def fill(vector: Value, number: int) -> Value:
    """Return a constant like a vector of whole numbers, with one number in all lanes."""
    return ir.Constant(vector.type, [number] * vector.type.count)


def pick(builder: Builder, vector: Value, places: Sequence[int], lanes: int = 0) -> Value:
    """Emit some lanes of a vector, and zeros up to a number of lanes."""
    zeros = [vector.type.count] * (lanes - len(places))
    mask = ir.Constant(ir.VectorType(LANE, len(places) + len(zeros)), [*places, *zeros])
    return builder.shuffle_vector(vector, ir.Constant(vector.type, None), mask)


def emit_loop(
    builder: Builder,
    end: Value,
    step: int,
    starts: list[Value],
    body: Callable[[Value, list[Value]], list[Value]],
) -> list[Value]:
    """Emit a loop that counts from 0, in steps, as long as it is below an end.

    Args:
        builder: Builds the instructions.
        end: The end; 0 or less for no step.
        step: What is counted on.
        starts: What is carried from step to step, before the first.
        body: Emits a step: given the count and what is carried, returns what is carried on.

    Returns:
        What is carried after the last step.
    """
    before = builder.block
    loop, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed(">", end, INT(0)), loop, after)

    builder.position_at_end(loop)
    count, *carried = (builder.phi(kind) for kind in (INT, *(start.type for start in starts)))
    results = body(count, list(carried))
    following = builder.add(count, INT(step))
    for phi, first, next_ in zip([count, *carried], [INT(0), *starts], [following, *results], strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(next_, loop)
    builder.cbranch(builder.icmp_signed("<", following, end), loop, after)

    builder.position_at_end(after)
    last = [builder.phi(start.type) for start in starts]
    for phi, first, result in zip(last, starts, results, strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(result, loop)
    return last


def count_columns(builder: Builder, array: Value) -> Value:
    """Emit the number of columns of an array of two dimensions."""
    return builder.extract_value(array.shape, 1)


def point_to_row(builder: Builder, array: Value, row: Value) -> Value:
    """Emit the address of a row of an array of two dimensions."""
    return builder.gep(array.data, [builder.mul(row, count_columns(builder, array))])


def vector_pointer(builder: Builder, pointer: Value, place: Value, vector: Value) -> Value:
    """Emit the address of a vector from a place on, a number or a value, as a pointer to its type."""
    place = INT(place) if isinstance(place, int) else place
    return builder.bitcast(builder.gep(pointer, [place]), vector.as_pointer())


def emit_load_counts(builder: Builder, boards: Value, place: Value, count: int) -> Value:
    """Emit the loading of checkers of a position, ``int8[n, 2, 26]``, as 16-bit numbers from a place on."""
    kind = ir.VectorType(BYTE, count)
    loaded = builder.load(vector_pointer(builder, boards.data, place, kind), align=1)
    return builder.zext(loaded, ir.VectorType(SHORT, count))
