"""Sets of points as bits of an integer: bit p for point p of the player, 1 to 24, and bit 25 for the bar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel

POINTS = 0b1111111111111111111111110
"""The 24 points."""

BAR_BIT = 1 << 25

_HALF_BITS = 13
_HALF = (1 << _HALF_BITS) - 1
_EXPONENT_BITS = 52
_EXPONENT_BIAS = 1023

_halves = np.arange(1 << _HALF_BITS)
_bits = (_halves[:, None] >> np.arange(_HALF_BITS)) & 1

BIT_COUNT: NDArray[np.int8] = _bits.sum(axis=1).astype(np.int8)
"""``int8[8192]``: how many bits of a number are set."""

_REVERSED_BITS: NDArray[np.int64] = _bits @ (1 << np.arange(_HALF_BITS)[::-1])


@inlined_kernel
def bit_count(mask: int) -> int:
    """Return how many of 26 bits are set."""
    return int(BIT_COUNT[mask & _HALF]) + int(BIT_COUNT[mask >> _HALF_BITS])


@inlined_kernel
def top_bit(mask: int) -> int:
    """Return the place of the highest bit that is set; negative if none is."""
    return int((np.float64(mask).view(np.int64) >> _EXPONENT_BITS) - _EXPONENT_BIAS)


@inlined_kernel
def mirror_points(points: int) -> int:
    """Return the same points in the other side's numbering: bit p becomes bit 25 - p."""
    return int((_REVERSED_BITS[points & _HALF] << _HALF_BITS) | _REVERSED_BITS[points >> _HALF_BITS])


@inlined_kernel
def mask_if(condition: bool) -> int:
    """Return a mask of all bits if the condition holds, of none otherwise."""
    return -int(condition)
