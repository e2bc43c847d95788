"""How certain the results of paired games are: intervals and p-values of means.

All of it is of the means of pairs: the two games of a pair are not independent. P-values are Student's, those
of few decided pairs exact; a confidence interval has the means whose likelihood is not too much below that of
the mean found, which also holds where nearly all pairs come out alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gammond.engine.statistics import ValueWithError, mean_with_error
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

    @property
    def figure(self) -> ValueWithError:
        """The mean with its error."""
        return ValueWithError(self.mean, self.standard_error)


def estimate_mean(pair_means: NDArray[np.float64], limits: tuple[float, float] | None = None) -> MeanEstimate:
    """Estimate a mean from one number for each pair of games, which are independent of each other.

    Args:
        pair_means: ``float64[n]``, 1 or more.
        limits: The least and the greatest number that a pair can have; if None, the farthest from 0 that one
            had, to both sides, at least `LEAST_STAKE`.
    """
    found = mean_with_error(pair_means)
    if len(pair_means) < 2:
        return MeanEstimate(found.value, found.error, math.nan, math.nan)
    values, counts = np.unique(pair_means, return_counts=True)
    farthest = max(LEAST_STAKE, float(np.abs(values).max()))
    allowed = _compute_t_quantile(len(pair_means) - 1) ** 2 / 2
    low, high = find_likely_means(counts, values, limits or (-farthest, farthest), allowed)
    return MeanEstimate(found.value, found.error, low, high)


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
    error = mean_with_error(pair_means).error
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
