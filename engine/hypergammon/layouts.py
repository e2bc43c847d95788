"""Layouts: where the checkers of one side are, their numbers, and what a sweep needs to know of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.hypergammon.kernels.levels import LayoutTables
from engine.hypergammon.kernels.plays import ROLL_COUNT, PlayLists, list_plays, list_steps
from engine.hypergammon.numbering import list_rows
from engine.rules.position import BAR


@dataclass(frozen=True)
class Layouts:
    """All layouts of a number of checkers, numbered.

    Those with checkers on the bar come last: a hit leads there, and what the solver looks up after hits is
    close together in memory. In both parts the order is by pips, the point held and the rearmost checker.

    Attributes:
        checkers: 1 to 3.
        counts: ``int8[layouts, 26]``: checkers off, on points 1 to 24, and on the bar.
        file_numbers: ``int64[layouts]``: the number of each layout in files: those with fewer checkers on the
            board first, then by the points of the checkers, the foremost first.
        tables: For the kernels.
    """

    checkers: int
    counts: NDArray[np.int8]
    file_numbers: NDArray[np.int64]
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
    layers = np.argsort(pips, kind="stable")
    groups = np.argsort(held, kind="stable")
    return Layouts(
        checkers,
        counts,
        order.astype(np.int64),
        LayoutTables(
            layers.astype(np.int16),
            np.searchsorted(pips[layers], np.arange(checkers * 25 + 2)),
            groups.astype(np.int16),
            np.searchsorted(held[groups], np.arange(26)),
            held.astype(np.int8),
            rears.astype(np.int8),
            ((counts[:, 1:25] > 0) @ (1 << np.arange(1, 25))).astype(np.int32),
            ((counts[:, 24:0:-1] > 0) @ (1 << np.arange(1, 25))).astype(np.int32),
            _list_hits(counts).ravel(),
        ),
    )


def list_all_plays(layouts: Layouts) -> PlayLists:
    """List the plays of all layouts."""
    count = len(layouts.counts)
    steps = np.empty((count, 26, 7), np.int16)
    list_steps(layouts.counts, _index_by_points(layouts.counts), steps)
    starts = np.empty((count, 25, ROLL_COUNT), np.int32)
    counts = np.empty((count, 25, ROLL_COUNT), np.uint8)
    plays = np.empty(list_plays(steps, starts, counts, np.empty(0, np.uint32)), np.uint32)
    list_plays(steps, starts, counts, plays)
    return PlayLists(starts, counts, plays)


def _list_hits(counts: NDArray[np.int8]) -> NDArray[np.int16]:
    numbers = {row.tobytes(): number for number, row in enumerate(counts)}
    after = np.empty((25, len(counts)), np.int16)
    after[:] = np.arange(len(counts))
    for point in range(1, 25):
        for number in np.flatnonzero(counts[:, 25 - point] == 1):
            hit = counts[number].copy()
            hit[25 - point] = 0
            hit[BAR] += 1
            after[point, number] = numbers[hit.tobytes()]
    return after


def _index_by_points(counts: NDArray[np.int8]) -> NDArray[np.int64]:
    index = np.full(26**3, -1, np.int64)
    for number, row in enumerate(counts):
        points = np.repeat(np.arange(1, 26), row[1:])
        index[int((points * 26 ** np.arange(len(points))[::-1]).sum())] = number
    return index
