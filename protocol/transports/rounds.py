"""Rounds: what the thread that serves the clients does for whom, and for how long.

A line can take microseconds or, with 500 kB of words, 4 ms. So clients take turns by time, not by lines:
whatever others send, a client that takes little of it waits for one round and one line of somebody else's.
What is no line, such as bytes that a web server parses, has turns among them too (`InputTurns`).
What the lines ask for and takes microseconds (`Work.is_quick`) is answered at the end of the round, those of
a batch (`BatchItem`) together, of one client or many. Everything else goes to the worker pool.
"""

from __future__ import annotations

import heapq
import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

from gammond.protocol.core.connection import Connection
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.jobs import OPEN_GATE, LineJob, LineResult, run_batch
from gammond.protocol.core.requests import AnyReply
from gammond.protocol.transports.workers import WorkerPool

RunHere = Callable[..., None]
"""Calls a function with arguments in the thread that serves the clients, soon; from any thread."""

ROUND_S = 0.0025
"""Seconds of serving lines after which a round serves no more."""

ROUND_SIZE = 256
"""The size of the requests to be answered (`Work.size`) after which a round serves no more: some 3 ms."""

_MIN_SHARE = 1 / 8
"""What a turn may have of a round, however many clients wait: more turns would be more to write."""

_SIZE_S = ROUND_S / ROUND_SIZE
"""Seconds for which a size counts."""

_MIN_TURN_S = _MIN_SHARE * ROUND_S
"""A turn counts for no less: among clients that send one cheap line at a time, those with the cheapest do not
overtake the others several times."""

_MAX_TURN_S = 0.02
"""A turn counts for no more: one that takes longer loads code, for all clients, or the machine stood still.
Less than `_CREDIT_S`, so that none of that puts a client that takes little behind those that take much."""

_CREDIT_S = 0.05
"""How far a client that comes back is ahead of those that went on, and as far again if it took so much less:
one that asks for little now and then does not wait for the turns of all those that send much."""


def _ignore(*_: object) -> None:
    """Do nothing for a client that is gone."""


class TurnTaker(ABC):
    """Whoever has turns in the rounds.

    Args:
        pump: Moves on what a turn has left, once the round's requests are answered.
        served_s: What one that comes now has to count as its time, `Rounds.served_s`.

    Attributes:
        pump: As given.
        served_s: The time that it took, and that of others while it had nothing to do.
        is_waiting: Whether it waits for a turn.
        is_back: Whether nothing was left of it after its last turn.
    """

    def __init__(self, pump: Callable[[], None], served_s: float = 0.0) -> None:
        self.pump = pump
        self.served_s = served_s
        self.is_waiting = False
        self.is_back = False

    @abstractmethod
    def serve(self, size: int, end_s: float) -> list[LineJob]:
        """Have a turn, as for `Connection.advance`; return the quick jobs that are to be done for it."""

    def take_results(self, jobs: Iterable[LineJob], results: Iterable[bytes | Exception | None]) -> None:
        """Take in what became of quick jobs, as `run_batch` returns it."""
        return


class InputTurns(TurnTaker):
    """Turns of what comes from a client and is no line.

    Args:
        rounds: Gives them.
        step: Does the next of it, a millisecond's worth at most; returns whether there is more.
        fail: Ends the client; called if a step raised.
    """

    def __init__(self, rounds: Rounds, step: Callable[[], bool], fail: Callable[[], object]) -> None:
        super().__init__(self._go_on, rounds.served_s)
        self._rounds = rounds
        self._step = step
        self._fail = fail

    def plan(self, *, at_once: bool = False) -> None:
        """Have a turn soon; at once if others have had as much time as they were kept waiting last.

        Args:
            at_once: Whether it may be at once: nothing of the client is under way.
        """
        self._rounds.add(self, at_once=at_once and self._rounds.is_rested)

    def serve(self, size: int, end_s: float) -> list[LineJob]:
        """Take steps for a turn."""
        has_more = True
        try:
            while has_more := self._step():
                if self._rounds.clock() > end_s:
                    break
        except Exception as error:
            FAULT_LOG.log("what a client sent could not be read", error)
            has_more = False
            self._fail()
        self.is_back = not has_more
        return []

    def _go_on(self) -> None:
        if not self.is_back:
            self.plan()


