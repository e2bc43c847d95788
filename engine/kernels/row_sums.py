"""Steps of a net with one hidden layer for inputs that differ in few rows, written as vector instructions.

Every sum is added up in one order, so that a result is the same to the bit whoever calls. Nets have any
number of hidden units; multiples of 16 are the fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from gammond.engine.kernels.instructions import (
    FLOAT_ROWS,
    FUSED,
    INT,
    LANE,
    LANES,
    VECTOR,
    Builder,
    Value,
    count_columns,
    emit_loop,
    emitted_by,
    pick,
    point_to_row,
    repeat,
)

_OUTPUTS = 5
_MASK = ir.VectorType(ir.IntType(1), LANES)
_ZEROS = ir.Constant(VECTOR, [0.0] * LANES)

_FLOATS = types.float32[::1]
_TERMS = ([types.int64], [types.float32])


class _Block(NamedTuple):
    """The hidden units that one vector holds: all of them, or those under a mask.

    Attributes:
        builder: The builder.
        start: The first unit.
        mask: A bit for each lane that is a unit; None if all are.
    """

    builder: Builder
    start: Value
    mask: Value | None

    def load(self, pointer: Value) -> Value:
        """Emit the load of the units' numbers from a row; lanes that are no units get 0."""
        place = self._place(pointer)
        if self.mask is None:
            return self.builder.load(place, align=4)
        kind = ir.FunctionType(VECTOR, [place.type, LANE, _MASK, VECTOR])
        load = self.builder.module.declare_intrinsic("llvm.masked.load.v16f32.p0", (), kind)
        return self.builder.call(load, [place, LANE(4), self.mask, _ZEROS])

    def store(self, vector: Value, pointer: Value) -> None:
        """Emit the store of the units' numbers to a row."""
        place = self._place(pointer)
        if self.mask is None:
            self.builder.store(vector, place, align=4)
            return
        kind = ir.FunctionType(ir.VoidType(), [VECTOR, place.type, LANE, _MASK])
        store = self.builder.module.declare_intrinsic("llvm.masked.store.v16f32.p0", (), kind)
        self.builder.call(store, [vector, place, LANE(4), self.mask])

    def add_terms(self, total: Value, terms: Sequence[Value]) -> Value:
        """Emit a vector plus rows times their shares, given as row, share, row, share."""
        for row, share in zip(terms[::2], terms[1::2], strict=True):
            total = self.add_product(total, self.load(row), repeat(self.builder, share))
        return total

    def add_product(self, total: Value, factor: Value, other: Value) -> Value:
        """Emit a vector plus the product of two others, as one instruction where there is one."""
        return self.builder.fadd(self.builder.fmul(factor, other, flags=FUSED), total, flags=FUSED)

    def _place(self, pointer: Value) -> Value:
        return self.builder.bitcast(self.builder.gep(pointer, [self.start]), VECTOR.as_pointer())


_Step = Callable[[_Block, list[Value]], list[Value]]


def _emit_blocks(builder: Builder, units: Value, totals: list[Value], step: _Step) -> list[Value]:
    """Emit a step for all whole blocks of units and for the rest, each with the totals of the one before."""
    whole = builder.and_(units, INT(-LANES))
    left = builder.sub(units, whole)

    def add_whole(start: Value, before: list[Value]) -> list[Value]:
        return step(_Block(builder, start, None), before)

    def add_rest(_: Value, before: list[Value]) -> list[Value]:
        places = ir.Constant(ir.VectorType(LANE, LANES), list(range(LANES)))
        mask = builder.icmp_signed("<", places, repeat(builder, builder.trunc(left, LANE)))
        return step(_Block(builder, whole, mask), before)

    return emit_loop(builder, left, LANES, emit_loop(builder, whole, LANES, totals, add_whole), add_rest)


def _emit_add_terms(builder: Builder, arguments: list[Value]) -> None:
    weights, inputs, shares, sums, row, target = arguments
    before, after = (point_to_row(builder, sums, place) for place in (row, target))
    terms = _list_terms(builder, weights, inputs, shares)

    def step(block: _Block, _: list[Value]) -> list[Value]:
        block.store(block.add_terms(block.load(before), terms), after)
        return []

    _emit_blocks(builder, count_columns(builder, sums), [], step)


