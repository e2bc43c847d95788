"""All legal plays of a roll as distinct resulting positions.

Boards are ``int8[2, 26]`` (row 0 the mover; index 0 borne off, 1..24 the points, 25 the bar). A child is written
as the *next* mover sees it, so its rows are swapped. A play's checker moves are ``int8[8]``: up to four pairs
(from, to), highest source first, zero-filled (no checker ever starts from 0).

Non-doubles are tried in both orders and deduplicated by a 64-bit additive hash of the result; doubles are tried
with non-increasing sources, which reaches each result exactly once (the changes that distinct sets of sources
make to the board are linearly independent).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel

MAX_PLAYS = 3072
"""More than any roll has: 15 checkers and four moves of a double give at most C(18, 4) = 3060 results."""

_rng = np.random.Generator(np.random.PCG64(0x6A33))
_POINT_HASH = _rng.integers(-(2**62), 2**62, size=(2, 26), dtype=np.int64)


@kernel
def _is_legal(own: NDArray[np.int8], opp: NDArray[np.int8], source: int, die: int, highest: int) -> bool:
    if own[25] > 0 and source != 25:
        return False
    target = source - die
    if target > 0:
        return opp[25 - target] < 2
    return highest <= 6 and (target == 0 or source == highest)


@kernel
def _highest(own: NDArray[np.int8]) -> int:
    point = 25
    while point > 0 and own[point] == 0:
        point -= 1
    return point


@kernel
def _apply(before: NDArray[np.int8], after: NDArray[np.int8], source: int, die: int) -> np.int64:
    """Copy ``before`` to ``after`` with one checker moved; return the change of the additive hash."""
    for point in range(26):
        after[0, point] = before[0, point]
        after[1, point] = before[1, point]
    target = max(source - die, 0)
    after[0, source] -= 1
    after[0, target] += 1
    change = _POINT_HASH[0, target] - _POINT_HASH[0, source]
    if target > 0 and after[1, 25 - target] == 1:
        after[1, 25 - target] = 0
        after[1, 25] += 1
        change += _POINT_HASH[1, 25] - _POINT_HASH[1, 25 - target]
    return change


@kernel
def _emit(board: NDArray[np.int8], child: NDArray[np.int8]) -> None:
    for point in range(26):
        child[0, point] = board[1, point]
        child[1, point] = board[0, point]


@kernel
def _plays_of_doubles(
    die: int, work: NDArray[np.int8], children: NDArray[np.int8], moves: NDArray[np.int8], first: int
) -> int:
    source = np.zeros(5, np.int64)
    has_reply = np.zeros(5, np.bool_)
    count = 0
    longest = 0
    depth = 0
    source[0] = 25
    while depth >= 0:
        found = False
        if depth < 4:
            own = work[depth, 0]
            opp = work[depth, 1]
            highest = _highest(own)
            point = min(source[depth], highest)
            while point > 0:
                if own[point] > 0 and _is_legal(own, opp, point, die, highest):
                    found = True
                    break
                point -= 1
        if found:
            _apply(work[depth], work[depth + 1], point, die)
            has_reply[depth] = True
            source[depth] = point
            depth += 1
            source[depth] = point
            has_reply[depth] = False
            continue
        if not has_reply[depth] and depth > 0 and depth >= longest:
            if depth > longest:
                longest = depth
                count = 0
            at = first + count
            _emit(work[depth], children[at])
            for i in range(4):
                moves[at, 2 * i] = source[i] if i < depth else 0
                moves[at, 2 * i + 1] = max(source[i] - die, 0) if i < depth else 0
            count += 1
        depth -= 1
        if depth >= 0:
            source[depth] -= 1
    return count


@kernel
def _write_pair(
    moves: NDArray[np.int8], at: int, source1: int, die1: int, source2: int, die2: int
) -> None:
    if source2 > source1:
        source1, die1, source2, die2 = source2, die2, source1, die1
    moves[at, 0] = source1
    moves[at, 1] = max(source1 - die1, 0)
    moves[at, 2] = source2
    moves[at, 3] = max(source2 - die2, 0) if source2 > 0 else 0
    for i in range(4, 8):
        moves[at, i] = 0


@kernel
def _plays_of_two_dice(
    high: int,
    low: int,
    work: NDArray[np.int8],
    hashes: NDArray[np.int64],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    first: int,
) -> int:
    count = 0
    highest0 = _highest(work[0, 0])
    for order in range(2):
        die1 = high if order == 0 else low
        die2 = low if order == 0 else high
        for point1 in range(highest0, 0, -1):
            if work[0, 0, point1] == 0 or not _is_legal(work[0, 0], work[0, 1], point1, die1, highest0):
                continue
            hash1 = _apply(work[0], work[1], point1, die1)
            highest1 = _highest(work[1, 0])
            for point2 in range(highest1, 0, -1):
                if work[1, 0, point2] == 0 or not _is_legal(
                    work[1, 0], work[1, 1], point2, die2, highest1
                ):
                    continue
                hash2 = hash1 + _apply(work[1], work[2], point2, die2)
                seen = False
                for i in range(count):
                    if hashes[i] == hash2:
                        seen = True
                        break
                if not seen:
                    hashes[count] = hash2
                    _emit(work[2], children[first + count])
                    _write_pair(moves, first + count, point1, die1, point2, die2)
                    count += 1
    if count > 0:
        return count
    for order in range(2):  # only one die can be played: the larger one if possible
        die1 = high if order == 0 else low
        for point1 in range(highest0, 0, -1):
            if work[0, 0, point1] > 0 and _is_legal(work[0, 0], work[0, 1], point1, die1, highest0):
                _apply(work[0], work[1], point1, die1)
                _emit(work[1], children[first + count])
                _write_pair(moves, first + count, point1, die1, 0, 0)
                count += 1
        if count > 0:
            return count
    return 0


@kernel
def _plays(
    board: NDArray[np.int8],
    die1: int,
    die2: int,
    work: NDArray[np.int8],
    hashes: NDArray[np.int64],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    first: int,
) -> int:
    for point in range(26):
        work[0, 0, point] = board[0, point]
        work[0, 1, point] = board[1, point]
    if die1 == die2:
        count = _plays_of_doubles(die1, work, children, moves, first)
    else:
        count = _plays_of_two_dice(
            max(die1, die2), min(die1, die2), work, hashes, children, moves, first
        )
    if count == 0:  # nothing can be moved: the only result is the same position, turned round
        _emit(work[0], children[first])
        for i in range(8):
            moves[first, i] = 0
        count = 1
    return count


@kernel
def legal_plays(
    board: NDArray[np.int8], die1: int, die2: int, children: NDArray[np.int8], moves: NDArray[np.int8]
) -> int:
    """Write all distinct results of one roll.

    Args:
        board: ``int8[2, 26]``, the mover in row 0.
        die1: 1..6.
        die2: 1..6.
        children: out, ``int8[MAX_PLAYS, 2, 26]``, as the next mover sees them.
        moves: out, ``int8[MAX_PLAYS, 8]``, the checker moves of each.

    Returns:
        How many were written; 1 with all-zero moves when no checker can move.
    """
    work = np.empty((5, 2, 26), np.int8)
    hashes = np.empty(MAX_PLAYS, np.int64)
    return _plays(board, die1, die2, work, hashes, children, moves, 0)


@kernel
def expand(
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    start: int,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    offsets: NDArray[np.int64],
) -> int:
    """Write the results of one roll for each of many positions, one after the other.

    Args:
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.
        start: The first position to expand; ``offsets[start]`` says where its children go.
        children: out, ``int8[capacity, 2, 26]``.
        moves: out, ``int8[capacity, 8]``.
        offsets: out, ``int64[n + 1]``; the children of position i lie at ``offsets[i]:offsets[i + 1]``.

    Returns:
        The number of positions done: less than n when the next one might not fit into ``children``.
    """
    work = np.empty((5, 2, 26), np.int8)
    hashes = np.empty(MAX_PLAYS, np.int64)
    for i in range(start, boards.shape[0]):
        at = offsets[i]
        if at + MAX_PLAYS > children.shape[0]:
            return i
        count = _plays(
            boards[i], int(dice[i, 0]), int(dice[i, 1]), work, hashes, children, moves, at
        )
        offsets[i + 1] = at + count
    return boards.shape[0]
