"""The mean over the 21 rolls, with an order of additions that does not depend on the batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import gil_kernel


@gil_kernel
def average_over_rolls(
    values: NDArray[np.float64], weights: NDArray[np.float64], means: NDArray[np.float64]
) -> None:
    """Write the weighted means over the rolls.

    Args:
        values: ``float64[n * rolls, k]``, grouped by position.
        weights: ``float64[rolls]``, the probability of each roll.
        means: out, ``float64[n, k]``.
    """
    rolls = weights.shape[0]
    for i in range(means.shape[0]):
        for column in range(means.shape[1]):
            total = 0.0
            for roll in range(rolls):
                total += weights[roll] * values[i * rolls + roll, column]
            means[i, column] = total
