"""The work of tables, done by the workers of all clients."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import msgspec

from gammond.protocol.core.jobs import Job, JobResult, PendingRequest
from gammond.protocol.core.requests import Work
from gammond.protocol.tables.hub import Hub
from gammond.protocol.tables.services import ResultT, TableWork
from gammond.protocol.transports.shared_work import SharedWork

_LONGEST_WAIT_S = 0.25
"""How long the tables wait to be looked at again."""


class _TableJob(Job, kw_only=True, eq=False):
    """Work of tables, whose result is taken as it is.

    Attributes:
        found: The result.
    """

    request: PendingRequest = msgspec.field(default_factory=lambda: PendingRequest("", False))
    found: Any = None

    def encode_answer(self, replies: Any) -> JobResult:  # noqa: ANN401  (whatever the work returns)
        """Take the result; nothing is to be sent."""
        self.found = replies
        return b""


class HubWork:
    """Has the work of tables done: a `gammond.protocol.tables.services.Submit`.

    Args:
        shared: Has the workers.

    Attributes:
        on_done: Called after each result.
    """

    def __init__(self, shared: SharedWork) -> None:
        self._shared = shared
        self._jobs: set[Job] = set()
        self._clients: Counter[object] = Counter()
        self.on_done: Callable[[], object] = lambda: None

    def __call__(
        self, work: TableWork[ResultT], on_done: Callable[[ResultT | Exception], object], client: object
    ) -> Callable[[], object]:
        """Start work, or let it wait for its turn; return what asks it to end."""
        job = _TableJob(Work(cast("Any", work.run), is_long=work.is_long, answer_bytes=0))
        self._jobs.add(job)
        self._clients[client] += 1

        def take(_: Job, result: JobResult) -> None:
            found = result if isinstance(result, Exception) else job.found
            self._shared.call_here(self._finish, job, client, partial(on_done, found))

        self._shared.pool.submit(client, job, lambda *_: None, take)
        return job.control.stop

    def stop_all(self) -> None:
        """Ask all work to end with what it has."""
        for job in list(self._jobs):
            job.control.stop()

    def _finish(self, job: Job, client: object, tell: Callable[[], object]) -> None:
        self._jobs.discard(job)
        self._shared.pool.release(client, job)
        self._clients[client] -= 1
        if not self._clients[client]:  # the pool would keep a table that has ended
            del self._clients[client]
            self._shared.pool.drop(client)
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
