"""Cube efficiencies: how far the cube of a position is from dead to live."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.position import Board, Phase, phases

CONTACT_EFFICIENCY = 0.68
"""Contact and crashed positions."""

BEAROFF_EFFICIENCY = 0.6
"""Races with every checker home: the last rolls lose markets by miles."""

RACE_EFFICIENCIES = (0.6, 0.7)
"""Races at `RACE_PIPS` of the side on roll, straight in between and constant beyond."""

RACE_PIPS = (40, 120)


def cube_efficiencies(boards: Board) -> NDArray[np.float32]:
    """Give positions their cube efficiencies.

    *Source:* the numbers are those that GNU Backgammon publishes in its manual ("The cube efficiency"),
    within the 0.6 to 0.7 that Janowski suggests.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``float32[n]``, 0 (dead) to 1 (live).
    """
    result = np.full(len(boards), CONTACT_EFFICIENCY, np.float32)
    races = np.flatnonzero(phases(boards) == Phase.RACE)
    pips = boards[races, 0].astype(np.int64) @ np.arange(26)
    result[races] = np.interp(pips, RACE_PIPS, RACE_EFFICIENCIES)
    all_home = ~(boards[races, :, 7:] > 0).any(axis=(1, 2))
    result[races[all_home]] = BEAROFF_EFFICIENCY
    return result
