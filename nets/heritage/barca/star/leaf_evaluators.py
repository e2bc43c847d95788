"""Evaluators of leaves for a search with cut-offs, with bounds of their values."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator, ExactEvaluator, Scorer
from engine.rules.outcome import cubeless_equity
from engine.rules.position import OFF, Board, Phase, classify_phases, find_finished
from engine.search.objective import evaluate_outcomes, find_settled

_OPPONENT_HOME_AND_BAR = slice(19, 26)
"""The opponent's home board and the bar, in a side's own numbering: where a backgammon is lost."""


class LeafEvaluator(Protocol):
    """Values of leaves as single numbers. Implementations are safe to call from several threads."""

    @property
    def name(self) -> str:
        """The evaluator's name in results."""
        ...

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions before the roll.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed.

        Returns:
            ``float64[n]`` for the side on roll, within `bounds`; each depends on its own board alone.
        """
        ...

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bounds of the values of positions and of all positions that can follow.

        Args:
            boards: ``int8[n, 2, 26]``.

        Returns:
            The lower and the upper bound for the side on roll, ``float64[n]`` each; infinite where unknown.
        """
        ...

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions need no look-ahead, finished ones included: ``bool[n]``."""
        ...


class EquityLeafEvaluator:
    """Evaluates by the cubeless money equity of an evaluator, in points, within the bounds of the rules.

    Args:
        evaluator: The evaluator.
        exact: Evaluators that are exact under best play.
    """

    def __init__(self, evaluator: Evaluator, exact: tuple[ExactEvaluator, ...] = ()) -> None:
        self._evaluator = evaluator
        self._exact = exact

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._evaluator.name

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions, as `LeafEvaluator.evaluate`."""
        equities = cubeless_equity(evaluate_outcomes(self._evaluator, boards)).astype(np.float64)
        return np.clip(equities, *self.bounds(boards))

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bounds of equities, as `LeafEvaluator.bounds`.

        A side with a checker off loses a single game at most. In a race a side loses no backgammon once all
        its checkers have left the opponent's home board.
        """
        is_race = classify_phases(boards) >= Phase.RACE
        return -_max_loss(boards[:, 0], is_race), _max_loss(boards[:, 1], is_race)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are finished or known exactly: ``bool[n]``."""
        return find_settled(self._exact, boards)


class ScorerLeafEvaluator:
    """Evaluates by a scorer, in its own unit and without bounds.

    The value of a position for the side on roll is minus its score for the side that has played. So the
    scorer has to be comparable between rolls and between the sides.

    Args:
        name: Its name in results.
        scorer: The scorer.
        even: The score of an even position; it becomes 0.
    """

    def __init__(self, name: str, scorer: Scorer, even: float = 0.0) -> None:
        self.name = name
        self._scorer = scorer
        self._even = even

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions, as `LeafEvaluator.evaluate`."""
        return self._even - self._scorer.score_boards(boards).astype(np.float64)

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return infinite bounds, as `LeafEvaluator.bounds`."""
        return np.full(len(boards), -np.inf), np.full(len(boards), np.inf)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are finished: ``bool[n]``."""
        return find_finished(boards)


def _max_loss(rows: NDArray[np.int8], is_race: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the most points that sides can lose, ``float64[n]``, given their checkers ``int8[n, 26]``."""
    has_escaped = is_race & ~rows[:, _OPPONENT_HOME_AND_BAR].any(axis=1)
    most: NDArray[np.float64] = np.where(rows[:, OFF] > 0, 1.0, np.where(has_escaped, 2.0, 3.0))
    return most
