"""Slow, obvious twins of the search, position by position and roll by roll, and evaluators to search with."""

from dataclasses import dataclass

import numpy as np

from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.outcome import cubeless_equity, evaluate_finished, invert_outcomes
from gammond.engine.rules.position import CHECKERS, OFF, Position


class SmoothEvaluator:
    """An evaluator with opinions on all five columns, by default wrong ones on finished positions.

    All its arithmetic is exact or rounded entry by entry, so a row's result depends on that row alone.
    """

    plies = 0

    def __init__(self, seed: int = 1, knows_the_end: bool = False) -> None:
        self.name = f"smooth {seed}"
        self._weights = np.random.default_rng(seed).integers(-9, 10, (52, 5))
        self.batches: list[int] = []
        self._knows_the_end = knows_the_end

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        self.batches.append(len(boards))
        sums = boards.reshape(len(boards), 52).astype(np.int64) @ self._weights / 60.0
        shares = 0.5 + 0.5 * sums / (1.0 + np.abs(sums))
        outcomes = np.empty((len(boards), 5))
        outcomes[:, 0] = shares[:, 0]
        outcomes[:, 1] = 0.5 * shares[:, 0] * shares[:, 1]
        outcomes[:, 2] = 0.2 * outcomes[:, 1] * shares[:, 2]
        outcomes[:, 3] = 0.5 * (1.0 - shares[:, 0]) * shares[:, 3]
        outcomes[:, 4] = 0.2 * outcomes[:, 3] * shares[:, 4]
        outcomes = outcomes.astype(np.float32)
        if self._knows_the_end:
            over = (boards[:, :, OFF] == CHECKERS).any(axis=1)
            outcomes[over] = evaluate_finished(boards[over])
        return outcomes


class CountingPruner(EvaluatorPruner):
    """A pruner that notes how many positions it was given at a time."""

    def __init__(self, evaluator) -> None:
        super().__init__(evaluator)
        self.batches: list[int] = []

    def prune_plays(self, boards, dice, keep, margin):
        """Choose replies, as `EvaluatorPruner.prune_plays`."""
        self.batches.append(len(boards))
        return super().prune_plays(boards, dice, keep, margin)


@dataclass(frozen=True)
class NaiveSearch:
    """The outcome of a position some plies deep, by the definition.

    Attributes:
        evaluator: Evaluates the leaves.
        width: The most replies that are followed deeper; None for all.
        width_margin: How far behind the best one at 0 plies those may be.
    """

    evaluator: object
    width: int | None = None
    width_margin: float = 0.0

    def outcome(self, position: Position, plies: int):
        """``float32[5]`` for the player on roll."""
        if position.is_over:
            return evaluate_finished(position.board[None])[0]
        if plies == 0:
            return self._leaves(position.board[None])[0]
        total = np.zeros(5)
        for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            children = generate_plays(position, roll).boards
            leaves = self._leaves(children)
            if plies > 1:
                children = self._followed(children, cubeless_equity(leaves))
                leaves = np.stack([self.outcome(Position(child), plies - 1) for child in children])
            total += weight * invert_outcomes(leaves[int(np.argmin(cubeless_equity(leaves)))])
        return total.astype(np.float32)

    def _leaves(self, boards):
        outcomes = self.evaluator.evaluate(boards)
        over = (boards[:, :, OFF] == CHECKERS).any(axis=1)
        outcomes[over] = evaluate_finished(boards[over])
        return outcomes

    def _followed(self, children, equities):
        if self.width is None:
            return children
        order = np.argsort(equities, kind="stable")[: self.width]
        return [children[i] for i in order if equities[i] <= equities[order[0]] + self.width_margin]
