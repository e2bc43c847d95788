"""What GNU Backgammon's ``makehyper`` computes, with plain arrays: its fault with the cube, its plays.

Positions are numbered ``waiting * layouts + on_roll``, as by the solver; the plays are those that
`gammond.engine.hypergammon.layouts` lists.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.hypergammon.kernels.plays import (
    LAYOUT_BITS,
    LAYOUT_MASK,
    POINT_BITS,
    POINT_MASK,
    ROLL_COUNT,
)
from gammond.engine.hypergammon.layouts import Layouts, list_all_plays, number_layouts
from gammond.engine.hypergammon.table import HypergammonTable
from gammond.engine.rules.dice import ROLL_WEIGHTS

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]

OWNED, OPPONENTS, CENTRED, JACOBY = "owned", "opponent's", "centred", "Jacoby"
EQUITIES = {CENTRED: 5, OWNED: 6, OPPONENTS: 7, JACOBY: 8}
"""The columns of a table."""

LARGEST_TIE = 1e-6
"""Plays whose equities differ by less are equally good, up to rounding."""

_LEAST_CHANGE = 1e-8
"""Passes end when they change no value by more."""

_SEEN_BY_OTHER = [0, 3, 4, 1, 2]
"""The columns of an outcome as the other side has them: but for the wins, which are 1 less its own."""


@dataclass(frozen=True)
class Plays:
    """The plays of all rolls in all positions that are not over.

    Attributes:
        layouts: The layouts.
        positions: ``int64[n]``, the positions.
        swapped: ``int64[n]``, the same ones with the other side on roll.
        replies: ``int64[...]``, the positions after the plays, one roll's after the other's.
        starts: ``int64[n * 21]``, where the plays of each roll of each position begin.
        dances: ``bool[n, 21]``, which rolls cannot be played.
    """

    layouts: Layouts
    positions: Numbers
    swapped: Numbers
    replies: Numbers
    starts: Numbers
    dances: NDArray[np.bool_]

    def take_best(self, values: Values) -> Values:
        """Return the value of the best play of each roll, ``float64[n, 21]``, by those of the next mover."""
        return np.maximum.reduceat(-values[self.replies], self.starts).reshape(-1, ROLL_COUNT)

    def find_end(self, roll: int) -> int:
        """Return where the plays of a roll end, counted over all positions."""
        return int(self.starts[roll + 1]) if roll + 1 < len(self.starts) else len(self.replies)


def list_plays(checkers: int) -> Plays:
    """List all plays."""
    layouts = number_layouts(checkers)
    lists, tables, count = list_all_plays(layouts), layouts.tables, len(layouts.counts)
    shared = (tables.points[None, :] & tables.opposing_points[:, None]) != 0
    is_open = ~shared & (tables.rears[None, :] > 0) & (tables.rears[:, None] > 0)
    opposing, own = np.nonzero(is_open)
    held = tables.held[opposing]
    counts = lists.counts[own, held].astype(np.int64).ravel()
    starts = np.cumsum(counts) - counts
    first = lists.starts[own, held].astype(np.int64).ravel()
    plays = lists.plays[np.arange(counts.sum()) + np.repeat(first - starts, counts)].astype(np.int64)
    after = np.repeat(np.repeat(opposing, ROLL_COUNT), counts)
    for place in range(4):
        touched = plays >> LAYOUT_BITS + POINT_BITS * place & POINT_MASK
        after = tables.after_hit[touched * count + after].astype(np.int64)
    only = plays[starts].reshape(-1, ROLL_COUNT)
    return Plays(
        layouts,
        opposing * count + own,
        own * count + opposing,
        (plays & LAYOUT_MASK) * count + after,
        starts,
        (counts.reshape(-1, ROLL_COUNT) == 1) & (only == own[:, None]),
    )


def read_table(table: HypergammonTable, layouts: Layouts) -> Values:
    """Return the values of a table in the order of the solver's positions, ``float64[positions, 9]``."""
    numbers = np.argsort(layouts.places)
    return table.values[numbers[None, :], numbers[:, None]].reshape(-1, 9).astype(np.float64)


def solve_cubeful(plays: Plays, table: HypergammonTable, *, with_fault: bool) -> dict[str, Values]:
    """Return the money equities by the state of the cube, found from those of a table.

    Args:
        plays: All plays.
        table: The values to begin with.
        with_fault: After a roll that cannot be played the player who owned the cube does not own it: his
            opponent does; and who is on roll then may not double.
    """
    read = read_table(table, plays.layouts)
    values = {name: read[:, column].copy() for name, column in EQUITIES.items()}
    count = len(plays.layouts.counts)
    for name, each in values.items():
        ends = np.ones(count) if name == JACOBY else plays.layouts.losses
        by_layouts = each.reshape(count, count)
        by_layouts[0], by_layouts[:, 0] = -ends, ends
    is_over = np.zeros((count, count), bool)
    is_over[0] = is_over[:, 0] = True
    change = 1.0
    while change > _LEAST_CHANGE:
        change = 0.0
        for name, each in values.items():
            reply = values[{OWNED: OPPONENTS, OPPONENTS: OWNED}.get(name, name)]
            if name != OWNED:
                doubled = np.minimum(1.0, 2.0 * values[OPPONENTS])
                reply = np.where(is_over.ravel(), reply, np.maximum(reply, doubled))
            best = plays.take_best(reply)
            if with_fault:
                best = np.where(plays.dances, -each[plays.swapped, None], best)
            fresh = best @ ROLL_WEIGHTS
            change = max(change, float(np.abs(fresh - each[plays.positions]).max()))
            each[plays.positions] = fresh
    return values


def bound_chances(plays: Plays, position: int, equities: Values, chances: Values) -> tuple[Values, Values]:
    """Return the mean over the rolls of the least and of the greatest chances after an equally good play.

    Args:
        plays: All plays.
        position: The position.
        equities: ``float64[positions]``, cubeless: plays with the best are equally good.
        chances: ``float64[positions, 5]``, those of the next mover.

    Returns:
        ``float64[5]`` each.
    """
    low, high = np.zeros(5), np.zeros(5)
    first = int(np.searchsorted(plays.positions, position)) * ROLL_COUNT
    for roll, weight in enumerate(ROLL_WEIGHTS):
        start = plays.starts[first + roll]
        replies = plays.replies[start : plays.find_end(first + roll)]
        best = replies[equities[replies] <= equities[replies].min() + LARGEST_TIE]
        seen = chances[best][:, _SEEN_BY_OTHER]
        seen[:, 0] = 1.0 - seen[:, 0]
        low += weight * seen.min(axis=0)
        high += weight * seen.max(axis=0)
    return low, high
