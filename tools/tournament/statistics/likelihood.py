"""How likely results are under a mean: by the likeliest distribution of results that has it.

It holds where a normal distribution does not: where nearly all pairs come out alike.

*Source:* A. Owen, "Empirical Likelihood", 2001, section 2.9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

UNSEEN_COUNT = 0.001
"""How often each extreme result counts, beyond what was seen: a mean that no distribution over the results
seen so far has is unlikely, not impossible."""

_BISECTIONS = 45


def compute_likelihood_loss(
    counts: NDArray[Any],
    values: NDArray[np.float64],
    extremes: NDArray[np.float64],
    mean: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Compute how much log-likelihood results lose if their mean has to be a given one.

    The likeliest distribution with this mean gives each result its share of the counts over
    1 + tilt * distance, where the tilt makes the mean of the distances 0.

    Args:
        counts: Numbers ``[..., k]``, how often each result came.
        values: ``float64[k]``, the results.
        extremes: ``float64[..., 2]``, the least and the greatest result that can come.
        mean: ``float64[...]``, between the extremes.

    Returns:
        ``float64[...]``, 0 for the mean of the results, otherwise more.
    """
    unseen = np.full_like(extremes, UNSEEN_COUNT)
    rows = np.broadcast_to(values, (*extremes.shape[:-1], len(values)))
    counts = np.concatenate([np.broadcast_to(counts, rows.shape), unseen], axis=-1)
    distances = np.concatenate([rows, extremes], axis=-1) - np.asarray(mean)[..., None]
    least, most = -1 / distances.max(axis=-1), -1 / distances.min(axis=-1)
    for _ in range(_BISECTIONS):
        tilt = (least + most) / 2
        is_low = (counts * distances / (1 + tilt[..., None] * distances)).sum(axis=-1) > 0
        least, most = np.where(is_low, tilt, least), np.where(is_low, most, tilt)
    losses: NDArray[np.float64] = (counts * np.log1p(((least + most) / 2)[..., None] * distances)).sum(
        axis=-1
    )
    return losses


def find_likely_means(
    counts: NDArray[Any], values: NDArray[np.float64], extremes: tuple[float, float], allowed: float
) -> tuple[float, float]:
    """Find the least and the greatest mean that lose no more log-likelihood than is allowed.

    The likeliest distributions are those that give each result its share of the counts over
    1 + tilt * distance from the mean of the results: each tilt has its mean, and one loss.

    Args:
        counts: Numbers ``[k]``, how often each result came.
        values: ``float64[k]``, the results.
        extremes: The least and the greatest result that can come.
        allowed: What `compute_likelihood_loss` may be, more than 0.

    Returns:
        The two means; an extreme if all results were this one.
    """
    mean = float(counts @ values) / float(counts.sum())
    counts = np.append(counts, [UNSEEN_COUNT, UNSEEN_COUNT])
    distances, total = np.append(values, extremes) - mean, counts.sum()
    ends = []
    for extreme in distances[-2:].tolist():
        inside, outside = 0.0, -1 / extreme if extreme else 0.0
        for _ in range(_BISECTIONS):
            tilt = (inside + outside) / 2
            tilted = 1 + tilt * distances
            loss = counts @ np.log(tilted) + total * np.log((counts / tilted).sum() / total)
            inside, outside = (tilt, outside) if loss <= allowed else (inside, tilt)
        weights = counts / (1 + inside * distances)
        ends.append(mean + float(weights @ distances) / float(weights.sum()) if extreme else mean)
    return ends[0], ends[1]
