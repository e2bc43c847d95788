"""How sure a mean of pairs is: standard errors, confidence intervals, and the p-value of 'equally good'."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
"""Of all intervals."""

_MIN_NORMAL_FREEDOM = 2000
"""Degrees of freedom from which Student's distribution is taken for the normal one."""

_STEPS = 20_000
_BISECTIONS = 60
_MAX_QUANTILE = 1e6


@dataclass(frozen=True)
class MeanEstimate:
    """A mean and how sure it is.

    Attributes:
        mean: The mean.
        standard_error: Of the mean; nan for a single pair.
        low: Where the interval of `CONFIDENCE` begins.
        high: Where it ends.
    """

    mean: float
    standard_error: float
    low: float
    high: float


def estimate_mean(pair_means: NDArray[np.float64]) -> MeanEstimate:
    """Estimate a mean from one number for each pair of games, which are independent of each other.

    Args:
        pair_means: ``float64[n]``, 1 or more.
    """
    mean, error = float(pair_means.mean()), compute_standard_error(pair_means)
    margin = error * _compute_t_quantile(len(pair_means) - 1) if len(pair_means) > 1 else float("nan")
    return MeanEstimate(mean, error, mean - margin, mean + margin)


def compute_standard_error(pair_means: NDArray[np.float64]) -> float:
    """Standard error of the mean of independent numbers; nan for a single one."""
    if len(pair_means) < 2:
        return float("nan")
    return float(pair_means.std(ddof=1) / math.sqrt(len(pair_means)))


def compute_p_value(pair_means: NDArray[np.float64], expected: float = 0.0) -> float:
    """How likely a mean so far off is, either way, between players that are equally good.

    *Source:* Student's test of paired differences, two-sided.

    Args:
        pair_means: ``float64[n]``, one number for each pair of games.
        expected: The mean between equals.

    Returns:
        0 to 1; nan for a single pair; 1 for pairs that all are what is expected of equals.
    """
    error = compute_standard_error(pair_means)
    distance = abs(float(pair_means.mean()) - expected)
    if math.isnan(error):
        return float("nan")
    if error == 0.0:
        return 1.0 if distance == 0.0 else 0.0
    return two_sided_p_value(distance / error, len(pair_means) - 1)


def two_sided_p_value(distance: float, freedom: int) -> float:
    """The chance that Student's t is farther from 0 than this.

    Args:
        distance: 0 or more, in standard errors.
        freedom: Degrees of freedom, 1 or more.
    """
    if freedom >= _MIN_NORMAL_FREEDOM:
        return math.erfc(distance / math.sqrt(2))
    # With t = sqrt(freedom) * tan(angle) the density is a power of the cosine, on a finite range.
    beyond = math.atan(distance / math.sqrt(freedom))
    return _integrate_density(beyond, freedom) / _integrate_density(0.0, freedom)


def _integrate_density(start: float, freedom: int) -> float:
    angles = np.linspace(start, math.pi / 2, _STEPS)
    heights = np.cos(angles) ** (freedom - 1)
    return float(np.trapezoid(heights, angles))


@cache
def _compute_t_quantile(freedom: int) -> float:
    """How many standard errors to each side hold `CONFIDENCE` of Student's distribution."""
    freedom = min(freedom, _MIN_NORMAL_FREEDOM)
    low, high = 0.0, _MAX_QUANTILE
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p_value(middle, freedom) > 1 - CONFIDENCE else (low, middle)
    return high
