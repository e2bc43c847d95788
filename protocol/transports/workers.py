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

from engine.cores import MAX_THREADS, usable_cores
from engine.errors import LimitError, ValueRangeError
from protocol.connection import Connection, Job
from protocol.requests import AnyReply

Progressed = Callable[[Job, AnyReply], None]
Finished = Callable[[Job, bytes | Exception], None]

LONG_THREADS = 8
"""Workers for long work: so many searches and rollouts go on at a time, however many cores there are."""


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


@dataclass(eq=False)
class _Task:
    """Work of a client that waits for a thread."""

    owner: object
    job: Job
    progressed: Progressed
    finished: Finished

    def run(self) -> None:
        self.finished(self.job, self.job.run(partial(self.progressed, self.job)))


class _Lane:
    """Tasks that wait, by client; the condition is told when there is something to do."""

    def __init__(self, lock: threading.Lock) -> None:
        self.may_work = threading.Condition(lock)
        self._tasks: dict[object, deque[_Task]] = {}

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def add(self, task: _Task) -> None:
        self._tasks.setdefault(task.owner, deque()).append(task)
        self.may_work.notify()

    def take(self) -> _Task:
        """Take the first task of the client whose turn it is; that client goes to the end of the line."""
        owner, tasks = next(iter(self._tasks.items()))
        task = tasks.popleft()
        del self._tasks[owner]
        if tasks:
            self._tasks[owner] = tasks
        return task

    def withdraw(self, task: _Task) -> bool:
        """Take a task out of turn; return whether it still waited here."""
        tasks = self._tasks.get(task.owner)
        if tasks is None or task not in tasks:
            return False
        tasks.remove(task)
        if not tasks:
            del self._tasks[task.owner]
        return True

    def drop(self, owner: object) -> None:
        self._tasks.pop(owner, None)

    def with_deadline(self) -> list[tuple[float, _Task]]:
        """List the tasks that have a deadline, with it."""
        tasks = [task for of_one in self._tasks.values() for task in of_one]
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
        self.threads = thread_count(threads)
        self.long_share = max(1, long_threads // 2) if long_share is None else long_share
        self._clock = clock
        self._lock = threading.Lock()
        self._quick, self._long = _Lane(self._lock), _Lane(self._lock)
        self._is_closed = False
        self._start(self.threads, "quick", self._next_quick)
        self._start(long_threads, "long", self._next_long)

    def submit(self, owner: object, job: Job, progressed: Progressed, finished: Finished) -> None:
        """Run work when a thread is free and it is its owner's turn.

        Args:
            owner: The client.
            job: The work.
            progressed: Takes its replies before the last, in the worker's thread.
            finished: Takes its result, in the worker's thread.
        """
        task = _Task(owner, job, progressed, finished)
        job.control.when_stopped(partial(self._hurry, task))
        with self._lock:
            if not job.work.is_long or job.control.is_stopped:
                self._quick.add(task)
                return
            self._long.add(task)
            if job.work.deadline_s is not None:
                self._quick.may_work.notify()  # one of them waits for the deadline

    def drop(self, owner: object) -> None:
        """Forget the work of a client that has not begun; nobody is told its result."""
        with self._lock:
            self._quick.drop(owner)
            self._long.drop(owner)

    def close(self) -> None:
        """Let the threads end once they are through with what was given to them."""
        with self._lock:
            self._is_closed = True
            self._quick.may_work.notify_all()
            self._long.may_work.notify_all()

    def _start(self, threads: int, name: str, next_task: Callable[[], _Task | None]) -> None:
        for number in range(threads):
            thread = threading.Thread(
                target=_work, args=(next_task,), name=f"{name}-worker-{number}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:
                self.close()
                raise LimitError(
                    f"expected {threads} threads for {name} work, the system gives {number}: ask for fewer",
                    field="threads",
                ) from error

    def _next_long(self) -> _Task | None:
        with self._lock:
            while not self._long:
                if self._is_closed:
                    return None
                self._long.may_work.wait()
            return self._long.take()

    def _next_quick(self) -> _Task | None:
        with self._lock:
            while True:
                wait_s = self._hurry_overdue()
                if self._quick:
                    return self._quick.take()
                if self._is_closed:
                    return None
                self._quick.may_work.wait(wait_s)

    def _hurry(self, task: _Task) -> None:
        """Let long work that waits go with the quick."""
        with self._lock:
            if self._long.withdraw(task):
                self._quick.add(task)

    def _hurry_overdue(self) -> float | None:
        """Let long work whose time is over go with the quick; return the seconds to the next deadline."""
        now_s, next_s = self._clock(), math.inf
        for deadline_s, task in self._long.with_deadline():
            if deadline_s <= now_s:
                self._long.withdraw(task)
                self._quick.add(task)
            else:
                next_s = min(next_s, deadline_s)
        return None if next_s == math.inf else next_s - now_s


def _work(next_task: Callable[[], _Task | None]) -> None:
    while (task := next_task()) is not None:
        task.run()


@dataclass
class ClientShare:
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

    def ended(self, job: Job) -> None:
        """Note that the pool is through with work."""
        self._quick.discard(id(job))
        self._long.discard(id(job))
