"""What a rollout has found so far: the scores of every trial as plain data, and estimates made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.rollout.trial_scoring import OUTCOME_COLUMNS, CubelessScoring, Scores, TrialCubes, TrialScoring
from engine.rules.outcome import Outcome
from engine.rules.position import Board


@dataclass(frozen=True)
class RolloutEstimate:
    """The mean of trials.

    With variance reduction a probability near 0 or 1 may stray outside by about its error. Standard errors
    are those of independent trials: the quasi-random first rolls make the true ones a little smaller. With a
    single trial they are nan.

    Attributes:
        trials: How many.
        outcome: The mean outcome.
        errors: Standard error of each of its numbers.
        equity: In points, with the cube if it was played with.
        equity_error: Its standard error in points.
        cubeless_equity: The cubeless money equity of the outcome in points.
        cubeless_error: Its standard error in points.
    """

    trials: int
    outcome: Outcome
    errors: Outcome
    equity: float
    equity_error: float
    cubeless_equity: float
    cubeless_error: float


class MeanEquity(NamedTuple):
    """The mean equity of trials, in points, and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class EquityDifference:
    """The mean difference of two equities over the trials that both have, which share their dice.

    Attributes:
        trials: How many both have.
        equity: In points.
        error: Its standard error in points: the joint standard deviation of the two.
    """

    trials: int
    equity: float
    error: float

    @property
    def jsds(self) -> float:
        """By how many joint standard deviations the equities differ; infinite if they have no spread."""
        if self.equity == 0:
            return 0.0
        return self.equity / self.error if self.error else math.copysign(math.inf, self.equity)


@dataclass(frozen=True, eq=False)
class RolloutState:
    """A rollout as far as it has come: plain data, from which it is continued.

    Attributes:
        starts: ``int8[c, 2, 26]``, what was rolled out.
        cubes: The cube at each of them.
        seed: Of the dice.
        truncation: In plies; 0 for none.
        variance_reduction: Whether luck was taken off.
        judges: Names of all that played and judged.
        scoring: What the scores are.
        scores: For each start ``float64[trials, columns]``, for the player on roll there; trial i in row i.
    """

    starts: Board
    cubes: TrialCubes
    seed: int
    truncation: int
    variance_reduction: bool
    judges: tuple[str, ...]
    scoring: str
    scores: tuple[Scores, ...]

    def count_trials(self, start: int = 0) -> int:
        """How many trials of one of the starts have been played."""
        return len(self.scores[start])

    def estimate(
        self, start: int = 0, scoring: TrialScoring | None = None, *, for_opponent: bool = False
    ) -> RolloutEstimate:
        """Estimate one of the starts.

        Args:
            start: Which.
            scoring: What the scores were made by; `CubelessScoring` if None.
            for_opponent: Whether to see it from the side that is not on roll: that of whoever played to
                get there.
        """
        scoring = scoring or CubelessScoring()
        scores = self.scores[start]
        equity, cubeless = (
            self.estimate_equity(start, by, for_opponent=for_opponent) for by in (scoring, CubelessScoring())
        )
        outcomes = (scoring.swap_sides(scores) if for_opponent else scores)[:, :OUTCOME_COLUMNS]
        return RolloutEstimate(
            len(scores),
            Outcome(*outcomes.mean(axis=0).tolist()),
            Outcome(*_compute_standard_errors(outcomes).tolist()),
            equity.mean,
            equity.error,
            cubeless.mean,
            cubeless.error,
        )

    def estimate_equity(
        self, start: int = 0, scoring: TrialScoring | None = None, *, for_opponent: bool = False
    ) -> MeanEquity:
        """Estimate the equity of one of the starts alone; arguments as `estimate`, which takes far longer."""
        equities = (scoring or CubelessScoring()).equities(self.scores[start])
        return MeanEquity(
            float(-equities.mean() if for_opponent else equities.mean()),
            float(_compute_standard_errors(equities)),
        )

    def estimate_difference(
        self, start: int, other: int, scoring: TrialScoring | None = None
    ) -> EquityDifference:
        """Compare two starts for the side that is *not* on roll there.

        The difference is positive if ``start`` is better for that side.

        Args:
            start: One.
            other: The other.
            scoring: What the scores were made by; `CubelessScoring` if None.
        """
        scoring = scoring or CubelessScoring()
        trials = min(self.count_trials(start), self.count_trials(other))
        mine, others = (scoring.equities(self.scores[which][:trials]) for which in (start, other))
        gains = others - mine
        return EquityDifference(trials, float(gains.mean()), float(_compute_standard_errors(gains)))


def _compute_standard_errors(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard error of the mean over the first axis; nan for a single sample."""
    if len(samples) < 2:
        return np.full(samples.shape[1:], np.nan)
    errors: NDArray[np.float64] = np.asarray(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return errors
