"""Steps of a net with one hidden layer for inputs that differ in few rows, written as vector instructions.

Each is a Python function that defines the result, and another that emits the instructions; compiled callers
get the instructions, as in `engine.kernels.vectors`. Every sum is added up in one order, so that a result is
the same to the bit whoever calls. Nets have any number of hidden units; multiples of 16 are the fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from engine.kernels.vectors import emitted_by

# The classes of numba and llvmlite have no types.
_Builder: TypeAlias = Any
_Value: TypeAlias = Any
_Type: TypeAlias = Any

_LANES = 16
_OUTPUTS = 5
_INT = ir.IntType(64)
_LANE = ir.IntType(32)
_BIT = ir.IntType(1)
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, _LANES)
_MASK = ir.VectorType(_BIT, _LANES)
_ZEROS = ir.Constant(_VECTOR, [0.0] * _LANES)
_FUSED = ("contract",)

_FLOATS = types.float32[::1]
_FLOAT_ROWS = types.float32[:, ::1]
_TERM = (types.int64, types.float32)


class _Block(NamedTuple):
    """The hidden units that one vector holds: all of them, or those under a mask.

    Attributes:
        builder: The builder.
        start: The first unit.
        mask: A bit for each lane that is a unit; None if all are.
    """

    builder: _Builder
    start: _Value
    mask: _Value | None

    def load(self, pointer: _Value) -> _Value:
        """Emit the load of the units' numbers from a row; lanes that are no units get 0."""
        place = self._place(pointer)
        if self.mask is None:
            return self.builder.load(place, align=4)
        load = _declare(
            self.builder, "llvm.masked.load.v16f32.p0", _VECTOR, place.type, _LANE, _MASK, _VECTOR
        )
        return self.builder.call(load, [place, _LANE(4), self.mask, _ZEROS])

    def store(self, vector: _Value, pointer: _Value) -> None:
        """Emit the store of the units' numbers to a row."""
        place = self._place(pointer)
        if self.mask is None:
            self.builder.store(vector, place, align=4)
            return
        name = "llvm.masked.store.v16f32.p0"
        store = _declare(self.builder, name, ir.VoidType(), _VECTOR, place.type, _LANE, _MASK)
        self.builder.call(store, [vector, place, _LANE(4), self.mask])

    def add_terms(self, total: _Value, terms: Sequence[_Value]) -> _Value:
        """Emit a vector plus rows times their shares, given as row, share, row, share."""
        for row, share in zip(terms[::2], terms[1::2], strict=True):
            total = self.add_product(total, self.load(row), _repeat(self.builder, share))
        return total

    def add_product(self, total: _Value, factor: _Value, other: _Value) -> _Value:
        """Emit a vector plus the product of two others, as one instruction where there is one."""
        return self.builder.fadd(self.builder.fmul(factor, other, flags=_FUSED), total, flags=_FUSED)

    def _place(self, pointer: _Value) -> _Value:
        return self.builder.bitcast(self.builder.gep(pointer, [self.start]), _VECTOR.as_pointer())


_Step = Callable[[_Block, list[_Value]], list[_Value]]


def _emit_loop(builder: _Builder, units: _Value, totals: list[_Value], step: _Step) -> list[_Value]:
    """Emit a step for all whole blocks of units and for the rest, each with the totals of the one before."""
    whole = builder.and_(units, _INT(-_LANES))
    before = builder.block
    loop, check, rest, end = (builder.append_basic_block(name) for name in ("loop", "check", "rest", "end"))
    builder.cbranch(builder.icmp_signed(">", whole, _INT(0)), loop, check)

    builder.position_at_end(loop)
    start = builder.phi(_INT)
    earlier = [builder.phi(_VECTOR) for _ in totals]
    added = step(_Block(builder, start, None), earlier)
    following = builder.add(start, _INT(_LANES))
    _join([start, *earlier], [(before, [_INT(0), *totals]), (loop, [following, *added])])
    builder.cbranch(builder.icmp_signed("<", following, whole), loop, check)

    builder.position_at_end(check)
    checked = [builder.phi(_VECTOR) for _ in totals]
    _join(checked, [(before, totals), (loop, added)])
    left = builder.trunc(builder.sub(units, whole), _LANE)
    builder.cbranch(builder.icmp_signed(">", left, _LANE(0)), rest, end)

    builder.position_at_end(rest)
    places = ir.Constant(ir.VectorType(_LANE, _LANES), list(range(_LANES)))
    mask = builder.icmp_signed("<", places, _repeat(builder, left))
    last = step(_Block(builder, whole, mask), checked)
    builder.branch(end)

    builder.position_at_end(end)
    results = [builder.phi(_VECTOR) for _ in totals]
    _join(results, [(check, checked), (rest, last)])
    return results


