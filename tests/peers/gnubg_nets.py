"""GNU Backgammon's nets (package gnubg-nn) as an evaluator, for comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from engine.outcome import finished_outcomes
from engine.position import Phase, phases


def gnubg_nn():
    """The package, or a skipped test."""
    return pytest.importorskip("gnubg_nn", reason="needs the package gnubg-nn")


def as_lists(board) -> list[list[int]]:
    """The board as gnubg-nn takes it: the opponent first, 24 points and the bar of each."""
    return [board[1, 1:].tolist(), board[0, 1:].tolist()]


class GnubgEvaluator:
    """GNU Backgammon's 0-ply judgement, one position at a time."""

    name = "gnubg 0-ply"
    plies = 0

    def __init__(self) -> None:
        self._gnubg = gnubg_nn()

    def evaluate(self, boards):
        """Evaluate ``int8[n, 2, 26]``."""
        over = phases(boards) == Phase.OVER
        outcomes = np.empty((len(boards), 5), np.float32)
        outcomes[over] = finished_outcomes(boards[over])
        for i in np.flatnonzero(~over):
            outcomes[i] = self._gnubg.probabilities(as_lists(boards[i]), 0)
        return outcomes
