"""Two-sided bearoff: exact winning chances and money equities, by increasing total pip count.

The chance of the player on roll with side u against side t is ``wins[u, t]``. It is the weighted mean over
the rolls of the best of ``1 - wins[t, c]`` over the results c of each roll, so only chances of smaller
totals are read. Equities follow in the same way from those of the next mover, who may double before his roll.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff import list_roll_results, write_side
from gammond.engine.kernels.moves import MAX_PLAYS, make_play_scratch
from gammond.engine.kernels.values import ROLL_WEIGHTS, ROLLS

ROLL_COUNT = len(ROLLS)

CENTRED_COLUMN = 0
OWN_COLUMN = 1
OTHER_COLUMN = 2
"""Columns of equities: the cube centred, owned by the player on roll, owned by the other."""


@kernel
def list_results(ranks: NDArray[np.int64], starts: NDArray[np.int64], results: NDArray[np.int32]) -> None:
    """List the results of each roll for every side; or, into an empty ``results``, only count them.

    Args:
        ranks: ``int64[points + 1, checkers + 1]``.
        starts: out, ``int64[sides * 21 + 1]``: the results of side u and roll r are at
            ``starts[21 * u + r]:starts[21 * u + r + 1]``. The empty side has none.
        results: out, ``int32[starts[-1]]``, or empty.
    """
    side = np.zeros(ranks.shape[0], np.int64)
    found = np.empty(MAX_PLAYS, np.int64)
    board, scratch = np.zeros((1, 2, 26), np.int8), make_play_scratch()
    at = 0
    starts[0] = 0
    for number in range(starts.shape[0] // ROLL_COUNT):
        write_side(number, ranks, side)
        for roll in range(ROLL_COUNT):
            count = 0
            if number > 0:
                count = list_roll_results(
                    side, int(ROLLS[roll, 0]), int(ROLLS[roll, 1]), ranks, board, scratch, found
                )
            for i in range(count if results.shape[0] > 0 else 0):
                results[at + i] = found[i]
            at += count
            starts[ROLL_COUNT * number + roll + 1] = at


@kernel
def _compute_win_chance(
    number: int, replies: NDArray[np.float64], starts: NDArray[np.int64], results: NDArray[np.int32]
) -> float:
    """Return the winning chances of the player on roll from the other side's after each result."""
    lost = 0.0
    for roll in range(ROLL_COUNT):
        row = ROLL_COUNT * number + roll
        least = 1.0
        for at in range(starts[row], starts[row + 1]):
            reply = replies[results[at]]
            if reply < least:
                least = reply
        lost += ROLL_WEIGHTS[roll] * least
    return 1.0 - lost / 36.0


@kernel
def _write_equities(
    own: int,
    other: int,
    starts: NDArray[np.int64],
    results: NDArray[np.int32],
    values: NDArray[np.float64],
    equities: NDArray[np.float32],
) -> None:
    """Write the equities of an unfinished position, and its values, from the values after each result.

    The plays are chosen for each state of the cube by itself. A cube that the player on roll holds is the
    other's in the eyes of the next mover.
    """
    centred = 0.0
    held = 0.0
    opposed = 0.0
    for roll in range(ROLL_COUNT):
        row = ROLL_COUNT * own + roll
        least_centred = 1.0
        least_held = 1.0
        least_opposed = 1.0
        for at in range(starts[row], starts[row + 1]):
            result = results[at]
            least_centred = min(least_centred, values[other, result, CENTRED_COLUMN])
            least_held = min(least_held, values[other, result, OTHER_COLUMN])
            least_opposed = min(least_opposed, values[other, result, OWN_COLUMN])
        centred -= ROLL_WEIGHTS[roll] * least_centred
        held -= ROLL_WEIGHTS[roll] * least_held
        opposed -= ROLL_WEIGHTS[roll] * least_opposed
    centred /= 36.0
    held /= 36.0
    opposed /= 36.0
    doubled = min(1.0, 2.0 * opposed)
    values[own, other, CENTRED_COLUMN] = max(centred, doubled)
    values[own, other, OWN_COLUMN] = max(held, doubled)
    values[own, other, OTHER_COLUMN] = opposed
    equities[own, other, CENTRED_COLUMN] = centred
    equities[own, other, OWN_COLUMN] = held
    equities[own, other, OTHER_COLUMN] = opposed


@kernel
def fill_layer(
    total: int,
    part: int,
    parts: int,
    order: NDArray[np.int32],
    pip_starts: NDArray[np.int64],
    starts: NDArray[np.int64],
    results: NDArray[np.int32],
    wins: NDArray[np.float64],
    values: NDArray[np.float64],
    equities: NDArray[np.float32],
) -> None:
    """Compute the winning chances of all positions with a total pip count, or one thread's part of them.

    Equities are computed too, unless their arrays are empty.

    Args:
        total: Pips of both sides together; all smaller totals have been computed.
        part: Which part of the positions, 0..parts - 1.
        parts: The number of parts of the layer.
        order: ``int32[sides]``, the sides by pip count.
        pip_starts: ``int64[most pips + 2]``: p pips: ``order[pip_starts[p]:pip_starts[p + 1]]``.
        starts: ``int64[sides * 21 + 1]``, see `list_results`.
        results: ``int32[...]``, see `list_results`.
        wins: in and out, ``float64[sides, sides]``.
        values: in and out, ``float64[sides, sides, 3]`` or empty: the equities of the player on roll who may
            double before he rolls.
        equities: out, ``float32[sides, sides, 3]`` or empty: without a double before this roll.
    """
    is_cubeful = values.shape[0] > 0
    most_pips = pip_starts.shape[0] - 2
    for other_pips in range(max(0, total - most_pips), min(total, most_pips) + 1):
        own_pips = total - other_pips
        for i in range(pip_starts[other_pips], pip_starts[other_pips + 1]):
            if i % parts != part:
                continue
            other = order[i]
            for j in range(pip_starts[own_pips], pip_starts[own_pips + 1]):
                own = order[j]
                if own == 0 or other == 0:
                    win = 1.0 if own == 0 else 0.0
                    wins[own, other] = win
                    if is_cubeful:
                        for state in range(3):
                            values[own, other, state] = 2.0 * win - 1.0
                            equities[own, other, state] = 2.0 * win - 1.0
                else:
                    wins[own, other] = _compute_win_chance(own, wins[other], starts, results)
                    if is_cubeful:
                        _write_equities(own, other, starts, results, values, equities)
