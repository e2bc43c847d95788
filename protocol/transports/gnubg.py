"""The server that GNU Backgammon's external player connects to: many boards and scripts at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from engine.play.decider import Decider
from engine.runtime.version import NAME, read_version
from protocol.dialects.gnubg_evaluation import GnubgRules
from protocol.dialects.gnubg_external import (
    GnubgExternal,
    Question,
    answer_together,
    format_error_line,
)
from protocol.state.quick_work import QuickWork
from protocol.transports.client_jobs import ROUND_SIZE
from protocol.transports.connection_log import ClientCallback
from protocol.transports.listening import ListeningCallback, ListeningServer, ignore_client
from protocol.transports.tcp_limits import TcpLimits
from protocol.transports.workers import resolve_thread_count

GNUBG_LIMITS = TcpLimits(clients=64, idle_s=24 * 3600.0)
"""Caps of this server; a board is silent for as long as the person at it thinks."""

_READ_AHEAD_BYTES = 64 * 1024
"""Bytes that wait of a client from which no more is read then: it is not seen to leave."""
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
    on_client: ClientCallback = ignore_client,
) -> None:
    """Serve until SIGTERM, SIGINT, SIGHUP or `stop_event`; answers under way are still sent.

    A client whose connection breaks while it waits has its search stopped. One that only ends its input may
    be a script that still reads: it gets all its answers, but nobody else waits for them.

    Args:
        decider: Plays for all clients.
        host: Where to listen; see `protocol.transports.listening.check_host`.
        port: Port to listen on; 0 takes a free one.
        rules: What gnubg's lines do not say about money games.
        limits: Caps.
        threads: Answers worked on at a time, not counting those of clients that have ended their input; one
            for each core if left out.
        on_listening: Called with host and port once clients can come.
        stop_event: Ends the server when it is set.
        on_client: As for `ListeningServer.serve`.

    Raises:
        StateError: The address cannot be listened on.
    """
    pool = ThreadPoolExecutor(limits.clients, "gnubg")
    server = _GnubgServer(decider, rules or GnubgRules(), limits, pool, resolve_thread_count(threads))
    try:
        await server.serve(lambda: _GnubgClient(server), host, port, on_listening, stop_event, on_client)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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


class _GnubgServer(ListeningServer["_GnubgClient"]):
    def __init__(
        self, decider: Decider, rules: GnubgRules, limits: TcpLimits, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        super().__init__(limits, time.monotonic)
        self.pool = pool
        """A thread for each client; those of `slots` and `half_closed_slots` are all that begin to work."""
        self.slots = asyncio.Semaphore(threads)
        self.half_closed_slots = asyncio.Semaphore(threads)
        """For clients that have ended their input, and may be gone."""
        self.is_closing = False
        self._decider = decider
        self._rules = rules
        self._quick_work = QuickWork()
        self._ready: dict[_GnubgClient, None] = {}

    def make_dialect(self) -> GnubgExternal:
        """Return the dialect of a new client."""
        software = f"{NAME} {read_version()}"
        return GnubgExternal(self._decider, self._rules, software, self._quick_work)

    def add_to_round(self, client: _GnubgClient, *, is_alone: bool) -> None:
        """Give a client that has lines a turn, together with all others whose lines are here by then.

        Args:
            client: The client.
            is_alone: Whether there can be no others: its turn is now.
        """
        is_due = bool(self._ready)
        self._ready[client] = None
        if is_alone and not is_due:
            self._answer_round()
        elif not is_due:
            self.loop.call_soon(self._answer_round)

    async def drain(self) -> None:
        """Disconnect all clients, those that wait for an answer after it.

        Searches that take too long are cut short: their clients get what has been found.
        """
        self.is_closing = True
        for client in list(self.clients):
            if client.question is None:
                client.close()
        await self.wait_until_empty(self.limits.grace_s)
        for client in self.clients:
            if client.question is not None:
                client.question.control.stop()
        await self.wait_until_empty(_STOP_GRACE_S)
        for client in list(self.clients):
            client.abort()

    def _answer_round(self) -> None:
        """Answer quick lines of all clients that have some, the same share for each: evaluations together."""
        clients, self._ready = self._ready, {}
        asked: list[tuple[_GnubgClient, int]] = []
        questions: list[Question] = []
        for client in clients:
            if client in self.clients:
                taken = client.take_questions(max(1, ROUND_SIZE // len(clients)))
                asked.append((client, len(taken)))
                questions += taken
        answers = iter(answer_together(questions))
        for client, count in asked:
            client.finish_turn(b"".join([next(answers) for _ in range(count)]))


class _GnubgClient(asyncio.Protocol):
    """One client: moves bytes between socket and dialect, quick questions to rounds, others to threads."""

    _transport: asyncio.Transport

    def __init__(self, server: _GnubgServer) -> None:
        self.question: Question | None = None
        """The question whose answer is under way in a thread."""
        self._server = server
        self._dialect = server.make_dialect()
        self._next: Question | None = None
        """The next question, if it is taken out and has to wait."""
        self._has_lines = False
        self._is_lost = False
        self._has_ended = asyncio.Event()
        self._stuck_since_s: float | None = None
        self._active_s = self._line_started_s = time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client, or refuse it if the server is full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        server = self._server
        if len(server.clients) >= server.limits.clients or server.is_closing:
            message = f"the server has {len(server.clients)} clients, the maximum: try again later"
            self._close_with_error(message)
            server.refuse(transport)
            return
        server.admit(self, transport)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if self not in self._server.clients:
            return
        self._active_s = time.monotonic()
        if not (self._has_lines or self._dialect.has_partial_line):
            self._line_started_s = self._active_s
        self._dialect.receive_data(data)
        self._has_lines = True
        self._advance(is_alone=len(self._server.clients) == 1)

    def eof_received(self) -> bool:
        """Take in the end of the client's input; the socket stays open for the rest of the answers."""
        self._has_ended.set()
        self._dialect.receive_eof()
        self._has_lines = True
        self._advance()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client, once its search has ended."""
        self._is_lost = True
        self._has_ended.set()
        if self.question is None:
            self._server.forget(self)
        else:
            self.question.control.stop()

    def pause_writing(self) -> None:
        """Hold answers back: the client reads more slowly than it is answered."""
        self._stuck_since_s = time.monotonic()

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._stuck_since_s = None
        self._advance()

    def close(self) -> None:
        """Close once everything is sent."""
        self._transport.close()

    def abort(self) -> None:
        """Drop the client at once."""
        self._transport.abort()

    def check_timeouts(self, now: float) -> None:
        """Disconnect the client if it does not read, is silent, or leaves a line unfinished for too long."""
        limits = self._server.limits
        if self._stuck_since_s is not None:
            if now - self._stuck_since_s > limits.stuck_writer_s:
                self.abort()
        elif self.question is not None or self._has_lines:
            return
        elif now > (
            self._line_started_s + limits.half_line_s
            if self._dialect.has_partial_line
            else self._active_s + limits.idle_s
        ):
            self._close_with_error("expected a complete line in time")

    def take_questions(self, size: int) -> list[Question]:
        """Take out the next questions while they are quick, until they reach a size."""
        taken: list[Question] = []
        while size > 0:
            question = self._next or self._read_question()
            if question is None or not question.work.is_quick:
                self._next = question
                break
            self._next = None
            taken.append(question)
            size -= question.work.size
        return taken

    def finish_turn(self, answers: bytes) -> None:
        """Send the answers of a round, and go on."""
        if answers:
            self._transport.write(answers)
            self._active_s = self._line_started_s = time.monotonic()
        self._advance()

    def _read_question(self) -> Question | None:
        line = self._dialect.next_line()
        self._has_lines = line is not None
        return None if line is None else self._dialect.read_question(line)

    def _advance(self, *, is_alone: bool = False) -> None:
        """Go on with the next line, unless the client waits for an answer or has to read first."""
        if self._transport.is_closing():
            return
        is_full = self._dialect.buffered_bytes >= _READ_AHEAD_BYTES
        if is_full and not self._has_ended.is_set():
            self._transport.pause_reading()
        elif not is_full:
            self._transport.resume_reading()
        if self.question is not None or self._stuck_since_s is not None:
            return
        if self._server.is_closing or not (self._next or self._has_lines or self._may_send_more):
            self.close()
        elif self._next is not None and not self._next.work.is_quick:
            self._start_answer(self._next)
        elif self._next is not None or self._has_lines:
            self._server.add_to_round(self, is_alone=is_alone)

    @property
    def _may_send_more(self) -> bool:
        return not (self._has_ended.is_set() or self._dialect.is_done)

    def _start_answer(self, question: Question) -> None:
        self.question, self._next = question, None
        task = self._server.loop.create_task(self._compute_answer(question))
        task.add_done_callback(self._finish_answer)

    async def _compute_answer(self, question: Question) -> bytes:
        """Answer in a thread, when there is a place for it; leave the place once the client may be gone."""
        server = self._server
        slots = server.half_closed_slots if self._has_ended.is_set() else server.slots
        async with slots:
            work = server.loop.run_in_executor(server.pool, answer_together, [question])
            if slots is server.slots:
                ended = server.loop.create_task(self._has_ended.wait())
                either: list[asyncio.Future[Any]] = [work, ended]
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                ended.cancel()
            else:
                await asyncio.wait([work])
        return (await work)[0]

    def _finish_answer(self, task: asyncio.Task[bytes]) -> None:
        self.question = None
        if self._is_lost or task.cancelled():
            self._server.forget(self)
            return
        self.finish_turn(task.result())

    def _close_with_error(self, message: str) -> None:
        self._transport.write(f"{format_error_line(message)}\n".encode())
        self.close()
