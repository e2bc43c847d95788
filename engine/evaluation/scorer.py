"""Scorers: rank plays by numbers that are no outcomes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.rules.position import Board


class Scorer(Protocol):
    """Gives each play a number on a scale of its own; it estimates no outcomes."""

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play.

        Args:
            boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played.

        Returns:
            ``float32[n]``, higher is better for the side that has played, never nan; each depends on its own
            board alone.
        """
        ...
