"""Worker threads: a bounded number of them, running work of all clients in the order in which it is given."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial

from protocol.connection import Job
from protocol.requests import AnyReply

Progressed = Callable[[Job, AnyReply], None]
Finished = Callable[[Job, Sequence[AnyReply] | Exception], None]


def default_threads() -> int:
    """Return how many workers to start: one for each core that this process may use."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


class WorkerPool:
    """Threads that run work. They never keep the process alive.

    Args:
        threads: How many; one for each core if left out.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or default_threads()
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        for number in range(self.threads):
            threading.Thread(target=self._work, name=f"worker-{number}", daemon=True).start()

    def submit(self, job: Job, progressed: Progressed, finished: Finished) -> None:
        """Run work when a thread is free.

        Args:
            job: The work.
            progressed: Takes its replies before the last, in the worker's thread.
            finished: Takes its result, in the worker's thread.
        """
        self._tasks.put(partial(_run, job, progressed, finished))

    def close(self) -> None:
        """Let the threads end once they are through with what was given to them."""
        for _ in range(self.threads):
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def _run(job: Job, progressed: Progressed, finished: Finished) -> None:
    finished(job, job.run(partial(progressed, job)))