class RoundClient(TurnTaker):
    """A client with lines in the rounds.

    Args:
        connection: Makes its jobs, and takes their results.
        pool: Runs those that take long.
        run_here: Brings the pool's results into the client's own thread.
        pump: Moves on what the connection has, after a turn.
        served_s: As for `TurnTaker`.

    Attributes:
        connection: As given.
    """

    def __init__(
        self,
        connection: Connection,
        pool: WorkerPool,
        run_here: RunHere,
        pump: Callable[[], None],
        served_s: float = 0.0,
    ) -> None:
        super().__init__(pump, served_s)
        self.connection = connection
        self._pool = pool
        self._run_here = run_here
        self._gate = OPEN_GATE
        self._answered: list[LineJob] = []

    def serve(self, size: int, end_s: float) -> list[LineJob]:
        """Serve lines for a turn, as for `Connection.advance`; return their quick jobs.

        Of a client that must read first, the pool has all jobs: it knows which may start.
        """
        self.connection.advance(size, end_s)
        self.is_back = not self.connection.has_lines
        is_open = self.connection.start_gate.is_open
        quick_jobs = []
        while job := self.connection.next_job():
            if is_open and job.work.is_quick:
                quick_jobs.append(job)
            else:
                self.hand_over(job)
        return quick_jobs

    def take_results(self, jobs: Iterable[LineJob], results: Iterable[bytes | Exception | None]) -> None:
        """Take in what became of quick jobs, as `run_batch` returns it."""
        for job, result in zip(jobs, results, strict=False):
            if result is None:
                self.hand_over(job)
            else:
                self.connection.receive_result(job, result)

    def hand_over(self, job: LineJob) -> None:
        """Let the pool do a job, unless the client is gone."""
        if self._run_here is _ignore:
            return
        self.report_to_pool()
        self._pool.submit(self, job, self._on_progress, self._on_result)

    def report_to_pool(self) -> None:
        """Tell the pool which jobs may start, and then which are answered."""
        gate = self.connection.start_gate
        if gate is not self._gate:
            self._gate = gate
            self._pool.set_gate(self, gate)
        while self._answered:
            self._pool.release(self, self._answered.pop())

    def count_answer_bytes(self) -> int:
        """Return how many bytes there are of answers that workers have not ended."""
        return self._pool.count_answer_bytes(self)

    def drop(self) -> None:
        """Forget the jobs that have not started, and whom to call: nobody gets their results."""
        self._pool.drop(self)
        self._run_here = self.pump = _ignore

    def _on_progress(self, job: LineJob, reply: AnyReply) -> None:
        self._run_here(self.connection.receive_progress, job, reply)

    def _on_result(self, job: LineJob, result: LineResult) -> None:
        self._run_here(self._take_result, job, result)

    def _take_result(self, job: LineJob, result: LineResult) -> None:
        self.connection.receive_result(job, result)
        self._answered.append(job)


class Rounds:
    """The clients that wait for a turn, the one that took the least time first.

    Args:
        call_soon: Calls a function in the thread that serves the clients, after what waits there already.
        clock: Seconds; ends rounds.
        work_clock: Seconds that this thread has worked; what turns take is charged by it, so that nobody is
            charged for what other threads and programs do meanwhile.

    Attributes:
        served_s: The time that each of the clients took that take all they can.
        clock: As given.
    """

    def __init__(
        self,
        call_soon: Callable[[Callable[[], None]], Any],
        clock: Callable[[], float],
        work_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self._call_soon = call_soon
        self.clock = clock
        self._work_clock = work_clock
        self._order: list[tuple[float, int, TurnTaker]] = []
        self._entries = itertools.count()
        self.served_s = 0.0
        self._is_due = False
        self._rested_s = 0.0

    @property
    def is_rested(self) -> bool:
        """Whether the thread has done other things for as long as it was last busy here."""
        return self.clock() >= self._rested_s

    def add(self, client: TurnTaker, *, at_once: bool = False) -> None:
        """Give a client a turn when nobody waits who took less time, unless it waits already.

        Args:
            client: The client.
            at_once: Whether the round is now, unless one is due anyway: others can have no lines.
        """
        if client.is_waiting:
            return
        if at_once and not self._order:
            self._serve_alone(client)
            return
        client.is_waiting = True
        client.served_s = max(client.served_s, self.served_s - _CREDIT_S)
        lead_s = _CREDIT_S if client.is_back else 0.0
        heapq.heappush(self._order, (client.served_s - lead_s, next(self._entries), client))
        self._plan()

    def _serve_alone(self, client: TurnTaker) -> None:
        """Give a whole round to a client while no other waits: its time is no debt."""
        began_s = self.clock()
        jobs = client.serve(ROUND_SIZE, began_s + ROUND_S)
        client.take_results(jobs, run_batch(jobs))
        client.pump()
        self._rest(began_s)

    def _rest(self, began_s: float) -> None:
        """Note until when other things are to be done after being busy since a time."""
        ended_s = self.clock()
        self._rested_s = ended_s + (ended_s - began_s)

    def _plan(self) -> None:
        if self._order and not self._is_due:
            self._is_due = True
            self._call_soon(self._run)

    def _run(self) -> None:
        """Serve lines, answer what is quick of what they ask for, and send the answers."""
        self._is_due = False
        if self._order:  # who came in the turn of another may have had its own in the same round
            began_s = self.clock()
            self._serve()
            self._rest(began_s)
        self._plan()

    def _serve(self) -> None:
        room, share = ROUND_SIZE, max(_MIN_SHARE, 1 / len(self._order))
        turn_size, turn_s = ceil(share * ROUND_SIZE), share * ROUND_S
        turns: list[tuple[TurnTaker, float, list[LineJob]]] = []
        jobs: list[LineJob] = []
        worked_s, now_s = self._work_clock(), self.clock()
        end_s = now_s + ROUND_S
        while self._order and room > 0 and now_s <= end_s:
            served_s, _, client = heapq.heappop(self._order)
            self.served_s = max(self.served_s, served_s)
            client.is_waiting = False
            quick_jobs = client.serve(min(room, turn_size), min(end_s, now_s + turn_s))
            size = sum([job.work.size for job in quick_jobs])
            began_s, worked_s, now_s = worked_s, self._work_clock(), self.clock()
            took_s = min(worked_s - began_s, _MAX_TURN_S) + size * _SIZE_S
            turns.append((client, max(took_s, _MIN_TURN_S), quick_jobs))
            jobs += quick_jobs
            room -= size
        results = iter(run_batch(jobs))
        has_others = len(turns) > 1 or bool(self._order)
        for client, took_s, quick_jobs in turns:
            if has_others:  # time that nobody waits for is no debt
                client.served_s += took_s
            client.take_results(quick_jobs, results)
            client.pump()
