"""How bytes come to a server and back: through the pipes of a process, or a socket."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gammond import _wire
from gammond._wire import EXIT_TIMEOUT_S, OWN_GROUP, READ_BYTES, STOP


class ServerLink(NamedTuple):
    """The way to a server.

    Attributes:
        read: Waits for bytes, and returns them; empty once there are no more.
        write: Sends bytes.
        close: Ends the connection, and the process if there is one; returns how it ended, in words.
    """

    read: Callable[[], bytes]
    write: Callable[[bytes], object]
    close: Callable[[], str]


def spawn_server(command: Sequence[str] | None) -> ServerLink:
    """Start a server in a process of its own.

    Args:
        command: The command line; ``python -m gammond`` with this Python if None.

    Raises:
        ConnectionLost: The process cannot be started.
    """
    line = _wire.make_command_line(command)
    try:
        process: subprocess.Popen[bytes] = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **OWN_GROUP
        )
    except OSError as error:
        raise _wire.make_start_error(line[0], error) from error
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    def write(data: bytes) -> None:
        unwritten = memoryview(data)
        while unwritten:  # a signal ends the write of a long line early
            try:
                written = stdin.write(unwritten)
            except ValueError:
                written = None
            if written is None:
                raise BrokenPipeError(errno.EPIPE, "another thread closed the client")
            unwritten = unwritten[written:]

    def close() -> str:
        with contextlib.suppress(OSError, ValueError, AttributeError):  # on Windows pipes wait
            os.set_blocking(stdin.fileno(), False)  # the server may not read any more
        with contextlib.suppress(OSError, ValueError):
            stdin.write(STOP)
        with contextlib.suppress(OSError):
            stdin.close()
        try:
            process.wait(EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return f"the server process ended with status {process.returncode}"

    def read() -> bytes:
        data = stdout.read(READ_BYTES)
        if not data:
            stdout.close()
        return data

    return ServerLink(read, write, close)


def connect_to_server(host: str, port: int, timeout_s: float | None) -> ServerLink:
    """Connect to a server on TCP.

    Args:
        host: Its name or address.
        port: Its port.
        timeout_s: Seconds to wait for the connection; None waits for ever.

    Raises:
        ConnectionLost: Nobody answers there.
    """
    try:
        connection = socket.create_connection((host, port), timeout_s)
    except OSError as error:
        raise _wire.make_connect_error(host, port, error) from error
    connection.settimeout(None)

    def close() -> str:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
        return f"the server at {host} port {port} closed the connection"

    return ServerLink(lambda: connection.recv(READ_BYTES), connection.sendall, close)
