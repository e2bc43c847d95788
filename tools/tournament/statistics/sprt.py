"""A sequential probability ratio test (SPRT) between two strengths.

*Source:* A. Wald, "Sequential Tests of Statistical Hypotheses", 1945; the generalised ratio for a mean whose
variance is observed: X. Li, J. Liu and Z. Ying, "Generalized Sequential Probability Ratio Test for Separate
Families of Hypotheses", 2014, in the form that M. Van den Bergh gives for matches of engines ("A Practical
Introduction to the GSPRT"): n / (2 v) (high - low) (2 mean - low - high).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from tools.tournament.statistics.scores import PairedScores

PAIRS_BETWEEN_LOOKS = 50
"""Pairs of games between two evaluations of the ratio."""

MAX_ELO = 2000.0

_ELO_SCALE = 400.0
_MIN_VARIANCE = 1e-12


class SprtVerdict(StrEnum):
    """The verdict of a test."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class SequentialTest:
    """A test of whether the strength of the first player is the upper bound (accepted) or the lower one.

    Attributes:
        low: The lower bound; at this strength the player is rejected.
        high: The upper bound.
        in_elo: Whether the bounds are Elo, from games won; otherwise they are mean scores.
        alpha: The probability of accepting a player of the lower bound.
        beta: The probability of rejecting a player of the upper bound.
        first_look: Pairs of games before the first evaluation. Where most pairs are split, early variances
            are far off, and the error rates hold only if it comes late.

    Raises:
        ValueRangeError: The bounds are not two numbers in order, or Elo beyond `MAX_ELO`; or an error rate is
            not between 0 and 0.5.
    """

    low: float
    high: float
    in_elo: bool = True
    alpha: float = 0.05
    beta: float = 0.05
    first_look: int = PAIRS_BETWEEN_LOOKS

    def __post_init__(self) -> None:
        widest = MAX_ELO if self.in_elo else math.inf
        if not (self.low < self.high and max(-self.low, self.high) <= widest and math.isfinite(self.span)):
            limits = f" within {MAX_ELO:g} Elo" if self.in_elo else ""
            raise ValueRangeError(
                f"bounds of a sequential test: expected two different numbers in order{limits}, "
                f"got {self.low:g} and {self.high:g}",
                field="sprt",
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < rate < 0.5:
                raise ValueRangeError(
                    f"--{name}: expected a number between 0 and 0.5, got {rate:g}", field=name
                )

    @property
    def span(self) -> float:
        """The distance between the bounds."""
        return self.high - self.low

    @property
    def name(self) -> str:
        """The bounds as reports write them."""
        return f"{self.low:g} to {self.high:g}{' Elo' if self.in_elo else ''}"

    @property
    def llr_bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test rejects and accepts."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def run(self, scores: PairedScores) -> SprtResult:
        """Test every `PAIRS_BETWEEN_LOOKS` pairs until the likelihood ratio reaches a bound.

        Args:
            scores: Results of the first player, all games from the first on.
        """
        samples = scores.pair_win_shares if self.in_elo else scores.pair_values
        counts = np.arange(self.first_look, len(samples) + 1, PAIRS_BETWEEN_LOOKS)
        if not len(counts):
            return SprtResult(SprtVerdict.UNDECIDED, 0.0, 2 * len(samples))
        ratios = self.compute_llrs(counts, np.cumsum(samples)[counts - 1], np.cumsum(samples**2)[counts - 1])
        rejects, accepts = self.llr_bounds
        hits = np.flatnonzero((ratios <= rejects) | (ratios >= accepts))
        if not len(hits):
            return SprtResult(SprtVerdict.UNDECIDED, float(ratios[-1]), 2 * len(samples))
        ratio = float(ratios[hits[0]])
        verdict = SprtVerdict.ACCEPTED if ratio >= accepts else SprtVerdict.REJECTED
        return SprtResult(verdict, ratio, 2 * int(counts[hits[0]]))

    def compute_llrs(
        self, pairs: NDArray[np.int64], sums: NDArray[np.float64], squares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Compute the log-likelihood ratio of the upper bound against the lower one after some pairs.

        Args:
            pairs: ``int64[n]``, their numbers, 2 or more.
            sums: ``float64[..., n]``, the sums of the scores of these pairs.
            squares: ``float64[..., n]``, the sums of their squares.

        Returns:
            ``float64[..., n]``.
        """
        means = sums / pairs
        variances = np.maximum((squares / pairs - means**2) * pairs / (pairs - 1), _MIN_VARIANCE)
        low, high = (
            (_expected_score(self.low), _expected_score(self.high)) if self.in_elo else (self.low, self.high)
        )
        found: NDArray[np.float64] = pairs / (2 * variances) * (high - low) * (2 * means - low - high)
        return found


@dataclass(frozen=True)
class SprtResult:
    """The result of a test on the games so far.

    Attributes:
        verdict: Accepted, rejected or undecided.
        llr: The log-likelihood ratio of the upper bound against the lower one.
        games: How many games it used; those after a verdict do not count.
    """

    verdict: SprtVerdict
    llr: float
    games: int


def _expected_score(elo: float) -> float:
    """Return the share of games won at a difference in Elo."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / _ELO_SCALE))
