"""The heuristic engine's score of the position after a play, its choice, and the average of best replies.

Points have numbers in a side's direction of travel: its own 24 point is 1, its ace point 24. A side can be
hit, and hinders, only where an opposing checker has not passed: up to the number that is the opponent's
rearmost point (in the opponent's own numbering, its bar 25).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.moves import generate_plays, make_play_scratch, write_child, write_point_sets

_WON = 1e12
"""What ends the game well, beyond every other score."""

_BLOCKED = 100_000.0
"""What it is worth that the opponent can play no roll at all."""

# In a race each checker brought home counts more than any number borne off, and these more than any pips.
_PER_PIP_OUTSIDE = 10_000.0
_PER_CHECKER_OFF = 500.0

_ROLLS = 36.0


class HeuristicTables(NamedTuple):
    """What positions are scored by.

    Attributes:
        blocks: ``float64[16]``, by how many blocks there are in a row.
        last_blocks: ``float64[16]``, the same for a row that reaches as far as blocks count.
        blots: ``float64[2, 26]``, what a blot costs by its number, before and behind the opponent's rear.
        pips: What a pip ahead counts.
        lead: What it counts besides once the sides have passed each other.
    """

    blocks: NDArray[np.float64]
    last_blocks: NDArray[np.float64]
    blots: NDArray[np.float64]
    pips: float
    lead: float


@kernel
def _find_rear(boards: NDArray[np.int8], at: int, side: int) -> int:
    """The highest point with a checker of a side, 25 its bar; 0 where all are off."""
    point = 25
    while point > 0 and boards[at, side, point] == 0:
        point -= 1
    return point


@kernel
def _count_pips(boards: NDArray[np.int8], at: int, side: int) -> int:
    pips = 0
    for point in range(1, 26):
        pips += point * int(boards[at, side, point])
    return pips


@kernel
def score_side(boards: NDArray[np.int8], at: int, side: int, tables: HeuristicTables) -> float:
    """Score the blocks and blots of a side, and its lead where the sides have passed each other.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: Which of them.
        side: The row of the side.
        tables: What counts how much.
    """
    behind = _find_rear(boards, at, 1 - side)
    total = 0.0
    row = 0
    for number in range(1, min(behind, 24) + 1):
        count = boards[at, side, 25 - number]
        if count >= 2:
            row += 1
            continue
        if row:
            total += tables.blocks[row]
            row = 0
        if count == 1:
            total -= tables.blots[0, number]
    if row:
        total += tables.last_blocks[row]
    for number in range(behind + 1, 25):
        if boards[at, side, 25 - number] == 1:
            total -= tables.blots[1, number]
    if tables.lead != 0.0 and behind + _find_rear(boards, at, side) <= 25:
        total += tables.lead * (_count_pips(boards, at, 1 - side) - _count_pips(boards, at, side))
    return total


@kernel
def score_position(boards: NDArray[np.int8], at: int, tables: HeuristicTables, is_race: bool) -> float:
    """Score a position for the side that has just moved.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them: the side scored for is row 1.
        at: Which of them.
        tables: What counts how much.
        is_race: Whether the position before the play was a race.

    Returns:
        The score; only plays of one roll can be compared.
    """
    if boards[at, 1, 0] == 15:
        return _WON
    if is_race:
        outside = 0
        for point in range(7, 26):
            outside += (point - 6) * int(boards[at, 1, point])
        off = int(boards[at, 1, 0])
        return _PER_CHECKER_OFF * off - _PER_PIP_OUTSIDE * outside - _count_pips(boards, at, 1)
    lead = _count_pips(boards, at, 0) - _count_pips(boards, at, 1)
    return tables.pips * lead + score_side(boards, at, 1, tables)


@kernel
def choose_plays(
    children: NDArray[np.int8],
    offsets: NDArray[np.int64],
    is_race: NDArray[np.bool_],
    tables: HeuristicTables,
    prefers_last: bool,
    chosen: NDArray[np.int64],
) -> None:
    """Choose the play with the highest score for each of many positions.

    Args:
        children: ``int8[m, 2, 26]``, as the next mover sees them.
        offsets: ``int64[n + 1]``; the children of position i lie at ``offsets[i]:offsets[i + 1]``.
        is_race: ``bool[n]``, whether position i *before* the play is a race.
        tables: What counts how much.
        prefers_last: Whether ties go to the last of the plays, not the first.
        chosen: out, ``int64[n]``, indices of children.
    """
    for i in range(is_race.shape[0]):
        best = offsets[i]
        best_score = score_position(children, best, tables, is_race[i])
        for j in range(offsets[i] + 1, offsets[i + 1]):
            this = score_position(children, j, tables, is_race[i])
            if this > best_score or (prefers_last and this == best_score):
                best = j
                best_score = this
        chosen[i] = best


@kernel
def choose_plays_by_replies(
    children: NDArray[np.int8],
    offsets: NDArray[np.int64],
    is_race: NDArray[np.bool_],
    tables: HeuristicTables,
    prefers_last: bool,
    chosen: NDArray[np.int64],
) -> None:
    """Choose the play after which the opponent's best replies are worth the least, over all rolls.

    In a race, where replies cannot matter, as `choose`, whose arguments it takes.
    """
    for i in range(is_race.shape[0]):
        if is_race[i]:
            choose_plays(
                children, offsets[i : i + 2], is_race[i : i + 1], tables, prefers_last, chosen[i : i + 1]
            )
            continue
        best = offsets[i]
        best_score = -np.inf
        for j in range(offsets[i], offsets[i + 1]):
            this = _WON if children[j, 1, 0] == 15 else -average_best_replies(children, j, tables)
            if this > best_score or (prefers_last and this == best_score):
                best = j
                best_score = this
        chosen[i] = best


@kernel
def average_best_replies(boards: NDArray[np.int8], at: int, tables: HeuristicTables) -> float:
    """What the best replies of the side on roll are worth to it, on average over all 36 rolls.

    A reply counts what `score` says of it, less the blocks and blots of the other side; a roll that cannot be
    played counts what the position is worth as it stands.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: Which of them.
        tables: What counts how much.
    """
    sets, counts, levels, hashes, plays = make_play_scratch()
    after = np.empty((1, 2, 26), np.int8)
    write_point_sets(boards, at, sets)
    total = 0.0
    is_blocked = True
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            count = generate_plays(boards, at, sets, die1, die2, counts, levels, hashes, plays)
            best = -np.inf
            for i in range(count):
                write_child(boards, at, int(plays[i]), after, 0)
                this = score_position(after, 0, tables, False) - score_side(after, 0, 0, tables)
                best = max(best, this)
            total += best if die1 == die2 else 2.0 * best
            if plays[0] != 0:
                is_blocked = False
    return -_BLOCKED if is_blocked else total / _ROLLS