def _emit_logits(builder: Builder, arguments: list[Value]) -> None:
    weights, inputs, shares, sums, row, weights2, biases, logits, column = arguments
    before = point_to_row(builder, sums, row)
    terms = _list_terms(builder, weights, inputs, shares)
    outputs = [point_to_row(builder, weights2, INT(k)) for k in range(_OUTPUTS)]

    def step(block: _Block, totals: list[Value]) -> list[Value]:
        unit = block.add_terms(block.load(before), terms)
        unit = builder.select(builder.fcmp_ordered(">", unit, _ZEROS), unit, _ZEROS)
        loaded = [block.load(output) for output in outputs]
        return [block.add_product(*pair, unit) for pair in zip(totals, loaded, strict=True)]

    totals = _emit_blocks(builder, count_columns(builder, sums), [_ZEROS] * _OUTPUTS, step)
    for k, total in enumerate(totals):
        bias = builder.load(builder.gep(biases.data, [INT(k)]))
        place = builder.gep(point_to_row(builder, logits, INT(k)), [column])
        builder.store(builder.fadd(_emit_total(builder, total), bias), place)


def _emit_total(builder: Builder, vector: Value) -> Value:
    """Emit the sum of the lanes of a vector, of those far apart first."""
    width = LANES
    while width > 1:
        width //= 2
        lower, upper = pick(builder, vector, range(width)), pick(builder, vector, range(width, 2 * width))
        vector = builder.fadd(lower, upper)
    return builder.extract_element(vector, LANE(0))


def _list_terms(builder: Builder, weights: Value, inputs: list[Value], shares: list[Value]) -> list[Value]:
    """Emit the addresses of the inputs' rows, each followed by its share."""
    rows = [point_to_row(builder, weights, place) for place in inputs]
    return [term for pair in zip(rows, shares, strict=True) for term in pair]


@emitted_by(_emit_add_terms, types.void, FLOAT_ROWS, *_TERMS, FLOAT_ROWS, types.int64, types.int64)
def add_terms(
    weights: NDArray[np.float32],
    inputs: tuple[int, ...],
    shares: tuple[np.float32, ...],
    sums: NDArray[np.float32],
    row: int,
    target: int,
) -> None:
    """Write the sums of hidden units after a change of some inputs.

    Args:
        weights: ``float32[m, h]``, the first layer.
        inputs: The inputs.
        shares: The change of each.
        sums: in and out, ``float32[n, h]``.
        row: The row of the sums before the change.
        target: The row to write.
    """
    sums[target] = _add_in_order(weights, inputs, shares, sums[row])


@emitted_by(
    *(_emit_logits, types.void, FLOAT_ROWS, *_TERMS, FLOAT_ROWS, types.int64),
    *(FLOAT_ROWS, _FLOATS, FLOAT_ROWS, types.int64),
)
def write_logits_after_terms(
    weights: NDArray[np.float32],
    inputs: tuple[int, ...],
    shares: tuple[np.float32, ...],
    sums: NDArray[np.float32],
    row: int,
    weights2: NDArray[np.float32],
    biases: NDArray[np.float32],
    logits: NDArray[np.float32],
    column: int,
) -> None:
    """Write the logits of a net of ReLU units after a change of some inputs, which the sums do not keep.

    Args:
        weights: ``float32[m, h]``, the first layer.
        inputs: The inputs.
        shares: The change of each.
        sums: ``float32[n, h]``.
        row: The row of the sums before the change.
        weights2: ``float32[5, h]``, the second layer.
        biases: ``float32[5]``, its biases.
        logits: out, ``float32[5, n]``.
        column: The column to write.
    """
    changed = _add_in_order(weights, inputs, shares, sums[row])
    logits[:, column] = weights2 @ np.maximum(changed, 0) + biases


def _add_in_order(
    weights: NDArray[np.float32],
    inputs: tuple[int, ...],
    shares: tuple[np.float32, ...],
    sums: NDArray[np.float32],
) -> NDArray[np.float32]:
    for place, share in zip(inputs, shares, strict=True):
        sums = sums + weights[place] * share
    return sums
