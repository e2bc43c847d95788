"""Many positions and their outcomes: made consistent, grouped, gathered, scattered and compared."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, kernel
from gammond.engine.kernels.phases import has_finished
from gammond.engine.kernels.values import sum_equity

_S = TypeVar("_S", np.float32, np.float64)


@kernel
def sanitise(outcomes: NDArray[np.float32], boards: NDArray[np.int8], result: NDArray[np.float32]) -> None:
    """Make estimates consistent: probabilities, monotone, no gammon once the loser has a checker off.

    Args:
        outcomes: ``float32[n, 5]`` estimates: win, win gammon, win backgammon, lose gammon, lose backgammon.
        boards: ``int8[n, 2, 26]``, their positions.
        result: out, ``float32[n, 5]``.
    """
    zero, one = np.float32(0.0), np.float32(1.0)
    for i in range(outcomes.shape[0]):
        win = min(max(outcomes[i, 0], zero), one)
        win_g = min(min(max(outcomes[i, 1], zero), one), win)
        lose_g = min(min(max(outcomes[i, 3], zero), one), one - win)
        if boards[i, 1, 0] > 0:
            win_g = zero
        if boards[i, 0, 0] > 0:
            lose_g = zero
        result[i, 0] = win
        result[i, 1] = win_g
        result[i, 2] = min(min(max(outcomes[i, 2], zero), one), win_g)
        result[i, 3] = lose_g
        result[i, 4] = min(min(max(outcomes[i, 4], zero), one), lose_g)


@kernel
def compute_equities(values: NDArray[np.float32], equities: NDArray[np.float32]) -> None:
    """Write cubeless money equities, summed up as by `gammond.engine.rules.outcome.cubeless_equity`.

    Args:
        values: ``float32[n, 5 + k]``, outcomes in the first five columns.
        equities: out, ``float32[n]``.
    """
    for i in range(values.shape[0]):
        equities[i] = sum_equity(values[i, 0], values[i, 1], values[i, 2], values[i, 3], values[i, 4])


@kernel
def keep_best(
    scores: NDArray[_S], offsets: NDArray[np.int64], keep: int, margin: _S
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keep the plays with the lowest scores in each of many positions.

    Args:
        scores: ``float[m]``, such as equities for the next mover.
        offsets: ``int64[n + 1]``; those of position i are at ``offsets[i]:offsets[i + 1]``, at least one.
        keep: The most plays of a position.
        margin: The largest difference of a play from the best one, in the type of the scores.

    Returns:
        The places of the plays that are kept, the best of each position first, ties in their order, and
        ``int64[n + 1]`` their offsets.
    """
    kept, kept_offsets = np.empty(scores.shape[0], np.int64), np.zeros_like(offsets)
    at = 0
    for i in range(offsets.shape[0] - 1):
        first, count = offsets[i], offsets[i + 1] - offsets[i]
        number = select_best(scores[first:], count, keep, margin, kept[at:])
        for j in range(at, at + number):
            kept[j] += first
        at += number
        kept_offsets[i + 1] = at
    return kept[:at], kept_offsets


@borrowing
def select_best(scores: NDArray[_S], count: int, keep: int, margin: _S, selected: NDArray[np.int64]) -> int:
    """Write the places of the lowest scores, as `keep_best` for one position, and return their number."""
    if count == 0:  # a search was stopped before the plays were known
        return 0
    number = 0
    limit = scores[0] + margin
    for i in range(count):
        if scores[i] > limit:
            continue
        place = number
        while place > 0 and scores[selected[place - 1]] > scores[i]:
            place -= 1
        if place >= keep:
            continue
        number = min(number + 1, keep)
        for j in range(number - 1, place, -1):
            selected[j] = selected[j - 1]
        selected[place] = i
        limit = scores[selected[0]] + margin
    while scores[selected[number - 1]] > limit:
        number -= 1
    return number


@kernel
def write_finished(boards: NDArray[np.int8], at: int, outcomes: NDArray[np.float32]) -> None:
    """Write the exact outcome of a position that is over to its row.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position, in which exactly one side has finished.
        outcomes: out, ``float32[n, 5]``.
    """
    loser = 1 if has_finished(boards, at, 0) else 0
    is_gammon = boards[at, loser, 0] == 0
    in_home = 0
    for point in range(19, 26):
        in_home += int(boards[at, loser, point])
    for k in range(5):
        outcomes[at, k] = 0.0
    column = 1 if loser == 1 else 3
    outcomes[at, 0] = loser
    outcomes[at, column] = int(is_gammon)
    outcomes[at, column + 1] = int(is_gammon and in_home > 0)


@kernel
def write_all_finished(boards: NDArray[np.int8], outcomes: NDArray[np.float32]) -> None:
    """Write the exact outcomes of positions that are all over, as `write_finished`."""
    for i in range(boards.shape[0]):
        write_finished(boards, i, outcomes)


@kernel
def group_rows_by_class(
    class_of: NDArray[np.int8] | NDArray[np.int64], rows: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Write rows class by class, ascending in each.

    Args:
        class_of: ``int8[n]`` or ``int64[n]``, 0 to k - 1.
        rows: out, ``int64[n]`` or more.
        counts: in zeros, out, ``int64[k]``, the number of rows of each class.
    """
    for i in range(class_of.shape[0]):
        counts[class_of[i]] += 1
    place = np.zeros(counts.shape[0], np.int64)
    for k in range(1, counts.shape[0]):
        place[k] = place[k - 1] + counts[k - 1]
    for i in range(class_of.shape[0]):
        rows[place[class_of[i]]] = i
        place[class_of[i]] += 1


@kernel
def gather_boards(boards: NDArray[np.int8], rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return some of ``int8[n, 2, 26]`` positions, those of ``int64[m]`` rows, as a new array."""
    gathered = np.empty((rows.shape[0], 2, 26), np.int8)
    for i in range(rows.shape[0]):
        for side in range(2):
            for point in range(26):
                gathered[i, side, point] = boards[rows[i], side, point]
    return gathered


@borrowing
def are_equal(boards: NDArray[np.int8], one: int, other: int) -> bool:
    """Return whether two of ``int8[n, 2, 26]`` positions are the same."""
    different = 0
    for side in range(2):
        for point in range(26):
            different |= int(boards[one, side, point]) ^ int(boards[other, side, point])
    return different == 0


@kernel
def scatter_outcomes(
    outcomes: NDArray[np.float32], rows: NDArray[np.int64], result: NDArray[np.float32]
) -> None:
    """Scatter outcomes to their rows.

    Args:
        outcomes: ``float32[m, 5]``.
        rows: ``int64[m]``, the row of each.
        result: out, ``float32[n, 5]``.
    """
    for i in range(rows.shape[0]):
        for k in range(5):
            result[rows[i], k] = outcomes[i, k]
