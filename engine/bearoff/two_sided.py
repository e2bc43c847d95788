"""Two-sided bearoff: exact winning chances and cubeful money equities of every pair of sides."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff.construction import (
    MemoryEstimate,
    PipLayers,
    ProgressCallback,
    open_thread_pool,
    raise_if_cancelled,
)
from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.numbering import MAX_TWO_SIDED_CHECKERS, MAX_TWO_SIDED_POINTS, SideNumbering
from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.engine.formats.database_file import HEADER_BYTES
from gammond.engine.kernels import bearoff_two_sided as kernel_two_sided
from gammond.engine.rules.outcome import WIN, Outcomes
from gammond.engine.rules.position import Board
from gammond.engine.runtime.machine import choose_thread_count

_CUBELESS_PAIR_BYTES = 12
_CUBEFUL_PAIR_BYTES = 44
_PLAY_LIST_BYTES = 840
"""For each side: 21 entries in the list of results, and up to 8 results a roll on average."""


class TwoSidedTable:
    """A two-sided table, and the evaluator that reads it.

    Args:
        points: 1..12.
        checkers: 1..14.
        wins: ``float32[sides, sides]``, winning chances of the player on roll (first index), read-only: 1
            if it has finished, 0 if only the opponent has.
        equities: ``float32[sides, sides, 3]``, see `cubeful_equities`, read-only; None for a cubeless table.

    Attributes:
        header: The contents of the table.
    """

    kind = BearoffKind.TWO_SIDED
    plies = 0
    is_optimal = True
    """Its values assume best play by both sides: look-ahead cannot improve them."""

    def __init__(
        self,
        points: int,
        checkers: int,
        wins: NDArray[np.float32],
        equities: NDArray[np.float32] | None = None,
    ) -> None:
        self.numbering = make_two_sided_numbering(points, checkers)
        self.header = BearoffHeader(self.kind, points, checkers, equities is not None)
        self.wins = wins
        self.equities = equities

    @classmethod
    def from_payload(cls, header: BearoffHeader, payload: memoryview) -> TwoSidedTable:
        """Read the table in place.

        Raises:
            DataFileError: The payload has the wrong size.
        """
        sides = make_two_sided_numbering(header.points, header.checkers).side_count
        if len(payload) != header.min_payload_bytes:
            raise DataFileError(
                f"expected {header.min_payload_bytes} bytes, got {len(payload)}", field="bearoff"
            )
        numbers = np.frombuffer(payload, "<f4")
        wins = numbers[: sides * sides].reshape(sides, sides)
        equities = numbers[sides * sides :].reshape(sides, sides, 3) if header.cubeful else None
        return cls(header.points, header.checkers, wins, equities)

    @property
    def is_cubeful(self) -> bool:
        """Whether it has cubeful equities."""
        return self.header.cubeful

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        """The payload of its file."""
        return (self.wins,) if self.equities is None else (self.wins, self.equities)

    @cached_property
    def name(self) -> str:
        """The evaluator's name in replies."""
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
        outcomes = np.zeros((len(numbers), 5), np.float32)
        outcomes[:, WIN] = self.wins[numbers[:, 0], numbers[:, 1]]
        return outcomes

    def cubeful_equities(self, boards: Board) -> NDArray[np.float32]:
        """Look up exact money equities, before the roll, if the player on roll does not double now.

        Both sides double, redouble, take, pass and play perfectly, for each state of the cube. There are no
        gammons, so the Jacoby rule changes nothing. Nor do beavers: access to the cube is never worth less
        than none, so no right double leaves the doubler with a negative equity.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 3]`` in points for a cube of 1: centred, owned by the player on roll, owned by the
            other. In finished positions 1 or -1.

        Raises:
            PositionError: A position is not covered.
            UnsupportedError: The table has no equities, see `is_cubeful`.
        """
        if self.equities is None:
            raise UnsupportedError(f"{self.name} has no cubeful equities", field="bearoff")
        numbers = self.numbering.number_boards(boards)
        looked_up: NDArray[np.float32] = self.equities[numbers[:, 0], numbers[:, 1]]
        return looked_up


