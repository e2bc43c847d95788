"""What kernels count on boards, written as vector instructions: loops do not compile to them."""

from __future__ import annotations

import functools

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from engine.kernels.instructions import (
    BOARDS,
    BYTE,
    INT,
    INT_VECTOR,
    LANE,
    LANES,
    SHORT,
    Builder,
    Value,
    emitted_by,
    fill,
    repeat,
    vector_pointer,
)

POINTS_OF_SIDE = 26
"""Places for checkers of a side: off, 24 points, bar."""

_PAIRS = [(high, low) for high in range(2, 7) for low in range(1, high)]

_SHORT_ROWS = types.Array(types.int16, 2, "C", readonly=True)


def emit_load_counts(builder: Builder, boards: Value, place: Value, count: int) -> Value:
    """Emit the loading of checkers of a position, ``int8[n, 2, 26]``, as 16-bit numbers from a place on."""
    kind = ir.VectorType(BYTE, count)
    loaded = builder.load(vector_pointer(builder, boards.data, place, kind), align=1)
    return builder.zext(loaded, ir.VectorType(SHORT, count))


def _emit_weigh_counts(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, side, weights, row = arguments
    counts = builder.gep(boards.data, [builder.mul(builder.add(builder.mul(at, INT(2)), side), INT(26))])
    weights = builder.gep(weights.data, [builder.mul(row, INT(POINTS_OF_SIDE))])
    total = SHORT(0)
    for start, kind in (
        (0, ir.VectorType(SHORT, 16)),
        (16, ir.VectorType(SHORT, 8)),
        (24, ir.VectorType(SHORT, 2)),
    ):
        bytes_ = ir.VectorType(BYTE, kind.count)
        these = builder.load(vector_pointer(builder, counts, start, bytes_), align=1)
        factors = builder.load(vector_pointer(builder, weights, start, kind), align=2)
        products = builder.mul(builder.zext(these, kind), factors)
        signature = ir.FunctionType(SHORT, [kind])
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
