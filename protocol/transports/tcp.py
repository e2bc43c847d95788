"""Servers on TCP: many clients, one event loop for their bytes, worker threads for their work."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress

from gammond.engine.rules.dice import MAX_SEED
from gammond.protocol.core.connection import Connection
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session
from gammond.protocol.transports.connected_client import PIECE_BYTES, ConnectedClient, limit_output
from gammond.protocol.transports.idle_deepening import IdleDeepening
from gammond.protocol.transports.listening import (
    Listener,
    ListeningServer,
    ServerOptions,
    serve_listeners,
)
from gammond.protocol.transports.shared_work import SharedWork

_LINGER_S = 1.0


async def serve_tcp(service: Service, options: ServerOptions, deepening: IdleDeepening | None = None) -> None:
    """Serve clients of the line protocol; see `serve_listeners`.

    Args:
        service: What they share.
        options: Where, for whom, and with which caps.
        deepening: What is done while they ask for nothing.
    """
    listeners = [make_tcp_listener(service, options)]
    await serve_listeners(listeners, options, clock=service.clock, service=service, deepening=deepening)


def make_tcp_listener(service: Service, options: ServerOptions) -> Listener:
    """Return what serves clients of the line protocol beside other listeners of the process.

    Args:
        service: What they share.
        options: Where, for whom, and with which caps.
    """
    return make_listener(lambda: connect(Session(service, secrets.randbelow(MAX_SEED))), options)


def make_listener(make_connection: Callable[[], Connection], options: ServerOptions) -> Listener:
    """Return what serves clients of any dialect beside other listeners of the process.

    Args:
        make_connection: Makes the connection of a new client.
        options: Where, for whom, and with which caps.
    """

    async def serve(shared: SharedWork) -> None:
        server: ListeningServer[_TcpClient] = ListeningServer(options, shared)
        await server.serve(lambda: _TcpClient(server, make_connection()))

    return serve


class _TcpClient(ConnectedClient, asyncio.Protocol):
    """One client: moves bytes between its socket and its connection."""

    _transport: asyncio.Transport

    def __init__(self, server: ListeningServer[_TcpClient], connection: Connection) -> None:
        super().__init__(server, connection)
        self._is_paused = False
        self._has_eof = False
        self._has_closed = False

    @property
    def unsent_bytes(self) -> int:
        """How much of the output that was taken from the connection the client has not read."""
        return self._transport.get_write_buffer_size()

    @property
    def is_leaving(self) -> bool:
        """Whether the server has decided to end the connection, though it may still send and linger."""
        return self._has_closed or self.connection.is_ending

    @property
    def _is_lingering(self) -> bool:
        return self._has_closed

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client, or refuse it if the server is full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        server = self._server
        limit_output(transport)
        if refusal := server.find_refusal():
            self.connection.close_with_error(refusal)
            transport.write(self.connection.data_to_send())
            transport.close()
            server.refuse(transport, refusal.message)
            return
        server.admit(self, transport)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if self.is_here:
            self._take_data(data)

    def eof_received(self) -> bool:
        """Take in the end of the client's input; the socket stays open for the rest of the answers."""
        self._has_eof = True
        self.connection.receive_eof()
        self._pump()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client and stop its work."""
        self._forget("it hung up" if exc is None else f"the connection broke ({exc})")

    def pause_writing(self) -> None:
        """Hold output back: the client reads more slowly than it is answered."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._is_paused = False
        self._pump()
        self._count_held_bytes()

    def abort(self) -> None:
        """Drop the client at once."""
        self._transport.abort()

    def _pump(self) -> None:
        """Send what there is to send, and go on with what that makes room for."""
        connection, transport = self.connection, self._transport
        if not self.is_here or transport.is_closing():
            return
        while not self._is_paused and (data := connection.data_to_send(PIECE_BYTES)):
            self._activity.written_bytes += len(data)
            transport.write(data)
        self._turns.report_to_pool()
        if connection.has_lines:
            self._server.shared.rounds.add(self._turns)
        self._count_less()
        if self._has_closed or (connection.wants_data and not self._is_paused):
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
        elif not self._has_closed:
            with suppress(OSError):  # the client has hung up with answers unread
                self._transport.write_eof()
            self._transport.resume_reading()
            self._server.loop.call_later(_LINGER_S, self._transport.close)
        self._has_closed = True
