"""Watching a search: how far it is, and whether it has been told to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.errors import CancelledWork
from engine.search.results import Effort, PlayEvaluation, SearchProgress

PROGRESS_EVERY_S = 0.5
"""Reports within a depth come this far apart."""


class SearchWatch:
    """The count of nodes and the stop flag of one search; safe to use from several threads.

    Args:
        cancelled: Asked between blocks of work; stops the search when it says yes.
        progress: Told about each depth that is finished, and every half second in between; called by one
            thread at a time, but not always by the same one.
    """

    def __init__(
        self,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        self._cancelled = cancelled
        self._progress = progress
        self._lock = threading.Lock()
        self._started_s = time.monotonic()
        self._reported_s = self._started_s
        self._plies = 0
        self._nodes = 0

    @property
    def nodes(self) -> int:
        """Positions valued without look-ahead so far."""
        return self._nodes

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started_s

    def effort(self, plies: int, *, is_finished: bool) -> Effort:
        """Return the effort so far, for a depth that was reached."""
        return Effort(plies, is_finished, self._nodes, self.elapsed_s)

    def check(self) -> None:
        """Stop the work if that was asked for.

        Raises:
            CancelledWork: It was.
        """
        if self._cancelled is not None and self._cancelled():
            raise CancelledWork("the search was told to stop")

    def begin_depth(self, plies: int) -> None:
        """Note the depth at work."""
        self._plies = plies

    def end_depth(self, best: PlayEvaluation | None = None) -> None:
        """Report that the depth at work is finished, and which play is the best by it."""
        with self._lock:
            self._report(is_finished=True, best=best)

    def count(self, nodes: int) -> None:
        """Count positions, and report from time to time."""
        with self._lock:
            self._nodes += nodes
            if self._progress is not None and time.monotonic() - self._reported_s >= PROGRESS_EVERY_S:
                self._report(is_finished=False)

    def _report(self, is_finished: bool, best: PlayEvaluation | None = None) -> None:
        self._reported_s = time.monotonic()
        if self._progress is not None:
            self._progress(SearchProgress(self.effort(self._plies, is_finished=is_finished), best))