def _emit_add_rows(builder: _Builder, arguments: list[_Value]) -> None:
    weights, *terms, sums, row, target = arguments
    rows = [_point_to_row(builder, sums, place) for place in (row, target)]
    operands = [_count_columns(builder, sums), *rows, *_point_to_terms(builder, weights, terms)]
    _emit_call(builder, f"add_{len(terms) // 2}_rows", operands, _emit_add_rows_body)


def _emit_add_rows_body(builder: _Builder, arguments: list[_Value]) -> None:
    units, before, after, *terms = arguments

    def step(block: _Block, _: list[_Value]) -> list[_Value]:
        block.store(block.add_terms(block.load(before), terms), after)
        return []

    _emit_loop(builder, units, [], step)


def _emit_logits(builder: _Builder, arguments: list[_Value]) -> None:
    weights, *terms, sums, row, weights2, biases, logits, column = arguments
    operands = [
        _count_columns(builder, sums),
        _point_to_row(builder, sums, row),
        weights2.data,
        biases.data,
        builder.gep(logits.data, [column]),
        _count_columns(builder, logits),
        *_point_to_terms(builder, weights, terms),
    ]
    _emit_call(builder, f"logits_after_{len(terms) // 2}_rows", operands, _emit_logits_body)


def _emit_logits_body(builder: _Builder, arguments: list[_Value]) -> None:
    units, before, weights2, biases, logits, stride, *terms = arguments
    outputs = [builder.gep(weights2, [builder.mul(_INT(k), units)]) for k in range(_OUTPUTS)]

    def step(block: _Block, totals: list[_Value]) -> list[_Value]:
        unit = block.add_terms(block.load(before), terms)
        unit = builder.select(builder.fcmp_ordered(">", unit, _ZEROS), unit, _ZEROS)
        loaded = [block.load(output) for output in outputs]
        return [block.add_product(*pair, unit) for pair in zip(totals, loaded, strict=True)]

    totals = _emit_loop(builder, units, [_ZEROS] * _OUTPUTS, step)
    for k, total in enumerate(_emit_totals(builder, totals)):
        bias = builder.load(builder.gep(biases, [_INT(k)]))
        builder.store(builder.fadd(total, bias), builder.gep(logits, [builder.mul(_INT(k), stride)]))


def _emit_totals(builder: _Builder, vectors: list[_Value]) -> list[_Value]:
    """Emit the sum of the lanes of each of five vectors: of the first four at the same time."""
    first, second, third, fourth, fifth = vectors
    pairs = _add_halves(builder, first, second, 8), _add_halves(builder, third, fourth, 8)
    four = _add_neighbours(builder, _add_halves(builder, *pairs, 4), (2, 1))
    fifth = _add_neighbours(builder, fifth, (8, 4, 2, 1))
    places = [(four, 0), (four, 4), (four, 8), (four, 12), (fifth, 0)]
    return [builder.extract_element(vector, _LANE(lane)) for vector, lane in places]


def _add_neighbours(builder: _Builder, vector: _Value, distances: tuple[int, ...]) -> _Value:
    """Emit the sum of each lane and the one at a distance, for one distance after another."""
    for distance in distances:
        other = _shuffle(builder, vector, vector, [lane ^ distance for lane in range(_LANES)])
        vector = builder.fadd(vector, other)
    return vector


def _add_halves(builder: _Builder, first: _Value, second: _Value, width: int) -> _Value:
    """Emit the sums of lanes that are ``width`` apart, of the first vector, then of the second."""
    low = [lane for lane in range(_LANES) if lane & width == 0]
    low += [_LANES + lane for lane in low]
    high = [lane + width for lane in low]
    return builder.fadd(_shuffle(builder, first, second, low), _shuffle(builder, first, second, high))


def _emit_call(
    builder: _Builder, name: str, arguments: list[_Value], emit: Callable[[_Builder, list[_Value]], None]
) -> None:
    """Emit a call of a function without a result, and the function itself at its first call in a module.

    Args:
        builder: The builder.
        name: The name of the function in the module.
        arguments: The arguments.
        emit: Emits the body, given its builder and the parameters.
    """
    function = builder.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
        function = ir.Function(builder.module, kind, name)
        function.linkage = "linkonce_odr"
        function.attributes.add("noinline")
        body = ir.IRBuilder(function.append_basic_block())
        emit(body, list(function.args))
        body.ret_void()
    builder.call(function, arguments)


def _shuffle(builder: _Builder, first: _Value, second: _Value, lanes: list[int]) -> _Value:
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_LANE, len(lanes)), lanes))


def _repeat(builder: _Builder, number: _Value) -> _Value:
    """Emit a vector with one number in all lanes."""
    undefined = ir.Constant(ir.VectorType(number.type, _LANES), ir.Undefined)
    return _shuffle(builder, builder.insert_element(undefined, number, _LANE(0)), undefined, [0] * _LANES)


def _count_columns(builder: _Builder, array: _Value) -> _Value:
    return builder.extract_value(array.shape, 1)


