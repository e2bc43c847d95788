"""Ranks of experts' plays by nets of `gammond.nets.heritage.gengammon.kernels`, and their gradients.

Expert moves are packed once for all nets. A move has a row for the position before the play, as inputs and
their counts, then a row for each play, as inputs and their changes: the plays of move i have the rows from
``offsets[i] + i + 1`` on, and the input of the hidden units changes by a few rows of weights for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import fastmath, inlined, inlined_fastmath, kernel
from gammond.nets.heritage.gengammon.kernels import INPUTS, LINEAR, PADDED_UNITS, sum_units, write_counts

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


class PackedMoves(NamedTuple):
    """Expert moves as inputs of nets.

    Attributes:
        places: ``uint8[k]``, inputs.
        changes: ``int8[k]``, their changes; for the position before the play, their counts.
        starts: ``int64[n + m + 1]``: row r is ``starts[r]:starts[r + 1]`` of those.
        offsets: ``int64[n + 1]``: move i has the plays ``offsets[i]:offsets[i + 1]`` of m.
        chosen: ``int64[n]``, the index of the expert's play among those of the move.
    """

    places: NDArray[np.uint8]
    changes: NDArray[np.int8]
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    chosen: NDArray[np.int64]


@kernel
def pack_moves(
    before: NDArray[np.int8],
    plays: NDArray[np.int8],
    offsets: NDArray[np.int64],
    places: NDArray[np.uint8],
    changes: NDArray[np.int8],
    starts: NDArray[np.int64],
) -> int:
    """Write the rows of expert moves.

    Args:
        before: ``int8[n, 2, 26]``, the positions before the plays, with the sides swapped.
        plays: ``int8[m, 2, 26]``, the positions after them.
        offsets: ``int64[n + 1]``, as `PackedMoves.offsets`.
        places: out, ``uint8[capacity]``; 32 for each row are enough.
        changes: out, ``int8[capacity]``.
        starts: out, ``int64[n + m + 1]``.

    Returns:
        The number of entries.
    """
    counts = np.zeros((2, INPUTS), np.int8)
    used = 0
    row = 0
    starts[0] = 0
    for i in range(before.shape[0]):
        write_counts(before, i, counts, 0)
        for place in range(INPUTS):
            if counts[0, place]:
                places[used] = place
                changes[used] = counts[0, place]
                used += 1
        row += 1
        starts[row] = used
        for j in range(offsets[i], offsets[i + 1]):
            write_counts(plays, j, counts, 1)
            for place in range(INPUTS):
                if counts[1, place] != counts[0, place]:
                    places[used] = place
                    changes[used] = counts[1, place] - counts[0, place]
                    used += 1
            row += 1
            starts[row] = used
    return used


@inlined_fastmath
def _add_row(
    packed: PackedMoves, row: int, weights: NDArray[np.float32], entering: NDArray[np.float32], to: int
) -> None:
    """Add a row to the input of the hidden units, two entries at a time: a moved checker makes two."""
    k = packed.starts[row]
    end = packed.starts[row + 1]
    while k + 2 <= end:
        place0 = int(packed.places[k])
        place1 = int(packed.places[k + 1])
        change0 = np.float32(packed.changes[k])
        change1 = np.float32(packed.changes[k + 1])
        for unit in range(PADDED_UNITS):
            entering[to, unit] += change0 * weights[place0, unit] + change1 * weights[place1, unit]
        k += 2
    if k < end:
        place0 = int(packed.places[k])
        change0 = np.float32(packed.changes[k])
        for unit in range(PADDED_UNITS):
            entering[to, unit] += change0 * weights[place0, unit]


@inlined_fastmath
def _rate_plays_linear(
    packed: PackedMoves, move: int, slopes: NDArray[np.float32], ratings: NDArray[np.float32]
) -> int:
    """Rate the plays of a move by a net without activation, which is one number for each input."""
    first = packed.offsets[move]
    count = packed.offsets[move + 1] - first
    base = _ZERO
    for k in range(packed.starts[first + move], packed.starts[first + move + 1]):
        base += np.float32(packed.changes[k]) * slopes[packed.places[k]]
    for j in range(count):
        row = first + move + 1 + j
        rating = base
        for k in range(packed.starts[row], packed.starts[row + 1]):
            rating += np.float32(packed.changes[k]) * slopes[packed.places[k]]
        ratings[j] = rating
    return int(count)


@inlined_fastmath
def _rate_plays(
    packed: PackedMoves,
    move: int,
    weights: NDArray[np.float32],
    activation: int,
    entering: NDArray[np.float32],
    ratings: NDArray[np.float32],
) -> int:
    """Rate the plays of a move.

    The input of the hidden units before the play remains in the first row of `entering`; that after play j in
    row j + 1 if there are as many rows, else in the second row.
    """
    first = packed.offsets[move]
    count = packed.offsets[move + 1] - first
    for unit in range(PADDED_UNITS):
        entering[0, unit] = _ZERO
    _add_row(packed, first + move, weights, entering, 0)
    for j in range(count):
        to = min(j + 1, entering.shape[0] - 1)
        for unit in range(PADDED_UNITS):
            entering[to, unit] = entering[0, unit]
        _add_row(packed, first + move + 1 + j, weights, entering, to)
        ratings[j] = sum_units(entering, to, activation)
    return int(count)


@inlined
def _count_most_plays(packed: PackedMoves, moves: NDArray[np.int64]) -> int:
    most = 1
    for i in range(moves.shape[0]):
        most = max(most, int(packed.offsets[moves[i] + 1] - packed.offsets[moves[i]]))
    return most


@fastmath
def rank_expert_plays(
    packed: PackedMoves,
    moves: NDArray[np.int64],
    weights: NDArray[np.float32],
    activation: int,
    counts: NDArray[np.int64],
    ratings: NDArray[np.float32],
) -> None:
    """Rank the experts' plays by a net.

    Args:
        packed: Expert moves.
        moves: ``int64[b]``, indices of the moves.
        weights: ``float32[52, PADDED_UNITS]``.
        activation: As `sum_units` takes it.
        counts: out, ``int64[3, b]``: plays, those rated higher than the expert's, others rated the same.
        ratings: out, ``float32[3, b]``: rating of the expert's play, the lowest and the highest.
    """
    own = np.empty(_count_most_plays(packed, moves), np.float32)
    entering = np.empty((2, PADDED_UNITS), np.float32)
    slopes = np.empty(INPUTS, np.float32)
    for place in range(INPUTS):
        slopes[place] = sum_units(weights, place, LINEAR)
    for i in range(moves.shape[0]):
        if activation == LINEAR:
            count = _rate_plays_linear(packed, moves[i], slopes, own)
        else:
            count = _rate_plays(packed, moves[i], weights, activation, entering, own)
        expert = own[packed.chosen[moves[i]]]
        above = 0
        same = -1
        lowest = expert
        highest = expert
        for j in range(count):
            above += int(own[j] > expert)
            same += int(own[j] == expert)
            lowest = min(lowest, own[j])
            highest = max(highest, own[j])
        counts[0, i] = count
        counts[1, i] = above
        counts[2, i] = same
        ratings[0, i] = expert
        ratings[1, i] = lowest
        ratings[2, i] = highest


@inlined_fastmath
def _activation_slope(entering: float, activation: int) -> np.float32:
    """Return the derivative of a hidden unit's output."""
    if activation == LINEAR:
        return _ONE
    share = _ONE / (_ONE + abs(entering))
    return share * share


