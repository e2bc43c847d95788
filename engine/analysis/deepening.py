"""Deepening: what is asked often is searched deeper, and kept, while nobody waits for the processor."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from gammond.engine.errors import CancelledWork, DataFileError, GammondError
from gammond.engine.search.watch import SearchWatch
from gammond.engine.store.database import DEFAULT_TIERS, DepthTiers, DueQuestion
from gammond.engine.store.entries import EngineIdentity, KeptEntry, StoreQuestion
from gammond.engine.store.store import AnalysisStore

MAX_SEARCH_S = 60.0
"""A search that takes longer is given up: many others are worth more in that time."""

_BATCH = 100
"""How many questions are looked up at a time; visits that come in meanwhile count for the next ones."""

_MAX_LEFT = 1000
"""How many questions are remembered as left; the oldest are tried again after them."""

EntrySearch = Callable[[StoreQuestion, int, SearchWatch], KeptEntry]


class Deepening:
    """Searches the questions of a store deeper, one at a time, each a ply deeper than what is kept of it.

    What was asked most often for the time that it takes comes first (`StoreDatabase.list_due`).

    Args:
        store: Has the questions, and keeps what is found.
        search: Searches for the answer to a question at a depth, under a watch, as `Engine.search_entry`.
        identity: Identifies its entries.
        tiers: How deep, by visits.
        max_search_s: The time for one search; what takes longer is left as it is.
        clock: Seconds of a clock that never goes back.
    """

    def __init__(
        self,
        store: AnalysisStore,
        search: EntrySearch,
        identity: EngineIdentity,
        tiers: DepthTiers = DEFAULT_TIERS,
        max_search_s: float = MAX_SEARCH_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._search_entry = search
        self._identity = identity
        self._tiers = tiers
        self._max_search_s = max_search_s
        self._clock = clock
        self._waiting: deque[DueQuestion] = deque()
        self._left: dict[tuple[StoreQuestion, int], None] = {}
        self._taken: set[StoreQuestion] = set()

    @property
    def left(self) -> int:
        """How many questions are left as they are: their search takes too long, or is impossible."""
        return len(self._left)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Keep other processes from deepening this store during the block: they would search the same.

        What is due is looked up anew.

        Yields:
            Whether no other process does already.
        """
        with _deepen_alone(self._store.file) as is_alone:
            self._waiting.clear()
            yield is_alone

    def step(self, is_stopped: Callable[[], bool] = lambda: False) -> DueQuestion | None:
        """Search the next question a ply deeper and commit what is found to the file.

        Args:
            is_stopped: Asked every few milliseconds; the search ends when it returns true.

        Returns:
            What was searched; None if no question is due.

        Raises:
            CancelledWork: It was stopped; nothing was kept of this search.
            DataFileError: The file cannot be written.
        """
        search = self._search_entry
        while due := self.take():
            entry = search_in_time(
                search, due.question, due.plies, self._max_search_s, is_stopped, self._clock
            )
            if entry is None and is_stopped():
                self._taken.discard(due.question)
                self._waiting.appendleft(due)
                raise CancelledWork("the search was stopped")
            self.finish(due, entry)
            if entry is not None:
                return due
        return None

    def take(self) -> DueQuestion | None:
        """Return the next question to search, which is not due again before `finish`; None if none is due."""
        if not self._waiting:
            known = len(self._left) + len(self._taken)
            found = self._store.list_due(self._identity, self._tiers, _BATCH + known)
            left, taken = self._left, self._taken
            self._waiting.extend(
                each
                for each in found
                if (each.question, each.plies) not in left and each.question not in taken
            )
        if not self._waiting:
            return None
        due = self._waiting.popleft()
        self._taken.add(due.question)
        return due

    def finish(self, due: DueQuestion, entry: KeptEntry | None) -> None:
        """Commit what was found to the file.

        Args:
            due: What was taken.
            entry: The answer; None to leave the question as it is.

        Raises:
            DataFileError: The file cannot be written.
        """
        self._taken.discard(due.question)
        if entry is None:
            self._left[due.question, due.plies] = None
            if len(self._left) > _MAX_LEFT:
                del self._left[next(iter(self._left))]
        elif not self._store.commit(due.question, self._identity, entry):
            raise DataFileError(f"{self._store.file} cannot be written", field="file")


def search_in_time(
    search: EntrySearch,
    question: StoreQuestion,
    plies: int,
    max_search_s: float,
    is_stopped: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> KeptEntry | None:
    """Return the answer to a question; None if that takes too long, was stopped, or is impossible.

    Args:
        search: As for `Deepening`.
        question: The question.
        plies: Plies of look-ahead.
        max_search_s: As for `Deepening`.
        is_stopped: As for `Deepening.step`.
        clock: As for `Deepening`.
    """
    ends_s = clock() + max_search_s
    watch = SearchWatch(lambda: is_stopped() or clock() >= ends_s)
    try:
        return search(question, plies, watch)
    except GammondError:  # out of time, or a row made elsewhere that is no question here
        return None


def is_deepened_now(file: Path) -> bool:
    """Return whether a process deepens a store."""
    with _deepen_alone(file) as is_alone:
        return not is_alone


@contextmanager
def _deepen_alone(file: Path) -> Iterator[bool]:
    """Hold the lock of those who deepen a store, and say whether that succeeded."""
    lock = filelock.FileLock(file.with_name(f".{file.name}.deepening.lock"), timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        yield False
        return
    except (OSError, NotImplementedError):  # a file system without locks, or one that is only read
        yield True
        return
    try:
        yield True
    finally:
        lock.release()
