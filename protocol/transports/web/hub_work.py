"""The work of tables, done by the workers of all clients."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from gammond.protocol.core.jobs import Job, JobResult, PendingRequest
from gammond.protocol.core.requests import AnyReply, JsonReply, Work, WorkControl
from gammond.protocol.tables.hub import Hub
from gammond.protocol.tables.services import WorkResult
from gammond.protocol.transports.workers import WorkerPool

_LONGEST_WAIT_S = 0.25
"""How long the tables wait to be looked at again."""

_NOTHING = (JsonReply({}),)
"""What is encoded of an answer whose replies are taken as they are."""


class HubWork:
    """Has the work of tables done: a `gammond.protocol.tables.services.Submit`.

    Args:
        loop: The event loop that serves the visitors.
        pool: Does the work.

    Attributes:
        on_done: Called after each result.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, pool: WorkerPool) -> None:
        self._loop = loop
        self._pool = pool
        self._jobs: set[Job] = set()
        self._clients: Counter[object] = Counter()
        self.on_done: Callable[[], object] = lambda: None

    def __call__(
        self, work: Work, on_done: Callable[[WorkResult], object], client: object
    ) -> Callable[[], object]:
        """Start work, or let it wait for its turn; return what asks it to end."""
        replies: list[AnyReply] = []

        def run(control: WorkControl) -> Sequence[AnyReply]:
            replies.extend(work.run(control))
            return _NOTHING

        job = Job(msgspec.structs.replace(work, run=run, answer_bytes=0), PendingRequest("", False))
        self._jobs.add(job)
        self._clients[client] += 1

        def take(_: Job, result: JobResult) -> None:
            answer = result if isinstance(result, Exception) else replies
            with suppress(RuntimeError):  # the loop is closed: nobody waits for this any more
                self._loop.call_soon_threadsafe(self._finish, job, client, partial(on_done, answer))

        self._pool.submit(client, job, lambda *_: None, take)
        return partial(self._stop, job)

    def stop_all(self) -> None:
        """Ask all work to end with what it has."""
        for job in list(self._jobs):
            job.control.stop()

    def _stop(self, job: Job) -> None:
        if job in self._jobs:
            job.control.stop()

    def _finish(self, job: Job, client: object, tell: Callable[[], object]) -> None:
        self._jobs.discard(job)
        self._pool.release(client, job)
        self._clients[client] -= 1
        if not self._clients[client]:  # the pool would keep a table that has ended
            del self._clients[client]
            self._pool.drop(client)
        tell()
        self.on_done()


class HubTicks:
    """Does what is due at the tables: when it is due, and every now and then.

    Args:
        loop: The event loop that serves the visitors.
        hub: The tables.
        clock: The hub's.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, hub: Hub, clock: Callable[[], float]) -> None:
        self._loop = loop
        self._hub = hub
        self._clock = clock
        self._timer = loop.call_later(_LONGEST_WAIT_S, self._tick)

    def plan(self) -> None:
        """Look when something is due: a visitor or a worker has done something."""
        due_s = self._hub.next_due_s
        wait_s = _LONGEST_WAIT_S if due_s is None else min(_LONGEST_WAIT_S, max(0.0, due_s - self._clock()))
        if self._loop.time() + wait_s < self._timer.when():
            self._timer.cancel()
            self._timer = self._loop.call_later(wait_s, self._tick)

    def end(self) -> None:
        """Do nothing any more."""
        self._timer.cancel()

    def _tick(self) -> None:
        self._timer = self._loop.call_later(_LONGEST_WAIT_S, self._tick)
        self._hub.tick()
        self.plan()
