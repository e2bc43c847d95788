"""Two-sided bearoff: exact winning chances and cubeful money equities of every pair of sides."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.numbering import MAX_TWO_SIDED_CHECKERS, MAX_TWO_SIDED_POINTS, SideNumbering
from gammond.engine.bearoff.tables import BearoffTable
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


class TwoSidedTable(BearoffTable):
    """A two-sided table, and the evaluator that reads it."""

    is_optimal = True
    """Its values assume best play by both sides: look-ahead cannot improve them."""

    @classmethod
    def from_payload(cls, header: BearoffHeader, payload: memoryview) -> TwoSidedTable:
        """Read the table in place.

        Raises:
            DataFileError: The payload has the wrong size.
        """
        sides = header.side_count
        if len(payload) != header.min_payload_bytes:
            raise DataFileError(
                f"expected {header.min_payload_bytes} bytes, got {len(payload)}", field="bearoff"
            )
        numbers = np.frombuffer(payload, "<f4")
        wins = numbers[: sides * sides].reshape(sides, sides)
        equities = numbers[sides * sides :].reshape(sides, sides, 3) if header.cubeful else None
        return cls(header, lambda: (wins,) if equities is None else (wins, equities))

    @property
    def is_cubeful(self) -> bool:
        """Whether it has cubeful equities."""
        return self.header.cubeful

    @property
    def wins(self) -> NDArray[np.float32]:
        """``float32[sides, sides]``, winning chances of the player on roll (first index).

        They are 1 if it has finished, 0 if only the opponent has.
        """
        return self.arrays[0]

    @property
    def equities(self) -> NDArray[np.float32] | None:
        """``float32[sides, sides, 3]``, see `cubeful_equities`; None for a cubeless table."""
        return self.arrays[1] if self.is_cubeful else None

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


def estimate_two_sided_bytes(points: int, checkers: int, cubeful: bool = True) -> tuple[int, int]:
    """Return what a table needs: memory to build it, about, and the exact size of the file.

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
    return pair_bytes * sides * sides + _PLAY_LIST_BYTES * sides, HEADER_BYTES + header.min_payload_bytes


def build_two_sided(
    points: int = 6,
    checkers: int = 6,
    *,
    cubeful: bool = True,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TwoSidedTable:
    """Build a two-sided table; the result does not depend on the threads.

    Args:
        points: 1..12.
        checkers: 1..14, with or without those borne off.
        cubeful: Whether to compute equities beside winning chances.
        threads: The number of threads; None for all cores.
        progress: Called after each layer of equal total pips, with the numbers of positions done and in all;
            the work ends if it raises an error.

    Raises:
        ValueRangeError: Points or checkers are out of range.
    """
    numbering = make_two_sided_numbering(points, checkers)
    threads = choose_thread_count(threads)
    order, layer_starts = numbering.sort_by_pips()
    starts, results = _list_results(numbering)
    wins = np.empty((numbering.side_count, numbering.side_count))
    cubeful_sides = numbering.side_count if cubeful else 0
    values = np.empty((cubeful_sides, cubeful_sides, 3))
    equities = np.empty(values.shape, "<f4")
    sizes = np.diff(layer_starts)
    done = np.cumsum(np.convolve(sizes, sizes))
    with ThreadPoolExecutor(threads) as pool:
        for total in range(2 * points * checkers + 1):
            parts = [
                pool.submit(
                    kernel_two_sided.fill_layer,
                    *(total, part, threads, order, layer_starts, starts, results),
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
    arrays = (rounded, equities) if cubeful else (rounded,)
    return TwoSidedTable(BearoffHeader(BearoffKind.TWO_SIDED, points, checkers, cubeful), lambda: arrays)


def _list_results(numbering: SideNumbering) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = np.empty(kernel_two_sided.ROLL_COUNT * numbering.side_count + 1, np.int64)
    kernel_two_sided.list_results(numbering.ranks, starts, np.empty(0, np.int32))
    results = np.empty(starts[-1], np.int32)
    kernel_two_sided.list_results(numbering.ranks, starts, results)
    return starts, results
