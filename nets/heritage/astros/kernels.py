"""Features of a board evaluation vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel

FEATURES = 15
"""Their order is that of `gammond.nets.heritage.astros.bev.BevWeights`."""

# Places of the features of a side. One of the first four is 1: home points made, by twos.
HOME = 0
WAYS, NEAR, DETER, FEAR, FEAR_FAR, LOST, CENTRE, PAIRS, ON_BAR, PIPS, BORNE_OFF = range(4, FEATURES)

_WON = 1e6
_HOME_POINTS = 6
_REACH = 6


@kernel
def compute_features(boards: NDArray[np.int8], at: int, side: int, out: NDArray[np.float64]) -> None:
    """Write the features of one side.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        side: Its row.
        out: out, ``float64[15]``.
    """
    for k in range(FEATURES):
        out[k] = 0.0
    made = 0
    for point in range(1, 25):
        count = int(boards[at, side, point])
        out[PIPS] += point * count
        if count >= 2:
            if point <= _HOME_POINTS:
                made += 1
            if point >= 19:
                out[DETER] += count
            if point < 24 and boards[at, side, point + 1] >= 2:
                out[PAIRS] += 1.0
        elif count == 1:
            _add_blot_features(boards, at, side, point, out)
        if 4 <= point <= 9:
            out[CENTRE] += count
    out[HOME + made // 2] = 1.0
    out[ON_BAR] = boards[at, side, 25]
    out[PIPS] += 25 * int(boards[at, side, 25])
    out[BORNE_OFF] = boards[at, side, 0]
    _add_home_features(boards, at, side, out)


@kernel
def _add_blot_features(
    boards: NDArray[np.int8], at: int, side: int, point: int, out: NDArray[np.float64]
) -> None:
    """Count a blot by the distance of the nearest opposing checker that can hit it, and the cost of a hit."""
    opposing = 25 - point
    for distance in range(1, 2 * _REACH + 1):
        if opposing + distance > 25:
            return
        if boards[at, 1 - side, opposing + distance] > 0:
            if distance <= _REACH:
                out[FEAR] += 1.0
                out[LOST] += 25 - point
            else:
                out[FEAR_FAR] += 1.0
            return


@kernel
def _add_home_features(boards: NDArray[np.int8], at: int, side: int, out: NDArray[np.float64]) -> None:
    """Count the spare checkers behind home points that are not made, and the ways to make these."""
    for point in range(1, _HOME_POINTS + 1):
        held = int(boards[at, side, point])
        if held >= 2 or boards[at, 1 - side, 25 - point] >= 2:
            continue
        spare = 0
        for distance in range(1, _REACH + 1):
            count = int(boards[at, side, point + distance])
            spare += count - 2 if count >= 2 else count
        out[NEAR] += spare
        out[WAYS] += spare if held == 1 else spare * (spare - 1) // 2


@kernel
def score_positions(boards: NDArray[np.int8], weights: NDArray[np.float64], out: NDArray[np.float32]) -> None:
    """Score positions for the side that has just moved: its weighted features minus the opponent's.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them: the side scored for is row 1.
        weights: ``float64[15]``.
        out: out, ``float32[n]``.
    """
    own, other = np.empty(FEATURES), np.empty(FEATURES)
    for i in range(boards.shape[0]):
        if boards[i, 1, 0] == 15 or boards[i, 0, 0] == 15:
            out[i] = _WON if boards[i, 1, 0] == 15 else -_WON
            continue
        compute_features(boards, i, 1, own)
        compute_features(boards, i, 0, other)
        total = 0.0
        for k in range(FEATURES):
            total += weights[k] * (own[k] - other[k])
        out[i] = total
