"""Work in several processes: tasks in, results out in the order of the tasks.

Processes are spawned, on every system alike: tasks and results are pickled, and the work is a function of a
module. The caller alone gets Ctrl-C and SIGTERM; leaving the pool ends its processes.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from multiprocessing.util import Finalize
from types import TracebackType
from typing import TypeVar

from gammond.engine.errors import LimitError, ValueRangeError
from gammond.engine.runtime.garbage import collect_garbage_rarely
from gammond.engine.runtime.machine import MAX_THREADS
from gammond.protocol.transports.process_end import end_process
from gammond.tools.common.interrupts import follow_parent
from gammond.tools.parallel.executor import do_nothing, map_ahead

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class ProcessPool:
    """An `Executor`: a number of worker processes; with one, the caller does all work.

    Leaving it drops the tasks that have not begun and waits for the others, which end early where their work
    asks `is_stopping`.

    Args:
        count: 1 or more.

    Raises:
        ValueRangeError: The number is out of range.
    """

    def __init__(self, count: int) -> None:
        if not 1 <= count <= MAX_THREADS:
            raise ValueRangeError(
                f"worker processes: expected 1 to {MAX_THREADS}, got {count}", field="workers"
            )
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._stopping: Event | None = None

    @property
    def runs_here(self) -> bool:
        """Whether the caller's own thread does all work."""
        return self.count == 1

    @property
    def note(self) -> str:
        """Nothing: who works does not change."""
        return ""

    def __enter__(self) -> ProcessPool:
        if self.count > 1:
            _leave_closed_folder()
            context = multiprocessing.get_context("spawn")
            self._stopping = context.Event()
            self._pool = ProcessPoolExecutor(self.count, context, _init_worker, (self._stopping,))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None and self._stopping is not None:
            self._stopping.set()
            self._pool.shutdown(cancel_futures=True)

    def map(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], check: Callable[[], None] = do_nothing
    ) -> Iterator[_Result]:
        """Do work on each task; see `gammond.tools.parallel.executor.Executor`.

        Raises:
            Exception: What the work on a task raised.
            LimitError: A process was killed.
        """
        pool, ahead = self._pool, 2 * self.count
        if pool is None:
            yield from map(work, tasks)
            return
        try:
            yield from map_ahead(lambda task: pool.submit(work, task), tasks, lambda: ahead, check)
        except BrokenProcessPool as error:
            raise LimitError(
                "a worker process was killed, perhaps for lack of memory: try fewer processes",
                field="workers",
            ) from error

    def submit(self, work: Callable[[_Task], _Result], task: _Task) -> Future[_Result]:
        """Do work on one task; where the caller does all work, it is done when this returns."""
        if self._pool is not None:
            return self._pool.submit(work, task)
        future: Future[_Result] = Future()
        try:
            future.set_result(work(task))
        except Exception as error:
            future.set_exception(error)
        return future


_LAST = -1000
"""The order in which a worker process, after all else at its end, leaves without waiting for threads: one
that compiles a kernel would hold it up, and one that goes on would fail for want of pools."""

_stopping: Event | None = None
"""In a worker process, set once its pool is left."""


def is_stopping() -> bool:
    """Return whether the pool that this process works for is being left; False outside worker processes."""
    return _stopping is not None and _stopping.is_set()


def _leave_closed_folder() -> None:
    """Go to the root where spawned processes could not enter the caller's folder by its name, and would end.

    So it is within the home of the administrator who typed `sudo -u`, and in a folder that is gone.
    """
    try:
        is_open = os.access(os.getcwd(), os.X_OK)
    except OSError:
        is_open = False
    if not is_open:
        os.chdir(os.sep)


def _init_worker(stopping: Event) -> None:
    global _stopping
    collect_garbage_rarely()
    follow_parent()
    _stopping = stopping
    Finalize(None, end_process, args=(0,), exitpriority=_LAST)
