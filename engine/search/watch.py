"""The watch of a search: its progress, and its stop flag."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.results import Effort, RankedPlay

PROGRESS_EVERY_S = 0.5
"""Interval of reports within a depth."""


@dataclass(frozen=True)
class SearchProgress:
    """A report from a search that is running.

    Attributes:
        effort: The effort so far; its plies are the depth at work, or just finished.
        best: The best play at the depth that was just finished; None within a depth, and in searches that
            evaluate positions.
    """

    effort: Effort
    best: RankedPlay | None = None


class SearchWatch:
    """Counts the nodes of one search, reports its progress and stops it; safe to use from several threads.

    Args:
        cancelled: Asked between blocks of work; the search stops when it returns true.
        progress: Called at the end of each depth, and every half second in between; by one thread at a time,
            but not always by the same one.
        from_plies: The first depth whose end is reported.
    """

    def __init__(
        self,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
        from_plies: int = 0,
    ) -> None:
        self._cancelled = cancelled
        self._progress = progress
        self._from_plies = from_plies
        self._lock = threading.Lock()
        self._started_s = time.monotonic()
        self._reported_s = self._started_s
        self._plies = 0
        self._nodes = 0

    @property
    def nodes(self) -> int:
        """Positions evaluated at 0-ply so far."""
        return self._nodes

    def effort(self, plies: int, *, is_finished: bool, is_stored: bool = False) -> Effort:
        """Return the effort so far, for a depth that was reached."""
        return Effort(plies, is_finished, self._nodes, time.monotonic() - self._started_s, is_stored)

    def check(self) -> None:
        """Stop the work if it was cancelled.

        Raises:
            CancelledWork: It was cancelled.
        """
        if self._cancelled is not None and self._cancelled():
            raise CancelledWork("the search was stopped")

    def begin_depth(self, plies: int) -> None:
        """Note the depth at work."""
        self._plies = plies

    def end_depth(self, ranked: Sequence[RankedPlay] = (), *, is_stored: bool = False) -> None:
        """Report the end of the depth at work, and the best of the plays that it ranked, the first."""
        with self._lock:
            self._report(is_finished=True, ranked=ranked, is_stored=is_stored)

    def count(self, nodes: int) -> None:
        """Count positions, and report every `PROGRESS_EVERY_S`."""
        with self._lock:
            self._nodes += nodes
            if self._progress is not None and time.monotonic() - self._reported_s >= PROGRESS_EVERY_S:
                self._report(is_finished=False)

    def _report(self, is_finished: bool, ranked: Sequence[RankedPlay] = (), is_stored: bool = False) -> None:
        self._reported_s = time.monotonic()
        if self._progress is not None and not (is_finished and self._plies < self._from_plies):
            best = ranked[0] if ranked else None
            effort = self.effort(self._plies, is_finished=is_finished, is_stored=is_stored)
            self._progress(SearchProgress(effort, best))
