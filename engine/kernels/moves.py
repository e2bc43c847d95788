"""All legal plays of a roll as distinct resulting positions.

Boards are ``int8[2, 26]`` (row 0 the mover; index 0 borne off, 1..24 the points, 25 the bar). A child is
written as the *next* mover sees it, so its rows are swapped. A play's checker moves are ``int8[8]``: up to
four pairs (from, to), highest source first, zero-filled (no checker ever starts from 0).

Non-doubles are tried in both orders and deduplicated by a 64-bit additive hash of the result; doubles are
tried with non-increasing sources, which reaches each result exactly once (the changes that distinct sets of
sources make to the board are linearly independent).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel

MAX_PLAYS = 3072
"""More than any roll has: 15 checkers and four moves of a double give at most C(18, 4) = 3060 results."""

_rng = np.random.Generator(np.random.PCG64(0x6A33))
# A play changes a hash by eight of these at most, so sums stay inside int64, where NumPy would warn.
_POINT_HASH = _rng.integers(-(2**59), 2**59, size=(2, 26), dtype=np.int64)


@kernel
def _occupied(work: NDArray[np.int8]) -> int:
    """The mover's points and bar as bits, at level 0."""
    bits = 0
    for point in range(1, 26):
        if work[0, 0, point] > 0:
            bits |= 1 << point
    return bits


@kernel
def _open_points(work: NDArray[np.int8]) -> int:
    """The points that the opponent does not hold, as bits in the mover's numbering; no play changes them."""
    bits = 0
    for point in range(1, 25):
        if work[0, 1, 25 - point] < 2:
            bits |= 1 << point
    return bits


@kernel
def _sources(occupied: int, open_points: int, die: int) -> int:
    """From where one checker may go by one die, as bits."""
    movable = occupied
    if (occupied >> 25) & 1:
        movable = 1 << 25
    sources = movable & (open_points << die)
    if occupied < 1 << 7:  # all are home: the exact point bears off, or else the highest if it is lower
        if (occupied >> die) & 1:
            sources |= 1 << die
        elif occupied < 1 << die:
            sources |= 1 << _top(occupied, die)
    return sources


@kernel
def _top(bits: int, start: int) -> int:
    """The highest bit at ``start`` or below; 0 if there is none above bit 0."""
    point = start
    while point > 0 and not (bits >> point) & 1:
        point -= 1
    return point


@kernel
def _occupied_after(work: NDArray[np.int8], level: int, occupied: int, source: int, die: int) -> int:
    """The mover's points as bits once a checker has moved."""
    if work[level, 0, source] == 1:
        occupied &= ~(1 << source)
    if source > die:
        occupied |= 1 << (source - die)
    return occupied


@kernel
def _hash_change(work: NDArray[np.int8], level: int, source: int, die: int) -> np.int64:
    """The change of a board's additive hash when a checker moves."""
    target = max(source - die, 0)
    change = _POINT_HASH[0, target] - _POINT_HASH[0, source]
    if target > 0 and work[level, 1, 25 - target] == 1:
        change += _POINT_HASH[1, 25] - _POINT_HASH[1, 25 - target]
    return change


@kernel
def _move_up(work: NDArray[np.int8], level: int, source: int, die: int) -> None:
    """Copy a level of the work boards to the next one and move a checker there."""
    up = level + 1
    for point in range(26):
        work[up, 0, point] = work[level, 0, point]
        work[up, 1, point] = work[level, 1, point]
    target = max(source - die, 0)
    work[up, 0, source] -= 1
    work[up, 0, target] += 1
    if target > 0 and work[up, 1, 25 - target] == 1:
        work[up, 1, 25 - target] = 0
        work[up, 1, 25] += 1


@kernel
def _emit(work: NDArray[np.int8], level: int, children: NDArray[np.int8], at: int) -> None:
    for point in range(26):
        children[at, 0, point] = work[level, 1, point]
        children[at, 1, point] = work[level, 0, point]


@kernel
def _plays_of_doubles(
    die: int, work: NDArray[np.int8], children: NDArray[np.int8], moves: NDArray[np.int8], first: int
) -> int:
    open_points = _open_points(work)
    occupied = np.zeros(5, np.int64)
    untried = np.zeros(5, np.int64)
    source = np.zeros(5, np.int64)
    has_reply = np.zeros(5, np.bool_)
    count = 0
    longest = 0
    depth = 0
    occupied[0] = _occupied(work)
    untried[0] = _sources(occupied[0], open_points, die)
    while depth >= 0:
        point = _top(untried[depth], 25) if depth < 4 else 0
        if point > 0:
            untried[depth] &= ~(1 << point)
            _move_up(work, depth, point, die)
            has_reply[depth] = True
            source[depth] = point
            depth += 1
            occupied[depth] = _occupied_after(work, depth - 1, occupied[depth - 1], point, die)
            untried[depth] = _sources(occupied[depth], open_points, die) & ((2 << point) - 1)
            has_reply[depth] = False
            continue
        if not has_reply[depth] and depth > 0 and depth >= longest:
            if depth > longest:
                longest = depth
                count = 0
            at = first + count
            _emit(work, depth, children, at)
            for i in range(4):
                moves[at, 2 * i] = source[i] if i < depth else 0
                moves[at, 2 * i + 1] = max(source[i] - die, 0) if i < depth else 0
            count += 1
        depth -= 1
    return count


