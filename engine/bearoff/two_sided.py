"""Two-sided bearoff: exact cubeless chances of every pair of sides."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bearoff.building import (
    MemoryNeed,
    PipLayers,
    ReportProgress,
    stop_if_cancelled,
    threads_to_use,
    worker_threads,
)
from engine.bearoff.file_format import BearoffHeader, BearoffKind
from engine.bearoff.numbering import Numbering
from engine.errors import DataFileError, ValueRangeError
from engine.kernels import bearoff_two_sided as kernel_two_sided
from engine.outcome import Outcomes
from engine.position import Board

MAX_TWO_SIDED_POINTS = 12
"""Beyond it two sides may be in contact."""
MAX_TWO_SIDED_CHECKERS = 14
"""With all 15 on the board gammons are possible, and a chance of winning is not all."""


class TwoSidedTable:
    """A two-sided table, and the evaluator that reads it.

    Args:
        points: 1..12.
        checkers: 1..14.
        wins: ``float32[sides, sides]``, the chance of the player on roll (first index), read-only. With the
            player on roll finished it is 1, with only the opponent finished 0.
    """

    kind = BearoffKind.TWO_SIDED
    plies = 0

    def __init__(self, points: int, checkers: int, wins: NDArray[np.float32]) -> None:
        self.numbering = two_sided_numbering(points, checkers)
        self.wins = wins

    @classmethod
    def from_payload(cls, points: int, checkers: int, payload: memoryview) -> TwoSidedTable:
        """Read the table in place.

        Raises:
            DataFileError: The payload has the wrong size.
        """
        sides = two_sided_numbering(points, checkers).sides
        if len(payload) != 4 * sides * sides:
            raise DataFileError(f"expected {sides}² chances, got {len(payload) // 4}", field="bearoff")
        return cls(points, checkers, np.frombuffer(payload, "<f4").reshape(sides, sides))

    @property
    def header(self) -> BearoffHeader:
        """What the table holds."""
        return BearoffHeader(self.kind, self.numbering.points, self.numbering.checkers)

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        """The payload of its file."""
        return (self.wins,)

    @property
    def name(self) -> str:
        """What replies call this judge."""
        return f"bearoff {self.header}"

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are in the table; finished ones may be.

        Args:
            boards: ``int8[n, 2, 26]``.

        Returns:
            ``bool[n]``.
        """
        return self.numbering.covers(boards)

    def evaluate(self, boards: Board) -> Outcomes:
        """Look positions up; no gammon is possible in any of them.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 5]``.

        Raises:
            PositionError: A position is not covered.
        """
        numbers = self.numbering.number_boards(boards)
        outcomes = np.empty((len(numbers), 5), np.float32)
        kernel_two_sided.evaluate(numbers, self.wins, outcomes)
        return outcomes


def two_sided_numbering(points: int, checkers: int) -> Numbering:
    """Return the numbering of a two-sided table.

    Raises:
        ValueRangeError: Points are not 1..12, or checkers not 1..14.
    """
    if points > MAX_TWO_SIDED_POINTS:
        raise ValueRangeError(
            f"a two-sided database has 1 to {MAX_TWO_SIDED_POINTS} points, not {points}", field="points"
        )
    if checkers > MAX_TWO_SIDED_CHECKERS:
        raise ValueRangeError(
            f"a two-sided database has 1 to {MAX_TWO_SIDED_CHECKERS} checkers, not {checkers}",
            field="checkers",
        )
    return Numbering(points, checkers)


def two_sided_memory(points: int, checkers: int) -> MemoryNeed:
    """Say what a table needs: 12 bytes for each pair of sides while it is built, 4 in the file."""
    records = two_sided_numbering(points, checkers).sides ** 2
    return MemoryNeed(12 * records, 4 * records)


def build_two_sided(
    points: int = 6,
    checkers: int = 6,
    *,
    threads: int | None = None,
    progress: ReportProgress | None = None,
    cancel: threading.Event | None = None,
) -> TwoSidedTable:
    """Work out a two-sided table; the result does not depend on the threads.

    Args:
        points: 1..12.
        checkers: 1..14, with or without those borne off.
        threads: How many to use; None for all cores.
        progress: Called after each layer of equal total pips.
        cancel: Set it from another thread to stop the work.

    Raises:
        ValueRangeError: Points or checkers are out of range.
        CancelledWork: It was cancelled.
    """
    numbering = two_sided_numbering(points, checkers)
    threads = threads_to_use(threads)
    layers = PipLayers.of(numbering)
    starts, results = _list_results(numbering)
    wins = np.empty((numbering.sides, numbering.sides))
    done = np.cumsum(np.convolve(layers.sizes, layers.sizes))
    with worker_threads(threads) as pool:
        for total in range(2 * points * checkers + 1):
            stop_if_cancelled(cancel)
            parts = [
                pool.submit(
                    kernel_two_sided.fill_layer,
                    *(total, part, threads, layers.order, layers.starts, starts, results, wins),
                )
                for part in range(threads)
            ]
            for part in parts:
                part.result()
            if progress is not None:
                progress(int(done[total]), wins.size)
    rounded = wins.astype("<f4")
    rounded.setflags(write=False)
    return TwoSidedTable(points, checkers, rounded)


def _list_results(numbering: Numbering) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = np.empty(kernel_two_sided.ROLLS * numbering.sides + 1, np.int64)
    kernel_two_sided.list_results(numbering.ranks, starts, np.empty(0, np.int32))
    results = np.empty(starts[-1], np.int32)
    kernel_two_sided.list_results(numbering.ranks, starts, results)
    return starts, results
