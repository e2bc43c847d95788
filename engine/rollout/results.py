"""The state of a rollout: the scores of every trial as plain data, and estimates from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.rollout.trial_scoring import OUTCOME_COLUMNS, Scores, TrialCubes, TrialScoring
from engine.rules.outcome import Outcome
from engine.rules.position import Board


@dataclass(frozen=True)
class RolloutEstimate:
    """The mean of trials.

    With variance reduction a probability near 0 or 1 may lie outside by about its error. Standard errors are
    those of independent trials: the quasi-random first rolls make the true ones a little smaller. With a
    single trial they are nan.

    Attributes:
        trials: Number of trials.
        outcome: Mean outcome.
        errors: Standard error of each of its numbers.
        equity: Equity in points, cubeful if the rollout was.
        equity_error: Its standard error in points.
        cubeless_equity: Cubeless money equity of the outcome in points.
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
        trials: Number of trials that both have.
        equity: The difference in points.
        error: Its standard error in points: the joint standard deviation of the two.
    """

    trials: int
    equity: float
    error: float

    @property
    def jsds(self) -> float:
        """The difference in joint standard deviations; infinite if there is no spread."""
        if self.equity == 0:
            return 0.0
        return self.equity / self.error if self.error else math.copysign(math.inf, self.equity)


@dataclass(frozen=True, eq=False)
class RolloutState:
    """A rollout so far: plain data from which it can be continued.

    Attributes:
        starts: ``int8[c, 2, 26]``, the positions rolled out.
        cubes: The cube at each of them.
        seed: Seed of the dice.
        truncation: Plies; 0 for none.
        variance_reduction: Whether luck was subtracted.
        evaluators: Names of the evaluators.
        scoring: The kind of scores.
        scores: For each start ``float64[trials, columns]``, for the player on roll there; trial i in row i.
    """

    starts: Board
    cubes: TrialCubes
    seed: int
    truncation: int
    variance_reduction: bool
    evaluators: tuple[str, ...]
    scoring: str
    scores: tuple[Scores, ...]

    def count_trials(self, start: int = 0) -> int:
        """Return the number of trials played of one of the starts."""
        return len(self.scores[start])

    def estimate(
        self, start: int = 0, scoring: TrialScoring | None = None, *, for_opponent: bool = False
    ) -> RolloutEstimate:
        """Estimate one of the starts.

        Args:
            start: Index of the start.
            scoring: The scoring of the trials; cubeless if None.
            for_opponent: Whether to estimate for the side that is not on roll: the one that has just played.
        """
        scoring = scoring or TrialScoring()
        scores = self.scores[start]
        equity, cubeless = (
            self.estimate_equity(start, by, for_opponent=for_opponent) for by in (scoring, TrialScoring())
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
        """Estimate the equity of one of the starts; as `estimate`, and far faster."""
        equities = (scoring or TrialScoring()).equities(self.scores[start])
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
            start: Index of one start.
            other: Index of the other.
            scoring: The scoring of the trials; cubeless if None.
        """
        scoring = scoring or TrialScoring()
        trials = min(self.count_trials(start), self.count_trials(other))
        mine, others = (scoring.equities(self.scores[which][:trials]) for which in (start, other))
        gains = others - mine
        return EquityDifference(trials, float(gains.mean()), float(_compute_standard_errors(gains)))


def _compute_standard_errors(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute standard errors of the mean over the first axis; nan for a single sample."""
    if len(samples) < 2:
        return np.full(samples.shape[1:], np.nan)
    errors: NDArray[np.float64] = np.asarray(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return errors
