"""Worker threads for whole blocks of work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from engine.errors import ValueRangeError
from engine.runtime.cores import MAX_THREADS
from engine.runtime.thread_turns import hold_turn, release_turn

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_CHECK_EVERY_S = 0.02


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

    def map(
        self,
        work: Callable[[_Item], _Result],
        items: Sequence[_Item],
        check: Callable[[], None] = lambda: None,
    ) -> list[_Result]:
        """Do work on each item, in turns (`thread_turns`); the work must not use these workers itself.

        Args:
            work: Safe to run in several threads at once.
            items: What to work on.
            check: Raises to stop the work; called now and then while items wait for threads that are busy
                with other callers' items.

        Returns:
            The results in the order of the items.

        Raises:
            Exception: From `check` or the work on an item; by then no other work is running.
        """
        if self.threads == 1 or len(items) <= 1:
            return [work(item) for item in items]
        futures = [self._get_pool().submit(_run_in_turn, work, item) for item in items]
        with release_turn():
            try:
                _wait_for_all(futures, check)
            finally:
                wait([future for future in futures if not future.cancel()])
        return [future.result() for future in futures]

    def _get_pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="search")
                self._process = os.getpid()
            return self._pool


def _run_in_turn(work: Callable[[_Item], _Result], item: _Item) -> _Result:
    with hold_turn():
        return work(item)


def _wait_for_all(futures: Sequence[Future[_Result]], check: Callable[[], None]) -> None:
    """Wait for all futures; raise the error of the first that failed, or of `check`."""
    unfinished: Collection[Future[_Result]] = futures
    while unfinished:
        done, unfinished = wait(unfinished, _CHECK_EVERY_S, FIRST_EXCEPTION)
        for future in futures:
            if future in done:
                future.result()
        if unfinished:
            check()
