"""The conditions of the board evaluation vector, counted in one pass over the twelve animals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.kernels.moves import (
    ANIMALS,
    BITS,
    DIRECTIONS,
    END_OF_DIRECTIONS,
    FEARED,
    FIRST_DIRECTION,
    HOLES,
    HOLES_TO_WIN,
    IS_HOLE,
    KINDS,
    NEIGHBOURS,
    RAYS,
    SIZE,
    SQUARES,
    find_taken,
    is_in,
)
from gammond.engine.kernels import inlined, kernel

NEXT_TURN, HOLE_ADJACENCY, FEAR, CENTER, COMPLEMENTARY = 4, 8, 9, 10, 11
"""Places in a vector: of the numbers for holes next turn and of the last four; those for holes come first."""

VECTOR_SIZE = 12


def _make_ways() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Make the ways of each kind from each square to holes on an empty board.

    Returns:
        How many there are, ``int64[3, 100]``; and of each the hole and the two halves of the set of squares
        between, ``int64[3, 100, 4, 3]``.
    """
    counts, ways = np.zeros((KINDS, SQUARES), np.int64), np.zeros((KINDS, SQUARES, len(HOLES), 3), np.int64)
    for hole in HOLES:
        for direction in range(len(DIRECTIONS)):
            between = np.zeros(2, np.int64)
            for square in RAYS[hole, direction][RAYS[hole, direction] >= 0]:
                for kind in range(KINDS):
                    if FIRST_DIRECTION[kind] <= direction < END_OF_DIRECTIONS[kind]:
                        ways[kind, square, counts[kind, square]] = hole, *between
                        counts[kind, square] += 1
                between |= BITS[square]
    return counts, ways


_BESIDE_HOLE = np.bincount(RAYS[HOLES, :, 0].ravel(), minlength=SQUARES)
"""``int64[100]``: how many watering holes are beside each square."""

_RANKS, _FILES = np.divmod(np.arange(SQUARES), SIZE)
_PROXIMITY = np.minimum.reduce([_RANKS, SIZE - 1 - _RANKS, _FILES, SIZE - 1 - _FILES])
"""``int64[100]``: 0 on the edge of the board to 4 on its four squares in the centre."""

_WAY_COUNTS, _WAYS = _make_ways()


@inlined
def _count_side(
    squares: NDArray[np.int8], side: int, low: int, high: int
) -> tuple[int, int, int, int, int, int, int]:
    """Count the conditions of a side; ``low`` and ``high`` are the set of all animals' squares.

    Returns:
        Holes held, holes that it could have next turn, ways to a hole, animals beside holes, scared animals,
        the proximity to the centre of all, and pairs of neighbours of different kinds.
    """
    own = ANIMALS * side
    other = ANIMALS - own
    held = 0
    ways = 0
    gains = 0
    beside = 0
    scared = 0
    proximity = 0
    pairs = 0
    for kind in range(KINDS):
        feared = other + 2 * FEARED[kind]
        first = int(squares[feared])
        second = int(squares[feared + 1])
        near_low = NEIGHBOURS[first, 0] | NEIGHBOURS[second, 0]
        near_high = NEIGHBOURS[first, 1] | NEIGHBOURS[second, 1]
        for place in range(2 * kind, 2 * kind + 2):
            square = int(squares[own + place])
            held += IS_HOLE[square]
            beside += _BESIDE_HOLE[square]
            proximity += _PROXIMITY[square]
            scared += is_in(square, near_low, near_high)
            for way in range(_WAY_COUNTS[kind, square]):
                hole = _WAYS[kind, square, way, 0]
                blocked_low = (_WAYS[kind, square, way, 1] | BITS[hole, 0]) & low
                blocked_high = (_WAYS[kind, square, way, 2] | BITS[hole, 1]) & high
                if not (blocked_low | blocked_high) and not is_in(hole, near_low, near_high):
                    ways += 1
                    gains += 1 - IS_HOLE[square]
            for mate in range(2 * kind + 2, ANIMALS):
                pairs += is_in(int(squares[own + mate]), NEIGHBOURS[square, 0], NEIGHBOURS[square, 1])
    next_turn = held
    if gains > 0:
        next_turn += 1
    return min(held, 3), min(next_turn, 3), ways, beside, scared, proximity, pairs


@inlined
def _weigh_side(
    squares: NDArray[np.int8], side: int, low: int, high: int, weights: NDArray[np.int64]
) -> tuple[int, bool]:
    """Return a side's product with the vector, and whether it could have three holes next turn."""
    held, next_turn, ways, beside, scared, proximity, pairs = _count_side(squares, side, low, high)
    value = (
        weights[held]
        + weights[NEXT_TURN + next_turn] * ways
        + weights[HOLE_ADJACENCY] * beside
        + weights[FEAR] * scared
        + weights[CENTER] * proximity
        + weights[COMPLEMENTARY] * pairs
    )
    return value, next_turn >= HOLES_TO_WIN


@kernel
def evaluate_squares(squares: NDArray[np.int8], weights: NDArray[np.int64]) -> tuple[int, bool, bool]:
    """Evaluate a position by weights, ``int64[VECTOR_SIZE]``.

    Returns:
        White's product with the vector less Black's; and of White and of Black whether it could have three
        holes next turn, as far as the vector sees: whether its animals are scared now does not count.
    """
    low, high = find_taken(squares)
    white, does_white_threaten = _weigh_side(squares, 0, low, high, weights)
    black, does_black_threaten = _weigh_side(squares, 1, low, high, weights)
    return white - black, does_white_threaten, does_black_threaten


@kernel
def count_conditions(squares: NDArray[np.int8], counts: NDArray[np.int64]) -> None:
    """Count what each number of the vector is multiplied by, ``int64[2, VECTOR_SIZE]``, White's row first."""
    low, high = find_taken(squares)
    counts[:] = 0
    for side in range(2):
        held, next_turn, ways, beside, scared, proximity, pairs = _count_side(squares, side, low, high)
        counts[side, held] = 1
        counts[side, NEXT_TURN + next_turn] = ways
        counts[side, HOLE_ADJACENCY] = beside
        counts[side, FEAR] = scared
        counts[side, CENTER] = proximity
        counts[side, COMPLEMENTARY] = pairs
