"""GenGammon's net: 52 counts of checkers, hidden units, and one output that is their sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import fastmath, inlined_fastmath, kernel

INPUTS = 52
"""Two sides with 24 points and two bars each."""

PADDED_UNITS = 32
"""Hidden units of a kernel, some of them idle: a loop of fixed length compiles to vector instructions."""

LINEAR = 0
SOFTSIGN = 1

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def write_counts(boards: NDArray[np.int8], at: int, counts: NDArray[np.int8], row: int) -> None:
    """Write the inputs of a position.

    Args:
        boards: ``int8[n, 2, 26]`` after a play, as the *next* mover sees them.
        at: The place of the position.
        counts: out, ``int8[m, 52]``. First the side that has played, then the other; each with its
            24 points from its ace point on, its checkers on the bar, and those of the other side there.
        row: The row of `counts` to write.
    """
    for side in range(2):
        start = 26 * side
        for point in range(24):
            counts[row, start + point] = boards[at, 1 - side, point + 1]
        counts[row, start + 24] = boards[at, 1 - side, 25]
        counts[row, start + 25] = boards[at, side, 25]


@inlined_fastmath
def sum_units(preactivations: NDArray[np.float32], row: int, activation: int) -> np.float32:
    """Return the sum of the hidden units of a position.

    Args:
        preactivations: ``float32[n, PADDED_UNITS]``, the input of each unit.
        row: The row of the position.
        activation: `LINEAR`, x; or `SOFTSIGN`, x / (1 + abs(x)).
    """
    total = _ZERO
    if activation == LINEAR:
        for unit in range(PADDED_UNITS):
            total += preactivations[row, unit]
    else:
        for unit in range(PADDED_UNITS):
            total += preactivations[row, unit] / (_ONE + abs(preactivations[row, unit]))
    return total


@inlined_fastmath
def score_position(
    boards: NDArray[np.int8],
    at: int,
    weights: NDArray[np.float32],
    activation: int,
    counts: NDArray[np.int8],
    preactivations: NDArray[np.float32],
) -> np.float32:
    """Score one position for the side that has played, in scratch of the caller.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them.
        at: The place of the position.
        weights: ``float32[52, PADDED_UNITS]``, those of idle units all zero.
        activation: As in `sum_units`.
        counts: scratch, ``int8[1, 52]``.
        preactivations: scratch, ``float32[1, PADDED_UNITS]``.
    """
    write_counts(boards, at, counts, 0)
    for unit in range(PADDED_UNITS):
        preactivations[0, unit] = _ZERO
    for place in range(INPUTS):
        if counts[0, place]:
            count = np.float32(counts[0, place])
            for unit in range(PADDED_UNITS):
                preactivations[0, unit] += count * weights[place, unit]
    return sum_units(preactivations, 0, activation)


@fastmath
def score_positions(
    boards: NDArray[np.int8], weights: NDArray[np.float32], activation: int, result: NDArray[np.float32]
) -> None:
    """Score positions for the side that has played.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them.
        weights: As in `score_position`.
        activation: As in `sum_units`.
        result: out, ``float32[n]``.
    """
    counts = np.empty((1, INPUTS), np.int8)
    entering = np.empty((1, PADDED_UNITS), np.float32)
    for i in range(boards.shape[0]):
        result[i] = score_position(boards, i, weights, activation, counts, entering)
