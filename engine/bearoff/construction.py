"""Shared parts of both builders: progress, cancelling, memory estimates."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.errors import CancelledWork

ProgressCallback = Callable[[int, int], None]
"""Called with the numbers of positions done and in all."""


@dataclass(frozen=True)
class MemoryEstimate:
    """Memory and disk space that a table needs.

    Attributes:
        building_bytes: Memory during construction.
        file_bytes: Approximate size of the file.
    """

    building_bytes: int
    file_bytes: int


@dataclass(frozen=True)
class PipLayers:
    """The sides of a numbering by pip count.

    Attributes:
        order: ``int32[sides]``, numbers of sides, fewest pips first.
        starts: ``int64[most pips + 2]``: the sides with p pips are ``order[starts[p]:starts[p + 1]]``.
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def from_numbering(cls, numbering: SideNumbering) -> PipLayers:
        """Sort the sides of a numbering."""
        pips = numbering.compute_pips()
        order = np.argsort(pips, kind="stable").astype(np.int32)
        most_pips = numbering.points * numbering.checkers
        return cls(order, np.searchsorted(pips[order], np.arange(most_pips + 2)))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of sides with p pips, ``int64[most pips + 1]``."""
        return np.diff(self.starts)


@contextmanager
def open_thread_pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Open a pool of threads that starts no further work once it is closed."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def raise_if_cancelled(cancel: threading.Event | None) -> None:
    """Stop if the work is cancelled.

    Raises:
        CancelledWork: The event is set.
    """
    if cancel is not None and cancel.is_set():
        raise CancelledWork("building the bearoff database was cancelled")
