"""The board as tables: lines, neighbours, watering holes.

A square is file + 10 * rank, so a1 is 0 and j10 is 99. A set of squares is two integers of 50 bits: ranks 1
to 5, and ranks 6 to 10. The animals of a position are ``int8[12]`` squares: six of White and six of Black,
each side's elephants, lions and mice by twos.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel

SIZE = 10
SQUARES = SIZE * SIZE
ANIMALS = 6
"""The animals of a side."""

ELEPHANT, LION, MOUSE = range(3)
KINDS = 3

HOLES = (33, 63, 36, 66)
"""The squares of the watering holes: d4, d7, g4, g7."""

HOLES_TO_WIN = 3

FEARED = (MOUSE, ELEPHANT, LION)
"""The kind that each kind fears."""

_LINES = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
DIRECTIONS = (*_LINES, *_DIAGONALS)
"""Steps by file and rank: along files and ranks first, then along diagonals."""

FIRST_DIRECTION = (0, len(_LINES), 0)
END_OF_DIRECTIONS = (len(DIRECTIONS), len(DIRECTIONS), len(_LINES))
"""Where the directions of each kind begin and end in `DIRECTIONS`."""

_HALF = SQUARES // 2


def _make_bits() -> NDArray[np.int64]:
    bits = np.zeros((SQUARES, 2), np.int64)
    for square in range(SQUARES):
        bits[square, square // _HALF] = 1 << square % _HALF
    return bits


def _find_square(square: int, direction: int, steps: int) -> int:
    """Return the square some steps away; -1 outside the board."""
    file = square % SIZE + steps * DIRECTIONS[direction][0]
    rank = square // SIZE + steps * DIRECTIONS[direction][1]
    return file + SIZE * rank if 0 <= file < SIZE and 0 <= rank < SIZE else -1


def _make_rays() -> NDArray[np.int8]:
    rays = np.full((SQUARES, len(DIRECTIONS), SIZE), -1, np.int8)
    for square in range(SQUARES):
        for direction in range(len(DIRECTIONS)):
            for step in range(SIZE - 1):
                rays[square, direction, step] = _find_square(square, direction, step + 1)
    return rays


def _make_neighbours() -> NDArray[np.int64]:
    neighbours = np.zeros((SQUARES, 2), np.int64)
    for square in range(SQUARES):
        for other in RAYS[square, :, 0]:
            if other >= 0:
                neighbours[square] |= BITS[other]
    return neighbours


BITS = _make_bits()
"""``int64[100, 2]``: each square as a set."""

RAYS = _make_rays()
"""``int8[100, 8, 10]``: the squares from a square on in each direction, -1 after the last."""

NEIGHBOURS = _make_neighbours()
"""``int64[100, 2]``: the up to eight squares around each."""

HOLES_SET = (sum(int(BITS[hole, 0]) for hole in HOLES), sum(int(BITS[hole, 1]) for hole in HOLES))
"""The watering holes as a set."""


@inlined_kernel
def is_in(square: int, low: int, high: int) -> bool:
    """Return whether a square is in a set."""
    return bool((low & BITS[square, 0]) | (high & BITS[square, 1]))


@inlined_kernel
def count_holes(squares: NDArray[np.int8], side: int) -> int:
    """Return how many animals of a side are on watering holes.

    Args:
        squares: ``int8[12]``.
        side: 0 White, 1 Black.
    """
    count = 0
    for animal in range(ANIMALS * side, ANIMALS * side + ANIMALS):
        if is_in(squares[animal], HOLES_SET[0], HOLES_SET[1]):
            count += 1
    return count


@inlined_kernel
def find_winner(squares: NDArray[np.int8]) -> int:
    """Return the side with animals on three watering holes; -1 if there is none.

    Args:
        squares: ``int8[12]``.
    """
    for side in range(2):
        if count_holes(squares, side) >= HOLES_TO_WIN:
            return side
    return -1
