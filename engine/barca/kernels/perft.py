"""Counting all sequences of legal moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.barca.kernels.board import find_winner
from engine.barca.kernels.moves import list_moves
from engine.kernels import borrowing_kernel


@borrowing_kernel
def count_sequences(
    squares: NDArray[np.int8],
    side: int,
    depth: int,
    moves: NDArray[np.int8],
    counts: NDArray[np.int64],
) -> int:
    """Count the sequences of legal moves of a length; a win ends a sequence.

    Args:
        squares: ``int8[12]``, a position that nobody has won; changed, and given back as it was.
        side: The side to move.
        depth: Moves in a sequence, at least 1.
        moves: ``int8[depth, MAX_MOVES, 2]``, scratch.
        counts: ``int64[depth, 3]``, scratch: moves, those tried, the square that the one being tried left.

    Returns:
        How many sequences of just this length there are.
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
