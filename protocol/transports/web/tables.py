"""Tables on the web server: the WebSockets of visitors, and the work and the time of the hub."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.types import Receive, Send

from gammond.engine.errors import GammondError
from gammond.protocol.core.jobs import Job
from gammond.protocol.core.requests import ResultT, Task
from gammond.protocol.tables.audience import Visitor
from gammond.protocol.tables.hub import Hub
from gammond.protocol.tables.services import Submit
from gammond.protocol.transports.listening import ListeningServer
from gammond.protocol.transports.rounds import InputTurns
from gammond.protocol.transports.shared_work import SharedWork
from gammond.protocol.transports.tcp_limits import Bucket, UnreadOutput
from gammond.protocol.transports.web.answers import (
    CLOSE_CAP,
    CLOSE_NO_TEXT,
    CLOSE_NORMAL,
    CLOSE_SERVER_ENDS,
    run_socket,
    shorten_reason,
)
from gammond.protocol.transports.web.limits import WebLimits

_LONGEST_WAIT_S = 0.25
"""How long the tables wait to be looked at again."""

_LONGEST_REQUEST_CHARS = 64 * 1024
"""The longest request; only a position or a name is of any length."""


class HubLoop:
    """What a hub needs of the event loop: its work done by the workers, and looks at what is due.

    Args:
        shared: Has the workers.
        make_hub: Makes the hub, given this: a `gammond.protocol.tables.services.Submit`.

    Attributes:
        hub: The hub.
    """

    def __init__(self, shared: SharedWork, make_hub: Callable[[Submit], Hub]) -> None:
        self._shared = shared
        self._jobs: set[Job] = set()
        self._clients: Counter[object] = Counter()
        self.hub = make_hub(self)
        self._timer = shared.loop.call_later(_LONGEST_WAIT_S, self._tick)

    def __call__(
        self, task: Task[ResultT], on_done: Callable[[ResultT | Exception], object], client: object
    ) -> Callable[[], object]:
        """Start work, or let it wait for its turn; return what asks it to end."""
        job = Job(work=task)
        self._jobs.add(job)
        self._clients[client] += 1

        self._shared.submit(client, job, partial(self._finish, job, client, on_done))
        return job.control.stop

    def _finish(
        self,
        job: Job,
        client: object,
        tell: Callable[[ResultT | Exception], object],
        result: ResultT | Exception,
    ) -> None:
        self._jobs.discard(job)
        self._shared.pool.release(client, job)
        self._clients[client] -= 1
        if not self._clients[client]:  # the pool would keep a table that has ended
            del self._clients[client]
            self._shared.pool.drop(client)
        tell(result)
        self.plan()

    def plan(self) -> None:
        """Look at the tables when something is due: a visitor or a worker has done something."""
        due_s, loop = self.hub.next_due_s, self._shared.loop
        wait_s = _LONGEST_WAIT_S
        if due_s is not None:
            wait_s = min(wait_s, max(0.0, due_s - self._shared.clock()))
        if loop.time() + wait_s < self._timer.when():
            self._timer.cancel()
            self._timer = loop.call_later(wait_s, self._tick)

    def _tick(self) -> None:
        self._timer = self._shared.loop.call_later(_LONGEST_WAIT_S, self._tick)
        self.hub.tick()
        self.plan()

    def end(self) -> None:
        """Look at nothing any more, and ask all work to end with what it has."""
        self._timer.cancel()
        for job in list(self._jobs):
            job.control.stop()


class TableSocket:
    """One client at the tables: moves frames between its WebSocket and the hub.

    Args:
        server: Has admitted it.
        hub: The tables.
        connect: Lets it come to them, given what is called when there is something to send.
        transport: Brings its bytes.
        on_request: Told how long each of its requests took, in seconds.

    Attributes:
        held_bytes: What is held for it, as counted last.
    """

    def __init__(
        self,
        server: ListeningServer[Any],
        hub: Hub,
        connect: Callable[[Callable[[], object]], Visitor],
        transport: asyncio.Transport,
        on_request: Callable[[float], object],
    ) -> None:
        self.held_bytes = 0
        self._server = server
        self._hub = hub
        self._transport = transport
        self._on_request = on_request
        self._changed = asyncio.Event()
        self._visitor = connect(self._changed.set)
        self._close: tuple[int, str] | None = None
        limits = server.limits
        assert isinstance(limits, WebLimits)
        self._limits = limits
        self._bucket = Bucket(limits.table_rate, limits.table_burst, server.clock())
        self._request = ""
        self._is_served = asyncio.Event()
        self._turns = InputTurns(server.shared.rounds, self._serve_request, self.abort)
        self._active_s = server.clock()
        self._unread = UnreadOutput(self._active_s)

    @property
    def is_leaving(self) -> bool:
        """Whether the server has decided to end the connection."""
        return self._close is not None

    @property
    def is_cut_off(self) -> bool:
        """Whether it gets nothing more."""
        return self.is_leaving

    def awaits_request(self, *, is_new: bool) -> bool:
        """Return False: a page that is cut off connects again, and asks again."""
        return False

    def end(self) -> None:
        """Say goodbye, since the server is to end."""
        self._end_with(CLOSE_SERVER_ENDS, "the server ends")

    def stop_work(self) -> None:
        """Do nothing: its tables have work, not it."""

    def abandon(self) -> None:
        """Do nothing: nothing is promised to it."""

    def cut_off(self, error: GammondError) -> None:
        """Send it nothing more, and close."""
        self._visitor.drop()
        self._end_with(CLOSE_CAP, error.message)

    def abort(self) -> None:
        """Drop it at once."""
        self._transport.abort()
        self._changed.set()

    def check_timeouts(self, now: float) -> None:
        """Disconnect the client if it does not read, or nothing came or went for too long."""
        unread_bytes = self._transport.get_write_buffer_size()
        self._unread.look(now, unread_bytes)
        self._server.shared.memory.count(self, unread_bytes + self._visitor.unread_chars)
        if self._unread.compute_wait_s(now) > self._limits.stuck_writer_s:
            self.abort()
        elif now - self._active_s > self._limits.idle_s:
            self._end_with(CLOSE_NORMAL, f"expected a request within {self._limits.idle_s:g} s")

    async def serve(self, receive: Receive, send: Send) -> None:
        """Serve the client, which the server has admitted, until it or the server ends."""
        try:
            await run_socket(receive, send, self._read, self._write)
        finally:
            self._hub.disconnect(self._visitor)
            self._server.shared.memory.count(self, 0)
            self._server.forget(self, self._close[1] if self._close else "it hung up")

    def _end_with(self, code: int, reason: str) -> None:
        if self._close is None:
            self._close = code, reason
        self._changed.set()

    async def _read(self, receive: Receive) -> None:
        clock = self._server.clock
        while self._close is None:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self._end_with(CLOSE_NORMAL, "it hung up")
                return
            text = message.get("text")
            if text is None or len(text) > _LONGEST_REQUEST_CHARS:
                code = CLOSE_NO_TEXT if text is None else CLOSE_CAP
                self._end_with(code, f"expected a text frame of at most {_LONGEST_REQUEST_CHARS} characters")
                return
            self._active_s = began_s = clock()
            self._request = text
            self._is_served.clear()
            self._turns.plan()
            await self._is_served.wait()
            self._on_request(clock() - began_s)
            self._bucket.take()
            await asyncio.sleep(self._bucket.find_wait(clock()))

    def _serve_request(self) -> bool:
        """Serve a request, in a turn."""
        self._hub.receive(self._visitor, self._request)
        self._is_served.set()
        return False

    async def _write(self, send: Send) -> None:
        """Send answers and events as they come, and close the WebSocket at the end."""
        while True:
            self._changed.clear()
            for frame in self._visitor.take_output():
                await send({"type": "websocket.send", "text": frame})
                self._active_s = self._server.clock()
            if self._visitor.is_dropped:
                self._end_with(CLOSE_CAP, "expected events to be read as they come")
            if self._close is not None:
                code, reason = self._close
                await send({"type": "websocket.close", "code": code, "reason": shorten_reason(reason)})
                return
            if not self._changed.is_set():
                await self._changed.wait()
