"""Layouts: where the checkers of one side are, their numbers, and what a sweep needs to know of them.

In files, layouts with fewer checkers on the board come first, then those with lower points: 1 1, 1 2, ...,
1 25, 2 2. It is the order of bearoff databases, and of GNU Backgammon's files. `Layouts` have another.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.hypergammon.kernels.levels import LayoutTables
from gammond.engine.hypergammon.kernels.plays import ROLL_COUNT, PlayLists, list_plays, list_steps
from gammond.engine.rules.position import BAR, OFF
from gammond.engine.rules.rules import HYPERGAMMON, HYPERGAMMON_1, HYPERGAMMON_2

VARIANTS = {variant.checkers: variant for variant in (HYPERGAMMON_1, HYPERGAMMON_2, HYPERGAMMON)}
"""What is solved, by the number of checkers: 1 to 3. For four there would be 95 times as many positions."""

MAX_CHECKERS = max(VARIANTS)


def count_layouts(checkers: int) -> int:
    """Return the number of layouts of a number of checkers."""
    return math.comb(BAR + checkers, checkers)


def list_rows(checkers: int) -> NDArray[np.int8]:
    """Return the rows of a board, ``int8[layouts, 26]``, of all layouts in the order of files."""
    rows: list[NDArray[np.int64]] = []
    for on_board in range(checkers + 1):
        for points in itertools.combinations_with_replacement(range(1, BAR + 1), on_board):
            rows.append(np.bincount((OFF,) * (checkers - on_board) + points, minlength=BAR + 1))
    return np.array(rows, np.int8)


def number_rows(rows: NDArray[np.int8], checkers: int) -> NDArray[np.int64]:
    """Return the numbers of layouts in files.

    Args:
        rows: ``int8[..., 26]``, rows of boards with this number of checkers a side.
        checkers: 1 to 3.

    Returns:
        ``int64[...]``.
    """
    behind = np.cumsum(rows[..., :0:-1], axis=-1, dtype=np.int64)[..., ::-1]
    numbers: NDArray[np.int64] = _make_rank_table(checkers)[np.arange(BAR), behind].sum(axis=-1)
    return numbers


@functools.cache
def _make_rank_table(checkers: int) -> NDArray[np.int64]:
    """Return how many layouts come before the least with a number of checkers on a point or behind it.

    The number of a layout is the sum over all points.
    """
    return np.array(
        [
            [math.comb(behind + BAR - point, BAR - point + 1) for behind in range(checkers + 1)]
            for point in range(1, BAR + 1)
        ]
    )


@dataclass(frozen=True)
class Layouts:
    """All layouts of a number of checkers, in the order of the solver.

    Those with checkers on the bar come last: a hit leads there, and what the solver looks up after hits is
    close together in memory. In both parts the order is by pips, the point held and the rearmost checker.

    Attributes:
        checkers: 1 to 3.
        counts: ``int8[layouts, 26]``: checkers off, on points 1 to 24, and on the bar.
        places: ``int64[layouts]``: the place here of each layout in files.
        tables: For the kernels.
    """

    checkers: int
    counts: NDArray[np.int8]
    places: NDArray[np.int64]
    tables: LayoutTables

    @property
    def widest_layer(self) -> int:
        """The most layouts with equal pips."""
        return int(np.diff(self.tables.layer_starts).max())

    @property
    def losses(self) -> NDArray[np.int64]:
        """The points that a player with each layout loses when the opponent has borne off all: 1, 2 or 3."""
        is_gammon = self.counts[:, 0] == 0
        is_backgammon = is_gammon & (self.tables.rears > 18)
        losses: NDArray[np.int64] = 1 + is_gammon.astype(np.int64) + is_backgammon
        return losses


@functools.cache
def number_layouts(checkers: int) -> Layouts:
    """Number the layouts of a number of checkers, 1 to 3."""
    counts = list_rows(checkers)
    pips = counts.astype(np.int64) @ np.arange(26)
    held = 25 - np.where(counts[:, 1:25] > 1, np.arange(1, 25), 25).min(axis=1)
    rears = np.where(counts[:, 1:] > 0, np.arange(1, BAR + 1), 0).max(axis=1)
    order = np.lexsort((rears, held, pips, rears == BAR))
    counts, pips, held, rears = counts[order], pips[order], held[order], rears[order]
    places = np.argsort(order)
    layers = np.argsort(pips, kind="stable")
    groups = np.argsort(held, kind="stable")
    tables = LayoutTables(
        layers.astype(np.int16),
        np.searchsorted(pips[layers], np.arange(checkers * 25 + 2)),
        groups.astype(np.int16),
        np.searchsorted(held[groups], np.arange(26)),
        held.astype(np.int8),
        rears.astype(np.int8),
        ((counts[:, 1:25] > 0) @ (1 << np.arange(1, 25))).astype(np.int32),
        ((counts[:, 24:0:-1] > 0) @ (1 << np.arange(1, 25))).astype(np.int32),
        _list_hits(counts, places, checkers).ravel(),
    )
    return Layouts(checkers, counts, places, tables)


def _list_hits(counts: NDArray[np.int8], places: NDArray[np.int64], checkers: int) -> NDArray[np.int16]:
    after = np.tile(np.arange(len(counts), dtype=np.int16), (25, 1))
    for point in range(1, 25):
        (blots,) = np.nonzero(counts[:, 25 - point] == 1)
        hit = counts[blots]
        hit[:, 25 - point] = 0
        hit[:, BAR] += 1
        after[point, blots] = places[number_rows(hit, checkers)]
    return after


def list_all_plays(layouts: Layouts) -> PlayLists:
    """List the plays of all layouts."""
    count = len(layouts.counts)
    numbers = np.full(26**3, -1, np.int64)
    for number, row in enumerate(layouts.counts):
        points = np.repeat(np.arange(1, 26), row[1:])
        numbers[int((points * 26 ** np.arange(len(points))[::-1]).sum())] = number
    steps = np.empty((count, 26, 7), np.int16)
    list_steps(layouts.counts, numbers, steps)
    starts = np.empty((count, 25, ROLL_COUNT), np.int32)
    counts = np.empty((count, 25, ROLL_COUNT), np.uint8)
    plays = np.empty(list_plays(steps, starts, counts, np.empty(0, np.uint32)), np.uint32)
    list_plays(steps, starts, counts, plays)
    return PlayLists(starts, counts, plays)
