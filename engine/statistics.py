"""Means of independent numbers with their standard errors, and ratios and roots of such means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ValueWithError:
    """A figure and its standard error; either is nan where it is not known."""

    value: float
    error: float

    def __format__(self, form: str) -> str:
        """Write both, with the same number of decimals; ``-`` if the value is not known.

        Args:
            form: How the value is written: ``+.3f`` makes ``+0.031 ± 0.004``.
        """
        if math.isnan(self.value):
            return "-"
        error = "" if math.isnan(self.error) else f" ± {self.error:{form[form.index('.') :]}}"
        return f"{self.value:{form}}{error}"

    def scale(self, factor: float) -> ValueWithError:
        """Return it in another unit."""
        return ValueWithError(factor * self.value, abs(factor) * self.error)


def compute_standard_errors(samples: NDArray[Any]) -> NDArray[np.float64]:
    """Compute standard errors of means of independent numbers over the first axis; nan for a single one."""
    if len(samples) < 2:
        return np.full(samples.shape[1:], np.nan)
    errors: NDArray[np.float64] = np.asarray(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return errors


def mean_with_error(values: NDArray[Any]) -> ValueWithError:
    """Return the mean of ``[n]`` independent numbers and its standard error; nan of none."""
    if not len(values):
        return ValueWithError(math.nan, math.nan)
    return ValueWithError(float(values.mean()), float(compute_standard_errors(values)))


def ratio_with_error(above: NDArray[Any], below: NDArray[Any]) -> ValueWithError:
    """Return the ratio of the means of paired numbers and its standard error.

    So are estimated means of numbers that depend on each other within groups, as those of one game do: by the
    total of each group above, and how many numbers it has below.

    *Source:* the error of the linear approximation; W. G. Cochran, Sampling Techniques, 3rd edition, 1977,
    chapter 6, on ratio estimators.

    Args:
        above: ``[n]``.
        below: ``[n]``.

    Returns:
        Both are nan where the mean below is not above 0; the error is of a single pair.
    """
    scale = float(below.mean()) if len(below) else 0.0
    if not scale > 0.0:
        return ValueWithError(math.nan, math.nan)
    ratio = float(above.mean()) / scale
    return ValueWithError(ratio, float(compute_standard_errors(above - ratio * below)) / scale)


def sqrt_with_error(square: ValueWithError) -> ValueWithError:
    """Return the root of a figure, and its error as long as that is small beside it."""
    if not square.value > 0.0:
        return ValueWithError(math.nan if math.isnan(square.value) else 0.0, math.nan)
    root = math.sqrt(square.value)
    return ValueWithError(root, square.error / (2.0 * root))
