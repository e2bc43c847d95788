"""Scores of the heuristic engine, as one measure for the whole game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from nets.heritage.heuristic_engine.kernels.heuristic import HeuristicTables, score_position


@kernel
def write_heuristic_scores(
    boards: NDArray[np.int8], factors: HeuristicTables, out: NDArray[np.float32]
) -> None:
    """Score positions for the side that has just moved, by the formula for contact whatever their phase.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them.
        factors: The factors of the formula.
        out: out, ``float32[n]``; 0 for finished positions.
    """
    for i in range(boards.shape[0]):
        is_over = boards[i, 1, 0] == 15 or boards[i, 0, 0] == 15
        out[i] = 0.0 if is_over else score_position(boards, i, factors, False)
