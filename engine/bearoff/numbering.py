"""The numbering of one side's bearoff positions: the combinatorial rank of the checkers on points 1..n."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import PositionError, ValueRangeError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import bearoff as kernel_bearoff
from gammond.engine.rules.position import CHECKERS, Board

MAX_POINTS = 18
"""With more points backgammons are possible, which the tables do not have."""
MAX_TWO_SIDED_POINTS = 12
"""With more points the sides may have contact."""
MAX_TWO_SIDED_CHECKERS = 14
"""With all 15 on the board gammons are possible, and winning chances are not the whole outcome."""


class SideNumbering:
    """Numbers all sides with up to a number of checkers on points 1 to n, the empty side included.

    Number 0 is the empty side; sides with fewer checkers come first, so a table for more checkers on the same
    points begins with the numbers of a table for fewer; and every checker move leads to a smaller number.

    Args:
        points: 1..18.
        checkers: 1..15.

    Raises:
        ValueRangeError: Points or checkers are out of range.
    """

    def __init__(self, points: int, checkers: int) -> None:
        if not 1 <= points <= MAX_POINTS:
            raise ValueRangeError(
                f"expected 1 to {MAX_POINTS} points for a bearoff database, got {points}", field="points"
            )
        if not 1 <= checkers <= CHECKERS:
            raise ValueRangeError(
                f"expected 1 to {CHECKERS} checkers for a bearoff database, got {checkers}", field="checkers"
            )
        self.points = points
        self.checkers = checkers
        self.side_count = math.comb(points + checkers, checkers)
        self.first_full_side = self.side_count - math.comb(points + checkers - 1, checkers)
        self.ranks = _make_rank_table(points, checkers)

    def compute_pips(self) -> NDArray[np.int32]:
        """Return the pip count of every side, ``int32[sides]``."""
        pips = np.empty(self.side_count, np.int32)
        kernel_bearoff.count_pips(self.ranks, pips)
        return pips

    def sort_by_pips(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Sort the sides by pip count, for builders: a table needs fewer pips before more.

        Returns:
            ``int32[sides]``, the numbers of sides in this order, and ``int64[most pips + 2]``, where in it
            those with p pips begin: they end where those with p + 1 begin.
        """
        pips = self.compute_pips()
        order = np.argsort(pips, kind="stable").astype(np.int32)
        return order, np.searchsorted(pips[order], np.arange(self.points * self.checkers + 2))

    def decode_side(self, number: int) -> NDArray[np.int64]:
        """Return the side with a given number, ``int64[points]``: the checkers on points 1, 2, ....

        Raises:
            ValueRangeError: There is no such number.
        """
        if not 0 <= number < self.side_count:
            raise ValueRangeError(
                f"expected a side number of 0 to {self.side_count - 1}, got {number}", field="number"
            )
        side = np.zeros(self.points + 1, np.int64)
        kernel_bearoff.write_side(number, self.ranks, side)
        return side[1:]

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions have both sides in the numbering and no contact.

        Args:
            boards: ``int8[n, 2, 26]``.
        """
        return self._number_boards(boards)[:, 0] >= 0

    def number_boards(self, boards: Board) -> NDArray[np.int64]:
        """Return the numbers of both sides, the player on roll first, ``int64[n, 2]``.

        Args:
            boards: ``int8[n, 2, 26]``.

        Raises:
            PositionError: A position is not covered.
        """
        numbers = self._number_boards(boards)
        if (numbers < 0).any():
            row = int(np.flatnonzero(numbers[:, 0] < 0)[0])
            raise PositionError(
                f"expected up to {self.checkers} checkers of each side within {self.points} points and no"
                f" contact; position {row} is not such a bearoff",
                field="position",
            )
        return numbers

    def _number_boards(self, boards: Board) -> NDArray[np.int64]:
        boards = as_kernel_array(boards, np.int8)
        numbers = np.empty((len(boards), 2), np.int64)
        kernel_bearoff.number_boards(boards, self.ranks, numbers)
        return numbers


@functools.cache
def _make_rank_table(points: int, checkers: int) -> NDArray[np.int64]:
    table = np.zeros((points + 1, checkers + 1), np.int64)
    for point in range(1, points + 1):
        for above in range(checkers + 1):
            table[point, above] = math.comb(above + points - point, points - point + 1)
    table.setflags(write=False)
    return table
