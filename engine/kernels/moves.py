"""Legal plays of a roll as distinct resulting positions.

Boards are ``int8[2, 26]`` (row 0 the mover; index 0 borne off, 1..24 the points, 25 the bar). A child is
written as the *next* mover sees it, so its rows are swapped. A play's checker moves are ``int8[8]``: up to
four pairs (from, to), highest source first, zero-filled (no checker ever starts from 0). Between kernels a
play is those eight bytes packed in one integer, the first one lowest.

Sets of points are those of `gammond.engine.kernels.board_counts`, for the mover.

Non-doubles are tried in both orders and deduplicated by a 64-bit additive hash of the result; doubles are
tried with non-increasing sources, which reaches each result exactly once (the changes that distinct sets of
sources make to the board are linearly independent).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, kernel
from gammond.engine.kernels.board_counts import (
    BLOTS,
    OCCUPIED,
    ON_BOARD,
    OPEN,
    SINGLE,
    get_point,
    write_point_sets,
)

MAX_PLAYS = 3072
"""Above the plays of any roll: 15 checkers and four moves of a double give up to C(18, 4) = 3060 results."""

_OUTSIDE = (1 << 19) - 1
"""Points outside the home board: a checker there prevents bearing off."""

# Columns of `levels`, int64[5, 4]: the state of the search at each checker move of a double.
_OCCUPIED, _UNTRIED, _PLAY, _IS_LEAF = range(4)

_rng = np.random.Generator(np.random.PCG64(0x6A33))
# A play changes a hash by eight of these at most, so sums stay inside int64, where NumPy would warn.
_POINT_HASH = _rng.integers(-(2**59), 2**59, size=(2, 26), dtype=np.int64)


class PlayScratch(NamedTuple):
    """The plays of one roll of one position at a time, and scratch to list them; see `make_play_scratch`.

    Attributes:
        sets: ``int64[5]``, the `write_point_sets` of the position.
        counts: ``int64[26]``, scratch.
        levels: ``int64[5, 4]``, scratch.
        hashes: ``int64[MAX_PLAYS]``, scratch: hashes of results.
        plays: ``int64[MAX_PLAYS]``, the plays, packed.
    """

    sets: NDArray[np.int64]
    counts: NDArray[np.int64]
    levels: NDArray[np.int64]
    hashes: NDArray[np.int64]
    plays: NDArray[np.int64]


@kernel
def make_play_scratch() -> PlayScratch:
    """Allocate scratch for `generate_plays`."""
    return PlayScratch(
        sets=np.empty(5, np.int64),
        counts=np.empty(26, np.int64),
        levels=np.empty((5, 4), np.int64),
        hashes=np.empty(MAX_PLAYS, np.int64),
        plays=np.empty(MAX_PLAYS, np.int64),
    )


@borrowing
def _find_sources(occupied: int, open_points: int, die: int) -> int:
    """Return the points from which a checker may move by a die."""
    movable = occupied
    if occupied & 1:
        movable = 1
    sources = movable & (open_points >> die)
    if occupied & _OUTSIDE == 0:  # all home: the exact point bears off, or the highest if that is lower
        exact = 1 << (25 - die)
        if occupied & exact:
            sources |= exact
        elif occupied & (exact - 1) == 0:
            sources |= occupied & -occupied
    return sources


@borrowing
def _pack_move(source: int, die: int) -> int:
    return source | (max(source - die, 0) << 8)


@borrowing
def _generate_doubles_plays(boards: NDArray[np.int8], at: int, die: int, scratch: PlayScratch) -> int:
    sets, counts, levels, _, plays = scratch
    for point in range(26):
        counts[point] = boards[at, 0, point]
    levels[0, _OCCUPIED] = sets[OCCUPIED]
    levels[0, _UNTRIED] = _find_sources(int(sets[OCCUPIED]), int(sets[OPEN]), die)
    levels[0, _PLAY] = 0
    levels[0, _IS_LEAF] = 0
    count = 0
    longest = 1
    depth = 0
    while True:
        untried = int(levels[depth, _UNTRIED])
        if untried and depth < 3:
            bit = untried & -untried
            levels[depth, _UNTRIED] = untried ^ bit
            levels[depth, _IS_LEAF] = 0
            _push_move(depth, bit, int(sets[OPEN]), die, counts, levels)
            depth += 1
            continue
        if untried:
            count = 0 if longest < 4 else count
            longest = 4
            count = _append_moves(int(levels[3, _PLAY]), untried, die, 48, plays, count)
        elif levels[depth, _IS_LEAF] and depth >= longest:
            if depth > longest:
                longest = depth
                count = 0
            plays[count] = levels[depth, _PLAY]
            count += 1
        if depth == 0:
            return count
        depth -= 1
        source = int(levels[depth + 1, _PLAY] >> (16 * depth)) & 255
        counts[source] += 1
        counts[max(source - die, 0)] -= 1


@borrowing
def _push_move(
    depth: int, bit: int, open_points: int, die: int, counts: NDArray[np.int64], levels: NDArray[np.int64]
) -> None:
    """Move a checker of a double and write which checkers may follow."""
    source = get_point(bit)
    occupied = int(levels[depth, _OCCUPIED])
    if counts[source] == 1:
        occupied ^= bit
    occupied |= (bit << die) & ON_BOARD
    counts[source] -= 1
    counts[max(source - die, 0)] += 1
    levels[depth + 1, _OCCUPIED] = occupied
    levels[depth + 1, _UNTRIED] = _find_sources(occupied, open_points, die) & -bit
    levels[depth + 1, _PLAY] = levels[depth, _PLAY] | (_pack_move(source, die) << (16 * depth))
    levels[depth + 1, _IS_LEAF] = 1


@borrowing
def _append_moves(play: int, sources: int, die: int, shift: int, plays: NDArray[np.int64], count: int) -> int:
    """Write the plays that go on with one more move, at bit ``shift``; return the count of all plays."""
    while sources:
        bit = sources & -sources
        sources ^= bit
        plays[count] = play | (_pack_move(get_point(bit), die) << shift)
        count += 1
    return count


@borrowing
def _compute_hash_change(source: int, die: int, is_hit: int) -> int:
    """Return the change of a board's additive hash by a checker move."""
    target = max(source - die, 0)
    change = _POINT_HASH[0, target] - _POINT_HASH[0, source]
    if is_hit:
        change += _POINT_HASH[1, 25] - _POINT_HASH[1, 25 - target]
    return change


