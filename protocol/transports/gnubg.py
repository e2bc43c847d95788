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

from engine.choice import Chooser
from engine.version import NAME, version
from protocol.framing import Line
from protocol.gnubg_external import MAX_LINE_BYTES, GnubgExternal, GnubgRules, error_line
from protocol.transports.tcp import Listening, TcpLimits, cannot_listen
from protocol.transports.workers import thread_count

GNUBG_LIMITS = TcpLimits(clients=64, idle_s=24 * 3600.0)
"""Caps of this server; a board is silent for as long as the person at it thinks."""

_READ_BYTES = 16 * 1024
_READ_AHEAD_BYTES = 64 * 1024
"""So much is read of a client that waits for an answer; one that sends more is not seen to leave."""
_CUT_SHORT_S = 1.0
"""How long a search may take to end once it is told to."""


async def serve_gnubg(
    chooser: Chooser,
    host: str,
    port: int,
    *,
    rules: GnubgRules | None = None,
    limits: TcpLimits = GNUBG_LIMITS,
    threads: int | None = None,
    on_listening: Listening = lambda host, port: None,
    ending: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM, SIGINT or `ending`; answers under way are still sent.

    A client whose connection breaks while it waits has its search stopped. One that only ends its input may
    be a script that still reads: it gets all its answers, but nobody else waits for them.

    Args:
        chooser: Plays for all clients.
        host: Where to listen; see `protocol.transports.tcp.check_host`.
        port: Port to listen on; 0 takes a free one.
        rules: What gnubg's lines do not say about money games.
        limits: Caps.
        threads: Answers worked on at a time, not counting those of clients that have ended their input; one
            for each core if left out.
        on_listening: Called with host and port once clients can come.
        ending: Ends the server when it is set.

    Raises:
        StateError: The address cannot be listened on.
    """
    ending = ending or asyncio.Event()
    loop = asyncio.get_running_loop()
    for kind in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # another thread than the main one
            loop.add_signal_handler(kind, ending.set)
    pool = ThreadPoolExecutor(limits.clients, "gnubg")
    house = _House(chooser, rules or GnubgRules(), limits, pool, thread_count(threads))
    try:
        try:
            server = await asyncio.start_server(house.welcome, host, port, limit=MAX_LINE_BYTES)
        except OSError as error:
            raise cannot_listen(host, port, error) from error
        address = server.sockets[0].getsockname()
        on_listening(address[0], address[1])
        await ending.wait()
        server.close()
        await house.close()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run_gnubg(
    chooser: Chooser,
    host: str,
    port: int,
    *,
    rules: GnubgRules | None = None,
    limits: TcpLimits = GNUBG_LIMITS,
    threads: int | None = None,
    on_listening: Listening = lambda host, port: None,
) -> None:
    """Serve as `serve_gnubg` does, in an event loop of its own."""
    asyncio.run(
        serve_gnubg(
            chooser, host, port, rules=rules, limits=limits, threads=threads, on_listening=on_listening
        )
    )


@contextmanager
def gnubg_server(chooser: Chooser, *, rules: GnubgRules | None = None) -> Iterator[int]:
    """Serve on a free loopback port, in a thread of its own, as long as the context lasts.

    Yields:
        The port.
    """
    started: Future[tuple[int, asyncio.AbstractEventLoop]] = Future()
    ending = asyncio.Event()

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        await serve_gnubg(
            chooser,
            "127.0.0.1",
            0,
            rules=rules,
            on_listening=lambda _, port: started.set_result((port, loop)),
            ending=ending,
        )

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="gnubg-server", daemon=True)
    thread.start()
    port, loop = started.result(timeout=10)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()


class _House:
    """What the clients of one listener share."""

    def __init__(
        self, chooser: Chooser, rules: GnubgRules, limits: TcpLimits, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.chooser = chooser
        self.rules = rules
        self.limits = limits
        self.pool = pool
        """A thread for each client; those of `places` and `last_places` are all that begin to work."""
        self.places = asyncio.Semaphore(threads)
        self.last_places = asyncio.Semaphore(threads)
        """For clients that have ended their input, and may be gone."""
        self.is_closing = False
        self.is_cut_short = threading.Event()
        """Set when searches under way have to end."""
        self._clients: set[_Client] = set()

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client from its first byte to its last."""
        client = _Client(self, reader, writer)
        if len(self._clients) >= self.limits.clients or self.is_closing:
            client.send(f"{error_line(f'{len(self._clients)} clients are here, try again later')}\n".encode())
            client.part()
            return
        self._clients.add(client)
        try:
            await client.serve()
        except (OSError, TimeoutError):  # it is gone, or does not read: closing would wait for it
            client.abort()
        finally:
            self._clients.discard(client)
            client.part()

    async def close(self) -> None:
        """Let go of all clients, of those that wait for an answer after it.

        Searches that take too long are cut short: their clients get what has been found.
        """
        self.is_closing = True
        for client in list(self._clients):
            if not client.is_waiting:
                client.part()
        await self._all_gone(self.limits.grace_s)
        self.is_cut_short.set()
        await self._all_gone(_CUT_SHORT_S)
        for client in list(self._clients):
            client.abort()

    async def _all_gone(self, within_s: float) -> None:
        deadline = time.monotonic() + within_s
        while self._clients and time.monotonic() < deadline:
            await asyncio.sleep(0.01)


class _Client:
    """One client: moves bytes between its socket and its dialect, and work to the threads."""

    def __init__(self, house: _House, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.is_waiting = False
        """Whether an answer is under way."""
        self._house = house
        self._inbox = _Inbox(reader)
        self._writer = writer
        self._dialect = GnubgExternal(house.chooser, house.rules, f"{NAME} {version()}", self._must_stop)
        self._line_since = time.monotonic()
        """When the line that is coming in began, or could have begun."""

    async def serve(self) -> None:
        """Answer line by line until the client ends, overstays or the house closes."""
        try:
            await self._serve()
        finally:
            self._inbox.close()

    async def _serve(self) -> None:
        while not (self._dialect.is_done or self._house.is_closing):
            try:
                data = await asyncio.wait_for(self._inbox.take(), self._patience_s())
            except TimeoutError:
                self.send(f"{error_line('no complete line came in time')}\n".encode())
                return
            if data:
                if not self._dialect.has_partial_line:
                    self._line_since = time.monotonic()
                self._dialect.receive_data(data)
            else:
                self._dialect.receive_eof()
            await self._answer_all()
            if not data:
                return

    def send(self, data: bytes) -> None:
        """Hand bytes to the socket."""
        self._writer.write(data)

    def part(self) -> None:
        """Close once everything is sent."""
        self._writer.close()

    def abort(self) -> None:
        """Drop the client at once."""
        self._writer.transport.abort()

    async def _answer_all(self) -> None:
        while (line := self._dialect.next_line()) is not None and not self._house.is_closing:
            await self._answer(line)
            self._line_since = time.monotonic()

    async def _answer(self, line: Line) -> None:
        self.is_waiting = True
        try:
            self.send(await self._work_out(line))
            await asyncio.wait_for(self._writer.drain(), self._house.limits.stuck_writer_s)
        finally:
            self.is_waiting = False

    async def _work_out(self, line: Line) -> bytes:
        """Answer in a thread, when there is a place for it; leave the place once the client may be gone."""
        house, inbox = self._house, self._inbox
        places = house.last_places if inbox.has_ended else house.places
        async with places:
            work = asyncio.get_running_loop().run_in_executor(house.pool, self._dialect.answer, line)
            if places is house.places:
                await inbox.wait_for(work)
            else:
                await asyncio.wait([work])
        return await work

    def _must_stop(self) -> bool:
        return self._inbox.is_broken or self._house.is_cut_short.is_set()

    def _patience_s(self) -> float:
        limits = self._house.limits
        if not self._dialect.has_partial_line:
            return limits.idle_s
        return max(0.0, self._line_since + limits.half_line_s - time.monotonic())


class _Inbox:
    """What a client sends, read while its answers are worked out, so that it is seen to leave."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.is_broken = False
        """Whether the connection is lost, both ways."""
        self.has_ended = False
        """Whether nothing more can come: the connection is lost, or the client has closed its half of it."""
        self._reader = reader
        self._data = bytearray()
        self._has_news = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._filling = asyncio.create_task(self._fill())

    def close(self) -> None:
        """Read no more."""
        self._filling.cancel()

    async def wait_for(self, work: asyncio.Future[bytes]) -> None:
        """Wait until work is done, or the client has ended its input."""
        either: list[asyncio.Future[Any]] = [work, self._filling]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)

    async def take(self) -> bytes:
        """Wait for bytes; there are none once all that the client sent is taken."""
        await self._has_news.wait()
        data = bytes(self._data)
        self._data.clear()
        self._has_room.set()
        if not self.has_ended:
            self._has_news.clear()
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
            self._has_news.set()
