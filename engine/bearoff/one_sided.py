"""One-sided bearoff: distributions of the rolls a side needs to bear off all checkers, and its first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.bearoff.tables import BearoffTable
from gammond.engine.errors import DataFileError
from gammond.engine.formats.database_file import HEADER_BYTES
from gammond.engine.kernels import bearoff_one_sided as kernel_one_sided
from gammond.engine.kernels.bearoff_one_sided import Distributions
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import CHECKERS, Board
from gammond.engine.runtime.machine import choose_thread_count

_CHUNK = 1024
_ROW_BYTES = 10
_BUILDING_ROW_BYTES = 30


class OneSidedTable(BearoffTable):
    """A one-sided table, and the evaluator that compares two of its distributions.

    Row i, up to the number of sides, is the distribution of the rolls that side i needs to bear off all
    checkers. With 15 checkers, rows for the first checker off follow, one for each side that still has all of
    them.
    """

    is_optimal = False
    """Each side plays as if alone: look-ahead finds better plays in some positions."""

    @cached_property
    def distributions(self) -> Distributions:
        """The rows."""
        return Distributions(self.numbering.side_count, *self.arrays)

    @classmethod
    def from_payload(cls, header: BearoffHeader, payload: memoryview) -> OneSidedTable:
        """Read the table in place.

        Raises:
            DataFileError: The payload has the wrong size, or a row is outside it.
        """
        numbering = SideNumbering(header.points, header.checkers)
        rows = _count_rows(numbering)
        value_bytes = len(payload) - _ROW_BYTES * rows
        if value_bytes < 0 or value_bytes % 4:
            raise DataFileError(f"{len(payload)} bytes cannot hold {rows} rows", field="bearoff")
        starts = np.frombuffer(payload[: 8 * rows], "<u8")
        values = np.frombuffer(payload[8 * rows : 8 * rows + value_bytes], "<f4")
        firsts = np.frombuffer(payload[8 * rows + value_bytes : 9 * rows + value_bytes], np.uint8)
        counts = np.frombuffer(payload[9 * rows + value_bytes :], np.uint8)
        if (starts > len(values)).any() or (starts + counts > len(values)).any():
            raise DataFileError("a row is outside the values", field="bearoff")
        return cls(header, lambda: (starts, values, firsts, counts))

    def roll_distribution(self, number: int) -> NDArray[np.float32]:
        """Return the probabilities of needing 0, 1, 2, ... rolls to bear off all checkers.

        Args:
            number: The number of a side; `SideNumbering.side_count` and more for the first checker of a side
                that has all 15, in the order of the numbers.
        """
        _, starts, values, firsts, counts = self.distributions
        chances = values[int(starts[number]) :][: int(counts[number])]
        return np.concatenate([np.zeros(firsts[number], np.float32), chances])

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions as if each side played alone: for the win, and for the first checker off.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 5]``; the backgammons are 0.

        Raises:
            PositionError: A position is not covered.
        """
        numbers = self.numbering.number_boards(boards)
        outcomes = np.empty((len(numbers), 5), np.float32)
        kernel_one_sided.evaluate(self.distributions, numbers, outcomes)
        return outcomes


def estimate_one_sided_bytes(points: int, checkers: int) -> tuple[int, int]:
    """Return what a table needs at most: memory to build it, and the size of the file.

    A row has 4 + points probabilities at most.
    """
    numbering = SideNumbering(points, checkers)
    rows = _count_rows(numbering)
    value_bytes = 4 * rows * (4 + points)
    return 2 * value_bytes + _BUILDING_ROW_BYTES * rows, HEADER_BYTES + value_bytes + _ROW_BYTES * rows


def build_one_sided(
    points: int = 6,
    checkers: int = CHECKERS,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> OneSidedTable:
    """Build a one-sided table; the result does not depend on the threads.

    Args:
        points: 1..18.
        checkers: 1..15; only 15 get rows for the first checker off, since a gammon needs all 15 on the board.
        threads: The number of threads; None for all cores.
        progress: Called after each part of a layer of equal pips, with the numbers of sides done and in all;
            the work ends if it raises an error.

    Raises:
        ValueRangeError: Points or checkers are out of range.
    """
    numbering = SideNumbering(points, checkers)
    threads = choose_thread_count(threads)
    order, starts = numbering.sort_by_pips()
    table = _OneSidedBuilder(numbering)
    pool = ThreadPoolExecutor(threads)
    try:
        for first, last in itertools.pairwise(starts):
            chunks = list(_split_layer(order[first:last], threads))
            done = int(first)
            for chunk, stored in zip(chunks, pool.map(table.fill, chunks), strict=True):
                table.append(chunk, stored)
                done += len(chunk)
                if progress is not None:
                    progress(done, numbering.side_count)
    finally:
        pool.shutdown(cancel_futures=True)
    return table.build()


def _count_rows(numbering: SideNumbering) -> int:
    """Return the number of rows: all sides, and with 15 checkers the full sides again."""
    return numbering.side_count + (
        numbering.side_count - numbering.first_full_side if numbering.checkers == CHECKERS else 0
    )


def _bound_rolls(numbering: SideNumbering) -> int:
    """Return a bound on the rolls a side can need: each takes three pips, or two of the last checkers."""
    return numbering.checkers * (numbering.points - 1) // 3 + numbering.checkers // 2 + 3


def _split_layer(layer: NDArray[np.int32], threads: int) -> Iterator[NDArray[np.int32]]:
    size = max(1, min(_CHUNK, -(-len(layer) // threads)))
    for first in range(0, len(layer), size):
        yield layer[first : first + size]


class _OneSidedBuilder:
    """A one-sided table under construction, its values in the order of construction."""

    def __init__(self, numbering: SideNumbering) -> None:
        self._numbering = numbering
        rows = _count_rows(numbering)
        self._rows = Distributions(
            numbering.side_count,
            starts=np.zeros(rows, np.uint64),
            values=np.empty(2 * _CHUNK * (_bound_rolls(numbering) + 1), "<f4"),
            firsts=np.zeros(rows, np.uint8),
            counts=np.zeros(rows, np.uint8),
        )
        self._means = np.zeros(rows)
        self._used = 0

    def fill(self, chunk: NDArray[np.int32]) -> NDArray[np.float32]:
        stored = np.empty((len(chunk), 2, _bound_rolls(self._numbering) + 1), np.float32)
        kernel_one_sided.fill_chunk(chunk, self._numbering.ranks, self._rows, self._means, stored)
        return stored

    def append(self, chunk: NDArray[np.int32], stored: NDArray[np.float32]) -> None:
        values = self._rows.values
        if self._used + stored.size > len(values):  # readers keep the shorter array, which has what they read
            longer = np.empty(2 * len(values), "<f4")
            longer[: self._used] = values[: self._used]
            self._rows = self._rows._replace(values=longer)
        self._used = kernel_one_sided.append_chunk(chunk, stored, self._used, self._rows)

    def build(self) -> OneSidedTable:
        rows = self._rows._replace(values=self._rows.values[: self._used].copy())
        for array in rows[1:]:
            array.setflags(write=False)
        header = BearoffHeader(BearoffKind.ONE_SIDED, self._numbering.points, self._numbering.checkers)
        return OneSidedTable(header, lambda: rows[1:])