@borrowing
def _is_known(hashes: NDArray[np.int64], count: int, wanted: int) -> bool:
    found = 0
    for i in range(count):  # to the end: without an early exit, several are compared at once
        found |= int(hashes[i] == wanted)
    return found != 0


@borrowing
def _add_two_dice_plays(die1: int, die2: int, count: int, scratch: PlayScratch) -> int:
    """Add the results of playing ``die1``, then ``die2``, to ``count`` earlier ones; return the new count."""
    sets, _, _, hashes, plays = scratch
    open_points = int(sets[OPEN])
    blots = int(sets[BLOTS])
    sources1 = _find_sources(int(sets[OCCUPIED]), open_points, die1)
    while sources1:
        bit1 = sources1 & -sources1
        sources1 ^= bit1
        point1 = get_point(bit1)
        move1 = _pack_move(point1, die1)
        hit = (bit1 << die1) & blots
        hash1 = _compute_hash_change(point1, die1, hit)
        occupied = int(sets[OCCUPIED] & ~(bit1 & sets[SINGLE])) | ((bit1 << die1) & ON_BOARD)
        sources2 = _find_sources(occupied, open_points, die2)
        while sources2:
            bit2 = sources2 & -sources2
            sources2 ^= bit2
            point2 = get_point(bit2)
            hash2 = hash1 + _compute_hash_change(point2, die2, (bit2 << die2) & blots & ~hit)
            if _is_known(hashes, count, hash2):
                continue
            move2 = _pack_move(point2, die2)
            plays[count] = move1 | (move2 << 16) if point1 >= point2 else move2 | (move1 << 16)
            hashes[count] = hash2
            count += 1
    return count


