"""Which kinds of work take microseconds, so that no thread is needed for them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

QUICK_S = 0.003
"""The longest that work seen to be quick may take; to load a net or compiled code takes longer."""


class QuickWork:
    """The kinds of work at 0-ply that have been seen to be quick; safe to use from several threads.

    The first of a kind loads files and compiled code; from the first quick one on the kind is quick.
    """

    def __init__(self) -> None:
        self._kinds: set[Hashable] = set()

    def __contains__(self, kind: Hashable) -> bool:
        return kind in self._kinds

    @contextmanager
    def time(self, kind: Hashable) -> Iterator[None]:
        """Time one piece of work of a kind."""
        started_s = time.monotonic()
        yield
        if time.monotonic() - started_s < QUICK_S:
            self.add(kind)

    def add(self, kind: Hashable) -> None:
        """Note that work of a kind is quick."""
        self._kinds.add(kind)
