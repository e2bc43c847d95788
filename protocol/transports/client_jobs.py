"""The jobs of a client on their way: answered here in rounds, or handed to the worker pool.

A request that takes microseconds is answered in the thread that serves the clients: no other is woken for
it. Those of a batch (`BatchItem`) are answered together with all others of the same round, of one client or
many; other quick ones (`Work.is_quick`) one by one. A round is short, and clients take turns in it, so that
none waits for another's pile. Everything else goes to the pool.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

from protocol.core.connection import Connection
from protocol.core.jobs import OPEN_GATE, Job, JobResult, run_batch
from protocol.core.requests import AnyReply
from protocol.transports.workers import WorkerPool

RunHere = Callable[..., None]
"""Calls a function with arguments in the thread that serves the clients, soon; from any thread."""

ROUND_SIZE = 256
"""The size of the requests (`Work.size`) after which a round takes no more: some 3 ms."""


class QuickRounds:
    """The requests that are answered in the thread that serves the clients, in rounds of a bounded size.

    The client with the least answered so far, by size, is next: who asks little does not wait for the many
    positions of others. Time spent without requests is no credit.

    Args:
        call_soon: Calls a function in the thread that serves the clients, after what waits there already.
    """

    def __init__(self, call_soon: Callable[[Callable[[], None]], Any]) -> None:
        self._call_soon = call_soon
        self._waiting: dict[ClientJobs, deque[Job]] = {}
        self._order: list[tuple[int, int, ClientJobs]] = []
        self._entries = itertools.count()
        self._answered_size = 0
        self._is_due = False

    def add(self, client: ClientJobs, job: Job) -> None:
        """Add a quick request of a client, for the next round that has room for it."""
        waiting = self._waiting.get(client)
        if waiting is None:
            waiting = self._waiting[client] = deque()
            client.answered_size = max(client.answered_size, self._answered_size)
            self._enqueue(client)
        waiting.append(job)
        self._plan_round()

    def take_all(self, client: ClientJobs) -> list[Job]:
        """Take back all requests of a client that are not answered."""
        waiting = self._waiting.get(client)
        if not waiting:
            return []
        jobs = list(waiting)
        waiting.clear()
        return jobs

    def _enqueue(self, client: ClientJobs) -> None:
        heapq.heappush(self._order, (client.answered_size, next(self._entries), client))

    def _plan_round(self) -> None:
        if self._order and not self._is_due:
            self._is_due = True
            self._call_soon(self._answer_round)

    def _answer_round(self) -> None:
        self._is_due = False
        taken = self._take_round()
        results = run_batch([job for _, job in taken])
        for (client, job), result in zip(taken, results, strict=True):
            client.connection.receive_result(job, result)
        for client in dict.fromkeys(client for client, _ in taken):
            client.pump()
        self._plan_round()

    def _take_round(self) -> list[tuple[ClientJobs, Job]]:
        """Take requests up to the size of a round."""
        taken = []
        room = ROUND_SIZE
        while self._order and room > 0:
            self._answered_size, _, client = heapq.heappop(self._order)
            waiting = self._waiting[client]
            if waiting:
                job = waiting.popleft()
                taken.append((client, job))
                room -= job.work.size
                client.answered_size = self._answered_size + job.work.size
            if waiting:
                self._enqueue(client)
            else:
                del self._waiting[client]
        return taken


class ClientJobs:
    """The jobs of one client.

    Args:
        connection: Makes the jobs, and takes their results.
        pool: Runs those that take long.
        rounds: Answers those that do not.
        run_here: Brings the pool's results into the client's own thread.
        pump: Moves on what the connection has, after results came.

    Attributes:
        connection: As given.
        pump: As given.
        answered_size: The size of its quick requests that were answered, and of those that others got
            answered while it had none.
    """

    def __init__(
        self,
        connection: Connection,
        pool: WorkerPool,
        rounds: QuickRounds,
        run_here: RunHere,
        pump: Callable[[], None],
    ) -> None:
        self.connection = connection
        self.pump = pump
        self.answered_size = 0
        self._pool = pool
        self._rounds = rounds
        self._run_here = run_here
        self._gate = OPEN_GATE
        self._answered: list[Job] = []

    def hand_out(self) -> None:
        """Hand out the new jobs, after reporting to the pool which may start and which are answered.

        Of a client that must read first, the pool has them all: it knows which may start.
        """
        gate = self.connection.start_gate
        if gate != self._gate:
            self._gate = gate
            self._pool.set_gate(self, gate)
            if not gate.is_open:
                for waiting in self._rounds.take_all(self):
                    self._submit(waiting)
        while self._answered:
            self._pool.release(self, self._answered.pop())
        while job := self.connection.next_job():
            if gate.is_open and job.work.is_quick:
                self._rounds.add(self, job)
            else:
                self._submit(job)

    def count_answer_bytes(self) -> int:
        """Return how many bytes there are of answers that workers have not ended."""
        return self._pool.count_answer_bytes(self)

    def drop(self) -> None:
        """Forget the jobs that have not started; nobody gets their results."""
        self._rounds.take_all(self)
        self._pool.drop(self)

    def _submit(self, job: Job) -> None:
        self._pool.submit(self, job, self._on_progress, self._on_result)

    def _on_progress(self, job: Job, reply: AnyReply) -> None:
        self._run_here(self.connection.receive_progress, job, reply)

    def _on_result(self, job: Job, result: JobResult) -> None:
        self._run_here(self._take_result, job, result)

    def _take_result(self, job: Job, result: JobResult) -> None:
        self.connection.receive_result(job, result)
        self._answered.append(job)
