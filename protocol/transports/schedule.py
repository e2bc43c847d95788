"""Which job starts, or goes on, next: lanes, priorities, shares and turns. No threads and no clock here.

There are two lanes, each with worker threads of its own: quick work never waits for a search. In each lane
clients take turns, and the jobs of one client start by priority, then in the order of arrival. Long jobs that
are stopped, or whose deadline passes, before they start move to the quick lane: all that is left to do is to
answer.

Only so many long jobs run at a time. One that has run for a while is paused; then another goes on, of the
next client by turn, that starts, or was paused itself.
"""

from __future__ import annotations

import heapq
import itertools
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gammond.protocol.core.jobs import OPEN_GATE, Job, StartGate
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.core.requests import AnyReply

ProgressCallback = Callable[[Any, AnyReply], None]
ResultCallback = Callable[[Any, Any], None]
"""What takes the replies, and the result, of a job."""


SHORT_ANSWER_BYTES = 64 * 1024
"""A long job that is expected to answer so little may start beside any number of others: paused jobs hold the
part of their answer that there is."""


class Lane(Enum):
    """The kinds of work that never wait for each other."""

    QUICK = "quick"
    LONG = "long"


@dataclass(eq=False)
class ScheduledJob:
    """A job of a client that waits, or runs.

    Attributes:
        client: The client.
        job: The job.
        on_progress: Takes its replies before the last.
        on_result: Takes its result.
        arrival: Its number among all jobs; sorts those of the same priority.
        lane: The lane in which it waits.
        is_waiting: Whether it has not started.
        is_begun: Whether a thread is to take it, or has, if it is a long one.
        is_running: Whether it is a long one that started and is not paused.
        is_paused: Whether it is paused.
    """

    client: object
    job: Job
    on_progress: ProgressCallback
    on_result: ResultCallback
    arrival: int
    lane: Lane
    is_waiting: bool = True
    is_begun: bool = False
    is_running: bool = False
    is_paused: bool = False

    def waits_in(self, lane: Lane) -> bool:
        """Return whether it waits in a lane."""
        return self.is_waiting and self.lane is lane


_Entry = tuple[int, int, ScheduledJob]
"""Negative priority, arrival, job: sorted by the first two."""


@dataclass
class _ClientQueue:
    """The jobs of one client.

    Attributes:
        max_started_bytes: As for `Schedule`.
        waiting: A heap for each lane; jobs that left the lane stay in it until they come up.
        paused: The long jobs that are to go on, in this order.
        started: The jobs that started and are not released, each with its lane.
        gate: Which jobs may start.
        waits_for_room: Whether a job could not start for want of room for its answer.
    """

    max_started_bytes: int
    waiting: dict[Lane, list[_Entry]] = field(default_factory=lambda: {lane: [] for lane in Lane})
    paused: deque[ScheduledJob] = field(default_factory=deque)
    started: dict[Job, Lane] = field(default_factory=dict)
    gate: StartGate = OPEN_GATE
    waits_for_room: bool = False

    def has_waiting(self, lane: Lane) -> bool:
        """Return whether any job waits in a lane."""
        heap = self.waiting[lane]
        while heap and not heap[0][2].waits_in(lane):
            heapq.heappop(heap)
        return bool(heap)

    def has_room(self, lane: Lane, share: int) -> bool:
        """Return whether the client has not its share; one that must read first has."""
        if self.gate.is_closed:
            return False
        return len(self.started) < share or sum(each is lane for each in self.started.values()) < share

    def has_any(self, lane: Lane) -> bool:
        """Return whether any job waits in a lane, or is paused in it."""
        return self.has_waiting(lane) or (lane is Lane.LONG and bool(self.paused))

    def take(self, lane: Lane, share: int, max_answer_bytes: int = sys.maxsize) -> ScheduledJob | None:
        """Take the first waiting job that may start; None without one, or if its answer is too long."""
        if not self.has_waiting(lane) or not self.has_room(lane, share):
            return None
        heap = self.waiting[lane]
        if self.gate.is_open:
            first = heap[0]
        else:
            allowed = [each for each in heap if each[2].waits_in(lane) and self.gate.allows(each[2].job)]
            if not allowed:
                return None
            first = min(allowed)
        taken = first[2]
        if taken.job.answer_bytes > max_answer_bytes or not self._has_room_for_answer(taken.job):
            return None
        if first is heap[0]:
            heapq.heappop(heap)
        taken.is_waiting = False
        self.started[taken.job] = lane
        return taken

    def _has_room_for_answer(self, job: Job) -> bool:
        started_bytes = sum(each.answer_bytes for each in self.started)
        self.waits_for_room = (
            bool(started_bytes) and started_bytes + job.answer_bytes > self.max_started_bytes
        )
        return not self.waits_for_room


