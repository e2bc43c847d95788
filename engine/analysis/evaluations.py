"""Evaluations that an `engine.analysis.engine.Engine` gives beside those of searches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.rules.outcome import Outcomes
from engine.search.results import PositionEvaluation


@dataclass(frozen=True)
class BeaverEvaluation:
    """The evaluation of the doubler's decision after a beaver: to play on or to pass.

    Attributes:
        evaluation: The doubler's position, with the cube as it is once the beaver is accepted.
    """

    evaluation: PositionEvaluation

    @property
    def equity(self) -> float:
        """Equity of playing on, in stakes as the beaver shows them; a pass loses 1."""
        assert self.evaluation.cubeful is not None  # beavers are evaluated with the cube
        return 2.0 * self.evaluation.cubeful

    @property
    def plays_on(self) -> bool:
        """Whether playing on is better than a pass."""
        return self.equity > -1.0


@dataclass(frozen=True, eq=False)
class BoardEvaluations:
    """The evaluations of many positions as arrays; see `engine.search.results.PositionEvaluation`.

    Attributes:
        outcomes: ``float32[n, 5]``, cubeless.
        cubeful: ``float64[n]``, cubeful equities; None without the cube.
        mwc: ``float64[n]``, match-winning chances; None in money play.
    """

    outcomes: Outcomes
    cubeful: NDArray[np.float64] | None
    mwc: NDArray[np.float64] | None
