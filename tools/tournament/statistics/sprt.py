"""A sequential probability ratio test (SPRT) between two strengths.

*Source:* A. Wald, "Sequential Tests of Statistical Hypotheses", 1945; the generalised ratio, in which each
hypothesis is the likeliest distribution of results that has its mean: X. Li, J. Liu and Z. Ying, "Generalized
Sequential Probability Ratio Test for Separate Families of Hypotheses", 2014.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.tournament.statistics.likelihood import compute_likelihood_loss
from gammond.tools.tournament.statistics.scores import LEAST_STAKE

PAIRS_BETWEEN_LOOKS = 50
"""Pairs of games between two evaluations of the ratio."""

MAX_ELO = 2000.0

_ELO_SCALE = 400.0

_WON_OUTRIGHT = 0.5
"""The share of a pair that is won if both games are, above one half."""

_BLOCK_CELLS = 1 << 20


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

    Raises:
        ValueRangeError: The bounds are not two numbers in order, or Elo beyond `MAX_ELO`; or an error rate is
            not between 0 and 0.5.
    """

    low: float
    high: float
    in_elo: bool = True
    alpha: float = 0.05
    beta: float = 0.05

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

    def run(self, scores: PairedScores, tested: int = 0) -> SprtResult:
        """Test every `PAIRS_BETWEEN_LOOKS` pairs that count until the likelihood ratio reaches a bound.

        Args:
            scores: Results of the first player, all games from the first on.
            tested: How many of them an earlier run used, which decided nothing.
        """
        values = scores.pair_values
        counted = np.flatnonzero(~np.isnan(values))
        samples = (scores.pair_win_shares - 0.5 if self.in_elo else values)[counted]
        looks = np.arange(PAIRS_BETWEEN_LOOKS, len(samples) + 1, PAIRS_BETWEEN_LOOKS)
        new = looks[looks > np.searchsorted(counted, tested // 2)]
        ratio = 0.0
        for ends, ratios in self._compute_ratios(samples, new if len(new) else looks[-1:]):
            rejects, accepts = self.llr_bounds
            hits = np.flatnonzero((ratios <= rejects) | (ratios >= accepts))
            if len(hits):
                ratio = float(ratios[hits[0]])
                verdict = SprtVerdict.ACCEPTED if ratio >= accepts else SprtVerdict.REJECTED
                return SprtResult(verdict, ratio, 2 * (int(counted[ends[hits[0]] - 1]) + 1))
            ratio = float(ratios[-1])
        return SprtResult(SprtVerdict.UNDECIDED, ratio, scores.games)

    def _compute_ratios(
        self, samples: NDArray[np.float64], looks: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Generate blocks of looks, each with its ratios; a look sees only the pairs before it."""
        values, places = np.unique(samples, return_inverse=True)
        farthest = np.maximum.accumulate(np.abs(samples))
        size = max(1, _BLOCK_CELLS // (len(values) + 2))
        counts, counted = np.zeros(len(values)), 0
        for ends in (looks[start : start + size] for start in range(0, len(looks), size)):
            added = np.zeros((len(ends), len(values)))
            np.add.at(
                added,
                (np.searchsorted(ends, np.arange(counted, ends[-1]) + 1), places[counted : ends[-1]]),
                1,
            )
            by_look = counts + added.cumsum(axis=0)
            counts, counted = by_look[-1], int(ends[-1])
            yield ends, self.compute_llrs(by_look, values, farthest[ends - 1])

    def compute_llrs(
        self,
        counts: NDArray[Any],
        values: NDArray[np.float64],
        farthest: NDArray[np.float64] | float = 0.0,
    ) -> NDArray[np.float64]:
        """Compute the log-likelihood ratio of the upper bound against the lower one.

        Args:
            counts: Numbers ``[..., k]``, how many pairs had each result.
            values: ``float64[k]``, the results: shares of the pair won minus one half, or mean scores.
            farthest: ``float64[...]``, the largest score of either player in a pair so far.

        Returns:
            ``float64[...]``.
        """
        if self.in_elo:
            low, high = (_expected_score(elo) - 0.5 for elo in (self.low, self.high))
            least = _WON_OUTRIGHT
        else:
            low, high = self.low, self.high
            least = max(LEAST_STAKE, 2 * abs(low), 2 * abs(high))
        reach = np.broadcast_to(np.maximum(least, farthest), counts.shape[:-1])
        extremes = np.stack([-reach, reach], axis=-1)
        lost_at_low, lost_at_high = (
            compute_likelihood_loss(counts, values, extremes, mean) for mean in (low, high)
        )
        return lost_at_low - lost_at_high


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
