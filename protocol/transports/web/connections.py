"""uvicorn's connections, with the caps that it does not have: how many, how slow, how much unread."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.transports.connected_client import PIECE_BYTES, limit_output
from gammond.protocol.transports.shared_work import SharedWork
from gammond.protocol.transports.tcp_limits import UnreadOutput
from gammond.protocol.transports.web.answers import CLOSE_CAP, shorten_reason
from gammond.protocol.transports.web.inbox import WebInbox
from gammond.protocol.transports.web.limits import AddressPlaces, Proxies, WebLimits, group_address

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
        shared: Gives turns, and counts what is held.
        proxies: Bring the connections of many.

    Attributes:
        limits: As given.
        shared: As given.
        open: Those that are open.
        refused_count: How many were turned away.
    """

    def __init__(self, limits: WebLimits, shared: SharedWork, proxies: Proxies | None = None) -> None:
        super().__init__()
        self.limits = limits
        self.shared = shared
        self.open: dict[WebConnection, str] = {}
        self.refused_count = 0
        self._proxies = proxies or Proxies()
        self._addresses = AddressPlaces(limits.address_connections)

    def add(self, connection: WebConnection, address: str) -> bool:
        """Take a connection in; return whether there is room for it."""
        limits = self.limits
        counted = "" if self._proxies.include(address) else group_address(address)
        has_room = len(self.open) < limits.clients + limits.connections
        if not (has_room and self._addresses.has_room(counted)):
            self.refused_count += 1
            return False
        self.open[connection] = counted
        self._addresses.add(counted)
        return True

    def replace(self, connection: WebConnection, successor: WebConnection) -> None:
        """Let a WebSocket have the place of the connection that it came by."""
        counted = self.open.pop(connection, None)
        if counted is not None:
            self.open[successor] = counted

    def remove(self, connection: WebConnection) -> None:
        """Let a connection go."""
        counted = self.open.pop(connection, None)
        if counted is not None:
            self._addresses.remove(counted)

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
        now = self.shared.clock()
        for connection in list(self.open):
            try:
                connection.check_timeouts(now)
            except Exception as error:
                FAULT_LOG.log("a connection is dropped", error)
                connection.transport.abort()


class HttpConnection(H11Protocol):
    """A connection that brings requests one after the other, or becomes a WebSocket.

    Whatever serves them finds the transport in the state of their scope.
    """

    _inbox: WebInbox

    def __init__(
        self,
        config: Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = server_state
        self._since_s = self._all.shared.clock()
        self._is_asking = False
        self._unread = UnreadOutput(self._since_s)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the client in, or turn it away."""
        limit_output(transport)
        self.app_state = {"transport": transport}  # for the task of a request, and of a WebSocket
        if not self._all.add(self, _read_address(transport)):
            transport.write(_FULL_ANSWER)
            transport.close()
        super().connection_made(transport)
        self._inbox = WebInbox(
            self._all.shared, transport, self._parse, lambda: self.flow.read_paused, self._cut_off
        )
        self.flow = _Flow(transport, self._inbox)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._all.remove(self)
        self._inbox.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if self not in self._all.open:
            return
        if not self._is_asking:
            self._is_asking, self._since_s = True, self._all.shared.clock()
        self._inbox.put(data)

    def handle_events(self) -> None:
        """Take in what the parser has found, in a turn: requests may have come one behind the other."""
        if self._inbox.is_parsing:
            super().handle_events()
        else:
            self._inbox.plan()

    def _parse(self, data: bytes) -> None:
        if data:
            super().data_received(data)
        else:
            super().handle_events()

    def _cut_off(self, _: str) -> None:
        self._inbox.clear()
        self.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._is_asking, self._since_s = False, self._all.shared.clock()
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Go on as a WebSocket; who waits for the answer has sent nothing more."""
        super().handle_websocket_upgrade(event)
        self._inbox.clear()
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
        self._unread.look(now, self.transport.get_write_buffer_size())
        if is_late or self._unread.compute_wait_s(now) > limits.stuck_writer_s:
            self.transport.abort()


class _Flow(FlowControl):
    """Lets a connection go on with what has come, once what came before is taken."""

    def __init__(self, transport: asyncio.Transport, inbox: WebInbox) -> None:
        super().__init__(transport)
        self._inbox = inbox

    def resume_reading(self) -> None:
        """Parse on, and read what else comes."""
        self.read_paused = False
        self._inbox.go_on()


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket, from its handshake on."""

    _inbox: WebInbox

    def __init__(
        self,
        config: Config,
        server_state: Connections,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = server_state
        self._half_since_s = self._all.shared.clock()
        self._unread = UnreadOutput(self._half_since_s)
        self._unread_pongs = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection over."""
        super().connection_made(transport)
        parse = super().data_received
        self._inbox = WebInbox(
            self._all.shared, self.transport, parse, lambda: self.read_paused, self._cut_off
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._all.remove(self)
        self._inbox.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if not self._has_half_message:
            self._half_since_s = self._all.shared.clock()
        self._inbox.put(data)

    async def receive(self) -> ASGIReceiveEvent:
        """Return the next message, and let more come."""
        message = await super().receive()
        self._inbox.go_on()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message; after the last, what comes is parsed only for the end that answers it."""
        await super().send(message)
        if self.close_sent:
            self._inbox.go_on()

    def _cut_off(self, reason: str) -> None:
        if not self.close_sent:
            self.conn.fail(CLOSE_CAP, shorten_reason(reason))
            self.handle_parser_exception()
        self._inbox.clear()

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
        self._unread.look(now, self.transport.get_write_buffer_size())
        if self.close_sent and self._unread.compute_wait_s(now) > limits.stuck_writer_s:
            self.transport.abort()

    @property
    def _has_half_message(self) -> bool:
        return bool(self.frames) or bool(self.conn.reader.buffer)


WebConnection = HttpConnection | SocketConnection


def _read_address(transport: asyncio.Transport) -> str:
    return str((transport.get_extra_info("peername") or ("",))[0])
