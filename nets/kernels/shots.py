"""Which opposing blots each of the 21 rolls can hit, all points in the hitting side's numbering.

A checker may stop on every point that the other side has not made; a hit may use several dice for one checker
or one die for each of several. Whether the rest of the roll can be played is ignored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from nets.kernels.bits import BAR_BIT, mask_if, top_bit

ROLLS = 21
"""15 rolls of two different dice, 2 of 36 each, then the 6 doubles, 1 of 36 each."""

_NON_DOUBLES = 15
_PAIRS = [(high, low) for high in range(2, 7) for low in range(1, high)]
_HIGH: NDArray[np.int64] = np.array([high for high, _ in _PAIRS])
_LOW: NDArray[np.int64] = np.array([low for _, low in _PAIRS])


@kernel
def find_hits_from_bar(
    bar: int, occupied: int, open_points: int, blots: int, hits: NDArray[np.int64]
) -> None:
    """Find the blots that a side with checkers on the bar can hit: all of them must enter first.

    Args:
        bar: The number of checkers on the bar.
        occupied: The points of its other checkers.
        open_points: The points that the other side has not made.
        blots: The other side's blots.
        hits: out, ``int64[ROLLS]``, the blots in reach of each roll.
    """
    has_second = mask_if(bar == 1)
    for roll in range(_NON_DOUBLES):
        high, low = _HIGH[roll], _LOW[roll]
        in_high = (BAR_BIT >> high) & open_points
        in_low = (BAR_BIT >> low) & open_points
        by_low = mask_if(in_high != 0) & ((occupied | in_high) >> low)
        by_high = mask_if(in_low != 0) & ((occupied | in_low) >> high)
        hits[roll] = (in_high | in_low | (has_second & (by_low | by_high))) & blots
    for roll in range(_NON_DOUBLES, ROLLS):
        die = roll - _NON_DOUBLES + 1
        entered = (BAR_BIT >> die) & open_points
        once = mask_if((entered != 0) & (bar <= 3)) & ((occupied | entered) >> die) & open_points
        twice = mask_if(bar <= 2) & (once >> die) & open_points
        thrice = has_second & (twice >> die)
        hits[roll] = (entered | once | twice | thrice) & blots


@kernel
def count_hits(hits: NDArray[np.int64]) -> tuple[int, int, int]:
    """Count hits over the 36 rolls.

    Args:
        hits: ``int64[ROLLS]``, the blots in reach of each roll.

    Returns:
        The rolls that hit, those that can hit more than one blot, and the sum of the highest point that each
        can hit, which is the other side's loss in pips.
    """
    hitting = choosing = lost_pips = 0
    for roll in range(ROLLS):
        hit = hits[roll]
        times = 2 if roll < _NON_DOUBLES else 1
        hitting += times * int(hit != 0)
        choosing += times * int((hit & (hit - 1)) != 0)
        lost_pips += times * int(hit != 0) * top_bit(hit)
    return hitting, choosing, lost_pips
