"""The memory in front of a store: what was asked for or kept lately."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable
from math import inf
from operator import attrgetter

from engine.store.entries import KeptEntry, StoreQuestion

MAX_REMEMBERED = 10_000
"""Questions in memory: some 10 MB of positions, or 30 MB of plays."""

MAX_REMEMBERED_BYTES = 64 << 20
"""What their values may take, for rolls with thousands of plays."""

READ_AGAIN_S = 60.0
"""How long memory answers those who would take a deeper entry before the file is asked for one again."""

StoreKey = tuple[StoreQuestion, str]
"""A question, and the digest of the engine that answers it."""


class EntryMemory:
    """Entries by question and depth; beyond the bounds, the questions that were asked the longest ago go.

    Not for several threads.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[StoreKey, dict[int, KeptEntry]] = OrderedDict()
        self._bytes = 0
        self._read_s: dict[StoreKey, float] = {}

    def __len__(self) -> int:
        """Return how many questions there are."""
        return len(self._entries)

    def find(self, key: StoreKey, plies: int, *, allow_deeper: bool) -> KeptEntry | None:
        """Return the entry of a depth, or the deepest one beyond it where that is allowed; None if none fits.

        Where a deeper one is allowed, and another process may have added one, there is none of the depth.
        """
        if (known := self._entries.get(key)) is None:
            return None
        self._entries.move_to_end(key)
        if allow_deeper and max(known) <= plies and self._is_old(key):
            return None
        return choose_entry(known.values(), plies, allow_deeper=allow_deeper)

    def add(self, key: StoreKey, entry: KeptEntry) -> None:
        """Add an entry, unless there is one of that depth."""
        known = self._entries.setdefault(key, {})
        self._entries.move_to_end(key)
        if entry.plies in known:
            return
        known[entry.plies] = entry
        self._bytes += entry.size
        while len(self._entries) > MAX_REMEMBERED or self._bytes > MAX_REMEMBERED_BYTES:
            oldest, entries = self._entries.popitem(last=False)
            self._bytes -= sum(each.size for each in entries.values())
            self._read_s.pop(oldest, None)

    def add_read(self, key: StoreKey, entries: Iterable[KeptEntry]) -> list[KeptEntry]:
        """Add what was read of a question from the file, and return all that there is of it now."""
        for each in entries:
            self.add(key, each)
        known = self._entries.get(key, {})
        if known:
            self._read_s[key] = time.monotonic()
        return list(known.values())

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self._read_s.clear()
        self._bytes = 0

    def _is_old(self, key: StoreKey) -> bool:
        """Return whether it is long ago that what there is of a question was read from the file."""
        return time.monotonic() - self._read_s.get(key, -inf) > READ_AGAIN_S


def choose_entry(entries: Iterable[KeptEntry], plies: int, *, allow_deeper: bool) -> KeptEntry | None:
    """Return the entry of a depth, or the deepest one beyond it where that is allowed; None if none fits."""
    fitting = [each for each in entries if each.plies == plies or (allow_deeper and each.plies > plies)]
    return max(fitting, key=attrgetter("plies"), default=None)
