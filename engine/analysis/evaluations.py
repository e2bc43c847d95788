"""Judgements as an `engine.analysis.engine.Engine` gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeDecision
from engine.rules.outcome import Outcome, Outcomes, cubeless_equity
from engine.rules.position import Position
from engine.search.cubeful_objective import OUTCOME_COLUMNS
from engine.search.iterative_deepening import DeepeningResult
from engine.search.objective import Objective
from engine.search.results import Effort


@dataclass(frozen=True)
class PositionEvaluation:
    """A position with its judgement, for the player on roll, before the roll.

    Attributes:
        outcome: Cubeless.
        equity: Cubeless money equity of the outcome, in points.
        cubeful: Equity when both sides handle the cube as they should: 1 is a game won singly at the present
            cube. None if the cube does not count.
        mwc: The chance to win the match; None in money play.
        decision: What to do with the cube; None if it does not count, or the game is over.
        effort: The effort behind all of it.
    """

    outcome: Outcome
    equity: float
    cubeful: float | None
    mwc: float | None
    decision: CubeDecision | None
    effort: Effort

    @property
    def mwc_or_equity(self) -> float:
        """The most telling value there is: the chance to win the match, or points for a cube of 1."""
        if self.mwc is not None:
            return self.mwc
        return self.equity if self.cubeful is None else self.cubeful


@dataclass(frozen=True)
class BeaverEvaluation:
    """Whether a doubler plays on after a beaver.

    Attributes:
        evaluation: Its position, with the cube as it is once the beaver is taken.
    """

    evaluation: PositionEvaluation

    @property
    def equity(self) -> float:
        """What playing on is worth in stakes as the beaver shows them; giving up loses 1."""
        assert self.evaluation.cubeful is not None  # beavers are judged with the cube
        return 2.0 * self.evaluation.cubeful

    @property
    def plays_on(self) -> bool:
        """Whether that is better than to give up."""
        return self.equity > -1.0


@dataclass(frozen=True, eq=False)
class BoardEvaluations:
    """Many positions with their judgement, each as `PositionEvaluation` has it.

    Attributes:
        outcomes: ``float32[n, 5]``, cubeless.
        cubeful: ``float64[n]``, equities with the cube; None if it does not count.
        mwc: ``float64[n]``, chances to win the match; None in money play.
    """

    outcomes: Outcomes
    cubeful: NDArray[np.float64] | None
    mwc: NDArray[np.float64] | None


def make_position_evaluations(
    objective: Objective, result: DeepeningResult, positions: Sequence[Position], leaf_plies: int
) -> list[PositionEvaluation]:
    """Read the values of positions.

    Args:
        objective: The objective that they were evaluated by.
        result: Their values.
        positions: The positions, in the same order.
        leaf_plies: Plies of look-ahead of the evaluator of the leaves.

    Returns:
        The evaluations; each carries the effort of all.
    """
    effort = replace(result.effort, plies=leaf_plies + result.effort.plies)
    equities = cubeless_equity(result.values[:, :OUTCOME_COLUMNS])
    evaluations = []
    for position, row, equity in zip(positions, result.values, equities, strict=True):
        reading = objective.read_root(row, is_over=position.is_over)
        outcome = Outcome(*map(float, row[:OUTCOME_COLUMNS]))
        evaluations.append(PositionEvaluation(outcome, float(equity), *reading, effort))
    return evaluations