@borrowing
def _generate_one_die_plays(die: int, scratch: PlayScratch) -> int:
    """Write the plays of a single die; return their count."""
    sources = _find_sources(int(scratch.sets[OCCUPIED]), int(scratch.sets[OPEN]), die)
    return _append_moves(0, sources, die, 0, scratch.plays, 0)


@borrowing
def generate_two_moves(die1: int, die2: int, scratch: PlayScratch) -> int:
    """List all distinct results of two dice, as `generate_plays`; both may show the same."""
    high, low = max(die1, die2), min(die1, die2)
    scratch.plays[0] = 0
    count = _add_two_dice_plays(high, low, 0, scratch)
    count = _add_two_dice_plays(low, high, count, scratch)
    if count == 0:  # only one die can be played: the larger one if possible
        count = _generate_one_die_plays(high, scratch)
    if count == 0:
        count = _generate_one_die_plays(low, scratch)
    return max(count, 1)


@borrowing
def generate_plays(boards: NDArray[np.int8], at: int, die1: int, die2: int, scratch: PlayScratch) -> int:
    """List all distinct results of a roll.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The row of the position.
        die1: 1..6.
        die2: 1..6.
        scratch: in and out, with the `write_point_sets` of the position; receives the plays.

    Returns:
        How many there are; when no checker can move 1, the same position with sides swapped.
    """
    if die1 != die2:
        return generate_two_moves(die1, die2, scratch)
    scratch.plays[0] = 0
    return max(_generate_doubles_plays(boards, at, die1, scratch), 1)


@borrowing
def write_child(
    boards: NDArray[np.int8], at: int, play: int, children: NDArray[np.int8], target_row: int
) -> None:
    """Write the result of a packed play as the next mover sees it.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The row of the position.
        play: One of its plays.
        children: out, ``int8[m, 2, 26]``.
        target_row: The row to write.
    """
    for point in range(26):
        children[target_row, 0, point] = boards[at, 1, point]
        children[target_row, 1, point] = boards[at, 0, point]
    while play:
        source = play & 255
        target = (play >> 8) & 255
        play >>= 16
        children[target_row, 1, source] -= 1
        children[target_row, 1, target] += 1
        if target > 0 and children[target_row, 0, 25 - target] == 1:
            children[target_row, 0, 25 - target] = 0
            children[target_row, 0, 25] += 1


@borrowing
def write_moves(play: int, moves: NDArray[np.int8], row: int) -> None:
    """Write the checker moves of a packed play to a row of ``int8[m, 8]``."""
    for i in range(8):
        moves[row, i] = (play >> (8 * i)) & 255


@kernel
def expand(
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    start: int,
    double: int,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    offsets: NDArray[np.int64],
) -> int:
    """Write the results of one roll for each of many positions, one after the other.

    Args:
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.
        start: The first position to expand; its children go to ``offsets[start]``.
        double: The checker moves of a double, 4 or 2; a number, which Python hands over sooner than a truth.
        children: out, ``int8[capacity, 2, 26]``.
        moves: out, ``int8[capacity, 8]``.
        offsets: out, ``int64[n + 1]``; the children of position i are at ``offsets[i]:offsets[i + 1]``.

    Returns:
        The number of positions done: less than n when the next one does not fit into ``children``.
    """
    scratch = make_play_scratch()
    for i in range(start, boards.shape[0]):
        write_point_sets(boards, i, 0, scratch.sets)
        die1, die2 = int(dice[i, 0]), int(dice[i, 1])
        if double == 2 or die1 != die2:
            count = generate_two_moves(die1, die2, scratch)
        else:
            count = generate_plays(boards, i, die1, die2, scratch)
        at = offsets[i]
        if at + count > children.shape[0]:
            return i
        for j in range(count):
            write_child(boards, i, int(scratch.plays[j]), children, at + j)
            write_moves(int(scratch.plays[j]), moves, at + j)
        offsets[i + 1] = at + count
    return boards.shape[0]
