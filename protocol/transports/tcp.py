"""Servers on TCP: many clients, one event loop for their bytes, worker threads for their work."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress

from engine.errors import GammondError, LimitError
from engine.rules.dice import MAX_SEED
from engine.runtime.free_memory import return_free_memory
from protocol.core.connection import Connection
from protocol.core.errors import BusyError
from protocol.core.limits import ClientLimits
from protocol.dialects.line_client import connect
from protocol.state.service import Service
from protocol.state.session import Session
from protocol.transports.idle_deepening import IdleDeepening
from protocol.transports.listening import ListeningServer, ServerOptions
from protocol.transports.rounds import RoundClient, Rounds
from protocol.transports.tcp_limits import ClientActivity
from protocol.transports.workers import LAST_WORK_S, WorkerPool

_LINGER_S = 1.0
_KERNEL_BUFFER_BYTES = 64 * 1024
"""What the system holds of a client's output. It takes more only once about a third of that is read: with the
megabytes that it would choose itself, a slow reader looks like none for minutes."""
_PIECE_BYTES = 64 * 1024
"""How much output is handed to a socket at a time; the rest waits in the connection, which can drop it."""

_RETURN_BYTES = 32 * 1024 * 1024
"""What is no longer held for clients before the system gets it back: a large answer or two."""
_RETURN_AFTER_S = 0.5
"""How much later: then work that was stopped has ended too."""


async def serve_tcp(service: Service, options: ServerOptions, deepening: IdleDeepening | None = None) -> None:
    """Serve clients of the line protocol; see `serve_connections`.

    Args:
        service: What they share.
        options: Where, for whom, and with which caps.
        deepening: What is done while they ask for nothing.
    """

    def count_clients(clients: int) -> None:
        service.client_count = clients

    await serve_connections(
        lambda: connect(Session(service, secrets.randbelow(MAX_SEED))),
        options,
        started_bytes=service.limits.started_bytes,
        clock=service.clock,
        count_clients=count_clients,
        beside=_do_nothing if deepening is None else deepening.beside,
    )


def _do_nothing(is_busy: Callable[[], bool]) -> AbstractContextManager[None]:
    return nullcontext()


async def serve_connections(
    make_connection: Callable[[], Connection],
    options: ServerOptions,
    *,
    clock: Callable[[], float],
    started_bytes: int = ClientLimits.started_bytes,
    count_clients: Callable[[int], None] = lambda clients: None,
    beside: Callable[[Callable[[], bool]], AbstractContextManager[None]] = _do_nothing,
) -> None:
    """Serve clients of any dialect until SIGTERM, SIGINT, SIGHUP or the stop event, then drain.

    Args:
        make_connection: Makes the connection of a new client.
        options: Where, for whom, and with which caps.
        clock: Seconds of a clock that never goes back.
        started_bytes: As for `WorkerPool`.
        count_clients: Told how many clients there are, whenever one comes or goes.
        beside: What is done meanwhile, given what tells whether long work is under way.

    Raises:
        StateError: The address cannot be listened on.
        GammondError: As for `WorkerPool`.
    """
    pool = WorkerPool(options.threads, started_bytes=started_bytes, clock=clock)
    server = _TcpServer(make_connection, options, pool, clock, count_clients)
    with beside(pool.is_busy):
        await server.serve(lambda: _TcpClient(server))
    pool.close()
    pool.join(LAST_WORK_S)


class _TcpServer(ListeningServer["_TcpClient"]):
    def __init__(
        self,
        make_connection: Callable[[], Connection],
        options: ServerOptions,
        pool: WorkerPool,
        clock: Callable[[], float],
        count_clients: Callable[[int], None],
    ) -> None:
        super().__init__(options, clock, count_clients)
        self.make_connection = make_connection
        self.pool = pool
        self.rounds = Rounds(self.loop.call_soon, clock)
        self._held_bytes = self._released_bytes = 0
        self._is_freeing_memory = False

    @property
    def is_full(self) -> bool:
        """Whether no place is free. Those who leave take none, unless as many leave as may stay."""
        if len(self.clients) < self.limits.clients:
            return False
        staying = sum(not client.is_leaving for client in self.clients)
        return staying >= self.limits.clients or len(self.clients) >= 2 * self.limits.clients

    def count_held_bytes(self, more: int) -> None:
        """Count what is held for clients; if it is too much, those with the most are disconnected."""
        self._held_bytes += more
        self._released_bytes += max(0, -more)
        if self._released_bytes > _RETURN_BYTES:
            self._released_bytes = 0
            self.loop.call_later(_RETURN_AFTER_S, self._return_memory)
        if self._held_bytes > self.limits.held_bytes and not self._is_freeing_memory:
            self._is_freeing_memory = True
            self._free_memory()
            self._is_freeing_memory = False

    @staticmethod
    def _return_memory() -> None:
        threading.Thread(target=return_free_memory, name="free memory", daemon=True).start()

    def _free_memory(self) -> None:
        """Disconnect the clients for which the most is held, until all have no more than the cap."""
        excess = self._held_bytes - self.limits.held_bytes
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
        self.for_each(lambda client: client.end())
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
        self.connection = server.make_connection()
        self._turns = RoundClient(
            self.connection, server.pool, self._call_in_loop, self._pump, server.rounds.served_s
        )
        self._is_paused = False
        self._has_eof = False
        self._is_lingering = False
        self.held_bytes = 0
        """What is held for the client, as counted last."""
        self._end_reason = ""
        self._activity = ClientActivity(server.limits, self.connection, server.clock())

    @property
    def is_leaving(self) -> bool:
        """Whether the server has decided to end the connection, though it may still send and linger."""
        return self._is_lingering or self.connection.is_ending

    @property
    def is_cut_off(self) -> bool:
        """Whether the client gets nothing more than an error."""
        return self._activity.is_cut_off

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client, or refuse it if the server is full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        server = self._server
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BUFFER_BYTES
        )
        transport.set_write_buffer_limits(high=_PIECE_BYTES)
        refusal = None
        if server.stop_event.is_set():
            refusal = BusyError("the server is about to end: try again later", field="server")
        elif server.is_full:
            message = f"the server has {server.limits.clients} clients, the maximum: try again later"
            refusal = BusyError(message, field="clients")
        if refusal is not None:
            self.connection.close_with_error(refusal)
            transport.write(self.connection.data_to_send())
            transport.close()
            server.refuse(transport, refusal.message)
            return
        server.admit(self, transport)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        server = self._server
        if self in server.clients:
            self.connection.receive_data(data)
            server.rounds.add(self._turns, at_once=len(server.clients) == 1)

    def eof_received(self) -> bool:
        """Take in the end of the client's input; the socket stays open for the rest of the answers."""
        self._has_eof = True
        self.connection.receive_eof()
        self._pump()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client and stop its work."""
        if self in self._server.clients:
            broken = "it hung up" if exc is None else f"the connection broke ({exc})"
            self._server.forget(self, self.connection.end_reason or self._end_reason or broken)
            self._server.count_held_bytes(-self.held_bytes)
            self._turns.drop()
            self.connection.drop()

    def pause_writing(self) -> None:
        """Hold output back: the client reads more slowly than it is answered."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._is_paused = False
        self._pump()
        self._count_held_bytes()

    def apply_to_connection(self, act: Callable[[], object]) -> None:
        """Act on the connection on the server's behalf, and send what comes of it."""
        act()
        self._pump()

    def end(self) -> None:
        """Take no further requests, since the server is to end."""
        self._end_reason = "the server ends"
        self.apply_to_connection(self.connection.close)

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error."""
        self._turns.drop()
        self.connection.abandon()

    def cut_off(self, error: GammondError) -> None:
        """End the connection with an error in place of all that the client has not read."""
        if not self.is_cut_off:
            self._activity.mark_cut_off(self._server.clock())
            self._turns.drop()
            self.connection.cut_off(error)
            self._pump()
            self._count_held_bytes()

    def abort(self) -> None:
        """Drop the client at once."""
        self._transport.abort()

    def check_timeouts(self, now: float) -> None:
        """Disconnect the client if it exceeds a cap, or was idle or did not read for too long."""
        self._activity.look(now, self._transport.get_write_buffer_size())
        self._count_held_bytes(self._turns.count_answer_bytes())
        if self._activity.is_stuck(now):
            self._end_reason = f"it read nothing for {self._server.limits.stuck_writer_s:g} s"
            self.abort()
        elif self.is_cut_off or self._is_lingering:
            return
        elif fault := self._activity.find_reading_fault(now, self.held_bytes):
            self.cut_off(fault)
        elif fault := self._activity.find_sending_fault(now):
            self.connection.close_with_error(fault)
            self._pump()

    def _count_held_bytes(self, answer_bytes: int = 0) -> None:
        """Count what is held for the client; short answers, which come and go between two looks, are not.

        Args:
            answer_bytes: Of answers under way.
        """
        if self not in self._server.clients:
            return
        held_bytes = self.connection.held_bytes + self._transport.get_write_buffer_size() + answer_bytes
        self._server.count_held_bytes(held_bytes - self.held_bytes)
        self.held_bytes = held_bytes

    def _pump(self) -> None:
        """Send what there is to send, and go on with what that makes room for."""
        connection, transport = self.connection, self._transport
        if self not in self._server.clients or transport.is_closing():
            return
        while not self._is_paused and (data := connection.data_to_send(_PIECE_BYTES)):
            self._activity.written_bytes += len(data)
            transport.write(data)
        self._turns.report_to_pool()
        if connection.has_lines:
            self._server.rounds.add(self._turns)
        if self._is_lingering or (connection.wants_data and not self._is_paused):
            transport.resume_reading()
        else:
            transport.pause_reading()
        if connection.is_done:
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
            self._server.loop.call_later(_LINGER_S, self._transport.close)
        self._is_lingering = True

    def _call_in_loop(self, act: Callable[..., None], *values: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits for this answer any more
            self._server.loop.call_soon_threadsafe(self._run_in_loop, act, *values)

    def _run_in_loop(self, act: Callable[..., None], *values: object) -> None:
        act(*values)
        self._pump()
        self._count_held_bytes()
