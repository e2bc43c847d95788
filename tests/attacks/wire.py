"""A client that attacks are made of: asks, hangs up, falls silent, stops reading."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from gammond.tools.bench.load_client import is_final_line
from tests.attacks.server import HOST, AttackError

ANSWER_S = 120.0
"""How long an answer may take on a busy machine before it counts as lost."""

_UNREAD_BYTES = 64 * 1024

_Result = TypeVar("_Result")


class Client(asyncio.Protocol):
    """One connection to a server, in an event loop. It reads only while somebody waits for what comes."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._unread = bytearray()
        self._has_ended = False
        self._arrival: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._room.set()

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
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_connect(connection, (HOST, port))
        except BaseException:
            connection.close()
            raise
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _, client = await loop.create_connection(cls, sock=connection)
        _connected.add(client)
        return client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > _UNREAD_BYTES:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._has_ended = True
        self._wake()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        _connected.discard(self)
        self._has_ended = True
        self._room.set()
        self._wake()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def send(self, *lines: str) -> None:
        """Send lines, without waiting for room."""
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, without waiting for room."""
        self._transport.write(data)

    async def flush(self) -> None:
        """Wait until there is room for more."""
        await self._room.wait()

    async def ask(self, *lines: str) -> str:
        """Send lines, and return the final line of the last.

        Raises:
            AttackError: The answer does not come.
        """
        self.send(*lines)
        return (await self.read_finals(len(lines)))[-1]

    async def time(self, *lines: str) -> tuple[float, str]:
        """Send lines, and return the seconds until the final line of the last, and that; raises as `ask`."""
        asked_s = time.perf_counter()
        answer = await self.ask(*lines)
        return time.perf_counter() - asked_s, answer

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
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            if not await self._wait_for_data():
                raise AttackError("the server ended the connection before the answer")
        line = self._unread[:end].decode()
        del self._unread[: end + 1]
        return line

    async def read(self, size: int) -> bytes:
        """Return up to so many bytes; none after the end."""
        if not self._unread:
            await self._wait_for_data()
        data = bytes(self._unread[:size])
        del self._unread[:size]
        return data

    async def read_to_end(self) -> list[str]:
        """Return all further lines up to the end of the connection.

        Raises:
            AttackError: It does not end.
        """
        data = bytearray()
        while part := await self.read(1 << 20):
            data += part
        return data.decode().splitlines()

    async def _wait_for_data(self) -> bool:
        """Wait for more bytes; return whether any came before the end.

        Raises:
            AttackError: Neither comes.
        """
        if self._has_ended:
            return False
        before = len(self._unread)
        self._arrival = asyncio.get_running_loop().create_future()
        self._transport.resume_reading()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._arrival
        except TimeoutError:
            raise AttackError(f"no answer for {ANSWER_S:g} s") from None
        finally:
            self._arrival = None
            self._transport.pause_reading()
        return len(self._unread) > before

    @property
    def is_closed(self) -> bool:
        """Whether this side has closed the connection."""
        return self._transport.is_closing()

    def half_close(self) -> None:
        """End the sending side alone."""
        self._transport.write_eof()

    def reset(self) -> None:
        """Break the connection off with RST, whatever is under way."""
        if not self.is_closed:
            connection = self._transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()

    def close(self) -> None:
        """Close the connection at once."""
        self._transport.abort()


_connected: set[Client] = set()
"""Clients with a connection, which their attack may forget."""


def run_clients(attack: Coroutine[Any, Any, _Result]) -> _Result:
    """Run an attack in an event loop of its own, then close the clients that it left open."""

    async def run() -> _Result:
        try:
            return await attack
        finally:
            while _connected:
                for client in list(_connected):
                    client.close()
                await asyncio.sleep(0)

    return asyncio.run(run())


def is_fault_line(line: str) -> bool:
    """Return whether a line says that the server has a fault of its own."""
    return "error internal" in line or '"code":"internal"' in line


async def ask_once(port: int, *lines: str) -> str:
    """Connect, send lines, and go; return the final line of the last."""
    client = await Client.open(port)
    answer = await client.ask(*lines)
    client.close()
    return answer


async def open_clients(port: int, count: int) -> Sequence[Client]:
    """Connect so many clients, a hundred at a time."""
    clients: list[Client] = []
    for start in range(0, count, 100):
        size = min(100, count - start)
        clients += await asyncio.gather(*(Client.open(port) for _ in range(size)))
    return clients


async def read_all_to_end(clients: Sequence[Client]) -> list[list[str]]:
    """Return what each of many clients gets up to the end of its connection."""
    return await asyncio.gather(*(client.read_to_end() for client in clients))
