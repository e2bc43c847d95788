"""Worker threads: a bounded number of them, running the jobs of all clients as the schedule has it."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from engine.errors import LimitError, ValueRangeError
from engine.runtime.cores import MAX_THREADS, count_usable_cores
from protocol.core.interpreter import INTERPRETER
from protocol.core.jobs import Job, StartGate
from protocol.core.limits import ClientLimits
from protocol.transports.schedule import Lane, ProgressCallback, ResultCallback, Schedule, ScheduledJob

LAST_WORK_S = 1.0
"""How long a server that ends waits for work that was stopped."""

LONG_THREADS = 8
"""Workers for long work: as many searches and rollouts run at a time, however many cores there are."""

_SWITCH_INTERVAL_S = 0.001

LONG_WORK_NICENESS = 5
"""How far long work steps back behind the threads that serve clients, as the system counts it."""


def hand_over_interpreter_often() -> None:
    """Let threads of this process take turns in the interpreter every millisecond, not every five.

    The thread that serves the clients takes it several times for one answer.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


def yield_to_short_work() -> None:
    """Let the system prefer other threads of this process to the calling one, where it has such priorities.

    On Linux each thread has a priority of its own; elsewhere nothing changes.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LONG_WORK_NICENESS)


def resolve_thread_count(threads: int | None) -> int:
    """Return the number of workers: one for each core if left out.

    Raises:
        ValueRangeError: It is not 1 to `MAX_THREADS`.
    """
    if threads is None:
        return min(count_usable_cores(), MAX_THREADS)
    if not 1 <= threads <= MAX_THREADS:
        raise ValueRangeError(f"expected 1..{MAX_THREADS} threads, got {threads}", field="threads")
    return threads


class WorkerPool:
    """The scheduler: threads that run the jobs of all clients.

    The threads never keep the process alive.

    Args:
        threads: How many for quick work, 1 to `MAX_THREADS`; one for each core if left out.
        long_threads: How many for long work.
        long_share: How many of these one client may have at a time; half of them if left out.
        started_bytes: As `ClientLimits.started_bytes`.
        clock: Seconds; the clock of deadlines.

    Raises:
        ValueRangeError: `threads` is out of range.
        LimitError: The system does not give that many threads.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        long_threads: int = LONG_THREADS,
        long_share: int | None = None,
        started_bytes: int = ClientLimits.started_bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threads = resolve_thread_count(threads)
        self._clock = clock
        self._lock = threading.Lock()
        self._work_available = {lane: threading.Condition(self._lock) for lane in Lane}
        long_share = max(1, long_threads // 2) if long_share is None else long_share
        self._schedule = Schedule({Lane.QUICK: self.threads, Lane.LONG: long_share}, started_bytes)
        self._is_closed = False
        self._threads: list[threading.Thread] = []
        self._start_threads(Lane.QUICK, self.threads)
        self._start_threads(Lane.LONG, long_threads)

    def submit(
        self, client: object, job: Job, on_progress: ProgressCallback, on_result: ResultCallback
    ) -> None:
        """Run a job when a thread is free, it is the client's turn, and the client has not its share.

        Args:
            client: The client.
            job: The job.
            on_progress: Takes its replies before the last, in the worker's thread.
            on_result: Takes its result, in the worker's thread. The job counts against the client's share
                until `release`.
        """
        with self._lock:
            scheduled = self._schedule.add(client, job, on_progress, on_result)
            if self._schedule.has_room(client, scheduled.lane):
                self._work_available[scheduled.lane].notify()
            if scheduled.lane is Lane.LONG and job.work.deadline_s is not None:
                self._work_available[Lane.QUICK].notify()  # one of them waits for the deadline
        job.control.notify_on_stop(partial(self._promote, scheduled))

    def set_gate(self, client: object, gate: StartGate) -> None:
        """Set which waiting jobs of a client may start."""
        with self._lock:
            if self._schedule.set_gate(client, gate):
                for condition in self._work_available.values():
                    condition.notify_all()

    def release(self, client: object, job: Job) -> None:
        """Note that the client's side has taken in the result of a job, and set its gate after that."""
        with self._lock:
            for lane in self._schedule.release(client, job):
                if self._schedule.has_waiting(lane):
                    self._work_available[lane].notify()

    def count_answer_bytes(self, client: object) -> int:
        """Return how many bytes of the answers that a client's jobs are working on there are."""
        with self._lock:
            return self._schedule.count_answer_bytes(client)

    def drop(self, client: object) -> None:
        """Forget a client and its jobs that have not started; nobody gets their results."""
        with self._lock:
            self._schedule.drop(client)

    def close(self) -> None:
        """Let the threads end once no jobs wait."""
        with self._lock:
            self._is_closed = True
            for condition in self._work_available.values():
                condition.notify_all()

    def join(self, timeout_s: float) -> None:
        """Wait for the threads to end after `close`, but not for ever.

        A process that ends while they are in compiled code, or in the compiler, may crash.
        """
        deadline_s = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline_s - time.monotonic()))

    def _start_threads(self, lane: Lane, threads: int) -> None:
        for number in range(threads):
            thread = threading.Thread(
                target=self._work, args=(lane,), name=f"{lane.value}-worker-{number}", daemon=True
            )
            self._threads.append(thread)
            try:
                thread.start()
            except RuntimeError as error:
                self._threads.pop()
                self.close()
                raise LimitError(
                    f"expected {threads} threads for {lane.value} work, the system gives {number}: "
                    "ask for fewer",
                    field="threads",
                ) from error

    def _work(self, lane: Lane) -> None:
        if lane is Lane.LONG:
            yield_to_short_work()
        while (scheduled := self._wait_for_job(lane)) is not None:
            job = scheduled.job
            job.control.interpreter = INTERPRETER
            scheduled.on_result(job, job.run(partial(scheduled.on_progress, job)))
            del scheduled, job  # else they keep a client that is gone until the next job

    def _wait_for_job(self, lane: Lane) -> ScheduledJob | None:
        """Wait for a job of a lane; None once the pool is closed and none waits.

        Workers of the quick lane watch the deadlines of jobs that wait in the long one.
        """
        available = self._work_available[lane]
        with self._lock:
            while True:
                deadline_s = self._schedule.promote_overdue(self._clock()) if lane is Lane.QUICK else None
                taken = self._schedule.take(lane)
                if taken is not None:
                    if deadline_s is not None:
                        available.notify()  # another worker watches the deadline
                    return taken
                if self._is_closed and not self._schedule.has_waiting(lane):
                    return None
                available.wait(None if deadline_s is None else max(0.0, deadline_s - self._clock()))

    def _promote(self, scheduled: ScheduledJob) -> None:
        with self._lock:
            if self._schedule.promote(scheduled):
                self._work_available[Lane.QUICK].notify()
