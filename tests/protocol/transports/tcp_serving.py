"""A server of the line protocol in the event loop of a test."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.listening import ServerOptions
from gammond.protocol.transports.tcp import serve_tcp
from gammond.protocol.transports.tcp_limits import TcpLimits
from tests.protocol.talking import make_service
from tests.support.waiting import LeapingClock, wait_in_loop

LONG_S = 1000.0
"""Longer than a test takes on any machine: its clock leaps over it."""


class WatchedLimits(TcpLimits):
    """Caps of a server that looks at its clients all the time."""

    watch_interval_s = 0.02


class Running:
    """A server of a test.

    Args:
        place: Its host and port.
        ending: Ends it.
        service: What its clients share.
        clock: The time that it keeps.
    """

    def __init__(self, place, ending, service, clock):
        self.place, self.ending, self.service, self.clock = place, ending, service, clock

    async def open(self, data=b""):
        """Connect, and send something."""
        reader, writer = await asyncio.open_connection(*self.place)
        writer.write(data)
        return reader, writer

    async def send(self, data, *, eof=True):
        """Send something as a client that ends its input; return the lines that come."""
        reader, writer = await self.open(data)
        if eof:
            writer.write_eof()
        lines = (await asyncio.wait_for(reader.read(), 60)).decode().splitlines()
        writer.close()
        return lines

    async def open_unread(self, data, receive_bytes=2000):
        """Return a socket that has sent something and reads nothing by itself."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(connection, self.place)
        await loop.sock_sendall(connection, data)
        return connection

    async def wait_for_clients(self, count):
        """Wait until so many clients are there."""
        await wait_in_loop(lambda: self.service.client_count == count)

    async def leap_until(self, is_true):
        """Let time fly until something is true."""

        def leap():
            self.clock.leap(LONG_S + 1)
            return is_true()

        await wait_in_loop(leap)


async def read_all(connection):
    """Read what comes on a socket to its end."""
    loop, data = asyncio.get_running_loop(), b""
    while part := await loop.sock_recv(connection, 1 << 17):
        data += part
    return data


def break_off(connection):
    """Close as a machine does that has crashed: the connection is reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@contextlib.asynccontextmanager
async def running(evaluator=None, limits=None, **tcp):
    """Serve on a free port, with such caps."""
    place = asyncio.get_running_loop().create_future()
    ending, clock = asyncio.Event(), LeapingClock()
    service = make_service(evaluator, limits or ClientLimits(close_on_long_line=True))
    service.clock = clock
    options = ServerOptions(
        "127.0.0.1",
        0,
        WatchedLimits(**tcp),
        threads=2,
        on_listening=lambda host, port: place.set_result((host, port)),
        stop_event=ending,
    )
    server = asyncio.create_task(serve_tcp(service, options))
    try:
        yield Running(await place, ending, service, clock)
    finally:
        ending.set()
        await asyncio.wait_for(server, 60)
