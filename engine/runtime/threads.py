"""Worker threads for whole blocks of work."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Generic, TypeVar

from engine.errors import ValueRangeError
from engine.runtime.cores import MAX_THREADS
from engine.runtime.thread_turns import hold_turn, release_turn

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def yield_to_other_work(niceness: int) -> None:
    """Let the system prefer other threads to the calling one, where it has such priorities.

    On Linux each thread has a priority of its own; elsewhere nothing changes.

    Args:
        niceness: How far it steps back, as the system counts it: up to 19.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


class Workers:
    """Worker threads, started at first use and again in each process forked afterwards.

    Args:
        threads: 1 or more; with 1 the caller does all the work.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """

    def __init__(self, threads: int = 1) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise ValueRangeError(f"expected 1 to {MAX_THREADS} threads, got {threads}", field="threads")
        self.threads = threads
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def map(self, work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        """Do work on each item, in turns (`thread_turns`); the work must not use these workers itself.

        The caller works too, so it never waits for threads that are busy with other callers' items.

        Args:
            work: Safe to run in several threads at once.
            items: What to work on.

        Returns:
            The results in the order of the items.

        Raises:
            Exception: From the work on an item; by then no other work is running.
        """
        if self.threads == 1 or len(items) <= 1:
            return [work(item) for item in items]
        shared = _SharedItems(work, items)
        with release_turn():
            helpers = [
                self._get_pool().submit(shared.work_on) for _ in range(min(self.threads, len(items)) - 1)
            ]
            try:
                shared.work_on()
            finally:
                shared.is_stopped = True  # nothing is left, or the caller's work failed
                wait([helper for helper in helpers if not helper.cancel()])
        for helper in helpers:
            if not helper.cancelled():
                helper.result()
        return shared.results

    def _get_pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="search")
                self._process = os.getpid()
            return self._pool


class _SharedItems(Generic[_Item, _Result]):
    """Items that several threads work on, each taking the next one.

    Args:
        work: The work on an item.
        items: All of them.

    Attributes:
        results: In the order of the items.
        is_stopped: Whether no further item is taken: the work on one failed.
    """

    def __init__(self, work: Callable[[_Item], _Result], items: Sequence[_Item]) -> None:
        self.results: list[_Result] = [None] * len(items)  # type: ignore[list-item]  # all are replaced
        self.is_stopped = False
        self._work = work
        self._items = items
        self._places = iter(range(len(items)))

    def work_on(self) -> None:
        """Take items until none is left.

        Raises:
            Exception: From the work on an item.
        """
        with hold_turn():
            for place in self._places:  # a range hands each number to one thread
                if self.is_stopped:
                    return
                try:
                    self.results[place] = self._work(self._items[place])
                except BaseException:
                    self.is_stopped = True
                    raise
