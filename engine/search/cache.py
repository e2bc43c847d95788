"""A cache of values: bounded, shared by threads, and without influence on results."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.kernels import search as kernel_search
from engine.rules.outcome import Outcome

DEFAULT_ENTRIES = 1 << 17
"""4.5 MiB of outcomes."""

_MAX_TAGS = 4096


class CacheArrays(NamedTuple):
    """The entries of a cache, for kernels.

    Attributes:
        keys: ``int64[entries, 2]``.
        values: ``float32[entries, columns]``.
        lock: ``int64[1]``, taken by the kernels that read or write entries.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float32]
    lock: NDArray[np.int64]


class ValueCache:
    """Values by position and source, in a fixed number of entries.

    Each position and source can use two entries; a new value replaces the older of the two. Keys are exact,
    so a value that is found is bitwise the one that was stored. Safe to use from several threads.

    Args:
        entries: A power of two, 2 or more. An entry takes 16 bytes and 4 for each column.
        columns: Maximum number of columns of a value; sources with fewer leave the others unused.

    Attributes:
        arrays: The entries.

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

    def look_up(self, keys: NDArray[np.int64], tag: int, values: NDArray[np.float32]) -> NDArray[np.int64]:
        """Look values up.

        Args:
            keys: ``int64[n, 2]``, keys of `engine.search.deduplication.DistinctBoards`.
            tag: The number of the source.
            values: out, ``float32[n, k]``, k as in `store`; missing rows are left alone.

        Returns:
            The missing rows, ``int64[m]``, ascending.
        """
        missing = np.empty(len(keys), np.int64)
        count = kernel_search.look_up(keys, tag, *self.arrays, values, missing)
        return missing[:count]

    def store(
        self, keys: NDArray[np.int64], rows: NDArray[np.int64], tag: int, values: NDArray[np.float32]
    ) -> None:
        """Store values.

        Args:
            keys: ``int64[n, 2]``.
            rows: ``int64[m]``, which of them.
            tag: The number of the source.
            values: ``float32[m, k]``, of those rows; k is 1 to `columns`, and always the same for a tag.
        """
        kernel_search.store(keys, rows, tag, values, *self.arrays)
