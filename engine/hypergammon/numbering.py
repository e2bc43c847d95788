"""The numbers of layouts in files: those with fewer checkers on the board first, then by their points.

Among those with as many on the board, the points ascending count from the least: 1 1, 1 2, ..., 1 25, 2 2. It
is the order of bearoff databases, and of GNU Backgammon's files.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from engine.rules.position import BAR, OFF, Board

MAX_CHECKERS = 3
"""More checkers have too many positions: 95 times as many for four."""


def count_layouts(checkers: int) -> int:
    """Return the number of layouts of a number of checkers."""
    return math.comb(BAR + checkers, checkers)


def list_checkers(checkers: int) -> list[tuple[int, ...]]:
    """Return the points of the checkers on the board, ascending, of all layouts in the order of files."""
    points = range(1, BAR + 1)
    return [
        each
        for on_board in range(checkers + 1)
        for each in itertools.combinations_with_replacement(points, on_board)
    ]


def list_rows(checkers: int) -> NDArray[np.int8]:
    """Return the rows of a board, ``int8[layouts, 26]``, of all layouts in the order of files."""
    places = list_checkers(checkers)
    rows = np.zeros((len(places), BAR + 1), np.int8)
    for row, points in zip(rows, places, strict=True):
        row[OFF] = checkers - len(points)
        for point in points:
            row[point] += 1
    return rows


def number_sides(boards: Board, checkers: int) -> NDArray[np.int64]:
    """Return the numbers in files of both layouts of positions, the player on roll first.

    Args:
        boards: ``int8[n, 2, 26]``, all with this number of checkers a side.
        checkers: 1 to 3.

    Returns:
        ``int64[n, 2]``.
    """
    behind = np.cumsum(boards[:, :, :0:-1], axis=2, dtype=np.int64)[:, :, ::-1]
    numbers: NDArray[np.int64] = _make_rank_table(checkers)[np.arange(BAR), behind].sum(axis=2)
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
