"""Perft: counting all sequences of legal moves, which any other program of the same rules counts alike."""

from __future__ import annotations

import numpy as np

from engine.barca.kernels.moves import MAX_MOVES
from engine.barca.kernels.perft import count_sequences
from engine.barca.moves import apply_move, legal_moves
from engine.barca.position import BarcaPosition

_COMPILED_DEPTH = 4
"""Moves that are counted without a stop, in some hundredths of a second; those before them can be stopped."""


def perft(position: BarcaPosition, depth: int) -> int:
    """Count the sequences of legal moves of a length; repetition is not looked at, and a win ends a sequence.

    Args:
        position: Where they begin.
        depth: How many moves they have; with none there is one sequence.
    """
    if depth == 0:
        return 1
    if position.winner is not None:
        return 0
    if depth > _COMPILED_DEPTH:
        return sum(perft(apply_move(position, move), depth - 1) for move in legal_moves(position))
    moves, counts = np.empty((depth, MAX_MOVES, 2), np.int8), np.empty((depth, 3), np.int64)
    return int(count_sequences(position.squares.copy(), position.side, depth, moves, counts))