@kernel
def _write_pair(moves: NDArray[np.int8], at: int, source1: int, die1: int, source2: int, die2: int) -> None:
    if source2 > source1:
        source1, die1, source2, die2 = source2, die2, source1, die1
    moves[at, 0] = source1
    moves[at, 1] = max(source1 - die1, 0)
    moves[at, 2] = source2
    moves[at, 3] = max(source2 - die2, 0) if source2 > 0 else 0
    for i in range(4, 8):
        moves[at, i] = 0


@kernel
def _plays_of_both_dice(
    die1: int,
    die2: int,
    work: NDArray[np.int8],
    hashes: NDArray[np.int64],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    first: int,
    count: int,
) -> int:
    """Add the results of playing ``die1``, then ``die2``, to the ``count`` that are known."""
    open_points = _open_points(work)
    occupied = _occupied(work)
    sources1 = _sources(occupied, open_points, die1)
    for point1 in range(25, 0, -1):
        if not (sources1 >> point1) & 1:
            continue
        hash1 = _hash_change(work, 0, point1, die1)
        _move_up(work, 0, point1, die1)
        sources2 = _sources(_occupied_after(work, 0, occupied, point1, die1), open_points, die2)
        for point2 in range(25, 0, -1):
            if not (sources2 >> point2) & 1:
                continue
            hash2 = hash1 + _hash_change(work, 1, point2, die2)
            seen = False
            for i in range(count):
                if hashes[i] == hash2:
                    seen = True
                    break
            if seen:
                continue
            _move_up(work, 1, point2, die2)
            _emit(work, 2, children, first + count)
            _write_pair(moves, first + count, point1, die1, point2, die2)
            hashes[count] = hash2
            count += 1
    return count


@kernel
def _plays_of_one_die(
    die: int, work: NDArray[np.int8], children: NDArray[np.int8], moves: NDArray[np.int8], first: int
) -> int:
    count = 0
    sources = _sources(_occupied(work), _open_points(work), die)
    for point in range(25, 0, -1):
        if (sources >> point) & 1:
            _move_up(work, 0, point, die)
            _emit(work, 1, children, first + count)
            _write_pair(moves, first + count, point, die, 0, 0)
            count += 1
    return count


@kernel
def plays_into(
    boards: NDArray[np.int8],
    board: int,
    die1: int,
    die2: int,
    work: NDArray[np.int8],
    hashes: NDArray[np.int64],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    first: int,
) -> int:
    """Write all distinct results of a roll from place ``first`` on, with the caller's scratch.

    Args:
        boards: ``int8[n, 2, 26]``.
        board: Which of them.
        die1: 1..6.
        die2: 1..6.
        work: scratch, ``int8[5, 2, 26]``.
        hashes: scratch, ``int64[MAX_PLAYS]``.
        children: out, ``int8[first + MAX_PLAYS, 2, 26]`` or more, as the next mover sees them.
        moves: out, ``int8[first + MAX_PLAYS, 8]`` or more, the checker moves of each.
        first: Where to start writing.

    Returns:
        How many were written; 1 with all-zero moves when no checker can move.
    """
    for point in range(26):
        work[0, 0, point] = boards[board, 0, point]
        work[0, 1, point] = boards[board, 1, point]
    if die1 == die2:
        count = _plays_of_doubles(die1, work, children, moves, first)
    else:
        high = max(die1, die2)
        low = min(die1, die2)
        count = _plays_of_both_dice(high, low, work, hashes, children, moves, first, 0)
        count = _plays_of_both_dice(low, high, work, hashes, children, moves, first, count)
        if count == 0:  # only one die can be played: the larger one if possible
            count = _plays_of_one_die(high, work, children, moves, first)
        if count == 0:
            count = _plays_of_one_die(low, work, children, moves, first)
    if count == 0:  # nothing can be moved: the only result is the same position, turned round
        _emit(work, 0, children, first)
        for i in range(8):
            moves[first, i] = 0
        count = 1
    return count


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
        count = plays_into(boards, i, int(dice[i, 0]), int(dice[i, 1]), work, hashes, children, moves, at)
        offsets[i + 1] = at + count
    return boards.shape[0]
