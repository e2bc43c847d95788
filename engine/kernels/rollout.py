"""Blocks of rollout trials in progress: their state, repeated positions, their rolls and plays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.outcomes import group_rows_by_class
from gammond.engine.kernels.search import KEY_BITS, compute_position_keys, find_distinct_keys
from gammond.engine.kernels.values import ROLLS


class TrialArrays(NamedTuple):
    """A block of trials in progress, all at the same turn: rows in play first, each with its trial's place.

    Attributes:
        boards: ``int8[n, 2, 26]``, for the side on roll.
        places: ``int64[n]``, the trial of each row.
        states: ``int8[n]``, the cube.
        stakes: ``float64[n]``.
        kinds: ``int8[n]``, what happens before the roll: `PLAYS_ON` or one of those after it.
        outcomes: ``float32[n, 5]``, for the side on roll, unless the row plays on.
        rolls: ``int8[n, turns]``: for each trial its rolls, as numbers of `gammond.engine.rules.dice.ROLLS`,
            those of a turn in column ``turn % turns``.
        scores: ``float64[n, columns]``, of each trial.
        groups: ``int64[n]``, the rows of this turn, repeated positions side by side.
        ends: ``int64[n]``, where each group of repeated positions ends there.
        progress: ``int64[PROGRESS_COUNTS]``, see `ROWS` and the names after it.
    """

    boards: NDArray[np.int8]
    places: NDArray[np.int64]
    states: NDArray[np.int8]
    stakes: NDArray[np.float64]
    kinds: NDArray[np.int8]
    outcomes: NDArray[np.float32]
    rolls: NDArray[np.int8]
    scores: NDArray[np.float64]
    groups: NDArray[np.int64]
    ends: NDArray[np.int64]
    progress: NDArray[np.int64]


ROWS, TURN, DRAWN, GROUPS, NEXT_GROUP, LOOKS_FOR_REPEATS, MEASURES = range(7)
"""Places in `TrialArrays.progress`: the rows in play; the turn; the turns whose rolls are drawn; the groups
of this turn, 0 before it begins; the next group to play; whether repeats are looked for; whether the groups
are those of which luck is measured."""
PROGRESS_COUNTS = 7

PLAYS_ON, END, TRUNCATED, CUBE = range(4)
"""Kinds of rows: they roll; end with a known outcome; end with an evaluation; decide on a double by one."""

_MOSTLY_DISTINCT = 0.9


@kernel
def group_repeats(trials: TrialArrays, by_roll: bool) -> None:
    """List the rows of a turn, those with the same position side by side.

    Games diverge quickly: once nearly all are distinct, repeats are not looked for any more.

    Args:
        trials: in and out.
        by_roll: Whether rows must have the same roll too.
    """
    progress = trials.progress
    count = progress[ROWS]
    progress[NEXT_GROUP] = 0
    progress[GROUPS] = count
    if not progress[LOOKS_FOR_REPEATS]:
        for i in range(count):
            trials.groups[i] = i
            trials.ends[i] = i + 1
        return
    keys = np.empty((count, 2), np.int64)
    compute_position_keys(trials.boards[:count], keys)
    if by_roll:
        column = progress[TURN] % trials.rolls.shape[1]
        for i in range(count):
            keys[i, 0] |= int(trials.rolls[trials.places[i], column]) << KEY_BITS
    starts, group_of = find_distinct_keys(keys)
    sizes = np.zeros(starts.shape[0], np.int64)
    group_rows_by_class(group_of, trials.groups, sizes)
    end = 0
    for group in range(sizes.shape[0]):
        end += sizes[group]
        trials.ends[group] = end
    progress[GROUPS] = sizes.shape[0]
    if sizes.shape[0] > _MOSTLY_DISTINCT * count:
        progress[LOOKS_FOR_REPEATS] = 0


@kernel
def list_rolls(
    trials: TrialArrays,
    end: int,
    per_group: int,
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
) -> int:
    """List the rolls to play of the next groups, and return their number: all rolls of each, or its own.

    Args:
        trials: The block, after `group_repeats`.
        end: The group after the last one.
        per_group: The number of rolls, or 1 for its own.
        boards: out, ``int8[m, 2, 26]``, the positions before the rolls.
        dice: out, ``int8[m, 2]``.
    """
    column = trials.progress[TURN] % trials.rolls.shape[1]
    count = 0
    for group in range(trials.progress[NEXT_GROUP], end):
        row = trials.groups[trials.ends[group - 1] if group else 0]
        for k in range(per_group):
            copy_board(trials.boards, row, boards, count)
            roll = k if per_group > 1 else int(trials.rolls[trials.places[row], column])
            dice[count, 0] = ROLLS[roll, 0]
            dice[count, 1] = ROLLS[roll, 1]
            count += 1
    return count


@kernel
def make_plays(trials: TrialArrays, end: int, per_group: int, boards: NDArray[np.int8]) -> None:
    """Make the plays of the next groups; those of the last one end the turn.

    Args:
        trials: in and out.
        end: The group after the last one.
        per_group: As for `list_rolls`.
        boards: ``int8[m, 2, 26]``, the positions after the plays of the rolls listed there.
    """
    progress = trials.progress
    column = progress[TURN] % trials.rolls.shape[1]
    first = progress[NEXT_GROUP]
    for group in range(first, end):
        for i in range(trials.ends[group - 1] if group else 0, trials.ends[group]):
            row = trials.groups[i]
            roll = int(trials.rolls[trials.places[row], column]) if per_group > 1 else 0
            copy_board(boards, (group - first) * per_group + roll, trials.boards, row)
    progress[NEXT_GROUP] = end
    if end == progress[GROUPS]:
        progress[GROUPS] = 0
        progress[TURN] += 1


@kernel
def drop_ended(trials: TrialArrays) -> None:
    """Drop the rows that do not play on, keeping the order of the others."""
    kept = 0
    for row in range(trials.progress[ROWS]):
        if trials.kinds[row] != PLAYS_ON:
            continue
        if kept < row:
            copy_board(trials.boards, row, trials.boards, kept)
            trials.places[kept] = trials.places[row]
            trials.states[kept] = trials.states[row]
            trials.stakes[kept] = trials.stakes[row]
        kept += 1
    trials.progress[ROWS] = kept


@kernel
def copy_board(boards: NDArray[np.int8], source: int, copies: NDArray[np.int8], target: int) -> None:
    """Copy a position from one array of ``int8[n, 2, 26]`` to another."""
    for side in range(2):
        for point in range(26):
            copies[target, side, point] = boards[source, side, point]
