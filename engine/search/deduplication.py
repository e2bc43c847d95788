"""Repeated positions merged, so that each is evaluated once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels import search as kernel_search
from engine.rules.position import Board


@dataclass(frozen=True)
class DistinctBoards:
    """Distinct positions.

    Attributes:
        boards: ``int8[u, 2, 26]``, in the order of their first appearance.
        keys: ``int64[u, 2]``, their exact keys; see `engine.kernels.search`.
        places: ``int64[n]``, the row in `boards` of each original position.
    """

    boards: Board
    keys: NDArray[np.int64]
    places: NDArray[np.int64]


def deduplicate_boards(boards: Board) -> DistinctBoards:
    """Merge repeated positions.

    Args:
        boards: ``int8[n, 2, 26]``, C-contiguous and writable: one signature of the kernel, compiled once.
    """
    count = len(boards)
    keys = np.empty((count, 2), np.int64)
    table = np.full(2 << count.bit_length(), kernel_search.EMPTY, np.int32)
    first = np.empty(count, np.int64)
    places = np.empty(count, np.int64)
    found = kernel_search.find_distinct(boards, keys, table, first, places)
    if found == count:
        return DistinctBoards(boards, keys, places)
    first = first[:found]
    return DistinctBoards(boards[first], keys[first], places)
