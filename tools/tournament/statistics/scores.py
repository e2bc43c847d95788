"""Results of paired games between two players, and how certain they are.

All of it is of the means of pairs: the two games of a pair are not independent. P-values are Student's, those
of few decided pairs exact; a confidence interval has the means whose likelihood is not too much below that of
the mean found, which also holds where nearly all pairs come out alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.tools.tournament.statistics.likelihood import find_likely_means

CONFIDENCE = 0.95
"""The level of all confidence intervals."""

LEAST_STAKE = 1.0
"""What a game counts at least, where it is not known what it can."""

WIN_SHARE_LIMITS = (0.0, 1.0)
"""The least and the greatest share of a pair that can be won."""

_MIN_NORMAL_FREEDOM = 2000
"""Degrees of freedom from which the normal distribution replaces Student's."""

_STEPS = 20_000
_BISECTIONS = 40
_MAX_QUANTILE = 1e6

_MAX_EXACT_PAIRS = 12
"""Pairs that are not split up to which p-values count all their signs."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Results of paired games, for the first player; games 2i and 2i + 1 have the same dice.

    Attributes:
        values: ``float64[games]``, scores: points, pips, or 1 and -1 for a match; nan for a game that did not
            end.
        kinds: ``int8[games]``: 1 to 3 for a game, gammon or backgammon won, negative if it was lost; 0 for a
            game in which nobody is ahead, or that did not end.
        lengths: ``int32[games]``, the moves of each game; empty where they are not counted.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.int8]
    lengths: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    @classmethod
    def empty(cls) -> PairedScores:
        """Make results of no games."""
        return cls(np.empty(0), np.empty(0, np.int8))

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.values)

    @property
    def endless(self) -> int:
        """The number of games that did not end."""
        return int(np.isnan(self.values).sum())

    @property
    def counted(self) -> PairedScores:
        """The games that count: those of pairs in which both ended."""
        counts = np.repeat(~np.isnan(self.pair_values), 2)
        lengths = self.lengths[counts] if len(self.lengths) else self.lengths
        return PairedScores(self.values[counts], self.kinds[counts], lengths)

    @property
    def mean(self) -> float:
        """The mean score per game."""
        return float(self.values.mean())

    @property
    def pair_values(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the mean of each pair."""
        means: NDArray[np.float64] = self.values.reshape(-1, 2).mean(axis=1)
        return means

    @property
    def pair_lengths(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the mean length of each pair; empty where lengths are not counted."""
        means: NDArray[np.float64] = self.lengths.reshape(-1, 2).mean(axis=1)
        return means

    @property
    def pair_win_shares(self) -> NDArray[np.float64]:
        """``float64[games / 2]``, the share of each pair that was won."""
        shares: NDArray[np.float64] = ((np.sign(self.kinds) + 1.0) / 2).reshape(-1, 2).mean(axis=1)
        return shares

    @property
    def wins(self) -> float:
        """Games won, with half of those in which nobody is ahead."""
        return float(self.pair_win_shares.sum() * 2)

    def count_wins(self, player: int) -> tuple[int, int, int]:
        """Count what a player won.

        Args:
            player: 0 the first, 1 the second.

        Returns:
            Wins of any kind, gammons and backgammons, backgammons.
        """
        won = self.kinds if player == 0 else -self.kinds
        return int((won >= 1).sum()), int((won >= 2).sum()), int((won >= 3).sum())

    def take_first(self, games: int) -> PairedScores:
        """Return the first of these games."""
        return PairedScores(self.values[:games], self.kinds[:games], self.lengths[:games])

    def concatenate(self, others: PairedScores) -> PairedScores:
        """Return these games followed by others."""
        return PairedScores(
            np.concatenate([self.values, others.values]),
            np.concatenate([self.kinds, others.kinds]),
            np.concatenate([self.lengths, others.lengths]),
        )

    def swap_players(self) -> PairedScores:
        """Return the same games for the other player, who starts the first of each pair then."""
        values, kinds = self.values.reshape(-1, 2), self.kinds.reshape(-1, 2)
        lengths = self.lengths.reshape(-1, 2)[:, ::-1].ravel()
        return PairedScores(-values[:, ::-1].ravel(), -kinds[:, ::-1].ravel(), lengths)


@dataclass(frozen=True)
class MeanEstimate:
    """A mean with its standard error and confidence interval.

    Attributes:
        mean: The mean.
        standard_error: Of the mean; nan for a single pair.
        low: The lower end of the interval of `CONFIDENCE`.
        high: The upper end.
    """

    mean: float
    standard_error: float
    low: float
    high: float


def estimate_mean(pair_means: NDArray[np.float64], limits: tuple[float, float] | None = None) -> MeanEstimate:
    """Estimate a mean from one number for each pair of games, which are independent of each other.

    Args:
        pair_means: ``float64[n]``, 1 or more.
        limits: The least and the greatest number that a pair can have; if None, the farthest from 0 that one
            had, to both sides, at least `LEAST_STAKE`.
    """
    mean, error = float(pair_means.mean()), compute_standard_error(pair_means)
    if len(pair_means) < 2:
        return MeanEstimate(mean, error, math.nan, math.nan)
    values, counts = np.unique(pair_means, return_counts=True)
    farthest = max(LEAST_STAKE, float(np.abs(values).max()))
    allowed = _compute_t_quantile(len(pair_means) - 1) ** 2 / 2
    low, high = find_likely_means(counts, values, limits or (-farthest, farthest), allowed)
    return MeanEstimate(mean, error, low, high)


def compute_standard_error(pair_means: NDArray[np.float64]) -> float:
    """Compute the standard error of the mean of independent numbers; nan for a single one."""
    if len(pair_means) < 2:
        return float("nan")
    return float(pair_means.std(ddof=1) / math.sqrt(len(pair_means)))


def estimate_group_mean(totals: NDArray[Any], counts: NDArray[Any]) -> tuple[float, float]:
    """Estimate the mean of numbers that depend on each other within groups, as those of one game do.

    Args:
        totals: ``[groups]``, the sum of each group, 1 or more.
        counts: ``[groups]``, how many numbers each has; not all 0.

    Returns:
        The mean of all numbers, and its standard error; nan for a single group.

    *Source:* the ratio of two sums over independent groups, with the error of its linear approximation;
    W. G. Cochran, Sampling Techniques, 3rd edition, 1977, chapter 6, on ratio estimators.
    """
    groups, total = len(counts), float(counts.sum())
    mean = float(totals.sum()) / total
    if groups < 2:
        return mean, float("nan")
    return mean, float((totals - mean * counts).std(ddof=1) * math.sqrt(groups) / total)


def compute_p_value(pair_means: NDArray[np.float64], expected: float = 0.0) -> float:
    """Compute the two-sided p-value of a mean between equally strong players.

    *Source:* Student's test of paired differences, two-sided; while few pairs are not split, R. Fisher's
    randomisation test, "The Design of Experiments", 1935, section 21: each may as well have been the other's.

    Args:
        pair_means: ``float64[n]``, one number for each pair of games.
        expected: The mean between equally strong players.

    Returns:
        0 to 1; nan for a single pair.
    """
    if len(pair_means) < 2:
        return float("nan")
    differences = pair_means - expected
    decided = differences[differences != 0]
    if len(decided) <= _MAX_EXACT_PAIRS:
        sums = np.zeros(1)
        for difference in decided:
            sums = np.concatenate([sums + difference, sums - difference])
        return float(np.mean(np.abs(sums) >= abs(decided.sum()) * (1 - _ROUNDING)))
    error = compute_standard_error(pair_means)
    distance = abs(float(differences.mean()))
    return 0.0 if error == 0.0 else two_sided_p_value(distance / error, len(pair_means) - 1)


def two_sided_p_value(distance: float, freedom: int) -> float:
    """Return the probability that Student's t is farther from 0 than this.

    Args:
        distance: 0 or more, in standard errors.
        freedom: Degrees of freedom, 1 or more.
    """
    if freedom >= _MIN_NORMAL_FREEDOM:
        return math.erfc(distance / math.sqrt(2))
    # With t = sqrt(freedom) * tan(angle) the density is a power of the cosine, on a finite range.
    beyond = math.atan(distance / math.sqrt(freedom))
    return _integrate_density(beyond, freedom) / _integrate_whole_density(freedom)


@cache
def _integrate_whole_density(freedom: int) -> float:
    return _integrate_density(0.0, freedom)


def _integrate_density(start: float, freedom: int) -> float:
    angles = np.linspace(start, math.pi / 2, _STEPS)
    heights = np.cos(angles) ** (freedom - 1)
    return float(np.trapezoid(heights, angles))


@cache
def _compute_t_quantile(freedom: int) -> float:
    """Compute the t quantile: standard errors to each side that hold `CONFIDENCE` of the distribution."""
    freedom = min(freedom, _MIN_NORMAL_FREEDOM)
    low, high = 0.0, _MAX_QUANTILE
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p_value(middle, freedom) > 1 - CONFIDENCE else (low, middle)
    return high