def _point_to_row(builder: _Builder, array: _Value, row: _Value) -> _Value:
    return builder.gep(array.data, [builder.mul(row, _count_columns(builder, array))])


def _point_to_terms(builder: _Builder, weights: _Value, terms: list[_Value]) -> list[_Value]:
    """Emit the addresses of the rows among row, share, row, share."""
    return [_point_to_row(builder, weights, term) if term.type == _INT else term for term in terms]


def _declare(builder: _Builder, name: str, result: _Type, *parameters: _Type) -> _Value:
    declared = builder.module.globals.get(name)
    return declared or ir.Function(builder.module, ir.FunctionType(result, parameters), name)


def _join(phis: list[_Value], sources: list[tuple[_Value, list[_Value]]]) -> None:
    """Give phis their values from each block."""
    for block, values in sources:
        for phi, value in zip(phis, values, strict=True):
            phi.add_incoming(value, block)


@emitted_by(_emit_add_rows, types.void, _FLOAT_ROWS, *_TERM, *_TERM, _FLOAT_ROWS, types.int64, types.int64)
def add_two_rows(
    weights: NDArray[np.float32],
    row1: int,
    share1: np.float32,
    row2: int,
    share2: np.float32,
    sums: NDArray[np.float32],
    row: int,
    target: int,
) -> None:
    """Write the sums of hidden units after a change of two inputs.

    Args:
        weights: ``float32[m, h]``, the first layer.
        row1: An input.
        share1: Its change.
        row2: Another input.
        share2: Its change.
        sums: in and out, ``float32[n, h]``.
        row: The row of the sums before the change.
        target: The row to write.
    """
    sums[target] = sums[row] + weights[row1] * share1 + weights[row2] * share2


@emitted_by(
    *(_emit_add_rows, types.void, _FLOAT_ROWS),
    *(*_TERM, *_TERM, *_TERM, *_TERM, _FLOAT_ROWS, types.int64, types.int64),
)
def add_four_rows(
    weights: NDArray[np.float32],
    row1: int,
    share1: np.float32,
    row2: int,
    share2: np.float32,
    row3: int,
    share3: np.float32,
    row4: int,
    share4: np.float32,
    sums: NDArray[np.float32],
    row: int,
    target: int,
) -> None:
    """Write the sums of hidden units after a change of four inputs, as `add_two_rows`."""
    changed = sums[row] + weights[row1] * share1 + weights[row2] * share2
    sums[target] = changed + weights[row3] * share3 + weights[row4] * share4


@emitted_by(
    *(_emit_logits, types.void, _FLOAT_ROWS, *_TERM, *_TERM, _FLOAT_ROWS, types.int64),
    *(_FLOAT_ROWS, _FLOATS, _FLOAT_ROWS, types.int64),
)
def write_logits_after_two_rows(
    weights: NDArray[np.float32],
    row1: int,
    share1: np.float32,
    row2: int,
    share2: np.float32,
    sums: NDArray[np.float32],
    row: int,
    weights2: NDArray[np.float32],
    biases: NDArray[np.float32],
    logits: NDArray[np.float32],
    column: int,
) -> None:
    """Write the logits of a net of ReLU units after a change of two inputs, which the sums do not keep.

    Args:
        weights: ``float32[m, h]``, the first layer.
        row1: An input.
        share1: Its change.
        row2: Another input.
        share2: Its change.
        sums: ``float32[n, h]``.
        row: The row of the sums before the change.
        weights2: ``float32[5, h]``, the second layer.
        biases: ``float32[5]``, its biases.
        logits: out, ``float32[5, n]``.
        column: The column to write.
    """
    changed = sums[row] + weights[row1] * share1 + weights[row2] * share2
    logits[:, column] = weights2 @ np.maximum(changed, 0) + biases


@emitted_by(
    *(_emit_logits, types.void, _FLOAT_ROWS, *_TERM, *_TERM, *_TERM, *_TERM, _FLOAT_ROWS, types.int64),
    *(_FLOAT_ROWS, _FLOATS, _FLOAT_ROWS, types.int64),
)
def write_logits_after_four_rows(
    weights: NDArray[np.float32],
    row1: int,
    share1: np.float32,
    row2: int,
    share2: np.float32,
    row3: int,
    share3: np.float32,
    row4: int,
    share4: np.float32,
    sums: NDArray[np.float32],
    row: int,
    weights2: NDArray[np.float32],
    biases: NDArray[np.float32],
    logits: NDArray[np.float32],
    column: int,
) -> None:
    """Write the logits of a net after a change of four inputs, as `write_logits_after_two_rows`."""
    changed = sums[row] + weights[row1] * share1 + weights[row2] * share2
    changed = changed + weights[row3] * share3 + weights[row4] * share4
    logits[:, column] = weights2 @ np.maximum(changed, 0) + biases
