"""The server that GNU Backgammon's external player connects to: many boards and scripts at a time."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from engine.play.decider import Decider
from engine.runtime.version import NAME, read_version
from protocol.core.framing import InputLine
from protocol.dialects.gnubg_external import MAX_LINE_BYTES, GnubgExternal, GnubgRules, format_error_line
from protocol.transports.tcp import ListeningCallback, TcpLimits, make_listen_error
from protocol.transports.workers import resolve_thread_count

GNUBG_LIMITS = TcpLimits(clients=64, idle_s=24 * 3600.0)
"""Caps of this server; a board is silent for as long as the person at it thinks."""

_READ_BYTES = 16 * 1024
_READ_AHEAD_BYTES = 64 * 1024
"""The most that is read from a client that waits for an answer; one that sends more is not seen to leave."""
_STOP_GRACE_S = 1.0
"""How long a search may take to end after a stop."""


async def serve_gnubg(
    decider: Decider,
    host: str,
    port: int,
    *,
    rules: GnubgRules | None = None,
    limits: TcpLimits = GNUBG_LIMITS,
    threads: int | None = None,
    on_listening: ListeningCallback = lambda host, port: None,
    stop_event: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM, SIGINT or `stop_event`; answers under way are still sent.

    A client whose connection breaks while it waits has its search stopped. One that only ends its input may
    be a script that still reads: it gets all its answers, but nobody else waits for them.

    Args:
        decider: Plays for all clients.
        host: Where to listen; see `protocol.transports.tcp.check_host`.
        port: Port to listen on; 0 takes a free one.
        rules: What gnubg's lines do not say about money games.
        limits: Caps.
        threads: Answers worked on at a time, not counting those of clients that have ended their input; one
            for each core if left out.
        on_listening: Called with host and port once clients can come.
        stop_event: Ends the server when it is set.

    Raises:
        StateError: The address cannot be listened on.
    """
    stop_event = stop_event or asyncio.Event()
    loop = asyncio.get_running_loop()
    for kind in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # another thread than the main one
            loop.add_signal_handler(kind, stop_event.set)
    pool = ThreadPoolExecutor(limits.clients, "gnubg")
    house = _GnubgServer(decider, rules or GnubgRules(), limits, pool, resolve_thread_count(threads))
    try:
        try:
            server = await asyncio.start_server(house.serve_client, host, port, limit=MAX_LINE_BYTES)
        except OSError as error:
            raise make_listen_error(host, port, error) from error
        address = server.sockets[0].getsockname()
        on_listening(address[0], address[1])
        await stop_event.wait()
        server.close()
        await house.close()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run_gnubg(
    decider: Decider,
    host: str,
    port: int,
    *,
    rules: GnubgRules | None = None,
    limits: TcpLimits = GNUBG_LIMITS,
    threads: int | None = None,
    on_listening: ListeningCallback = lambda host, port: None,
) -> None:
    """Serve as `serve_gnubg` does, in an event loop of its own."""
    asyncio.run(
        serve_gnubg(
            decider, host, port, rules=rules, limits=limits, threads=threads, on_listening=on_listening
        )
    )


@contextmanager
def gnubg_server(decider: Decider, *, rules: GnubgRules | None = None) -> Iterator[int]:
    """Serve on a free loopback port, in a thread of its own, as long as the context lasts.

    Yields:
        The port.
    """
    started: Future[tuple[int, asyncio.AbstractEventLoop]] = Future()
    ending = asyncio.Event()

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        await serve_gnubg(
            decider,
            "127.0.0.1",
            0,
            rules=rules,
            on_listening=lambda _, port: started.set_result((port, loop)),
            stop_event=ending,
        )

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="gnubg-server", daemon=True)
    thread.start()
    port, loop = started.result(timeout=10)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()


