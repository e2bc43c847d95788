"""Worker threads: a bounded number of them, running the work of all clients in turn."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from engine.cores import usable_cores
from engine.errors import LimitError, ValueRangeError
from protocol.connection import Job
from protocol.requests import AnyReply

Progressed = Callable[[Job, AnyReply], None]
Finished = Callable[[Job, bytes | Exception], None]


MAX_THREADS = 256
"""The most workers that a server may have."""


def thread_count(threads: int | None) -> int:
    """Return how many workers there are to be: one for each core if left out.

    Raises:
        ValueRangeError: They are not 1 to `MAX_THREADS`.
    """
    if threads is None:
        return min(usable_cores(), MAX_THREADS)
    if not 1 <= threads <= MAX_THREADS:
        raise ValueRangeError(f"expected 1..{MAX_THREADS} threads, got {threads}", field="threads")
    return threads


class WorkerPool:
    """Threads that run work: of each client in the order in which it is given, of all clients in turn.

    The threads never keep the process alive.

    Args:
        threads: How many, 1 to `MAX_THREADS`; one for each core if left out.

    Raises:
        ValueRangeError: They are more, or fewer.
        LimitError: The system does not give so many.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = thread_count(threads)
        self._may_work = threading.Condition()
        self._tasks: dict[object, deque[Callable[[], None]]] = {}
        self._is_closed = False
        for number in range(self.threads):
            try:
                threading.Thread(target=self._work, name=f"worker-{number}", daemon=True).start()
            except RuntimeError as error:
                self.close()
                raise LimitError(
                    f"expected {self.threads} threads, the system gives {number}: ask for fewer",
                    field="threads",
                ) from error

    def submit(self, owner: object, job: Job, progressed: Progressed, finished: Finished) -> None:
        """Run work when a thread is free and it is its owner's turn.

        Args:
            owner: The client.
            job: The work.
            progressed: Takes its replies before the last, in the worker's thread.
            finished: Takes its result, in the worker's thread.
        """
        with self._may_work:
            self._tasks.setdefault(owner, deque()).append(partial(_run, job, progressed, finished))
            self._may_work.notify()

    def drop(self, owner: object) -> None:
        """Forget the work of a client that has not begun; nobody is told its result."""
        with self._may_work:
            self._tasks.pop(owner, None)

    def close(self) -> None:
        """Let the threads end once they are through with what was given to them."""
        with self._may_work:
            self._is_closed = True
            self._may_work.notify_all()

    def _work(self) -> None:
        while (task := self._next_task()) is not None:
            task()

    def _next_task(self) -> Callable[[], None] | None:
        with self._may_work:
            while not self._tasks:
                if self._is_closed:
                    return None
                self._may_work.wait()
            owner, tasks = next(iter(self._tasks.items()))
            task = tasks.popleft()
            del self._tasks[owner]
            if tasks:
                self._tasks[owner] = tasks  # at the end of the line
            return task


def _run(job: Job, progressed: Progressed, finished: Finished) -> None:
    finished(job, job.run(partial(progressed, job)))
