"""Positions by key: repeated ones merged, and a cache of values, which has no influence on results."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import search as kernel_search
from gammond.engine.kernels.search import CacheArrays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Board

DEFAULT_ENTRIES = 1 << 17
"""4.5 MiB of outcomes."""

_MAX_TAGS = 4096


class DistinctBoards(NamedTuple):
    """Distinct positions.

    Attributes:
        boards: ``int8[u, 2, 26]``, in the order of their first appearance.
        keys: ``int64[u, 2]``, their exact keys; see `gammond.engine.kernels.search`.
        places: ``int64[n]``, the row in `boards` of each original position.
    """

    boards: Board
    keys: NDArray[np.int64]
    places: NDArray[np.int64]


def deduplicate_boards(boards: Board) -> DistinctBoards:
    """Merge repeated positions, ``int8[n, 2, 26]``."""
    return DistinctBoards(*kernel_search.find_distinct(as_kernel_array(boards, np.int8)))


class ValueCache:
    """Values by position and source, in a fixed number of entries.

    Each position and source can use two entries; a new value replaces the older of the two. Keys are exact,
    so a value that is found is bitwise the one that was stored. Safe to use from several threads.

    Args:
        entries: A power of two, 2 or more. An entry takes 16 bytes and 4 for each column.
        columns: Maximum number of columns of a value; sources with fewer leave the others unused.

    Attributes:
        arrays: The entries, for `gammond.engine.kernels.search`.

    Raises:
        ValueRangeError: The number of entries is no power of two, or the columns are less than 1.
    """

    def __init__(self, entries: int = DEFAULT_ENTRIES, columns: int = len(Outcome._fields)) -> None:
        if entries < kernel_search.WAYS or entries & (entries - 1):
            raise ValueRangeError(f"expected a power of two of cache entries, got {entries}", field="cache")
        if columns < 1:
            raise ValueRangeError(f"expected 1 column or more, got {columns}", field="columns")
        self.arrays = CacheArrays(
            np.full((entries, 2), kernel_search.EMPTY, np.int64),
            np.empty((entries, columns), np.float32),
            np.zeros(1, np.int64),
        )
        self._tags: dict[Hashable, int] = {}
        self._next_tag = 0
        self._lock = threading.Lock()

    @property
    def columns(self) -> int:
        """Maximum number of columns of a value."""
        return int(self.arrays.values.shape[1])

    def assign_tag(self, source: Hashable) -> int:
        """Return the number of a source in this cache.

        Args:
            source: Everything that the value of a position depends on; equal sources give bitwise equal
                values.
        """
        with self._lock:
            if source not in self._tags:
                if len(self._tags) == _MAX_TAGS:  # numbers are never reused, so nothing gets mixed up
                    self._tags.clear()
                self._tags[source] = self._next_tag
                self._next_tag += 1
            return self._tags[source]
