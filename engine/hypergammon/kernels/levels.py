"""Policy iteration over all positions: the best plays, and what positions are worth under given plays.

A position is a pair of layouts, and ``values[waiting * layouts + on_roll]`` is what it is worth to the player
on roll before the roll. The best plays are sought for one layout on roll against all opposing ones that hold
the same point. What positions are worth is computed by levels of total pips, the fewest first: a play that
hits nothing leads to fewer pips in all, so that only what depends on hits needs another pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.hypergammon.kernels.plays import (
    BAR,
    LAYOUT_BITS,
    LAYOUT_MASK,
    POINT_BITS,
    POINT_MASK,
    ROLL_COUNT,
    PlayLists,
)
from gammond.engine.kernels import inlined, kernel

_NOTHING = 1e9
_WEIGHTS = np.array([1.0 if low == high else 2.0 for high in range(1, 7) for low in range(1, high + 1)])
"""How many of the 36 throws are each roll."""

_CHOICE_BITS = 4
_CHOICE_MASK = 15
CHOICE_BYTES = 11
"""Two rolls share a byte of the choices of a position."""


class LayoutTables(NamedTuple):
    """What the steps need to know of the layouts.

    Attributes:
        layers: ``int16[layouts]``: the layouts by pips.
        layer_starts: ``int64[most pips + 2]``: the layouts with p pips are in ``layers`` from
            ``layer_starts[p]`` to before ``layer_starts[p + 1]``.
        groups: ``int16[layouts]``: the layouts by the point that they hold.
        group_starts: ``int64[26]``: the layouts that hold the opponent's point h, 0 for none, are in
            ``groups`` from ``group_starts[h]`` to before ``group_starts[h + 1]``.
        held: ``int8[layouts]``: the opponent's point that the layout holds, 0 for none.
        rears: ``int8[layouts]``: the rearmost checker, 25 for the bar, 0 if all are off.
        points: ``int32[layouts]``: the set of the points held or with a blot.
        opposing_points: ``int32[layouts]``: the same points as the opponent numbers them.
        after_hit: ``int16[25 * layouts]``: at ``point * layouts + layout`` the layout after a hit on the
            opponent's point: the layout itself where it has no blot there.
    """

    layers: NDArray[np.int16]
    layer_starts: NDArray[np.int64]
    groups: NDArray[np.int16]
    group_starts: NDArray[np.int64]
    held: NDArray[np.int8]
    rears: NDArray[np.int8]
    points: NDArray[np.int32]
    opposing_points: NDArray[np.int32]
    after_hit: NDArray[np.int16]


@inlined
def _is_settled(own: int, opposing: int, with_races: bool, tables: LayoutTables) -> bool:
    """Return whether a position is none, is over, or is a race where those are left out."""
    rear, opposing_rear = int(tables.rears[own]), int(tables.rears[opposing])
    if rear == 0 or opposing_rear == 0 or tables.points[own] & tables.opposing_points[opposing]:
        return True
    return not with_races and rear + opposing_rear <= BAR


@inlined
def _follow_hits(play: int, is_double: bool, opposing: int, after_hit: NDArray[np.int16]) -> int:
    """Return the opposing layout after what a play hits: on two points at most, or four by a double."""
    layouts = after_hit.shape[0] // BAR
    touched = play >> LAYOUT_BITS
    after = int(after_hit[(touched & POINT_MASK) * layouts + opposing])
    after = int(after_hit[(touched >> POINT_BITS & POINT_MASK) * layouts + after])
    if is_double:
        after = int(after_hit[(touched >> 2 * POINT_BITS & POINT_MASK) * layouts + after])
        after = int(after_hit[(touched >> 3 * POINT_BITS) * layouts + after])
    return after


@inlined
def _compare(
    play: int,
    choice: int,
    after_hit: NDArray[np.int16],
    places: NDArray[np.int16],
    first: int,
    end: int,
    values: NDArray[np.float64],
    least: NDArray[np.float64],
    chosen: NDArray[np.uint8],
) -> None:
    """Lower ``least``, and set ``chosen``, where a play against a range of opposing layouts is better."""
    layouts = after_hit.shape[0] // BAR
    base = (play & LAYOUT_MASK) * layouts
    touched = play >> LAYOUT_BITS
    hit1 = (touched & POINT_MASK) * layouts
    hit2 = (touched >> POINT_BITS & POINT_MASK) * layouts
    others = touched >> 2 * POINT_BITS
    hit3 = (others & POINT_MASK) * layouts
    hit4 = (others >> POINT_BITS) * layouts
    for at in range(first, end):
        after = int(after_hit[hit2 + int(after_hit[hit1 + int(places[at])])])
        if others != 0:
            after = int(after_hit[hit4 + int(after_hit[hit3 + after])])
        value = values[base + after]
        if value < least[at]:
            least[at] = value
            chosen[at] = choice


@kernel
def _list_open_places(
    own: int, tables: LayoutTables, places: NDArray[np.int16], ends: NDArray[np.int64]
) -> int:
    """List the layouts against which one has still to play, by the point that they hold; return how many.

    ``ends``, ``int64[25]``, is where in ``places`` those that hold each point end.
    """
    found = 0
    for held in range(BAR):
        for at in range(tables.group_starts[held], tables.group_starts[held + 1]):
            places[found] = tables.groups[at]
            if not _is_settled(own, int(tables.groups[at]), True, tables):
                found += 1
        ends[held] = found
    return found


@kernel
def _choose_for_roll(
    own: int,
    roll: int,
    tables: LayoutTables,
    lists: PlayLists,
    places: NDArray[np.int16],
    ends: NDArray[np.int64],
    values: NDArray[np.float64],
    least: NDArray[np.float64],
    chosen: NDArray[np.uint8],
) -> None:
    """Find the best plays of a roll: what they leave the next mover, and their places in the lists."""
    for place in range(ends[BAR - 1]):
        least[place] = _NOTHING
    for held in range(BAR):
        first = ends[held - 1] if held > 0 else 0
        start = int(lists.starts[own, held, roll])
        for choice in range(int(lists.counts[own, held, roll]) if ends[held] > first else 0):
            play = int(lists.plays[start + choice])
            _compare(play, choice, tables.after_hit, places, first, ends[held], values, least, chosen)


@kernel
def choose_plays(
    part: int,
    parts: int,
    tables: LayoutTables,
    lists: PlayLists,
    replies: NDArray[np.float64],
    doubled: NDArray[np.float64],
    values: NDArray[np.float64],
    choices: NDArray[np.uint8],
) -> float:
    """Choose the best play of every roll in all positions, the first of equal ones.

    Args:
        part: Which part of the layouts on roll, 0..parts - 1.
        parts: The number of parts.
        tables: The layouts.
        lists: Their plays.
        replies: ``float64[layouts * layouts]``, what positions after a play are worth to the next mover.
        doubled: As `store_level`.
        values: ``float64[layouts * layouts]``, what positions are worth now.
        choices: out, ``uint8[layouts * 11 * layouts]``: for a layout on roll two rolls to a row of opposing
            layouts, four bits each: the places of the plays in their lists.

    Returns:
        The largest difference between ``values`` and what the best plays give.
    """
    layouts = tables.held.shape[0]
    least = np.empty(layouts)
    totals = np.empty(layouts)
    chosen = np.empty(layouts, np.uint8)
    places = np.empty(layouts, np.int16)
    ends = np.empty(BAR, np.int64)
    largest = 0.0
    for own in range(part, layouts, parts):
        found = _list_open_places(own, tables, places, ends)
        for place in range(found):
            totals[place] = 0.0
        for roll in range(ROLL_COUNT):
            _choose_for_roll(own, roll, tables, lists, places, ends, replies, least, chosen)
            row = (own * CHOICE_BYTES + roll // 2) * layouts
            for place in range(found):
                at = row + int(places[place])
                totals[place] += _WEIGHTS[roll] * least[place]
                before = 0 if roll % 2 == 0 else int(choices[at])
                choices[at] = before | int(chosen[place]) << _CHOICE_BITS * (roll % 2)
        for place in range(found):
            at = int(places[place]) * layouts + own
            value = -totals[place] / 36.0
            if doubled.shape[0] > 0:
                value = max(value, min(1.0, 2.0 * doubled[at]))
            largest = max(largest, abs(value - values[at]))
    return largest


@kernel
def follow_choices(
    part: int,
    parts: int,
    total: int,
    with_races: bool,
    sign: float,
    tables: LayoutTables,
    lists: PlayLists,
    choices: NDArray[np.uint8],
    replies: NDArray[np.float64],
    fresh: NDArray[np.float64],
) -> None:
    """Compute the mean of what the chosen plays of all rolls lead to, for the positions of a level.

    Args:
        part: Which part of the layouts on roll, 0..parts - 1.
        parts: The number of parts.
        total: The pips of both players.
        with_races: Whether races are computed too.
        sign: -1 if what one player wins the other loses, 1 if the values are the same for both.
        tables: The layouts.
        lists: Their plays.
        choices: As `choose_plays`.
        replies: ``float64[layouts * layouts * k]``, one or two values of the next mover for each position.
        fresh: out, ``float64[layouts, widest layer, k]``: for a layout on roll, its positions of the level.
    """
    columns = fresh.shape[2]
    layouts = tables.held.shape[0]
    most_pips = tables.layer_starts.shape[0] - 2
    starts = lists.starts.ravel()
    for own_pips in range(max(1, total - most_pips), min(total - 1, most_pips) + 1):
        layer = tables.layer_starts[total - own_pips]
        width = tables.layer_starts[total - own_pips + 1] - layer
        for own_at in range(tables.layer_starts[own_pips], tables.layer_starts[own_pips + 1]):
            own = int(tables.layers[own_at])
            if own % parts != part:
                continue
            for at in range(width):
                opposing = int(tables.layers[layer + at])
                if _is_settled(own, opposing, with_races, tables):
                    continue
                lists_at = (own * BAR + int(tables.held[opposing])) * ROLL_COUNT
                row = own * CHOICE_BYTES * layouts + opposing
                sum0, sum1 = 0.0, 0.0
                for roll in range(ROLL_COUNT):
                    both = int(choices[row + roll // 2 * layouts])
                    choice = both >> _CHOICE_BITS * (roll % 2) & _CHOICE_MASK
                    play = int(lists.plays[starts[lists_at + roll] + choice])
                    weight = _WEIGHTS[roll]
                    after = _follow_hits(play, weight == 1.0, opposing, tables.after_hit)
                    reply = ((play & LAYOUT_MASK) * layouts + after) * columns
                    sum0 += weight * replies[reply]
                    if columns > 1:
                        sum1 += weight * replies[reply + 1]
                fresh[own, at, 0] = sign * sum0 / 36.0
                if columns > 1:
                    fresh[own, at, 1] = sign * sum1 / 36.0


@kernel
def store_level(
    part: int,
    parts: int,
    total: int,
    with_races: bool,
    tables: LayoutTables,
    fresh: NDArray[np.float64],
    doubled: NDArray[np.float64],
    values: NDArray[np.float64],
    changes: NDArray[np.float32],
) -> float:
    """Store what `follow_choices` computed for the positions of a level, and return the largest change.

    ``doubled``, ``float64[layouts * layouts]``, is what positions are worth to the player on roll with a cube
    of 1 that the opponent owns: then he may double before he rolls, and the opponent takes or passes; empty
    where he may not. ``values``, in and out, are ``float64[layouts * layouts * k]``, of which only a single
    column knows doubles. ``changes``, ``float32`` likewise, is what was added to each; empty if not wanted.
    """
    layouts = tables.held.shape[0]
    most_pips = tables.layer_starts.shape[0] - 2
    columns = fresh.shape[2]
    largest = 0.0
    for own_pips in range(max(1, total - most_pips), min(total - 1, most_pips) + 1):
        layer = tables.layer_starts[total - own_pips]
        width = tables.layer_starts[total - own_pips + 1] - layer
        for own_at in range(tables.layer_starts[own_pips], tables.layer_starts[own_pips + 1]):
            own = int(tables.layers[own_at])
            if own % parts != part:
                continue
            for at in range(width):
                opposing = int(tables.layers[layer + at])
                if _is_settled(own, opposing, with_races, tables):
                    continue
                place = opposing * layouts + own
                for column in range(columns):
                    value = fresh[own, at, column]
                    if doubled.shape[0] > 0:
                        value = max(value, min(1.0, 2.0 * doubled[place]))
                    change = value - values[place * columns + column]
                    largest = max(largest, abs(change))
                    values[place * columns + column] = value
                    if changes.shape[0] > 0:
                        changes[place * columns + column] = change
    return largest
