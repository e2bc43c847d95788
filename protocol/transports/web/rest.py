"""Requests over HTTP that take work: read up to a cap, done by the workers, stopped when nobody waits."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from gammond.engine.errors import CancelledWork, GammondError, LimitError, UnsupportedError
from gammond.engine.rules.dice import MAX_SEED
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.jobs import Job
from gammond.protocol.core.requests import Task, WorkControl
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session
from gammond.protocol.transports.shared_work import SharedWork
from gammond.protocol.transports.web.answers import read_address, read_cookies, read_header, send_answer
from gammond.protocol.transports.web.limits import AddressPlaces, WebLimits, group_address
from gammond.protocol.transports.web.metrics import Histogram
from gammond.protocol.transports.workers import LAST_WORK_S
from gammond.protocol.web.answers import WebAnswer, WebRequest
from gammond.protocol.web.plans import Endpoint, WebPlan

_BYTES_FOR_BODY_BYTE = 4
"""About how many bytes the objects of a request take for each byte of its body."""


class RestWork:
    """The work of all requests over HTTP.

    Args:
        service: What all clients share.
        shared: What it shares with listeners.
        limits: Caps.

    Attributes:
        times: How long requests took.
    """

    def __init__(self, service: Service, shared: SharedWork, limits: WebLimits) -> None:
        self.service = service
        self.shared = shared
        self.limits = limits
        self.times = Histogram()
        self._running: set[RunningRequest] = set()
        self._places = {is_long: AddressPlaces(limits.address_works) for is_long in (False, True)}

    def find_refusal(self, address: str, *, is_long: bool) -> BusyError | None:
        """Return why a request is turned away, if it is: no place is free, among those for work of its kind.

        Args:
            address: Where it comes from, as `group_address` returns it.
            is_long: Whether the work takes long.
        """
        limits, places = self.limits, self._places[is_long]
        if places.count >= limits.works:
            return BusyError(f"{limits.works} requests are under way: try again shortly", field="server")
        if not places.has_room(address):
            return BusyError(
                f"{limits.address_works} of your requests are under way: wait for their answers",
                field="client",
            )
        return None

    def add(self, request: RunningRequest) -> None:
        """Take a request in."""
        self._running.add(request)
        self._places[request.is_long].add(request.address)

    def remove(self, request: RunningRequest) -> None:
        """Let a request go."""
        self._running.discard(request)
        self._places[request.is_long].remove(request.address)

    async def drain(self) -> None:
        """End all requests: by themselves, then with work stopped, then without answers."""
        running, wait_while = self._running, self.shared.wait_while
        await wait_while(lambda: running, self.limits.grace_s)
        for request in list(running):
            request.stop()
        await wait_while(lambda: running, LAST_WORK_S)
        for request in list(running):
            request.cut_off(CancelledWork("the server is shutting down", field="server"))


class RunningRequest:
    """A request that is under way: its place in the account of memory, and its work.

    Args:
        work: That of all requests.
        address: Where it comes from, as `group_address` returns it.
        transport: Brings it.
        is_long: Whether its work takes long.

    Attributes:
        address: As given.
        is_long: As given.
        held_bytes: What is held for it, as counted last.
    """

    def __init__(self, work: RestWork, address: str, transport: asyncio.Transport, *, is_long: bool) -> None:
        self.address = address
        self.is_long = is_long
        self._transport = transport
        self.held_bytes = 0
        self._work = work
        self._control = WorkControl()
        self._result: asyncio.Future[WebPlan | Exception] = asyncio.get_running_loop().create_future()

    @property
    def is_cut_off(self) -> bool:
        """Whether it gets nothing more than an error."""
        return self._result.done()

    def cut_off(self, error: GammondError) -> None:
        """End it with an error."""
        self._take_result(error)
        self.stop()

    def abort(self) -> None:
        """Drop its client, which reads too little of the answer."""
        self._transport.abort()

    def stop(self) -> None:
        """Ask its work to end with what it has."""
        self._control.stop()

    def count_held(self, size: int) -> None:
        """Count what is held for it, in bytes."""
        self._work.shared.memory.count(self, size)

    async def run(self, task: Task[Any], has_left: asyncio.Future[None]) -> WebPlan | Exception:
        """Do work of it, stop that if the client leaves, and return what became of it.

        Args:
            task: What is to be done.
            has_left: Done when the client is gone.
        """
        shared, job = self._work.shared, Job(work=task, control=self._control)
        self._result = asyncio.get_running_loop().create_future()
        shared.submit(self, job, self._take_result)
        await asyncio.wait((self._result, has_left), return_when=asyncio.FIRST_COMPLETED)
        if not self._result.done():
            self.stop()
        result = await self._result
        shared.pool.release(self, job)
        shared.pool.drop(self)
        return result

    def _take_result(self, result: WebPlan | Exception) -> None:
        if not self._result.done():
            self._result.set_result(result)


class RestPath:
    """Answers the requests of one path, each by its method.

    Args:
        endpoints: What they take, and what they do.
        work: That of all requests.

    Attributes:
        methods: Their methods, and HEAD where there is GET.
    """

    def __init__(self, endpoints: Iterable[Endpoint], work: RestWork) -> None:
        self._endpoints = {each.method: each for each in endpoints}
        if "GET" in self._endpoints:
            self._endpoints["HEAD"] = self._endpoints["GET"]
        self.methods = frozenset(self._endpoints)
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say which methods there are."""
        endpoint = self._endpoints.get(scope["method"])
        if endpoint is None:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self.methods))})
        work, address, is_long = self._work, group_address(read_address(scope)), endpoint.takes_long
        began_s = work.shared.clock()
        if refusal := work.find_refusal(address, is_long=is_long):
            status = 429 if refusal.field == "client" else 503
            await send_answer(endpoint.fail(refusal, status), send)
            return
        running = RunningRequest(work, address, scope["state"]["transport"], is_long=is_long)
        work.add(running)
        try:
            answer = await self._answer(endpoint, scope, receive, running)
            work.times.add(work.shared.clock() - began_s)
            if answer is not None:
                running.count_held(len(answer.body))
                await send_answer(answer, send, closes=answer.status == 413)
        finally:
            work.remove(running)
            running.count_held(0)

    async def _answer(
        self, endpoint: Endpoint, scope: Scope, receive: Receive, running: RunningRequest
    ) -> WebAnswer | None:
        """Return the answer; None if nobody waits for it."""
        media_type = "".join(read_header(scope, b"content-type")).partition(";")[0].strip().lower()
        if endpoint.media_types and not endpoint.takes(media_type):
            expected = " or ".join(endpoint.media_types)
            fault = UnsupportedError(
                f"expected a body of {expected}, got {media_type[:80] or 'none'}", field="content-type"
            )
            return endpoint.fail(fault, 415)
        try:
            body = await _read_body(endpoint.max_bytes, scope, receive, running)
        except LimitError as error:
            return endpoint.fail(error, 413)
        if body is None:
            return None
        query = tuple(Request(scope).query_params.multi_items())
        host, origin = ("; ".join(read_header(scope, name)) for name in (b"host", b"origin"))
        parts = {name: str(value) for name, value in scope.get("path_params", {}).items()}
        request = WebRequest(
            body, media_type, query, parts, host, origin, read_cookies(scope), running.address
        )
        session = Session(self._work.service, secrets.randbelow(MAX_SEED))
        planned = endpoint.plan(session, request)
        if isinstance(planned, WebAnswer):
            return planned
        leaving = asyncio.ensure_future(_wait_until_gone(receive))
        try:
            while not isinstance(planned, WebAnswer):
                planned = endpoint.finish(session, await running.run(planned, leaving))
            return None if leaving.done() else planned
        finally:
            leaving.cancel()


async def _read_body(most: int, scope: Scope, receive: Receive, running: RunningRequest) -> bytes | None:
    """Read a body of so many bytes at most; None if the client leaves meanwhile.

    Raises:
        LimitError: It is longer than that many bytes.
    """
    fault = LimitError(f"expected a body of at most {most} bytes, got more", field="body")
    length = "".join(read_header(scope, b"content-length"))
    if length.isdecimal() and int(length) > most:
        raise fault
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece = message.get("body", b"")
        size += len(piece)
        if size > most:
            raise fault
        pieces.append(piece)
        running.count_held(_BYTES_FOR_BODY_BYTE * size)
        if running.is_cut_off:
            raise LimitError("the server holds too much for its clients: try again later", field="body")
        if not message.get("more_body", False):
            return b"".join(pieces)


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
