"""Rows of a batch by what judges them."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.kernels import outcomes as kernel_outcomes
from engine.rules.position import Board


def group_rows(class_of: NDArray[np.int8], class_count: int) -> list[NDArray[np.int64]]:
    """List the rows of each class.

    Args:
        class_of: ``int8[n]``, each 0 to ``class_count`` - 1.
        class_count: How many there are.

    Returns:
        For each class its rows, ascending.
    """
    rows, counts = np.empty(len(class_of), np.int64), np.zeros(class_count, np.int64)
    kernel_outcomes.group_rows_by_class(class_of, rows, counts)
    ends = list(accumulate(counts.tolist()))
    return [rows[end - count : end] for end, count in zip(ends, counts.tolist(), strict=True)]


def gather_boards(boards: Board, rows: NDArray[np.int64]) -> Board:
    """Some of the positions, as a new array.

    Args:
        boards: ``int8[n, 2, 26]``.
        rows: ``int64[m]``.

    Returns:
        ``int8[m, 2, 26]``.
    """
    result = np.empty((len(rows), 2, 26), np.int8)
    kernel_outcomes.gather_boards(boards, rows, result)
    return result
