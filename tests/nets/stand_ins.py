"""Evaluators in place of nets, which show who was asked."""

import numpy as np


class Asked:
    """An evaluator and a pruner that compiled loops have to ask."""

    plies = 0

    def __init__(self, inner) -> None:
        self.name, self.inner = inner.name, inner

    def evaluate(self, boards):
        """Evaluate as the one inside."""
        return self.inner.evaluate(boards)

    def prune_plays(self, *question):
        """Prune as the one inside."""
        return self.inner.prune_plays(*question)


class Marker:
    """An evaluator whose numbers show its own mark and the pips of the position, so that order shows."""

    plies = 0

    def __init__(self, mark: float) -> None:
        self.name, self.mark, self.asked = str(mark), mark, 0

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        self.asked += 1
        outcomes = np.zeros((len(boards), 5), np.float32)
        outcomes[:, 0] = self.mark + (boards[:, 0].astype(np.int64) @ np.arange(26)) / 10_000
        return outcomes