class Schedule:
    """The waiting jobs of all clients.

    Args:
        shares: How many jobs of one client may have started in each lane without being released.
        max_started_bytes: What the answers of these jobs may take together, as far as that is known before.
        max_running: How many long jobs run at a time.
        max_begun: How many long jobs may have started and not ended, but for the first of each client if its
            answer is short.
    """

    def __init__(
        self,
        shares: dict[Lane, int],
        max_started_bytes: int = ClientLimits.started_bytes,
        max_running: int = sys.maxsize,
        max_begun: int = sys.maxsize,
    ) -> None:
        self._shares = shares
        self._max_running, self._max_begun = max_running, max_begun
        self._running = self._begun = 0
        self._max_started_bytes = max_started_bytes
        self._clients: dict[object, _ClientQueue] = {}
        self._turns: dict[Lane, dict[object, _ClientQueue]] = {lane: {} for lane in Lane}
        self._deadlines: list[tuple[float, int, ScheduledJob]] = []
        self._arrivals = itertools.count()

    @property
    def has_begun(self) -> bool:
        """Whether any long job has started and not ended."""
        return self._begun > 0

    def add(
        self, client: object, job: Job, on_progress: ProgressCallback, on_result: ResultCallback
    ) -> ScheduledJob:
        """Add a job of a client."""
        arrival = next(self._arrivals)
        lane = Lane.LONG if job.work.is_long and not job.control.is_stopped else Lane.QUICK
        scheduled = ScheduledJob(client, job, on_progress, on_result, arrival, lane)
        self._find_queue(client)
        self._enqueue(scheduled)
        if lane is Lane.LONG and job.work.deadline_s is not None:
            heapq.heappush(self._deadlines, (job.work.deadline_s, arrival, scheduled))
        return scheduled

    def take(self, lane: Lane) -> ScheduledJob | None:
        """Take a job of the first client, by turn, that has one to start or to go on; its turn is over then.

        Of the long jobs of a client, those to start come first.
        """
        if lane is Lane.LONG and self._running >= self._max_running:
            return None
        turns = self._turns[lane]
        for client, queue in list(turns.items()):
            taken = self._take_of(queue, lane)
            if taken is not None or not queue.has_any(lane):
                del turns[client]
            if taken is not None:
                if queue.has_any(lane):
                    turns[client] = queue
                return taken
        return None

    def _take_of(self, queue: _ClientQueue, lane: Lane) -> ScheduledJob | None:
        if lane is Lane.QUICK:
            return queue.take(lane, self._shares[lane])
        taken = None
        if self._begun < self._max_begun:
            taken = queue.take(lane, self._shares[lane])
        elif lane not in queue.started.values():
            taken = queue.take(lane, self._shares[lane], SHORT_ANSWER_BYTES)
        self._begun += taken is not None
        if taken is None and queue.paused:
            taken = queue.paused.popleft()
        if taken is not None:
            self._running += 1
            taken.is_running, taken.is_paused = True, False
        return taken

    def pause(self, scheduled: ScheduledJob) -> bool:
        """Let a long job go on by turn only; return whether it does, which one of a lost client need not."""
        queue = self._clients.get(scheduled.client)
        if queue is None or scheduled.is_paused or scheduled.lane is Lane.QUICK:
            return scheduled.is_paused
        self.leave(scheduled)
        scheduled.is_paused = True
        queue.paused.append(scheduled)
        turns = self._turns[Lane.LONG]
        turns.pop(scheduled.client, None)  # those come first that have had no turn since this one began
        turns[scheduled.client] = queue
        return True

    def leave(self, scheduled: ScheduledJob) -> None:
        """Note that a long job runs no longer."""
        self._running -= scheduled.is_running
        scheduled.is_running = False

    def go_on(self, scheduled: ScheduledJob) -> bool:
        """Let a long job that is paused go on at once, to end; return whether it was.

        It counts among those that run, so that others wait for it.
        """
        if not scheduled.is_paused:
            return False
        self._running += 1
        scheduled.is_running, scheduled.is_paused = True, False
        queue = self._clients.get(scheduled.client)
        if queue is not None:
            queue.paused.remove(scheduled)
        return True

    def end(self, scheduled: ScheduledJob) -> None:
        """Note that a long job that started has ended."""
        self.leave(scheduled)
        self._begun -= 1

    def has_room(self, client: object, lane: Lane) -> bool:
        """Return whether another job of a client may start in a lane."""
        return self._clients[client].has_room(lane, self._shares[lane])

    def count_jobs(self) -> tuple[int, int]:
        """Return how many jobs wait, and how many have started and are not taken in."""
        queues = self._clients.values()
        waiting = sum(
            each.waits_in(lane)
            for queue in queues
            for lane, heap in queue.waiting.items()
            for _, _, each in heap
        )
        return waiting, sum(len(queue.started) for queue in queues)

    def has_waiting(self, lane: Lane) -> bool:
        """Return whether any job waits in a lane."""
        return any(queue.has_waiting(lane) for queue in self._turns[lane].values())

    def promote(self, scheduled: ScheduledJob) -> bool:
        """Move a long job to the quick lane; return whether it still waited in the long one."""
        if not scheduled.waits_in(Lane.LONG):
            return False
        scheduled.lane = Lane.QUICK
        self._enqueue(scheduled)
        return True

    def promote_overdue(self, now_s: float) -> float | None:
        """Move long jobs whose deadline has passed to the quick lane; return the next deadline, if any."""
        while self._deadlines:
            deadline_s, _, scheduled = self._deadlines[0]
            if deadline_s > now_s and scheduled.waits_in(Lane.LONG):
                return deadline_s
            heapq.heappop(self._deadlines)
            self.promote(scheduled)
        return None

    def set_gate(self, client: object, gate: StartGate) -> bool:
        """Set which jobs of a client may start; return whether that changed."""
        queue = self._find_queue(client)
        has_changed = gate != queue.gate
        queue.gate = gate
        return has_changed

    def release(self, client: object, job: Job) -> Iterable[Lane]:
        """Note that the result of a job is taken in; return the lanes where another may start."""
        queue = self._clients.get(client)
        lane = None if queue is None else queue.started.pop(job, None)
        if queue is None or lane is None:
            return ()
        return Lane if queue.waits_for_room else (lane,)

    def count_answer_bytes(self, client: object) -> int:
        """Return how many bytes of the answers of a client's started jobs there are."""
        queue = self._clients.get(client)
        return 0 if queue is None else sum(job.control.answer_bytes for job in queue.started)

    def drop(self, client: object) -> None:
        """Forget all jobs of a client."""
        queue = self._clients.pop(client, None)
        if queue is not None:
            for lane, heap in queue.waiting.items():
                self._turns[lane].pop(client, None)
                for _, _, scheduled in heap:
                    scheduled.is_waiting = False
                    scheduled.job.control.disconnect()

    def _find_queue(self, client: object) -> _ClientQueue:
        queue = self._clients.get(client)
        if queue is None:
            queue = self._clients[client] = _ClientQueue(self._max_started_bytes)
        return queue

    def _enqueue(self, scheduled: ScheduledJob) -> None:
        queue = self._clients[scheduled.client]
        entry = (-scheduled.job.work.priority, scheduled.arrival, scheduled)
        heapq.heappush(queue.waiting[scheduled.lane], entry)
        self._turns[scheduled.lane].setdefault(scheduled.client, queue)