@inlined_fastmath
def _add_gradient(
    packed: PackedMoves, row: int, back: NDArray[np.float32], gradient: NDArray[np.float32]
) -> None:
    for k in range(packed.starts[row], packed.starts[row + 1]):
        place = int(packed.places[k])
        change = np.float32(packed.changes[k])
        for unit in range(PADDED_UNITS):
            gradient[place, unit] += change * back[unit]


@fastmath
def add_gradient(
    packed: PackedMoves,
    moves: NDArray[np.int64],
    weights: NDArray[np.float32],
    activation: int,
    sharpness: float,
    gradient: NDArray[np.float32],
) -> float:
    """Add the gradient of the cross entropy between the experts' plays and a softmax over all plays.

    Args:
        packed: Expert moves.
        moves: ``int64[b]``, indices of the moves.
        weights: ``float32[52, PADDED_UNITS]``.
        activation: As `sum_units` takes it.
        sharpness: Factor of the ratings before the softmax.
        gradient: in and out, ``float32[52, PADDED_UNITS]``.

    Returns:
        The sum of the cross entropies, in nats.
    """
    most = _count_most_plays(packed, moves)
    ratings = np.empty(most, np.float32)
    entering = np.empty((most + 1, PADDED_UNITS), np.float32)
    back = np.empty(PADDED_UNITS, np.float32)
    all_back = np.empty(PADDED_UNITS, np.float32)
    scale = np.float32(sharpness)
    loss = 0.0
    for i in range(moves.shape[0]):
        first = packed.offsets[moves[i]]
        count = _rate_plays(packed, moves[i], weights, activation, entering, ratings)
        highest = ratings[0]
        for j in range(1, count):
            highest = max(highest, ratings[j])
        total = _ZERO
        for j in range(count):
            ratings[j] = np.exp(scale * (ratings[j] - highest))
            total += ratings[j]
        for unit in range(PADDED_UNITS):
            all_back[unit] = _ZERO
        for j in range(count):
            share = ratings[j] / total
            if j == packed.chosen[moves[i]]:
                loss -= np.log(max(share, np.float32(1e-30)))
                share -= _ONE
            for unit in range(PADDED_UNITS):
                back[unit] = scale * share * _activation_slope(entering[j + 1, unit], activation)
                all_back[unit] += back[unit]
            _add_gradient(packed, first + moves[i] + 1 + j, back, gradient)
        _add_gradient(packed, first + moves[i], all_back, gradient)
    return loss
