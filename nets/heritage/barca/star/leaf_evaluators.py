"""What a search with cut-offs judges its leaves by, and how far any value can lie."""

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
        """What results call the judge."""
        ...

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Value positions before the roll.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed.

        Returns:
            ``float64[n]`` for the side on roll, within `bounds`; each depends on its own board alone.
        """
        ...

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Say between what the values of positions lie, and those of all positions that can follow.

        Args:
            boards: ``int8[n, 2, 26]``.

        Returns:
            The least and the greatest for the side on roll, ``float64[n]`` each; infinite where unknown.
        """
        ...

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Say which positions are not looked ahead from, finished ones included: ``bool[n]``."""
        ...


class EquityLeafEvaluator:
    """Cubeless money equities of an evaluator, in points, held within what the rules allow.

    Args:
        evaluator: The judge.
        exact: Judges that know their positions under best play.
    """

    def __init__(self, evaluator: Evaluator, exact: tuple[ExactEvaluator, ...] = ()) -> None:
        self._evaluator = evaluator
        self._exact = exact

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._evaluator.name

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Value positions, as `LeafEvaluator.evaluate`."""
        equities = cubeless_equity(evaluate_outcomes(self._evaluator, boards)).astype(np.float64)
        return np.clip(equities, *self.bounds(boards))

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Say between what equities lie, as `LeafEvaluator.bounds`.

        A side with a checker off loses a single game at most. One that no checker can hit any more loses no
        backgammon once all its checkers have left the opponent's home board.
        """
        is_race = classify_phases(boards) >= Phase.RACE
        return -_max_loss(boards[:, 0], is_race), _max_loss(boards[:, 1], is_race)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Finished positions, and those that are known exactly: ``bool[n]``."""
        return find_settled(self._exact, boards)


class ScorerLeafEvaluator:
    """Scores of a judge that knows no outcomes, in its own unit and without bounds.

    The score of a position for the side on roll is what it is worth to the side that has played, with the
    sign turned. So the scorer has to compare positions of different rolls, and both sides alike.

    Args:
        name: What results call it.
        scorer: The judge.
        even: The score of a position that is worth nothing to either side; it becomes 0.
    """

    def __init__(self, name: str, scorer: Scorer, even: float = 0.0) -> None:
        self.name = name
        self._scorer = scorer
        self._even = even

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Value positions, as `LeafEvaluator.evaluate`."""
        return self._even - self._scorer.score_boards(boards).astype(np.float64)

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Say that nothing bounds a score, as `LeafEvaluator.bounds`."""
        return np.full(len(boards), -np.inf), np.full(len(boards), np.inf)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Finished positions: ``bool[n]``."""
        return find_finished(boards)


def _max_loss(rows: NDArray[np.int8], is_race: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The most points that sides can lose, ``float64[n]``, given their checkers ``int8[n, 26]``."""
    is_home_from_far = is_race & ~rows[:, _OPPONENT_HOME_AND_BAR].any(axis=1)
    most: NDArray[np.float64] = np.where(rows[:, OFF] > 0, 1.0, np.where(is_home_from_far, 2.0, 3.0))
    return most
