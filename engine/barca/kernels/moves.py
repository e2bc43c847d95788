"""The board, and legal moves.

A square is file + 10 * rank, so a1 is 0 and j10 is 99. A set of squares is two integers of 50 bits: ranks 1
to 5, and ranks 6 to 10. The animals of a position are ``int8[12]`` squares: six of White and six of Black,
each side's elephants, lions and mice by twos.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, inlined

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


def _find_square(square: int, direction: int, steps: int) -> int:
    """Return the square some steps away; -1 outside the board."""
    file = square % SIZE + steps * DIRECTIONS[direction][0]
    rank = square // SIZE + steps * DIRECTIONS[direction][1]
    return file + SIZE * rank if 0 <= file < SIZE and 0 <= rank < SIZE else -1


BITS = np.array([(1 << each, 0) for each in range(_HALF)] + [(0, 1 << each) for each in range(_HALF)])
"""``int64[100, 2]``: each square as a set."""

RAYS = np.array(
    [
        [[_find_square(square, direction, step) for step in range(1, SIZE + 1)] for direction in range(8)]
        for square in range(SQUARES)
    ],
    np.int8,
)
"""``int8[100, 8, 10]``: the squares from a square on in each direction, -1 after the last."""

NEIGHBOURS = np.array([BITS[first[first >= 0]].sum(axis=0) for first in RAYS[:, :, 0]])
"""``int64[100, 2]``: the up to eight squares around each."""

IS_HOLE = np.isin(np.arange(SQUARES), HOLES).astype(np.int64)
"""``int64[100]``: 1 for watering holes."""


@inlined
def is_in(square: int, low: int, high: int) -> bool:
    """Return whether a square is in a set."""
    return bool((low & BITS[square, 0]) | (high & BITS[square, 1]))


@inlined
def find_taken(squares: NDArray[np.int8]) -> tuple[int, int]:
    """Return the set of all animals' squares."""
    low = 0
    high = 0
    for animal in range(2 * ANIMALS):
        square = int(squares[animal])
        low |= BITS[square, 0]
        high |= BITS[square, 1]
    return low, high


@inlined
def count_holes(squares: NDArray[np.int8], side: int) -> int:
    """Return how many animals of a side, 0 White or 1 Black, are on watering holes."""
    count = 0
    for animal in range(ANIMALS * side, ANIMALS * side + ANIMALS):
        count += IS_HOLE[squares[animal]]
    return count


@inlined
def find_winner(squares: NDArray[np.int8]) -> int:
    """Return the side with animals on three watering holes; -1 if there is none."""
    for side in range(2):
        if count_holes(squares, side) >= HOLES_TO_WIN:
            return side
    return -1


MAX_MOVES = 140
"""Above the moves of any position: 35 squares for each elephant, 17 for each lion, 18 for each mouse."""


@inlined
def _list_animal_moves(
    square: int,
    kind: int,
    animal: int,
    taken: tuple[int, int],
    avoided: tuple[int, int],
    moves: NDArray[np.int8],
    count: int,
) -> int:
    """Append the squares that an animal can go to, and return how many moves there are then.

    It may pass the squares to be avoided, but not end on them.
    """
    for direction in range(FIRST_DIRECTION[kind], END_OF_DIRECTIONS[kind]):
        for step in range(SIZE):
            target = RAYS[square, direction, step]
            if target < 0 or is_in(target, taken[0], taken[1]):
                break
            if not is_in(target, avoided[0], avoided[1]):
                moves[count, 0] = animal
                moves[count, 1] = target
                count += 1
    return count


@borrowing
def list_moves(squares: NDArray[np.int8], side: int, moves: NDArray[np.int8]) -> int:
    """List the legal moves of a side.

    If a scared animal can go to a safe square, these moves are all. Otherwise any animal goes to safe
    squares, and those that are scared to any square.

    Args:
        squares: ``int8[12]``; the two animals of a kind may stand in either order.
        side: The side to move, 0 or 1.
        moves: out, ``int8[MAX_MOVES, 2]``: the place of the animal among the twelve, and where it goes. By
            animal, in no order of squares.

    Returns:
        How many there are. A position that is won has moves as any other.
    """
    taken = find_taken(squares)
    count = 0
    for is_for_all in range(2):
        for k in range(ANIMALS):
            kind = k // 2
            animal = ANIMALS * side + k
            square = int(squares[animal])
            feared = ANIMALS * (1 - side) + 2 * FEARED[kind]
            near_low = NEIGHBOURS[squares[feared], 0] | NEIGHBOURS[squares[feared + 1], 0]
            near_high = NEIGHBOURS[squares[feared], 1] | NEIGHBOURS[squares[feared + 1], 1]
            is_scared = is_in(square, near_low, near_high)
            if is_for_all or is_scared:
                if is_for_all and is_scared:
                    near_low, near_high = 0, 0
                avoided = (near_low, near_high)
                count = _list_animal_moves(square, kind, animal, taken, avoided, moves, count)
        if count:
            return count
    return count


@borrowing
def count_sequences(
    squares: NDArray[np.int8],
    side: int,
    depth: int,
    moves: NDArray[np.int8],
    counts: NDArray[np.int64],
) -> int:
    """Count the sequences of just ``depth`` legal moves, at least 1; a win ends a sequence.

    Nobody has won the position, which is changed, and given back as it was. Scratch are the moves,
    ``int8[depth, MAX_MOVES, 2]``, and ``int64[depth, 3]``: how many moves there are, how many were tried, and
    the square that the one being tried left.
    """
    total = 0
    level = 0
    counts[0, 0] = list_moves(squares, side, moves[0])
    counts[0, 1] = 0
    while True:
        if level == depth - 1:
            total += counts[level, 0]
            counts[level, 1] = counts[level, 0]
        if counts[level, 1] == counts[level, 0]:
            if level == 0:
                return total
            level -= 1
            squares[moves[level, counts[level, 1] - 1, 0]] = counts[level, 2]
        else:
            tried = counts[level, 1]
            animal = moves[level, tried, 0]
            counts[level, 1] = tried + 1
            counts[level, 2] = squares[animal]
            squares[animal] = moves[level, tried, 1]
            if find_winner(squares) >= 0:
                squares[animal] = counts[level, 2]
            else:
                level += 1
                counts[level, 0] = list_moves(squares, (side + level) % 2, moves[level])
                counts[level, 1] = 0
