"""Pubeval's linear score of the position after a play, and its choice among plays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel

WEIGHT_COUNT = 122

_WIN_SCORE = np.float32(99999999.0)
_HALF = np.float32(0.5)
_THREE = np.float32(3.0)
_FIFTEEN = np.float32(15.0)


@kernel
def score_position(child: NDArray[np.int8], weights: NDArray[np.float32]) -> np.float32:
    """Score one position for the player who has just moved.

    Args:
        child: ``int8[2, 26]`` as the *next* mover sees it: the player scored for is row 1.
        weights: ``float32[122]``, of races or of contact.

    Returns:
        The score, comparable between plays of one roll.
    """
    if child[1, 0] == 15:
        return _WIN_SCORE
    total = weights[120] * np.float32(child[0, 25]) * _HALF
    total += weights[121] * np.float32(child[1, 0]) / _FIFTEEN
    for place in range(1, 25):  # pubeval's place is counted from the mover's 24 point down
        own = child[1, 25 - place]
        first = 5 * (place - 1)
        if own == 0:
            if child[0, place] == 1:
                total += weights[first]
        elif own == 1:
            total += weights[first + 1]
        else:
            total += weights[first + 2]
            if own == 3:
                total += weights[first + 3]
            elif own > 3:
                total += weights[first + 4] * (np.float32(own) - _THREE) * _HALF
    return total


@kernel
def choose_plays(
    children: NDArray[np.int8],
    offsets: NDArray[np.int64],
    is_race: NDArray[np.bool_],
    contact_weights: NDArray[np.float32],
    race_weights: NDArray[np.float32],
    chosen: NDArray[np.int64],
) -> None:
    """Choose the play with the highest score for each of many positions; ties go to the first.

    Args:
        children: ``int8[m, 2, 26]``, as the next mover sees them.
        offsets: ``int64[n + 1]``; those of position i are at ``offsets[i]:offsets[i + 1]``.
        is_race: ``bool[n]``, whether position i *before* the play is a race.
        contact_weights: ``float32[122]``.
        race_weights: ``float32[122]``.
        chosen: out, ``int64[n]``, indices of children.
    """
    for i in range(is_race.shape[0]):
        weights = race_weights if is_race[i] else contact_weights
        best = offsets[i]
        best_score = score_position(children[best], weights)
        for j in range(offsets[i] + 1, offsets[i + 1]):
            this = score_position(children[j], weights)
            if this > best_score:
                best = j
                best_score = this
        chosen[i] = best
