"""One-sided bearoff: the distribution of the rolls that a side needs, working upwards through the pips.

Row i < sides is that of bearing off everything from side i; row sides + i - first_full that of bearing off
the first checker from a side i that has all its checkers (i >= first_full).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff import list_roll_results, write_side
from gammond.engine.kernels.moves import MAX_PLAYS, PlayScratch, make_play_scratch
from gammond.engine.kernels.values import ROLL_CHANCES, ROLLS

_NEGLIGIBLE = 1e-9


class Distributions(NamedTuple):
    """Distributions of the rolls that sides need.

    Attributes:
        sides: The number of sides. Rows beyond it belong to the last sides, those with all checkers.
        starts: ``uint64[rows]``.
        values: ``float32[...]``; the chances of a row are ``values[starts[row]:starts[row] + counts[row]]``.
        firsts: ``uint8[rows]``: the first of them is that of so many rolls, the next of one more.
        counts: ``uint8[rows]``.
    """

    sides: int
    starts: NDArray[np.uint64]
    values: NDArray[np.float32]
    firsts: NDArray[np.uint8]
    counts: NDArray[np.uint8]


@kernel
def _store_row(
    chances: NDArray[np.float64], rows: Distributions, row: int, stored: NDArray[np.float32]
) -> None:
    """Store a distribution without its negligible ends, whose probability goes to their neighbours."""
    first = 0
    cut = 0.0
    while chances[first] + cut < _NEGLIGIBLE:
        cut += chances[first]
        first += 1
    chances[first] += cut
    last = chances.shape[0] - 1
    cut = 0.0
    while chances[last] + cut < _NEGLIGIBLE:
        cut += chances[last]
        last -= 1
    chances[last] += cut
    rows.firsts[row] = first
    rows.counts[row] = last - first + 1
    for k in range(first, last + 1):
        stored[k - first] = chances[k]


@kernel
def _add_best(
    results: NDArray[np.int64],
    count: int,
    weight: float,
    rows: Distributions,
    means: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> float:
    """Add the row with the lowest mean among the results of a roll, and return its share of the mean."""
    best = results[0]
    for i in range(1, count):
        if means[results[i]] < means[best]:
            best = results[i]
    start, first = int(rows.starts[best]), int(rows.firsts[best]) + 1
    for k in range(int(rows.counts[best])):
        chances[first + k] += weight * rows.values[start + k]
    return weight * means[best]


@kernel
def _add_rolls(
    side: NDArray[np.int64],
    first_off_from: int,
    ranks: NDArray[np.int64],
    board: NDArray[np.int8],
    scratch: PlayScratch,
    results: NDArray[np.int64],
    rows: Distributions,
    means: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> tuple[float, float]:
    """Sum over the best play of each roll and return the two means.

    A side numbered below ``first_off_from`` has borne a checker off; 0 omits the first checker.
    """
    to_first_off = means.shape[0] - rows.sides
    mean = 1.0
    mean_first_off = 1.0
    for roll in range(ROLLS.shape[0]):
        weight = ROLL_CHANCES[roll]
        count = list_roll_results(
            side, int(ROLLS[roll, 0]), int(ROLLS[roll, 1]), ranks, board, scratch, results
        )
        mean += _add_best(results, count, weight, rows, means, chances[0])
        if first_off_from == 0:
            continue
        least = results[0]
        for j in range(count):
            least = min(least, results[j])
            results[j] += to_first_off
        if least < first_off_from:
            chances[1, 1] += weight
            continue
        mean_first_off += _add_best(results, count, weight, rows, means, chances[1])
    return mean, mean_first_off


@kernel
def fill_chunk(
    chunk: NDArray[np.int32],
    ranks: NDArray[np.int64],
    rows: Distributions,
    means: NDArray[np.float64],
    stored: NDArray[np.float32],
) -> None:
    """Compute the rows of some sides from those of all sides with fewer pips.

    Each of the two distributions takes the play with its lowest mean for each roll.

    Args:
        chunk: ``int32[n]``, numbers of sides.
        ranks: ``int64[points + 1, checkers + 1]``.
        rows: in and out: firsts and counts.
        means: in and out, ``float64[rows]``, mean numbers of rolls.
        stored: out, ``float32[n, 2, most rolls + 1]``, the probabilities in both rows of each side.
    """
    to_first_off = means.shape[0] - rows.sides
    first_full = rows.sides - to_first_off
    side = np.zeros(ranks.shape[0], np.int64)
    results = np.empty(MAX_PLAYS, np.int64)
    board, scratch = np.zeros((1, 2, 26), np.int8), make_play_scratch()
    chances = np.empty((2, stored.shape[2]))
    for i in range(chunk.shape[0]):
        number = int(chunk[i])
        below = first_full if number >= first_full else 0
        mean = 0.0
        mean_first_off = 0.0
        chances[:] = 0.0
        if number == 0:
            chances[0, 0] = 1.0
        else:
            write_side(number, ranks, side)
            mean, mean_first_off = _add_rolls(
                side, below, ranks, board, scratch, results, rows, means, chances
            )
        means[number] = mean
        _store_row(chances[0], rows, number, stored[i, 0])
        if below > 0:
            means[number + to_first_off] = mean_first_off
            _store_row(chances[1], rows, number + to_first_off, stored[i, 1])


@kernel
def append_chunk(
    chunk: NDArray[np.int32], stored: NDArray[np.float32], used: int, rows: Distributions
) -> int:
    """Append the rows of a chunk to the values.

    Args:
        chunk: ``int32[n]``, numbers of sides.
        stored: ``float32[n, 2, most rolls + 1]``, as `fill_chunk` wrote them.
        used: The number of values so far.
        rows: in and out: starts, and values, with room for the chunk.

    Returns:
        How many values there are now.
    """
    to_first_off = rows.starts.shape[0] - rows.sides
    for i in range(chunk.shape[0]):
        for kind in range(2):
            row = int(chunk[i])
            if kind == 1:
                row += to_first_off
                if row < rows.sides:
                    continue
            rows.starts[row] = used
            for k in range(int(rows.counts[row])):
                rows.values[used] = stored[i, kind, k]
                used += 1
    return used


@kernel
def _compute_ahead_chance(rows: Distributions, row: int, rival: int, lead: int) -> float:
    """Return the probability that the rolls of row ``rival`` are at least those of ``row`` plus ``lead``."""
    start = int(rows.starts[row])
    first = int(rows.firsts[row])
    rival_start = int(rows.starts[rival])
    rival_first = int(rows.firsts[rival])
    rival_count = int(rows.counts[rival])
    fewer = 0.0
    done = 0
    total = 0.0
    for k in range(int(rows.counts[row])):
        while done < rival_count and rival_first + done < first + k + lead:
            fewer += rows.values[rival_start + done]
            done += 1
        total += rows.values[start + k] * max(0.0, 1.0 - fewer)
    return min(total, 1.0)


@kernel
def write_outcome(rows: Distributions, own: int, other: int, outcomes: NDArray[np.float32], at: int) -> None:
    """Write the outcome of one position by comparing the distributions of both sides.

    Args:
        rows: The distributions.
        own: The number of the side on roll.
        other: The number of the other side.
        outcomes: out, ``float32[n, 5]``.
        at: The row to write.
    """
    to_first_off = rows.starts.shape[0] - rows.sides
    win = _compute_ahead_chance(rows, own, other, 0)
    win_gammon = 0.0
    lose_gammon = 0.0
    if other + to_first_off >= rows.sides:
        win_gammon = _compute_ahead_chance(rows, own, other + to_first_off, 0)
    if own + to_first_off >= rows.sides:
        lose_gammon = _compute_ahead_chance(rows, other, own + to_first_off, 1)
    outcomes[at, 0] = win
    outcomes[at, 1] = min(win_gammon, win)
    outcomes[at, 2] = 0.0
    outcomes[at, 3] = min(lose_gammon, 1.0 - win)
    outcomes[at, 4] = 0.0


@kernel
def evaluate(rows: Distributions, numbers: NDArray[np.int64], outcomes: NDArray[np.float32]) -> None:
    """Evaluate positions, as `write_outcome`.

    Args:
        rows: The distributions.
        numbers: ``int64[n, 2]``, all in the table.
        outcomes: out, ``float32[n, 5]``.
    """
    for i in range(numbers.shape[0]):
        write_outcome(rows, numbers[i, 0], numbers[i, 1], outcomes, i)
