"""Batches of work as long as a stop may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from engine.errors import CancelledWork

BATCH_S = 0.02
"""Target time of a batch of work: short, so that a stop takes effect well within a tenth of a second."""

INITIAL_ROWS = 32
MAX_ROWS = 4096


class AdaptiveBatcher:
    """Learns how many rows of one kind of work take `BATCH_S`. For use from one thread.

    Args:
        cancelled: Asked before each batch.
    """

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled
        self._rows = INITIAL_ROWS

    def iter_batches(self, rows: int) -> Iterator[slice]:
        """Cut rows into slices; the work on each is done before the next one is asked for.

        Raises:
            CancelledWork: The work was cancelled.
        """
        start = 0
        while start < rows:
            if self._cancelled():
                raise CancelledWork("the rollout was stopped")
            stop = min(start + self._rows, rows)
            began_s = time.perf_counter()
            yield slice(start, stop)
            self._adapt(stop - start, time.perf_counter() - began_s)
            start = stop

    def _adapt(self, rows: int, took_s: float) -> None:
        wanted = int(rows * BATCH_S / max(took_s, 1e-6))
        if wanted < self._rows or rows == self._rows:
            self._rows = max(1, min(wanted, 4 * self._rows, MAX_ROWS))
