"""The jobs of a client on their way: answered here in batches, or handed to the worker pool.

A request that takes microseconds is answered in the thread that serves the clients: no other is woken for
it. Those of a batch (`BatchItem`) are answered together with all others that came in the same round of input,
of one client or many. Other quick ones (`Work.is_quick`) are answered one by one, and few of them in a round.
Everything else goes to the pool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from protocol.core.connection import OPEN_GATE, Connection, Job, run_batch
from protocol.core.requests import AnyReply
from protocol.transports.workers import WorkerPool

RunHere = Callable[..., None]
"""Calls a function with arguments in the thread that serves the clients, soon; from any thread."""

MAX_SINGLES = 16
"""Quick requests of a round that are answered one by one; they take 0.1 to 0.5 ms each."""


class BatchRound:
    """The requests of one round of input that are answered in the thread that serves the clients.

    Args:
        call_soon: Calls a function in the thread that serves the clients, after what waits there already.
    """

    def __init__(self, call_soon: Callable[[Callable[[], None]], Any]) -> None:
        self._call_soon = call_soon
        self._waiting: list[tuple[ClientJobs, Job]] = []
        self._singles = 0

    def add(self, client: ClientJobs, job: Job) -> bool:
        """Add a request if it is for this round; all are answered at the end of the round.

        Returns:
            Whether it was added.
        """
        if job.work.batch_item is None:
            if not job.work.is_quick or self._singles == MAX_SINGLES:
                return False
            self._singles += 1
        if not self._waiting:
            self._call_soon(self._answer)
        self._waiting.append((client, job))
        return True

    def _answer(self) -> None:
        waiting, self._waiting, self._singles = self._waiting, [], 0
        results = run_batch([job for _, job in waiting])
        for (client, job), result in zip(waiting, results, strict=True):
            client.connection.receive_result(job, result)
        for client in dict.fromkeys(client for client, _ in waiting):
            client.pump()


class ClientJobs:
    """The jobs of one client.

    Args:
        connection: Makes the jobs, and takes their results.
        pool: Runs those that take long.
        batches: Answers those that do not.
        run_here: Brings the pool's results into the client's own thread.
        pump: Moves on what the connection has, after results came.
    """

    def __init__(
        self,
        connection: Connection,
        pool: WorkerPool,
        batches: BatchRound,
        run_here: RunHere,
        pump: Callable[[], None],
    ) -> None:
        self.connection = connection
        self.pump = pump
        self._pool = pool
        self._batches = batches
        self._run_here = run_here
        self._gate = OPEN_GATE
        self._answered: list[Job] = []

    def hand_out(self) -> None:
        """Hand out the new jobs, after reporting to the pool which may start and which are answered."""
        gate = self.connection.start_gate
        if gate != self._gate:
            self._gate = gate
            self._pool.set_gate(self, gate)
        while self._answered:
            self._pool.release(self, self._answered.pop())
        while job := self.connection.next_job():
            if not (gate.is_open and self._batches.add(self, job)):
                self._pool.submit(self, job, self._on_progress, self._on_result)

    def drop(self) -> None:
        """Forget the jobs that have not started; nobody gets their results."""
        self._pool.drop(self)

    def _on_progress(self, job: Job, reply: AnyReply) -> None:
        self._run_here(self.connection.receive_progress, job, reply)

    def _on_result(self, job: Job, result: bytes | Exception) -> None:
        self._run_here(self._take_result, job, result)

    def _take_result(self, job: Job, result: bytes | Exception) -> None:
        self.connection.receive_result(job, result)
        self._answered.append(job)
