"""What is counted of compiled games, and when one is too long to count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel

MAX_PLIES = 2000
"""Longer games are abandoned without learning; self-play of untrained nets may shuffle for ever."""

# Places in a tally, int64[4].
GAMES, PLIES, GAMMONS, BACKGAMMONS = range(4)


@kernel
def count_game(boards: NDArray[np.int8], plies: int, tally: NDArray[np.int64]) -> None:
    """Count a game.

    Args:
        boards: ``int8[n, 2, 26]``, its positions, each as its mover sees it.
        plies: Which of them ended it.
        tally: in and out, ``int64[4]``.
    """
    tally[GAMES] += 1
    tally[PLIES] += plies
    if boards[plies, 0, 0] == 0:
        tally[GAMMONS] += 1
        behind = 0
        for point in range(19, 26):
            behind += boards[plies, 0, point]
        tally[BACKGAMMONS] += int(behind > 0)
