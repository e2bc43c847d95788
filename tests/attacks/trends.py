"""Whether figures over time are flat: slopes after a warm-up, against bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WARM_UP_S = 15 * 60.0
"""Left out of the slopes, for caches fill and allocators settle; of a short soak the first quarter."""

SLOPE_BOUNDS = {
    "rss_mib": (4.0, 0.0),
    "threads": (0.5, 0.0),
    "descriptors": (1.0, 0.0),
    "p99_ms": (10.0, 0.5),
    "cpu_ms_per_request": (0.0, 0.3),
}
"""The slope that passes as flat: what a figure may grow by an hour, and which part of its median beside it.

The last two depend on what else the machine does."""

RATED_FROM_S = 30 * 60.0
"""The shortest soak whose slopes are rated: the servers still fill their caches in shorter ones."""


def compute_slope(times: Sequence[float], values: Sequence[float]) -> float:
    """Return the median of the slopes between all pairs of points, which single peaks do not move.

    *Source:* Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63 (1968).
    """
    x, y = np.asarray(times, float), np.asarray(values, float)
    first, second = np.triu_indices(len(x), 1)
    return float(np.median((y[second] - y[first]) / (x[second] - x[first])))


def rate_rows(rows: Sequence[dict[str, float]], faults: Sequence[str]) -> tuple[bool, list[str]]:
    """Rate the rows of a soak.

    Args:
        rows: One a minute.
        faults: What went wrong besides.

    Returns:
        Whether everything is flat and nothing went wrong, and lines that say so.
    """
    end_s = rows[-1]["elapsed_s"] if rows else 0.0
    kept = [row for row in rows if row["elapsed_s"] >= min(WARM_UP_S, end_s / 4)]
    requests = int(sum(row["requests"] for row in rows))
    lines = [f"soak of {end_s / 3600:.2f} h: {requests:,} requests, {len(faults)} faults"]
    lines += [f"  fault: {fault}" for fault in faults[:20]]
    is_good = not faults
    if end_s < RATED_FROM_S:
        lines.append(f"  slopes are rated from {RATED_FROM_S / 60:g} minutes on")
        return is_good, [*lines, "PASS" if is_good else "FAIL"]
    hours = [row["elapsed_s"] / 3600 for row in kept]
    for name in rows[0]:
        bound = next((bound for suffix, bound in SLOPE_BOUNDS.items() if name.endswith(suffix)), None)
        if bound is None:
            continue
        values = [row[name] for row in kept]
        slope, median = compute_slope(hours, values), float(np.median(values))
        most = bound[0] + bound[1] * median
        is_flat = slope <= most
        is_good = is_good and is_flat
        lines.append(
            f"  {name}: median {median:.4g}, {min(values):.4g} to {max(values):.4g}, slope {slope:+.3g} an"
            f" hour (at most {most:+.3g}): {'flat' if is_flat else 'RISES'}"
        )
    return is_good, [*lines, "PASS" if is_good else "FAIL"]
