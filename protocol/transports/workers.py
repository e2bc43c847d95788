"""Worker threads: a bounded number of them, running the work of all clients in turn.

There are two lanes, each with threads of its own: one for quick work, one for long work, so that nobody waits
for a search who did not ask for one. Long work that is stopped, or whose time is over, before it began goes
over to the quick lane: all that is left to do is to answer.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from engine.errors import LimitError, ValueRangeError
from engine.runtime.cores import MAX_THREADS, count_usable_cores
from protocol.core.requests import AnyReply
from protocol.dialects.connection import Connection, Job

ReportWork = Callable[[Job, AnyReply], None]
ResultCallback = Callable[[Job, bytes | Exception], None]

LONG_THREADS = 8
"""Workers for long work: so many searches and rollouts go on at a time, however many cores there are."""


def resolve_thread_count(threads: int | None) -> int:
    """Return how many workers there are to be: one for each core if left out.

    Raises:
        ValueRangeError: They are not 1 to `MAX_THREADS`.
    """
    if threads is None:
        return min(count_usable_cores(), MAX_THREADS)
    if not 1 <= threads <= MAX_THREADS:
        raise ValueRangeError(f"expected 1..{MAX_THREADS} threads, got {threads}", field="threads")
    return threads


@dataclass(eq=False)
class _QueuedJob:
    """Work of a client that waits for a thread."""

    client: object
    job: Job
    on_progress: ReportWork
    on_result: ResultCallback

    def run(self) -> None:
        self.on_result(self.job, self.job.run(partial(self.on_progress, self.job)))


class _Lane:
    """Tasks that wait, by client; the condition is told when there is something to do."""

    def __init__(self, lock: threading.Lock) -> None:
        self.work_available = threading.Condition(lock)
        self._jobs: dict[object, deque[_QueuedJob]] = {}

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def add(self, queued: _QueuedJob) -> None:
        self._jobs.setdefault(queued.client, deque()).append(queued)
        self.work_available.notify()

    def take(self) -> _QueuedJob:
        """Take the first task of the client whose turn it is; that client goes to the end of the line."""
        owner, tasks = next(iter(self._jobs.items()))
        task = tasks.popleft()
        del self._jobs[owner]
        if tasks:
            self._jobs[owner] = tasks
        return task

    def withdraw(self, queued: _QueuedJob) -> bool:
        """Take a task out of turn; return whether it still waited here."""
        tasks = self._jobs.get(queued.client)
        if tasks is None or queued not in tasks:
            return False
        tasks.remove(queued)
        if not tasks:
            del self._jobs[queued.client]
        return True

    def drop(self, client: object) -> None:
        self._jobs.pop(client, None)

    def list_deadlines(self) -> list[tuple[float, _QueuedJob]]:
        """List the tasks that have a deadline, with it."""
        tasks = [task for of_one in self._jobs.values() for task in of_one]
        return [(task.job.work.deadline_s, task) for task in tasks if task.job.work.deadline_s is not None]


class WorkerPool:
    """Threads that run work: of each client in the order in which it is given, of all clients in turn.

    The threads never keep the process alive.

    Args:
        threads: How many for quick work, 1 to `MAX_THREADS`; one for each core if left out.
        long_threads: How many for long work.
        long_share: How many of these one client may have at a time; half of them if left out.
        clock: Seconds; the clock of deadlines.

    Raises:
        ValueRangeError: They are more, or fewer.
        LimitError: The system does not give so many.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        long_threads: int = LONG_THREADS,
        long_share: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threads = resolve_thread_count(threads)
        self.long_share = max(1, long_threads // 2) if long_share is None else long_share
        self._clock = clock
        self._lock = threading.Lock()
        self._quick, self._long = _Lane(self._lock), _Lane(self._lock)
        self._is_closed = False
        self._start(self.threads, "quick", self._next_quick)
        self._start(long_threads, "long", self._next_long)

    def submit(self, client: object, job: Job, on_progress: ReportWork, on_result: ResultCallback) -> None:
        """Run work when a thread is free and it is its owner's turn.

        Args:
            client: The client.
            job: The work.
            on_progress: Takes its replies before the last, in the worker's thread.
            on_result: Takes its result, in the worker's thread.
        """
        task = _QueuedJob(client, job, on_progress, on_result)
        job.control.notify_on_stop(partial(self._promote, task))
        with self._lock:
            if not job.work.is_long or job.control.is_stopped:
                self._quick.add(task)
                return
            self._long.add(task)
            if job.work.deadline_s is not None:
                self._quick.work_available.notify()  # one of them waits for the deadline

    def drop(self, client: object) -> None:
        """Forget the work of a client that has not begun; nobody is told its result."""
        with self._lock:
            self._quick.drop(client)
            self._long.drop(client)

    def close(self) -> None:
        """Let the threads end once they are through with what was given to them."""
        with self._lock:
            self._is_closed = True
            self._quick.work_available.notify_all()
            self._long.work_available.notify_all()

    def _start(self, threads: int, name: str, next_queued: Callable[[], _QueuedJob | None]) -> None:
        for number in range(threads):
            thread = threading.Thread(
                target=_run_worker, args=(next_queued,), name=f"{name}-worker-{number}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:
                self.close()
                raise LimitError(
                    f"expected {threads} threads for {name} work, the system gives {number}: ask for fewer",
                    field="threads",
                ) from error

    def _next_long(self) -> _QueuedJob | None:
        with self._lock:
            while not self._long:
                if self._is_closed:
                    return None
                self._long.work_available.wait()
            return self._long.take()

    def _next_quick(self) -> _QueuedJob | None:
        with self._lock:
            while True:
                wait_s = self._promote_overdue()
                if self._quick:
                    return self._quick.take()
                if self._is_closed:
                    return None
                self._quick.work_available.wait(wait_s)

    def _promote(self, queued: _QueuedJob) -> None:
        """Let long work that waits go with the quick."""
        with self._lock:
            if self._long.withdraw(queued):
                self._quick.add(queued)

    def _promote_overdue(self) -> float | None:
        """Let long work whose time is over go with the quick; return the seconds to the next deadline."""
        now_s, next_s = self._clock(), math.inf
        for deadline_s, task in self._long.list_deadlines():
            if deadline_s <= now_s:
                self._long.withdraw(task)
                self._quick.add(task)
            else:
                next_s = min(next_s, deadline_s)
        return None if next_s == math.inf else next_s - now_s


def _run_worker(next_queued: Callable[[], _QueuedJob | None]) -> None:
    while (task := next_queued()) is not None:
        task.run()


@dataclass
class ClientQuota:
    """How much work of one client is with a pool, and what may follow it.

    Attributes:
        pool: Runs it.
    """

    pool: WorkerPool
    _quick: set[int] = field(default_factory=set)
    _long: set[int] = field(default_factory=set)

    def next_job(self, connection: Connection) -> Job | None:
        """Return the next work of a client that the pool may have, or None while it has its share."""
        has_quick = len(self._quick) < self.pool.threads
        has_long = len(self._long) < self.pool.long_share
        job = connection.next_job(quick=has_quick, long=has_long)
        if job is not None:
            is_long = job.work.is_long and not job.control.is_stopped
            (self._long if is_long else self._quick).add(id(job))
        return job

    def release(self, job: Job) -> None:
        """Note that the pool is through with work."""
        self._quick.discard(id(job))
        self._long.discard(id(job))