def make_two_sided_numbering(points: int, checkers: int) -> SideNumbering:
    """Return the numbering of a two-sided table.

    Raises:
        ValueRangeError: Points are not 1..12, or checkers not 1..14.
    """
    if points > MAX_TWO_SIDED_POINTS:
        raise ValueRangeError(
            f"expected 1 to {MAX_TWO_SIDED_POINTS} points for a two-sided database, got {points}",
            field="points",
        )
    if checkers > MAX_TWO_SIDED_CHECKERS:
        raise ValueRangeError(
            f"expected 1 to {MAX_TWO_SIDED_CHECKERS} checkers for a two-sided database, got {checkers}",
            field="checkers",
        )
    return SideNumbering(points, checkers)


def estimate_two_sided_memory(points: int, checkers: int, cubeful: bool = True) -> MemoryEstimate:
    """Return the needs of a table; the size of the file is exact.

    Args:
        points: 1..12.
        checkers: 1..14.
        cubeful: Whether it has equities.

    Raises:
        ValueRangeError: Points or checkers are out of range.
    """
    sides = make_two_sided_numbering(points, checkers).side_count
    pair_bytes = _CUBEFUL_PAIR_BYTES if cubeful else _CUBELESS_PAIR_BYTES
    header = BearoffHeader(BearoffKind.TWO_SIDED, points, checkers, cubeful)
    return MemoryEstimate(
        pair_bytes * sides * sides + _PLAY_LIST_BYTES * sides, HEADER_BYTES + header.min_payload_bytes
    )


def build_two_sided(
    points: int = 6,
    checkers: int = 6,
    *,
    cubeful: bool = True,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
) -> TwoSidedTable:
    """Build a two-sided table; the result does not depend on the threads.

    Args:
        points: 1..12.
        checkers: 1..14, with or without those borne off.
        cubeful: Whether to compute equities beside winning chances.
        threads: The number of threads; None for all cores.
        progress: Called after each layer of equal total pips.
        cancel: Set by another thread to stop the work.

    Raises:
        ValueRangeError: Points or checkers are out of range.
        CancelledWork: It was cancelled.
    """
    numbering = make_two_sided_numbering(points, checkers)
    threads = choose_thread_count(threads)
    layers = PipLayers.from_numbering(numbering)
    starts, results = _list_results(numbering)
    wins = np.empty((numbering.side_count, numbering.side_count))
    cubeful_sides = numbering.side_count if cubeful else 0
    values = np.empty((cubeful_sides, cubeful_sides, 3))
    equities = np.empty(values.shape, "<f4")
    done = np.cumsum(np.convolve(layers.sizes, layers.sizes))
    with open_thread_pool(threads) as pool:
        for total in range(2 * points * checkers + 1):
            raise_if_cancelled(cancel)
            parts = [
                pool.submit(
                    kernel_two_sided.fill_layer,
                    *(total, part, threads, layers.order, layers.starts, starts, results),
                    *(wins, values, equities),
                )
                for part in range(threads)
            ]
            for part in parts:
                part.result()
            if progress is not None:
                progress(int(done[total]), wins.size)
    del values
    rounded = wins.astype("<f4")
    for array in (rounded, equities):
        array.setflags(write=False)
    return TwoSidedTable(points, checkers, rounded, equities if cubeful else None)


def _list_results(numbering: SideNumbering) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = np.empty(kernel_two_sided.ROLL_COUNT * numbering.side_count + 1, np.int64)
    kernel_two_sided.list_results(numbering.ranks, starts, np.empty(0, np.int32))
    results = np.empty(starts[-1], np.int32)
    kernel_two_sided.list_results(numbering.ranks, starts, results)
    return starts, results
