"""A client that attacks are made of: asks, hangs up, falls silent, stops reading."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Sequence

from protocol.transports.load_client import is_final_line
from tests.attacks.server import HOST, AttackError

ANSWER_S = 120.0
"""How long an answer may take on a busy machine before it counts as lost."""

_LINE_BYTES = 64 * 1024 * 1024


class Client:
    """One connection to a server, in an event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int, receive_bytes: int | None = None) -> Client:
        """Connect.

        Args:
            port: Of the server.
            receive_bytes: What the system may hold of unread answers; its own choice if left out.
        """
        connection = socket.socket()
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, (HOST, port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(*await asyncio.open_connection(sock=connection, limit=_LINE_BYTES))

    def send(self, *lines: str) -> None:
        """Send lines, without waiting for room."""
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, without waiting for room."""
        self._writer.write(data)

    async def flush(self) -> None:
        """Wait until the system has taken in what was sent."""
        await self._writer.drain()

    async def ask(self, *lines: str) -> str:
        """Send lines, and return the final line of the last.

        Raises:
            AttackError: The answer does not come.
        """
        self.send(*lines)
        return (await self.read_finals(len(lines)))[-1]

    async def read_finals(self, count: int) -> list[str]:
        """Return the next final lines.

        Raises:
            AttackError: They do not come.
        """
        finals: list[str] = []
        while len(finals) < count:
            line = await self.read_line()
            if is_final_line(line):
                finals.append(line)
        return finals

    async def read_line(self) -> str:
        """Return the next line.

        Raises:
            AttackError: It does not come.
        """
        try:
            data = await asyncio.wait_for(self._reader.readline(), ANSWER_S)
        except TimeoutError:
            raise AttackError(f"no answer for {ANSWER_S:g} s") from None
        except OSError as error:
            raise AttackError(f"the connection broke before the answer: {error}") from error
        if not data.endswith(b"\n"):
            raise AttackError("the server ended the connection before the answer")
        return data.decode().rstrip("\n")

    async def read(self, size: int) -> bytes:
        """Return up to so many bytes; none after the end."""
        try:
            return await self._reader.read(size)
        except OSError:
            return b""

    async def read_to_end(self) -> list[str]:
        """Return all further lines up to the end of the connection.

        Raises:
            AttackError: It does not end.
        """
        try:
            data = await asyncio.wait_for(self._reader.read(-1), ANSWER_S)
        except TimeoutError:
            raise AttackError(f"the connection is still open after {ANSWER_S:g} s") from None
        except OSError:
            return []
        return data.decode().splitlines()

    @property
    def is_closed(self) -> bool:
        """Whether this side has closed the connection."""
        return self._writer.is_closing()

    def half_close(self) -> None:
        """End the sending side alone."""
        self._writer.write_eof()

    def reset(self) -> None:
        """Break the connection off with RST, whatever is under way."""
        connection = self._writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


async def open_clients(port: int, count: int) -> Sequence[Client]:
    """Connect so many clients, a hundred at a time."""
    clients: list[Client] = []
    for start in range(0, count, 100):
        size = min(100, count - start)
        clients += await asyncio.gather(*(Client.open(port) for _ in range(size)))
    return clients
