"""GenGammon's net: 52 counts of checkers, hidden units, and one output that is their sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import float_kernel, inlined_float_kernel, kernel

INPUTS = 52
"""Two sides with 24 points and two bars each."""

LANES = 32
"""Hidden units of a kernel, some of them idle: loops of this fixed length are a few vector instructions."""

LINEAR = 0
SOFTSIGN = 1

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def write_counts(boards: NDArray[np.int8], at: int, counts: NDArray[np.int8], row: int) -> None:
    """Write the inputs of a position.

    Args:
        boards: ``int8[n, 2, 26]`` after a play, as the *next* mover sees them.
        at: Which of them.
        counts: out, ``int8[m, 52]``. The side that has played comes first, then the other one; each with its
            24 points from its ace point on, its checkers on the bar, and those of the other side there.
        row: Which of these to write.
    """
    for side in range(2):
        start = 26 * side
        for point in range(24):
            counts[row, start + point] = boards[at, 1 - side, point + 1]
        counts[row, start + 24] = boards[at, 1 - side, 25]
        counts[row, start + 25] = boards[at, side, 25]


@inlined_float_kernel
def summed(entering: NDArray[np.float32], row: int, activation: int) -> np.float32:
    """Sum the hidden units of a position up.

    Args:
        entering: ``float32[n, LANES]``, what comes into each unit.
        row: Of which position.
        activation: `LINEAR`, units pass on what comes in; or `SOFTSIGN`, they make x / (1 + abs(x)) of it.
    """
    total = _ZERO
    if activation == LINEAR:
        for unit in range(LANES):
            total += entering[row, unit]
    else:
        for unit in range(LANES):
            total += entering[row, unit] / (_ONE + abs(entering[row, unit]))
    return total


@inlined_float_kernel
def score(
    boards: NDArray[np.int8],
    at: int,
    weights: NDArray[np.float32],
    activation: int,
    counts: NDArray[np.int8],
    entering: NDArray[np.float32],
) -> np.float32:
    """Score one position for the side that has played, with the caller's scratch.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them.
        at: Which of them.
        weights: ``float32[52, LANES]``, those of idle units all zero.
        activation: As `summed` takes it.
        counts: scratch, ``int8[1, 52]``.
        entering: scratch, ``float32[1, LANES]``.
    """
    write_counts(boards, at, counts, 0)
    for unit in range(LANES):
        entering[0, unit] = _ZERO
    for place in range(INPUTS):
        if counts[0, place]:
            count = np.float32(counts[0, place])
            for unit in range(LANES):
                entering[0, unit] += count * weights[place, unit]
    return summed(entering, 0, activation)


@float_kernel
def scores(
    boards: NDArray[np.int8], weights: NDArray[np.float32], activation: int, result: NDArray[np.float32]
) -> None:
    """Score positions for the side that has played.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them.
        weights: As `score` takes them.
        activation: As `summed` takes it.
        result: out, ``float32[n]``.
    """
    counts = np.empty((1, INPUTS), np.int8)
    entering = np.empty((1, LANES), np.float32)
    for i in range(boards.shape[0]):
        result[i] = score(boards, i, weights, activation, counts, entering)
