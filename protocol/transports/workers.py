"""Worker threads: a bounded number of them, running the jobs of all clients as the schedule has it."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf

from gammond.engine.errors import LimitError, ValueRangeError
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.engine.runtime.threads import release_turn, yield_to_other_work
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.interpreter import INTERPRETER
from gammond.protocol.core.jobs import Job, StartGate
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.schedule import (
    Lane,
    ProgressCallback,
    ResultCallback,
    Schedule,
    ScheduledJob,
)

LAST_WORK_S = 1.0
"""How long a server that ends waits for work that was stopped."""

LONG_THREADS = 8
"""Workers for long work: as many searches and rollouts are under way at a time, however many cores there are.
More are started for clients that have none under way."""

SLICE_S = 0.02
"""How long a long job runs before others have turns: about as long as a block of its work."""

_SWITCH_INTERVAL_S = 0.001

LONG_WORK_NICENESS = 5
"""How far long work steps back behind the threads that serve clients, as the system counts it."""


def hand_over_interpreter_often() -> None:
    """Let threads of this process take turns in the interpreter every millisecond, not every five.

    The thread that serves the clients takes it several times for one answer.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


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
        long_running: How many long jobs run at a time, in turns; one for each core, and two at least, if left
            out.
        started_bytes: As `ClientLimits.started_bytes`.
        clock: Seconds; the clock of deadlines and turns.

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
        long_running: int | None = None,
        started_bytes: int = ClientLimits.started_bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threads = resolve_thread_count(threads)
        self.clock = clock
        self._lock = threading.Lock()
        self._work_available = threading.Condition(self._lock)
        self._long_work_begun = threading.Condition(self._lock)
        long_share = max(1, long_threads // 2) if long_share is None else long_share
        self._schedule = Schedule(
            {Lane.QUICK: self.threads, Lane.LONG: long_share},
            started_bytes,
            max(2, count_usable_cores()) if long_running is None else long_running,
            long_threads,
        )
        self._begun: deque[ScheduledJob] = deque()
        """Long jobs that threads are to take."""
        self._idle_threads = 0
        self._long_threads = long_threads
        self._is_closed = False
        self._threads: set[threading.Thread] = set()
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
            if scheduled.lane is Lane.LONG:
                job.control.turn = _LongTurn(self, scheduled)
                self._give_turns()
                if job.work.deadline_s is not None:
                    self._work_available.notify()  # one of them waits for the deadline
            elif self._schedule.has_room(client, Lane.QUICK):
                self._work_available.notify()
        job.control.notify_on_stop(partial(self._promote, scheduled))

    def set_gate(self, client: object, gate: StartGate) -> None:
        """Set which waiting jobs of a client may start."""
        with self._lock:
            if self._schedule.set_gate(client, gate):
                self._work_available.notify_all()
                self._give_turns()

    def release(self, client: object, job: Job) -> None:
        """Note that the client's side has taken in the result of a job, and set its gate after that."""
        with self._lock:
            for lane in self._schedule.release(client, job):
                if lane is Lane.LONG:
                    self._give_turns()
                elif self._schedule.has_waiting(lane):
                    self._work_available.notify()

    def is_busy(self) -> bool:
        """Return whether any long job has started and not ended."""
        with self._lock:
            return self._schedule.has_begun

    def count_jobs(self) -> tuple[int, int]:
        """Return how many jobs wait, and how many are under way."""
        with self._lock:
            return self._schedule.count_jobs()

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
            self._work_available.notify_all()
            self._long_work_begun.notify_all()

    def join(self, timeout_s: float) -> None:
        """Wait for the threads to end after `close`, but not for ever.

        A process that ends while they are in compiled code, or in the compiler, may crash.
        """
        deadline_s = time.monotonic() + timeout_s
        for thread in list(self._threads):
            thread.join(max(0.0, deadline_s - time.monotonic()))

    def pause(self, scheduled: ScheduledJob, turn: _LongTurn) -> None:
        """Let a long job go on by turn only; one that was stopped goes on at once."""
        with self._lock:
            if self._schedule.pause(scheduled):
                turn.end()
                self._give_turns()
                if scheduled.job.control.is_stopped:
                    self._go_on(scheduled, turn)
            elif scheduled.lane is Lane.QUICK:  # it was stopped before it began, and needs no turn
                turn.begin()

    def leave(self, scheduled: ScheduledJob) -> None:
        """Give the turn of a long job to others."""
        with self._lock:
            self._schedule.leave(scheduled)
            self._give_turns()

    def go_on(self, scheduled: ScheduledJob, turn: _LongTurn) -> None:
        """Let a long job go on besides those whose turn it is: it is to end."""
        with self._lock:
            self._go_on(scheduled, turn)

    def _go_on(self, scheduled: ScheduledJob, turn: _LongTurn) -> None:
        if self._schedule.go_on(scheduled):
            turn.begin()

    def _give_turns(self) -> None:
        """Let long jobs start or go on, as many as run at a time."""
        while (taken := self._schedule.take(Lane.LONG)) is not None:
            turn = taken.job.control.turn
            assert isinstance(turn, _LongTurn)
            turn.begin()
            if taken.is_begun:
                continue
            taken.is_begun = True
            self._begun.append(taken)
            if self._idle_threads < len(self._begun):
                with suppress(RuntimeError):  # the system gives no more: the job waits for another to end
                    self._start_thread(Lane.LONG)
            self._long_work_begun.notify()

    def _start_threads(self, lane: Lane, threads: int) -> None:
        for number in range(threads):
            try:
                self._start_thread(lane)
            except RuntimeError as error:
                self.close()
                raise LimitError(
                    f"expected {threads} threads for {lane.value} work, the system gives {number}: "
                    "ask for fewer",
                    field="threads",
                ) from error

    def _start_thread(self, lane: Lane) -> None:
        work = self._do_quick_work if lane is Lane.QUICK else self._do_long_work
        thread = threading.Thread(target=work, name=f"{lane.value}-worker", daemon=True)
        thread.start()
        self._threads.add(thread)

    def _do_quick_work(self) -> None:
        while (scheduled := self._wait_for_quick_job()) is not None:
            _run(scheduled)
            del scheduled  # else it keeps a client that is gone until the next job

    def _do_long_work(self) -> None:
        yield_to_other_work(LONG_WORK_NICENESS)
        while (scheduled := self._wait_for_long_job()) is not None:
            _run(scheduled)
            with self._lock:
                self._schedule.end(scheduled)
            del scheduled
        self._threads.discard(threading.current_thread())

    def _wait_for_quick_job(self) -> ScheduledJob | None:
        """Wait for a quick job; None once the pool is closed and none waits.

        Those who wait watch the deadlines of jobs that wait in the long lane.
        """
        with self._lock:
            while True:
                deadline_s = self._schedule.promote_overdue(self.clock())
                taken = self._schedule.take(Lane.QUICK)
                if taken is not None:
                    if deadline_s is not None:
                        self._work_available.notify()  # another worker watches the deadline
                    return taken
                if self._is_closed and not self._schedule.has_waiting(Lane.QUICK):
                    return None
                self._work_available.wait(None if deadline_s is None else max(0.0, deadline_s - self.clock()))

    def _wait_for_long_job(self) -> ScheduledJob | None:
        """Wait for a long job that starts; None for a thread too many, or once the pool is closed."""
        with self._lock:
            self._idle_threads += 1
            self._give_turns()
            while not self._begun:
                has_ended = self._is_closed and not self._schedule.has_waiting(Lane.LONG)
                if has_ended or self._idle_threads > self._long_threads:
                    self._idle_threads -= 1
                    self._long_work_begun.notify_all()
                    return None
                self._long_work_begun.wait()
            self._idle_threads -= 1
            return self._begun.popleft()

    def _promote(self, scheduled: ScheduledJob) -> None:
        """Let a long job that was stopped end."""
        with self._lock:
            if self._schedule.promote(scheduled):
                self._work_available.notify()
            elif isinstance(turn := scheduled.job.control.turn, _LongTurn):
                self._go_on(scheduled, turn)


def _run(scheduled: ScheduledJob) -> None:
    """Do a job, and hand on its result; a fault in that ends no worker, for which others would wait."""
    job = scheduled.job
    job.control.interpreter = INTERPRETER
    try:
        scheduled.on_result(job, job.run(partial(scheduled.on_progress, job)))
    except Exception as error:
        FAULT_LOG.log("the result of a job could not be handed on", error)


class _LongTurn:
    """The turn of a long job among those of all clients; for all threads that do it.

    Args:
        pool: Gives it.
        scheduled: The job.
    """

    def __init__(self, pool: WorkerPool, scheduled: ScheduledJob) -> None:
        self._pool = pool
        self._scheduled = scheduled
        self._has_begun = threading.Event()
        self._ends_s = inf

    def begin(self) -> None:
        """Let the job run for a while."""
        self._ends_s = self._pool.clock() + SLICE_S
        self._has_begun.set()

    def end(self) -> None:
        """Let the job wait."""
        self._has_begun.clear()

    def pass_on(self) -> None:
        """Let other work have its turn, if this one had enough of it, and wait for the next."""
        if not self._has_begun.is_set() or self._pool.clock() >= self._ends_s:
            self._wait()

    @contextmanager
    def leave(self) -> Iterator[None]:
        """Have no turn meanwhile: the work waits for other work."""
        self._pool.leave(self._scheduled)
        self._ends_s = -inf
        yield
        self._wait()

    def _wait(self) -> None:
        """Wait for the next turn, or the end of the time that the job has."""
        pool, scheduled = self._pool, self._scheduled
        if pool.clock() >= self._ends_s:
            pool.pause(scheduled, self)
        deadline_s = scheduled.job.work.deadline_s
        with release_turn():
            timeout_s = None if deadline_s is None else max(0.0, deadline_s - pool.clock())
            if not self._has_begun.wait(timeout_s):
                pool.go_on(scheduled, self)
