"""What kernels see on boards: sets of points, and what is counted of a side's checkers.

A set of points is an integer, in the order in which the side that it is made for moves: bit b is its point
25 - b, and the other side's point b. So bit 0 is its bar, a checker's bit moves up as the checker moves on,
and the lowest bit is the rearmost checker.

Sums and rear checkers are written as vector instructions: loops do not compile to them.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from gammond.engine.kernels.instructions import (
    BOARDS,
    INT,
    SHORT,
    Builder,
    Value,
    emit_load_counts,
    emitted_by,
    fill,
    pick,
    point_to_row,
    vector_pointer,
)

POINTS_OF_SIDE = 26
"""Places for checkers of a side: off, 24 points, bar."""

# Columns of sets of points, int64[5].
OCCUPIED, SINGLE, OPEN, BLOTS, REAR = range(5)

ON_BOARD = (1 << 25) - 1
"""The set of all points and the bar."""

POINTS = ON_BOARD - 1
"""The set of all points."""

_SHORT_ROWS = types.Array(types.int16, 2, "C", readonly=True)


def _place_side(builder: Builder, at: Value, side: Value) -> Value:
    return builder.mul(builder.add(builder.mul(at, INT(2)), side), INT(POINTS_OF_SIDE))


def _emit_weigh_counts(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, side, weights, row = arguments
    counts = emit_load_counts(builder, boards, _place_side(builder, at, side), POINTS_OF_SIDE)
    weights = point_to_row(builder, weights, row)
    factors = builder.load(vector_pointer(builder, weights, 0, counts.type), align=2)
    signature = ir.FunctionType(SHORT, [counts.type])
    name = f"llvm.vector.reduce.add.v{POINTS_OF_SIDE}i16"
    add_up = builder.module.declare_intrinsic(name, (), signature)
    return builder.sext(builder.call(add_up, [builder.mul(counts, factors)]), INT)


def _emit_find_rear(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, side = arguments
    counts = emit_load_counts(builder, boards, _place_side(builder, at, side), POINTS_OF_SIDE)
    return _emit_last(builder, _emit_set(builder, "!=", counts, 0, POINTS | 1 << 25))


def _emit_point_sets(builder: Builder, arguments: list[Value]) -> None:
    boards, at, side, sets = arguments
    own, theirs = (
        emit_load_counts(builder, boards, _place_side(builder, at, each), POINTS_OF_SIDE)
        for each in (side, builder.sub(INT(1), side))
    )
    own = pick(builder, own, range(POINTS_OF_SIDE - 1, -1, -1))
    rear = _emit_last(builder, _emit_set(builder, "!=", theirs, 0, POINTS | 1 << 25))
    values = [
        _emit_set(builder, "!=", own, 0, ON_BOARD),
        _emit_set(builder, "==", own, 1, ON_BOARD),
        _emit_set(builder, "<", theirs, 2, POINTS),
        _emit_set(builder, "==", theirs, 1, POINTS),
        builder.sub(builder.shl(INT(1), rear), INT(1)),
    ]
    for column, value in enumerate(values):
        builder.store(value, builder.gep(sets.data, [INT(column)]))


def _emit_set(builder: Builder, sign: str, counts: Value, number: int, kept: int) -> Value:
    """Emit the set of those of some places whose counts compare so with a number."""
    lanes = builder.icmp_signed(sign, counts, fill(counts, number))
    bits = builder.bitcast(lanes, ir.IntType(POINTS_OF_SIDE))
    return builder.and_(builder.zext(bits, INT), INT(kept))


def _emit_last(builder: Builder, points: Value) -> Value:
    """Emit the place of the last bit that is set; 0 if none is."""
    return builder.sub(INT(63), builder.ctlz(builder.or_(points, INT(1)), ir.IntType(1)(1)))


def _emit_get_point(builder: Builder, arguments: list[Value]) -> Value:
    return builder.sub(INT(25), builder.cttz(arguments[0], ir.IntType(1)(0)))


def _emit_bit_count(builder: Builder, arguments: list[Value]) -> Value:
    return builder.ctpop(arguments[0])


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


@emitted_by(_emit_point_sets, types.void, *(BOARDS, types.int64, types.int64, types.int64[::1]))
def write_point_sets(boards: NDArray[np.int8], at: int, side: int, sets: NDArray[np.int64]) -> None:
    """Write sets of points of a position, for one side.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The row of the position.
        side: The side, 0 or 1.
        sets: out, ``int64[5]``: where the side has checkers, where it has just one, where the other side has
            fewer than two, where the other has just one; and all from the other's rearmost checker on, which
            is what the side has to have left for a race.
    """
    occupied = 0
    single = 0
    open_points = 0
    blots = 0
    rear = 0
    for bit in range(26):
        own = int(boards[at, side, 25 - bit])
        theirs = int(boards[at, 1 - side, bit])
        occupied |= int(own > 0) << bit
        single |= int(own == 1) << bit
        open_points |= int(theirs < 2) << bit
        blots |= int(theirs == 1) << bit
        if theirs > 0:
            rear = bit
    sets[OCCUPIED] = occupied & ON_BOARD
    sets[SINGLE] = single & ON_BOARD
    sets[OPEN] = open_points & POINTS
    sets[BLOTS] = blots & POINTS
    sets[REAR] = (1 << rear) - 1


@emitted_by(_emit_get_point, types.int64, types.int64)
def get_point(points: int) -> int:
    """Return the rearmost point of a set, for the side that it is made for; for none anything."""
    return 26 - int(points & -points).bit_length()


@emitted_by(_emit_bit_count, types.int64, types.int64)
def bit_count(points: int) -> int:
    """Return how many points a set has."""
    return int(points).bit_count()
