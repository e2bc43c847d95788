"""Evaluators with fixed opinions, for tests of what follows from them."""

import numpy as np

from gammond.engine.analysis.engine import Engine
from tests.support.evaluators import FixedEvaluator


class ListEvaluator:
    """An evaluator that rates the listed positions after a play high, and all others low.

    Args:
        outcomes: By the bytes of the board, for the player who moved.
    """

    name, plies = "list", 0

    def __init__(self, outcomes: dict[bytes, tuple[float, ...]]) -> None:
        self.outcomes = outcomes

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards, for the next mover."""
        rows = []
        for board in boards:
            win, win_g, win_bg, lose_g, lose_bg = self.outcomes.get(board.tobytes(), (0.0, 0, 0, 1.0, 1.0))
            rows.append((1 - win, lose_g, lose_bg, win_g, win_bg))
        return np.array(rows, np.float32)


def fixed_engine(*outcome: float) -> Engine:
    """Return an engine that gives every position the same outcome."""
    return Engine(FixedEvaluator(*outcome))
