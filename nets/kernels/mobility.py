"""How far a roll takes one checker past points that the other side has made.

The way ahead of a checker is a number of `POINTS_AHEAD` bits: bit k is set where the other side has made
the point k + 1 pips ahead. Points further ahead, and those after the last one, count as open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel

POINTS_AHEAD = 12
"""The number of points ahead that count."""

_PATTERNS = 1 << POINTS_AHEAD
_ESCAPE_PIPS = 6
_MEAN_PIPS = 49 / 6


def _is_open(distance: int) -> NDArray[np.bool_]:
    """Return for each way whether the point at a distance in pips is open."""
    if distance > POINTS_AHEAD:
        return np.ones(_PATTERNS, np.bool_)
    return (np.arange(_PATTERNS) >> (distance - 1)) & 1 == 0


def _compute_pips_moved(high: int, low: int) -> NDArray[np.int64]:
    """Return for each way the most pips that one checker can move with a whole roll."""
    if high == low:
        moved = np.zeros(_PATTERNS, np.int64)
        goes_on = np.ones(_PATTERNS, np.bool_)
        for step in range(1, 5):
            goes_on &= _is_open(step * high)
            moved += high * goes_on
        return moved
    single = np.where(_is_open(high), high, np.where(_is_open(low), low, 0))
    both = _is_open(high + low) & (single > 0)
    return np.where(both, high + low, single)


def _compute_tables() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    escaping = np.zeros(_PATTERNS, np.int64)
    total = np.zeros(_PATTERNS, np.int64)
    for high in range(1, 7):
        for low in range(1, high + 1):
            times = 1 if high == low else 2
            moved = _compute_pips_moved(high, low)
            escaping += times * (moved > _ESCAPE_PIPS)
            total += times * moved
    return (escaping / 36).astype(np.float32), (total / 36 / _MEAN_PIPS).astype(np.float32)


ESCAPES, ADVANCES = _compute_tables()
"""Both ``float32[4096]`` by way: the chance to move more than 6 pips with one roll; the mean pips moved, as a
part of 49/6, which is what a roll is worth."""


@inlined_kernel
def block_pattern(made: int, point: int) -> int:
    """Return the way ahead of a checker.

    Args:
        made: The other side's points, in the other side's numbering.
        point: The checker's point in its own side's numbering; 25 for the bar.
    """
    return (made >> (26 - point)) & (_PATTERNS - 1)
