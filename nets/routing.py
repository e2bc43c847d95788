"""Rows of a batch by what judges them."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.kernels import outcomes as kernel_outcomes
from engine.position import Board


def rows_by_class(class_of: NDArray[np.int8], classes: int) -> list[NDArray[np.int64]]:
    """List the rows of each class.

    Args:
        class_of: ``int8[n]``, each 0 to ``classes`` - 1.
        classes: How many there are.

    Returns:
        For each class its rows, ascending.
    """
    rows, counts = np.empty(len(class_of), np.int64), np.zeros(classes, np.int64)
    kernel_outcomes.rows_by_class(class_of, rows, counts)
    ends = list(accumulate(counts.tolist()))
    return [rows[end - count : end] for end, count in zip(ends, counts.tolist(), strict=True)]


def gathered(boards: Board, rows: NDArray[np.int64]) -> Board:
    """Some of the positions, as a new array.

    Args:
        boards: ``int8[n, 2, 26]``.
        rows: ``int64[m]``.

    Returns:
        ``int8[m, 2, 26]``.
    """
    result = np.empty((len(rows), 2, 26), np.int8)
    kernel_outcomes.gather(boards, rows, result)
    return result
