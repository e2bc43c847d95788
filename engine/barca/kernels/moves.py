"""Legal moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.barca.kernels.board import (
    ANIMALS,
    BITS,
    END_OF_DIRECTIONS,
    FEARED,
    FIRST_DIRECTION,
    NEIGHBOURS,
    RAYS,
    SIZE,
    is_in,
)
from engine.kernels import borrowing_kernel, inlined_kernel

MAX_MOVES = 140
"""Above the moves of any position: 35 squares for each elephant, 17 for each lion, 18 for each mouse."""


@inlined_kernel
def list_animal_moves(
    square: int,
    kind: int,
    animal: int,
    taken: tuple[int, int],
    avoided: tuple[int, int],
    moves: NDArray[np.int8],
    count: int,
) -> int:
    """List the squares that an animal can go to.

    Args:
        square: Where it is.
        kind: Its kind.
        animal: Its place among the twelve.
        taken: The squares of all animals.
        avoided: Squares that it may pass, but not end on.
        moves: out, ``int8[MAX_MOVES, 2]``.
        count: How many moves are there already.

    Returns:
        How many there are now.
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


@borrowing_kernel
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
    taken_low, taken_high = 0, 0
    for animal in range(2 * ANIMALS):
        taken_low |= BITS[squares[animal], 0]
        taken_high |= BITS[squares[animal], 1]
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
                count = list_animal_moves(
                    square, kind, animal, (taken_low, taken_high), (near_low, near_high), moves, count
                )
        if count:
            return count
    return count
