"""uvicorn's connections, with the caps that it does not have: how many, how slow, and how much unread."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from protocol.transports.connected_client import PIECE_BYTES, limit_output
from protocol.transports.web.limits import WebLimits
from protocol.transports.web.request_limits import is_loopback

_FULL_ANSWER = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 40\r\n"
    b"retry-after: 5\r\nconnection: close\r\n\r\ntoo many connections: try again shortly\n"
)
_MOST_UNREAD_PONGS = 100
_MOST_FRAGMENTS = 1024


class Connections(ServerState):
    """All connections of a web server, whatever they are for.

    Args:
        limits: Caps.
        clock: Seconds of a clock that never goes back.

    Attributes:
        limits: As given.
        clock: As given.
        open: Those that are open.
        refused_count: How many were turned away.
    """

    def __init__(self, limits: WebLimits, clock: Callable[[], float]) -> None:
        super().__init__()
        self.limits = limits
        self.clock = clock
        self.open: dict[WebConnection, str] = {}
        self.refused_count = 0
        self._addresses: Counter[str] = Counter()

    def add(self, connection: WebConnection, address: str) -> bool:
        """Take a connection in; return whether there is room for it."""
        limits = self.limits
        has_room = len(self.open) < limits.clients + limits.connections
        if has_room and not is_loopback(address):
            has_room = self._addresses[address] < limits.address_connections
        if not has_room:
            self.refused_count += 1
            return False
        self.open[connection] = address
        self._addresses[address] += 1
        return True

    def replace(self, connection: WebConnection, successor: WebConnection) -> None:
        """Let a WebSocket have the place of the connection that it came by."""
        address = self.open.pop(connection, None)
        if address is not None:
            self.open[successor] = address

    def remove(self, connection: WebConnection) -> None:
        """Let a connection go."""
        address = self.open.pop(connection, None)
        if address is not None:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def await_requests(self, since_s: float) -> bool:
        """Return whether a request is on its way: begun, or the first of a new connection."""
        return any(
            isinstance(each, HttpConnection) and each.awaits_request(since_s) for each in list(self.open)
        )

    def end_requests(self) -> None:
        """Take no further requests; those that have come are answered."""
        for connection in list(self.open):
            if isinstance(connection, HttpConnection):
                connection.shutdown()

    def abort_all(self) -> None:
        """Drop all connections at once."""
        for connection in list(self.open):
            connection.transport.abort()

    def check_timeouts(self) -> None:
        """Drop the connections that are too slow."""
        now = self.clock()
        for connection in list(self.open):
            connection.check_timeouts(now)


class HttpConnection(H11Protocol):
    """A connection that brings requests one after the other, or becomes a WebSocket.

    Whatever serves them finds the transport in the state of their scope.
    """

    def __init__(
        self,
        config: Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = server_state
        self._since_s = self._all.clock()
        self._is_asking = False
        self._unread = _Unread()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the client in, or turn it away."""
        limit_output(transport)
        self.app_state = {"transport": transport}  # for the task of a request, and of a WebSocket
        if not self._all.add(self, _read_address(transport)):
            transport.write(_FULL_ANSWER)
            transport.close()
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._all.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if self not in self._all.open:
            return
        if not self._is_asking:
            self._is_asking, self._since_s = True, self._all.clock()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._is_asking, self._since_s = False, self._all.clock()
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Go on as a WebSocket."""
        super().handle_websocket_upgrade(event)
        successor = self.transport.get_protocol()
        if isinstance(successor, SocketConnection):
            self._all.replace(self, successor)

    def awaits_request(self, since_s: float) -> bool:
        """Return whether a request is on its way: begun, or its first, if the connection was made since."""
        if self.cycle is None:
            return self._is_asking or self._since_s > since_s
        return bool(self._is_asking if self.cycle.response_complete else self.cycle.more_body)

    def check_timeouts(self, now: float) -> None:
        """Drop a client that is too slow to ask, or to read."""
        limits = self._all.limits
        is_answered = self.cycle is None or self.cycle.response_complete
        waited_s = now - self._since_s
        if self._is_asking and (is_answered or self.cycle.more_body):
            is_late = waited_s > limits.request_s
        else:
            is_late = is_answered and waited_s > limits.request_s + limits.keep_alive_s
        if is_late or self._unread.is_stuck(now, self.transport.get_write_buffer_size(), limits):
            self.transport.abort()


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket, from its handshake on."""

    def __init__(
        self,
        config: Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = server_state
        self._half_since_s = self._all.clock()
        self._unread = _Unread()
        self._unread_pongs = 0

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._all.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if not self._has_half_message:
            self._half_since_s = self._all.clock()
        super().data_received(data)

    def handle_cont(self, event: Frame) -> None:
        """Take in a further part of a message."""
        super().handle_cont(event)
        if len(self.frames) > _MOST_FRAGMENTS:
            self.transport.abort()

    def handle_ping(self) -> None:
        """Answer a ping; who reads no answers gets no hundreds of them."""
        super().handle_ping()
        unread = self.transport.get_write_buffer_size() > PIECE_BYTES
        self._unread_pongs = self._unread_pongs + 1 if unread else 0
        if self._unread_pongs > _MOST_UNREAD_PONGS:
            self.transport.abort()

    def keepalive_timeout(self) -> None:
        """Close, unless the answer to the ping may be in what is not read yet."""
        if self.read_paused:
            self.pong_timer = None
            self.schedule_ping()
        else:
            super().keepalive_timeout()

    def check_timeouts(self, now: float) -> None:
        """Drop a client that is too slow to end a message; who reads slowly is the business of its task."""
        limits = self._all.limits
        is_half = (self._has_half_message or not self.handshake_complete) and not self.read_paused
        if is_half and now - self._half_since_s > limits.half_line_s:
            self.transport.abort()
        if self.close_sent and self._unread.is_stuck(now, self.transport.get_write_buffer_size(), limits):
            self.transport.abort()

    @property
    def _has_half_message(self) -> bool:
        return bool(self.frames) or bool(self.conn.reader.buffer)


WebConnection = HttpConnection | SocketConnection


class _Unread:
    """Whether a client reads what is sent to it."""

    def __init__(self) -> None:
        self._unread_bytes = 0
        self._since_s = 0.0

    def is_stuck(self, now: float, unread_bytes: int, limits: WebLimits) -> bool:
        """Return whether a client has read nothing of what waits for it for too long."""
        if not unread_bytes or unread_bytes < self._unread_bytes or not self._unread_bytes:
            self._since_s = now
        self._unread_bytes = unread_bytes
        return now - self._since_s > limits.stuck_writer_s


def _read_address(transport: asyncio.Transport) -> str:
    return str((transport.get_extra_info("peername") or ("",))[0])
