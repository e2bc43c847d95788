"""The protocol on TCP: many clients, one event loop for their bytes, worker threads for their work."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress

from engine.errors import GammondError, LimitError
from engine.rules.dice import MAX_SEED
from protocol.core.errors import BusyError
from protocol.core.replies import format_reply, make_error_reply
from protocol.dialects.line_client import connect
from protocol.state.service import Service
from protocol.state.session import Session
from protocol.transports.client_jobs import ClientJobs, QuickRounds
from protocol.transports.connection_log import ClientCallback
from protocol.transports.listening import ListeningCallback, ListeningServer, ignore_client
from protocol.transports.tcp_limits import ClientActivity, TcpLimits
from protocol.transports.turns import TurnQueue
from protocol.transports.workers import LAST_WORK_S, WorkerPool

_LINGER_S = 1.0
_KERNEL_BUFFER_BYTES = 64 * 1024
"""What the system holds of a client's output. It takes more only once about a third of that is read: with the
megabytes that it would choose itself, a slow reader looks like none for minutes."""
_PIECE_BYTES = 64 * 1024
"""How much output is handed to a socket at a time; the rest waits in the connection, which can drop it."""


async def serve_tcp(
    service: Service,
    host: str,
    port: int,
    *,
    limits: TcpLimits | None = None,
    threads: int | None = None,
    on_listening: ListeningCallback = lambda host, port: None,
    stop_event: asyncio.Event | None = None,
    on_client: ClientCallback = ignore_client,
) -> None:
    """Serve clients until SIGTERM, SIGINT, SIGHUP or `stop_event`, then drain.

    Args:
        service: What is served.
        host: Where to listen; see `check_host`.
        port: Port to listen on; 0 takes a free one.
        limits: Caps.
        threads: Workers for quick work; one for each core if left out.
        on_listening: Called once clients can come.
        stop_event: Ends the server when it is set.
        on_client: As for `ListeningServer.serve`.

    Raises:
        StateError: The address cannot be listened on.
        GammondError: As for `WorkerPool`.
    """
    pool = WorkerPool(threads, started_bytes=service.limits.started_bytes, clock=service.clock)
    server = _TcpServer(service, limits or TcpLimits(), pool)
    await server.serve(lambda: _TcpClient(server), host, port, on_listening, stop_event, on_client)
    pool.close()
    pool.join(LAST_WORK_S)


class _TcpServer(ListeningServer["_TcpClient"]):
    def __init__(self, service: Service, limits: TcpLimits, pool: WorkerPool) -> None:
        super().__init__(limits, service.clock)
        self.service = service
        self.pool = pool
        self.rounds = QuickRounds(self.loop.call_soon)
        self.turns = TurnQueue(self.loop.call_soon, service.clock)
        self._held_bytes = 0
        self._must_free_memory = False

    @property
    def is_full(self) -> bool:
        """Whether no place is free. Those who leave take none, unless as many leave as may stay."""
        staying = sum(not client.is_leaving for client in self.clients)
        return staying >= self.limits.clients or len(self.clients) >= 2 * self.limits.clients

    def count_held_bytes(self, more: int) -> None:
        """Count what is held for clients; if it is too much, those with the most are disconnected soon."""
        self._held_bytes += more
        if self._held_bytes > self.limits.held_bytes and not self._must_free_memory:
            self._must_free_memory = True
            self.loop.call_soon(self.free_memory)

    def free_memory(self) -> None:
        """Disconnect the clients for which the most is held, until all have no more than the cap."""
        self._must_free_memory = False
        excess = self._held_bytes - self.limits.held_bytes
        if excess <= 0:
            return
        for client in sorted(self.clients, key=lambda client: client.held_bytes, reverse=True):
            if excess <= 0:
                break
            excess -= client.held_bytes
            if client.is_cut_off:  # it has not read its error either
                client.abort()
                continue
            client.cut_off(
                LimitError(
                    f"the server holds more than {self.limits.held_bytes} bytes for its clients, "
                    f"{client.held_bytes} for this one: ask for less at a time, read answers as they come",
                    field="unread",
                )
            )
            excess += client.held_bytes

    async def drain(self) -> None:
        """End all clients: by themselves, then with work stopped, then without answers, then at once."""
        self.for_each(lambda client: client.apply_to_connection(client.connection.close))
        await self.wait_until_empty(self.limits.grace_s)
        self.for_each(lambda client: client.apply_to_connection(client.connection.stop_all))
        await self.wait_until_empty(1.0)
        self.for_each(lambda client: client.apply_to_connection(client.abandon))
        await self.wait_until_empty(1.0)
        self.for_each(lambda client: client.abort())


class _TcpClient(asyncio.Protocol):
    """One client: moves bytes and work between its socket, its connection and the workers."""

    _transport: asyncio.Transport

    def __init__(self, server: _TcpServer) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self.connection = connect(Session(server.service, secrets.randbelow(MAX_SEED)))
        self._jobs = ClientJobs(self.connection, server.pool, server.rounds, self._call_in_loop, self._pump)
        self._is_paused = False
        self._has_eof = False
        self._is_lingering = False
        self.served_s = 0.0
        self.held_bytes = 0
        """What is held for the client, as counted last."""
        self._activity = ClientActivity(server.limits, self.connection, server.service.clock())

    @property
    def is_leaving(self) -> bool:
        """Whether the server has decided to end the connection, though it may still send and linger."""
        return self._is_lingering or self.connection.is_ending

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client, or refuse it if the server is full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BUFFER_BYTES
        )
        transport.set_write_buffer_limits(high=_PIECE_BYTES)
        if self._server.is_full:
            error = BusyError(
                f"the server has {self._server.limits.clients} clients, the maximum: try again later",
                field="clients",
            )
            transport.write(f"{format_reply(make_error_reply(error))}\n".encode())
            transport.close()
            self._server.refuse(transport)
            return
        self._server.admit(self, transport)
        self._server.service.client_count += 1

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if self in self._server.clients:
            self.connection.feed(data)
            self._server.turns.serve(self)

    def eof_received(self) -> bool:
        """Take in the end of the client's input; the socket stays open for the rest of the answers."""
        self._has_eof = True
        self.connection.receive_eof()
        self._pump()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client and stop its work."""
        if self in self._server.clients:
            self._server.forget(self)
            self._server.service.client_count -= 1
            self._server.count_held_bytes(-self.held_bytes)
            self._jobs.drop()
            self.connection.drop()

    def pause_writing(self) -> None:
        """Hold output back: the client reads more slowly than it is answered."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._is_paused = False
        self._pump()

    def serve_lines(self, *, is_first: bool) -> None:
        """Serve lines for a turn."""
        self.connection.advance(is_first=is_first)
        self._pump()

    def apply_to_connection(self, act: Callable[[], object]) -> None:
        """Act on the connection on the server's behalf, and send what comes of it."""
        act()
        self._pump()

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error."""
        self._jobs.drop()
        self.connection.abandon()

    @property
    def is_cut_off(self) -> bool:
        """Whether the client gets nothing more than an error."""
        return self._activity.is_cut_off

    def cut_off(self, error: GammondError) -> None:
        """End the connection with an error in place of all that the client has not read."""
        if not self.is_cut_off:
            self._activity.mark_cut_off(self._server.service.clock())
            self._jobs.drop()
            self.connection.cut_off(error)
            self._pump()

    def abort(self) -> None:
        """Drop the client at once."""
        self._transport.abort()

    def check_timeouts(self, now: float) -> None:
        """Disconnect the client if it exceeds a cap, or was idle or did not read for too long."""
        self._activity.see_reading(now, self._transport.get_write_buffer_size())
        self._count_held_bytes(self._jobs.count_answer_bytes())
        self._server.free_memory()
        if self._activity.is_stuck(now):
            self.abort()
        elif self.is_cut_off or self._is_lingering:
            return
        elif fault := self._activity.find_reading_fault(now, self.held_bytes):
            self.cut_off(fault)
        elif fault := self._activity.find_sending_fault(now):
            self._close_with_error(fault)

    def _close_with_error(self, error: GammondError) -> None:
        self.connection.close_with_error(error)
        self._pump()

    def _pump(self) -> None:
        if self not in self._server.clients:
            return
        self._activity.see_requests(self._server.service.clock())
        while not (self._is_paused or self._transport.is_closing()):
            data = self.connection.data_to_send(_PIECE_BYTES)
            if not data:
                break
            self._activity.written_bytes += len(data)
            self._transport.write(data)
        self._jobs.hand_out()
        self._count_held_bytes()
        if self.connection.has_lines:
            self._server.turns.add(self)
        if self._is_lingering or (self.connection.wants_data and not self._is_paused):
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()
        if self.connection.is_done:
            self._close_after_linger()

    def _close_after_linger(self) -> None:
        """Close, once a client that still sends could read what was written (unread input would drop it).

        A closed transport waits for the client to read; `check_timeouts` ends that.
        """
        if self._has_eof:
            self._transport.close()
        elif not self._is_lingering:
            with suppress(OSError):  # the client has hung up with answers unread
                self._transport.write_eof()
            self._transport.resume_reading()
            self._loop.call_later(_LINGER_S, self._transport.close)
        self._is_lingering = True

    def _count_held_bytes(self, answer_bytes: int = 0) -> None:
        """Count what is held for the client.

        Args:
            answer_bytes: Of answers under way.
        """
        held_bytes = self.connection.held_bytes + self._transport.get_write_buffer_size() + answer_bytes
        self._server.count_held_bytes(held_bytes - self.held_bytes)
        self.held_bytes = held_bytes

    def _call_in_loop(self, act: Callable[..., None], *values: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits for this answer any more
            self._loop.call_soon_threadsafe(self._run_in_loop, act, *values)

    def _run_in_loop(self, act: Callable[..., None], *values: object) -> None:
        self._activity.mark_active(self._server.service.clock())
        act(*values)
        self._pump()
        self._server.free_memory()