class _GnubgServer:
    """What the clients of one listener share."""

    def __init__(
        self, decider: Decider, rules: GnubgRules, limits: TcpLimits, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.decider = decider
        self.rules = rules
        self.limits = limits
        self.pool = pool
        """A thread for each client; those of `places` and `half_closed_slots` are all that begin to work."""
        self.slots = asyncio.Semaphore(threads)
        self.half_closed_slots = asyncio.Semaphore(threads)
        """For clients that have ended their input, and may be gone."""
        self.is_closing = False
        self.must_stop_searches = threading.Event()
        """Set when searches under way have to end."""
        self._clients: set[_GnubgClient] = set()

    async def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client from its first byte to its last."""
        client = _GnubgClient(self, reader, writer)
        if len(self._clients) >= self.limits.clients or self.is_closing:
            message = f"the server has {len(self._clients)} clients, the maximum: try again later"
            client.send(f"{format_error_line(message)}\n".encode())
            client.close()
            return
        self._clients.add(client)
        try:
            await client.serve()
        except (OSError, TimeoutError):  # it is gone, or does not read: closing would wait for it
            client.abort()
        finally:
            self._clients.discard(client)
            client.close()

    async def close(self) -> None:
        """Disconnect all clients, those that wait for an answer after it.

        Searches that take too long are cut short: their clients get what has been found.
        """
        self.is_closing = True
        for client in list(self._clients):
            if not client.is_waiting:
                client.close()
        await self._wait_until_empty(self.limits.grace_s)
        self.must_stop_searches.set()
        await self._wait_until_empty(_STOP_GRACE_S)
        for client in list(self._clients):
            client.abort()

    async def _wait_until_empty(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while self._clients and time.monotonic() < deadline:
            await asyncio.sleep(0.01)


class _GnubgClient:
    """One client: moves bytes between its socket and its dialect, and work to the threads."""

    def __init__(
        self, server: _GnubgServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.is_waiting = False
        """Whether an answer is under way."""
        self._server = server
        self._input = _InputReader(reader)
        self._writer = writer
        self._dialect = GnubgExternal(
            server.decider, server.rules, f"{NAME} {read_version()}", self._is_cancelled
        )
        self._line_started_s = time.monotonic()
        """When the line that is coming in began, or could have begun."""

    async def serve(self) -> None:
        """Answer line by line until the client ends, overstays or the house closes."""
        try:
            await self._serve()
        finally:
            self._input.close()

    async def _serve(self) -> None:
        while not (self._dialect.is_done or self._server.is_closing):
            try:
                data = await asyncio.wait_for(self._input.read(), self._compute_timeout_s())
            except TimeoutError:
                self.send(f"{format_error_line('expected a complete line in time')}\n".encode())
                return
            if data:
                if not self._dialect.has_partial_line:
                    self._line_started_s = time.monotonic()
                self._dialect.receive_data(data)
            else:
                self._dialect.receive_eof()
            await self._answer_all()
            if not data:
                return

    def send(self, data: bytes) -> None:
        """Hand bytes to the socket."""
        self._writer.write(data)

    def close(self) -> None:
        """Close once everything is sent."""
        self._writer.close()

    def abort(self) -> None:
        """Drop the client at once."""
        self._writer.transport.abort()

    async def _answer_all(self) -> None:
        while (line := self._dialect.next_line()) is not None and not self._server.is_closing:
            await self._answer(line)
            self._line_started_s = time.monotonic()

    async def _answer(self, line: InputLine) -> None:
        self.is_waiting = True
        try:
            self.send(await self._compute_answer(line))
            await asyncio.wait_for(self._writer.drain(), self._server.limits.stuck_writer_s)
        finally:
            self.is_waiting = False

    async def _compute_answer(self, line: InputLine) -> bytes:
        """Answer in a thread, when there is a place for it; leave the place once the client may be gone."""
        house, inbox = self._server, self._input
        places = house.half_closed_slots if inbox.has_ended else house.slots
        async with places:
            work = asyncio.get_running_loop().run_in_executor(house.pool, self._dialect.answer, line)
            if places is house.slots:
                await inbox.wait_for(work)
            else:
                await asyncio.wait([work])
        return await work

    def _is_cancelled(self) -> bool:
        return self._input.is_broken or self._server.must_stop_searches.is_set()

    def _compute_timeout_s(self) -> float:
        limits = self._server.limits
        if not self._dialect.has_partial_line:
            return limits.idle_s
        return max(0.0, self._line_started_s + limits.half_line_s - time.monotonic())


class _InputReader:
    """What a client sends, read while its answers are worked out, so that it is seen to leave."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.is_broken = False
        """Whether the connection is lost, both ways."""
        self.has_ended = False
        """Whether nothing more can come: the connection is lost, or the client has closed its half of it."""
        self._reader = reader
        self._data = bytearray()
        self._has_data = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._fill_task = asyncio.create_task(self._fill())

    def close(self) -> None:
        """Read no more."""
        self._fill_task.cancel()

    async def wait_for(self, work: asyncio.Future[bytes]) -> None:
        """Wait until work is done, or the client has ended its input."""
        either: list[asyncio.Future[Any]] = [work, self._fill_task]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)

    async def read(self) -> bytes:
        """Wait for bytes; there are none once all that the client sent is taken."""
        await self._has_data.wait()
        data = bytes(self._data)
        self._data.clear()
        self._has_room.set()
        if not self.has_ended:
            self._has_data.clear()
        return data

    async def _fill(self) -> None:
        while not self.has_ended:
            await self._has_room.wait()
            data = b""
            try:
                data = await self._reader.read(_READ_BYTES)
            except OSError:
                self.is_broken = True
            self._data += data
            self.has_ended = not data
            if len(self._data) >= _READ_AHEAD_BYTES:
                self._has_room.clear()
            self._has_data.set()
