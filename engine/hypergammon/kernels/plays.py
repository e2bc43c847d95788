"""The plays of every layout of up to three checkers, listed once for all opposing layouts.

What a side can play depends on its own layout, the roll, and the one point that three opposing checkers can
hold. Which blots a play hits depends on the points that it touches. So a play is its resulting layout and the
points that it touches, both for the player who moves, packed in one integer: 12 bits for the layout, then
four times 5 bits for points, 0 for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel

ROLL_COUNT = 21
BAR = 25
MAX_FOUND = 512
"""Above the distinct plays of any roll with three checkers, by result and points touched."""

LAYOUT_BITS = 12
POINT_BITS = 5
LAYOUT_MASK = (1 << LAYOUT_BITS) - 1
POINT_MASK = (1 << POINT_BITS) - 1


class PlayLists(NamedTuple):
    """The plays of all layouts.

    Attributes:
        starts: ``int32[layouts, 25, 21]``: where the plays of a layout against a held point (0: none) begin,
            for each roll.
        counts: ``uint8[layouts, 25, 21]``: how many there are.
        plays: ``uint32[...]``: layout and points touched, packed.
    """

    starts: NDArray[np.int32]
    counts: NDArray[np.uint8]
    plays: NDArray[np.uint32]


@kernel
def list_steps(counts: NDArray[np.int8], numbers: NDArray[np.int64], steps: NDArray[np.int16]) -> None:
    """List where each checker move leads, were no point held.

    Args:
        counts: ``int8[layouts, 26]``: the checkers off, on points 1 to 24 and on the bar.
        numbers: ``int64[26 * 26 * 26]``: the layout with checkers on points a <= b <= c at (26 a + b) 26 + c,
            where absent checkers and those off count as on 0.
        steps: out, ``int16[layouts, 26, 7]``: the layout after a move from a point by a die; -1 if it is
            none.
    """
    steps[:] = -1
    places = np.zeros(3, np.int64)
    for layout in range(counts.shape[0]):
        rear = 0
        for point in range(1, BAR + 1):
            if counts[layout, point] > 0:
                rear = point
        for source in range(1, BAR + 1):
            if counts[layout, source] == 0 or (counts[layout, BAR] > 0 and source < BAR):
                continue
            for die in range(1, 7):
                target = source - die
                if target <= 0 and (rear > 6 or (target < 0 and source < rear)):
                    continue
                at = 2
                has_moved = False
                for point in range(BAR, 0, -1):
                    for _ in range(counts[layout, point]):
                        if point == source and not has_moved:
                            has_moved = True
                            continue
                        places[at] = point
                        at -= 1
                places[at] = max(target, 0)
                for empty in range(at):
                    places[empty] = 0
                while at < 2 and places[at] > places[at + 1]:
                    places[at], places[at + 1] = places[at + 1], places[at]
                    at += 1
                while at > 0 and places[at] < places[at - 1]:
                    places[at], places[at - 1] = places[at - 1], places[at]
                    at -= 1
                steps[layout, source, die] = numbers[(26 * places[0] + places[1]) * 26 + places[2]]


@kernel
def _play_die(
    die: int,
    held: int,
    steps: NDArray[np.int16],
    found: NDArray[np.int64],
    first: int,
    last: int,
    begin: int,
    end: int,
) -> tuple[int, int]:
    """Play a die from each of ``found[first:last]``, and append to ``found[begin:end]`` what is new there.

    Entries are a layout, and above its 12 bits the set of points touched.

    Returns:
        The new end, and the set of points tried, held or not.
    """
    tried = 0
    for at in range(first, last):
        layout = found[at] & LAYOUT_MASK
        for source in range(1, BAR + 1):
            reached = int(steps[layout, source, die])
            if reached < 0:
                continue
            touched = found[at] >> LAYOUT_BITS
            target = source - die
            if target > 0:
                tried |= 1 << target
                if target == held:
                    continue
                touched |= 1 << target
            entry = reached | touched << LAYOUT_BITS
            is_new = True
            for other in range(begin, end):
                if found[other] == entry:
                    is_new = False
                    break
            if is_new:
                found[end] = entry
                end += 1
    return end, tried


@kernel
def _list_roll(
    layout: int, high: int, low: int, held: int, steps: NDArray[np.int16], found: NDArray[np.int64]
) -> tuple[int, int, int]:
    """List in ``found``, ``int64[MAX_FOUND]``, the legal plays of a roll, by result and points touched.

    Nobody may land on the point ``held``, 0 for none.

    Returns:
        Where the plays begin and end in ``found``, and the set of points where some play may try to land.
    """
    found[0] = layout
    tried = 0
    if high == low:
        first, last = 0, 1
        for _ in range(4):
            end, points = _play_die(high, held, steps, found, first, last, last, last)
            tried |= points
            if end == last:
                break
            first, last = last, end
        return first, last, tried
    after_high, points = _play_die(high, held, steps, found, 0, 1, 1, 1)
    tried |= points
    after_low, points = _play_die(low, held, steps, found, 0, 1, after_high, after_high)
    tried |= points
    end, points = _play_die(low, held, steps, found, 1, after_high, after_low, after_low)
    tried |= points
    end, points = _play_die(high, held, steps, found, after_high, after_low, after_low, end)
    tried |= points
    if end > after_low:
        return after_low, end, tried
    if after_high > 1:
        return 1, after_high, tried
    if after_low > after_high:
        return after_high, after_low, tried
    return 0, 1, tried


@kernel
def _pack_play(entry: int) -> int:
    packed = entry & LAYOUT_MASK
    touched = entry >> LAYOUT_BITS
    shift = LAYOUT_BITS
    for point in range(1, BAR):
        if touched >> point & 1:
            packed |= point << shift
            shift += POINT_BITS
    return packed


@kernel
def list_plays(
    steps: NDArray[np.int16],
    starts: NDArray[np.int32],
    counts: NDArray[np.uint8],
    plays: NDArray[np.uint32],
) -> int:
    """List the plays of all layouts and rolls as `PlayLists`, and return how many there are.

    Into an empty ``plays`` they are only counted. A list that is the same as against no held point is not
    repeated. The steps are those of `list_steps`.
    """
    found = np.empty(MAX_FOUND, np.int64)
    at = 0
    for layout in range(starts.shape[0]):
        roll = 0
        for high in range(1, 7):
            for low in range(1, high + 1):
                tried = 0
                for held in range(BAR):
                    if held > 0 and not tried >> held & 1:
                        starts[layout, held, roll] = starts[layout, 0, roll]
                        counts[layout, held, roll] = counts[layout, 0, roll]
                        continue
                    first, end, points = _list_roll(layout, high, low, held, steps, found)
                    if held == 0:
                        tried = points
                    starts[layout, held, roll] = at
                    counts[layout, held, roll] = end - first
                    if plays.shape[0] > 0:
                        for place in range(first, end):
                            plays[at + place - first] = _pack_play(found[place])
                    at += end - first
                roll += 1
    return at
