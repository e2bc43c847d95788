"""A WebSocket as one more client of the line protocol.

Each text frame holds one or more lines; the end of the last one may be missing. Each frame of the server
holds whole lines.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from starlette.types import Receive, Send

from gammond.engine.errors import FormatError, GammondError
from gammond.engine.rules.dice import MAX_SEED
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session
from gammond.protocol.transports.connected_client import PIECE_BYTES, ConnectedClient
from gammond.protocol.transports.listening import ListeningServer
from gammond.protocol.transports.web.answers import (
    CLOSE_CAP,
    CLOSE_NO_TEXT,
    CLOSE_NORMAL,
    CLOSE_SERVER_ENDS,
    run_socket,
    shorten_reason,
)


class LineSocket(ConnectedClient):
    """One client: moves frames between its WebSocket and its connection.

    Args:
        server: Has admitted it.
        service: What the clients share.
        transport: Brings its bytes.
    """

    def __init__(self, server: ListeningServer[Any], service: Service, transport: asyncio.Transport) -> None:
        super().__init__(server, connect(Session(service, secrets.randbelow(MAX_SEED))))
        self._transport = transport
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._half_line: list[bytes] = []
        self._half_line_bytes = 0
        self._close_code = CLOSE_NORMAL
        self._is_gone = False

    @property
    def unsent_bytes(self) -> int:
        """How much of the output that was taken from the connection the client has not read."""
        return self._half_line_bytes + self._transport.get_write_buffer_size()

    async def serve(self, receive: Receive, send: Send) -> None:
        """Serve the client, which the server has admitted, until it or the server ends."""
        try:
            await run_socket(receive, send, self._read, self._write)
        finally:
            self._forget("it hung up")

    def end(self) -> None:
        """Take no further requests, since the server is to end."""
        self._close_code = CLOSE_SERVER_ENDS
        super().end()

    def abort(self) -> None:
        """Drop the client at once."""
        self._is_gone = True
        self._transport.abort()
        self._changed.set()

    def _pump(self) -> None:
        self._turns.report_to_pool()
        if self.connection.has_lines:
            self._server.shared.rounds.add(self._turns)
        self._count_less()
        if self.connection.wants_data:
            self._has_room.set()
        self._changed.set()

    async def _read(self, receive: Receive) -> None:
        """Take in frames, while there is room for what they ask."""
        while not self._is_gone:
            self._has_room.clear()
            if not self.connection.wants_data and not self.connection.is_ending:
                await self._has_room.wait()
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self._is_gone = True
                self._changed.set()
            elif message.get("text") is None:
                self._close_code = CLOSE_NO_TEXT
                fault = FormatError("expected text frames, got a binary one", field="frame")
                self._end_with(fault)
            else:
                self._take_text(message["text"])

    def _take_text(self, text: str) -> None:
        data = text.encode()
        self._take_data(data if data.endswith(b"\n") else data + b"\n")
        self._pump()

    def _end_with(self, error: GammondError) -> None:
        self._apply(lambda: self.connection.close_with_error(error))

    async def _write(self, send: Send) -> None:
        """Send answers as they come, and close the WebSocket after the last."""
        while not self._is_gone:
            self._changed.clear()
            if frame := self._take_frame():
                self._activity.written_bytes += len(frame)
                await send({"type": "websocket.send", "text": frame.decode()})
                self._pump()
                self._count_held_bytes()
            elif self.connection.is_done:
                reason = self.connection.end_reason or self._end_reason
                code = CLOSE_CAP if self.is_cut_off else self._close_code
                await send({"type": "websocket.close", "code": code, "reason": shorten_reason(reason)})
                return
            else:
                await self._changed.wait()

    def _take_frame(self) -> bytes:
        """Return whole lines to send; nothing if there are none."""
        while data := self.connection.data_to_send(PIECE_BYTES):
            end = data.rfind(b"\n") + 1
            if not end:
                self._half_line.append(data)
                self._half_line_bytes += len(data)
                continue
            frame = b"".join((*self._half_line, data[:end]))
            self._half_line = [data[end:]] if end < len(data) else []
            self._half_line_bytes = len(data) - end
            return frame
        return b""
