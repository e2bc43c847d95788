"""The heuristic engine's score of the position after a play, its choice, and the average of best replies.

Points are numbered in a side's direction of travel: its own 24 point is 1, its ace point 24. A side can be
hit, and blocks, only where some opposing checker has not passed: up to the number of the opponent's rearmost
point (in the opponent's own numbering, its bar 25).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.board_counts import find_rear, weigh_counts, write_point_sets
from gammond.engine.kernels.moves import generate_plays, generate_two_moves, make_play_scratch, write_child

_WON = 1e12
"""The score of a won game, above every other score."""

_BLOCKED = 100_000.0
"""The value of a position in which the opponent cannot play any roll."""

# In a race each pip outside the home board counts more than any checkers off, and these more than any pips.
_PER_PIP_OUTSIDE = 10_000.0
_PER_CHECKER_OFF = 500.0

_ROLLS = 36.0

_PIPS = np.arange(26, dtype=np.int16)[None]
"""Pips of a checker on each point, and on the bar."""


class HeuristicTables(NamedTuple):
    """Tables of the score.

    Attributes:
        blocks: ``float64[16]``, by the number of blocks in a row.
        last_blocks: ``float64[16]``, the same for a row that reaches the last number where blocks count.
        blots: ``float64[2, 26]``, the cost of a blot by its number, before and behind the opponent's rear.
        pips: The value of a pip ahead.
        lead: Its extra value after contact.
    """

    blocks: NDArray[np.float64]
    last_blocks: NDArray[np.float64]
    blots: NDArray[np.float64]
    pips: float
    lead: float


@kernel
def score_side(boards: NDArray[np.int8], at: int, side: int, tables: HeuristicTables) -> float:
    """Score the blocks and blots of a side, and its lead after contact.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        side: The row of the side.
        tables: The tables.
    """
    behind = find_rear(boards, at, 1 - side)
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
    if tables.lead != 0.0 and behind + find_rear(boards, at, side) <= 25:
        total += tables.lead * (
            weigh_counts(boards, at, 1 - side, _PIPS, 0) - weigh_counts(boards, at, side, _PIPS, 0)
        )
    return total


@kernel
def score_position(boards: NDArray[np.int8], at: int, tables: HeuristicTables, is_race: bool) -> float:
    """Score a position for the side that has just moved.

    Args:
        boards: ``int8[n, 2, 26]``, as the *next* mover sees them: the side scored for is row 1.
        at: The place of the position.
        tables: The tables.
        is_race: Whether the position before the play was a race.

    Returns:
        The score, comparable between plays of one roll.
    """
    if boards[at, 1, 0] == 15:
        return _WON
    if is_race:
        outside = 0
        for point in range(7, 26):
            outside += (point - 6) * int(boards[at, 1, point])
        off = int(boards[at, 1, 0])
        return _PER_CHECKER_OFF * off - _PER_PIP_OUTSIDE * outside - weigh_counts(boards, at, 1, _PIPS, 0)
    lead = weigh_counts(boards, at, 0, _PIPS, 0) - weigh_counts(boards, at, 1, _PIPS, 0)
    return tables.pips * lead + score_side(boards, at, 1, tables)


@kernel
def write_contact_scores(
    boards: NDArray[np.int8], tables: HeuristicTables, scores: NDArray[np.float32]
) -> None:
    """Score many positions by the formula for contact, whatever their phase: one measure for a whole game.

    Args:
        boards: ``int8[n, 2, 26]``, as for `score_position`.
        tables: The tables.
        scores: out, ``float32[n]``; 0 for finished positions.
    """
    for i in range(boards.shape[0]):
        is_over = boards[i, 1, 0] == 15 or boards[i, 0, 0] == 15
        scores[i] = 0.0 if is_over else score_position(boards, i, tables, False)


@kernel
def score_plays(
    children: NDArray[np.int8],
    offsets: NDArray[np.int64],
    is_race: NDArray[np.bool_],
    tables: HeuristicTables,
    by_replies: bool,
    is_short: bool,
    scores: NDArray[np.float64],
) -> None:
    """Score the plays of many positions.

    Args:
        children: ``int8[m, 2, 26]``, as the next mover sees them.
        offsets: ``int64[n + 1]``; those of position i are at ``offsets[i]:offsets[i + 1]``.
        is_race: ``bool[n]``, whether position i *before* the play is a race.
        tables: The tables.
        by_replies: Whether the score is minus the average value of the opponent's best replies over all
            rolls; not in a race, where replies do not matter.
        is_short: Whether doubles are two moves.
        scores: out, ``float64[m]``.
    """
    for i in range(is_race.shape[0]):
        for j in range(offsets[i], offsets[i + 1]):
            if is_race[i] or not by_replies or children[j, 1, 0] == 15:
                scores[j] = score_position(children, j, tables, is_race[i])
            else:
                scores[j] = -average_best_replies(children, j, tables, is_short)


@kernel
def average_best_replies(boards: NDArray[np.int8], at: int, tables: HeuristicTables, is_short: bool) -> float:
    """Return the average over all 36 rolls of the best reply's value for the side on roll.

    The value of a reply is its `score_position` minus the other side's blocks and blots; a roll without a
    legal move has the value of the position itself.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        tables: The tables.
        is_short: Whether doubles are two moves.
    """
    scratch = make_play_scratch()
    after = np.empty((1, 2, 26), np.int8)
    write_point_sets(boards, at, 0, scratch.sets)
    total = 0.0
    is_blocked = True
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            if is_short:
                count = generate_two_moves(die1, die2, scratch)
            else:
                count = generate_plays(boards, at, die1, die2, scratch)
            best = -np.inf
            for i in range(count):
                write_child(boards, at, int(scratch.plays[i]), after, 0)
                this = score_position(after, 0, tables, False) - score_side(after, 0, 0, tables)
                best = max(best, this)
            total += best if die1 == die2 else 2.0 * best
            if scratch.plays[0] != 0:
                is_blocked = False
    return -_BLOCKED if is_blocked else total / _ROLLS
