"""The connection of both clients: a server in a process of its own, or on a socket, and what it is asked.

A link lives in an event loop: that of the program (`gammond.AsyncClient`), or one in a thread of its own
(`gammond.Client`).
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from gammond.api._wire import Pending, Wire
from gammond.api.errors import ConnectionLost

EXIT_TIMEOUT_S = 5.0
"""How long a server may take to end before it is killed."""

STOP = b"stop\n"
"""Ends work under way, which a server otherwise finishes before it ends."""

HAS_DIRECT_WRITES = os.name == "posix"
"""Whether any thread may write what the server takes at once; on Windows the loop alone writes."""

OWN_GROUP: Mapping[str, Any] = {
    "process_group": 0,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""How a server is started so that Ctrl-C at the terminal is for the program that asks it alone.

It stays in the session: Linux may schedule sessions by turns, and then answers wait.
"""


def make_timeout_error(timeout_s: float | None) -> ConnectionLost:
    """Return the error for an answer that did not come in time."""
    return ConnectionLost(f"no answer within {timeout_s:g} seconds")


class Link(asyncio.Protocol, asyncio.SubprocessProtocol):
    """A connection to a server and the requests under way on it.

    `begin`, `stop` and `run_soon` are for any thread, the other methods for that of its event loop.

    Args:
        server: What it is, in words.
        is_process: Whether it is a process that this one started.

    Attributes:
        lost: Why nothing can be asked any more; None as long as something can.
        has_room: Set unless the server does not read all that is sent.
        has_ended: Set once the connection is closed, and the process ended if there is one.
    """

    def __init__(self, server: str, *, is_process: bool = False) -> None:
        self.lost: ConnectionLost | None = None
        self.has_room, self.has_ended = threading.Event(), asyncio.Event()
        self.has_room.set()
        self._server, self._is_process, self._made_in = server, is_process, os.getpid()
        self._loop, self._wire, self._lock = asyncio.get_running_loop(), Wire(), threading.Lock()
        self._direct: int | None = None
        self._left_to_loop = 0
        self._killing: asyncio.TimerHandle | None = None

    def is_of_this_process(self) -> bool:
        """Return whether this process made the link, and not one that forked it."""
        return self._made_in == os.getpid()

    def begin(self, pending: Pending[Any]) -> None:
        """Send a request; the server is told to stop once its future is cancelled.

        Raises:
            ConnectionLost: Nothing can be asked any more, or this process was forked of the one that made the
                link, and nothing reads the answers here.
        """
        if not self.is_of_this_process():
            raise ConnectionLost(
                f"this client is that of process {self._made_in}, which forked this one: make one here"
            )
        pending.future.add_done_callback(lambda future: self._stop_cancelled(future, pending))
        with self._lock:
            if self.lost is not None:
                raise self.lost.with_traceback(None)  # which would grow with each question
            self._send(self._wire.begin(pending))

    def stop(self, pending: Pending[Any]) -> None:
        """Tell the server to end a request, unless it has answered."""
        if self.is_of_this_process():
            with self._lock:
                if self.lost is None:
                    self._send(self._wire.stop(pending))

    def run_soon(self, act: Callable[..., object], *arguments: object) -> None:
        """Have something done in the thread of the loop; nothing once that is closed."""
        try:
            self._loop.call_soon_threadsafe(act, *arguments)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def close(self) -> None:
        """Fail what is under way, and begin to end the connection, and the process if there is one."""
        self._lose("the client was closed")
        self._end()

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  (of any kind of event loop)
        """Take what bytes are sent by, of a process its standard input."""
        self._transport = self._writer = transport
        if self._is_process:
            self._writer = transport.get_pipe_transport(0)
            _PipeReader(self._wire.receive, transport.get_pipe_transport(1))
        self._writer.set_write_buffer_limits(high=0)
        file = self._writer.get_extra_info("pipe" if self._is_process else "socket")
        if HAS_DIRECT_WRITES and file is not None:
            self._direct = os.dup(file.fileno())

    def data_received(self, data: bytes) -> None:
        """Give those who wait their answers."""
        self._wire.receive(data)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take what a process wrote before the connection was made."""
        self._wire.receive(data)

    def pause_writing(self) -> None:
        """Note that the server does not read all that is sent."""
        if self.lost is None:
            self.has_room.clear()

    def resume_writing(self) -> None:
        """Note that the server has read what was sent."""
        self.has_room.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """See to it that a process ends that reads or writes no more."""
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail what is under way: the connection is closed, and the process has ended if there is one."""
        if self._is_process:
            self._lose(f"{self._server} ended with status {self._transport.get_returncode()}")
        elif exc is not None:
            self._lose(f"the server went away: {getattr(exc, 'strerror', None) or exc}")
        else:
            self._lose(f"{self._server} closed the connection")
        self._end()
        assert self._killing is not None
        self._killing.cancel()
        self._transport.close()
        self.has_ended.set()

    def _stop_cancelled(self, future: Future[Any] | asyncio.Future[Any], pending: Pending[Any]) -> None:
        if future.cancelled():
            if isinstance(future, Future):
                future.set_running_or_notify_cancel()  # tells those who wait for several futures
            self.stop(pending)

    def _send(self, data: bytes) -> None:
        """Write what the server takes at once, and leave the rest to the loop; with the lock held.

        To wake a loop that waits in another thread takes a tenth as long as a quick answer.
        """
        try:
            if self._direct is not None and not self._left_to_loop and self.has_room.is_set():
                with contextlib.suppress(OSError):  # the loop waits, or finds what is wrong
                    data = data[os.write(self._direct, data) :]
                if data:
                    self.has_room.clear()
            if data:
                self._left_to_loop += 1
                self.run_soon(self._write, data)
        except BaseException:  # Ctrl-C, when perhaps half of it is written
            self.lost = ConnectionLost("the program was interrupted while it sent a question")
            self.run_soon(self.close)
            raise

    def _write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)
        with self._lock:
            self._left_to_loop -= 1
            if not self._writer.get_write_buffer_size():
                self.has_room.set()

    def _lose(self, reason: str) -> None:
        with self._lock:
            lost = self.lost = self.lost or ConnectionLost(reason)
            waiting = self._wire.take_all()
        self.has_room.set()
        for pending in waiting:
            pending.fail(lost)

    def _end(self) -> None:
        if self._killing is not None:
            return
        self._killing = self._loop.call_later(EXIT_TIMEOUT_S, self._kill)
        with self._lock:
            direct, self._direct = self._direct, None
        if direct is not None:
            os.close(direct)
        if not self._writer.is_closing():
            self._writer.write(STOP)
        self._writer.close()

    def _kill(self) -> None:
        if self._is_process:
            self._transport.close()  # which kills the process
        else:
            self._writer.abort()


class _PipeReader(asyncio.Protocol):
    """Hands on at once what a process writes, which the loop would do in its next round.

    Args:
        receive: Takes the bytes.
        pipe: Where they come from.
    """

    def __init__(self, receive: Callable[[bytes], None], pipe: Any) -> None:  # noqa: ANN401
        self._receive, self._process = receive, pipe.get_protocol()
        pipe.set_protocol(self)

    def data_received(self, data: bytes) -> None:
        """Hand bytes on."""
        self._receive(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the process that there are no more."""
        self._process.connection_lost(exc)


async def spawn_server(command: Sequence[str] | None) -> Link:
    """Start a server in a process of its own.

    Args:
        command: The command line; ``python -m gammond`` with this Python if None.

    Raises:
        ConnectionLost: The process cannot be started.
    """
    line = list(command) if command is not None else [sys.executable, "-m", "gammond"]
    loop = asyncio.get_running_loop()
    try:
        _, link = await loop.subprocess_exec(
            lambda: Link("the server process", is_process=True), *line, stderr=None, **OWN_GROUP
        )
    except OSError as error:
        raise ConnectionLost(f"{line[0]} cannot be started: {error.strerror}") from error
    except (RuntimeError, NotImplementedError) as error:  # the program's loop or watcher has no processes
        raise ConnectionLost(f"{line[0]} cannot be started: {error}") from error
    return link


async def connect_to_server(host: str, port: int, timeout_s: float | None) -> Link:
    """Connect to a server on TCP.

    Args:
        host: Its name or address.
        port: Its port.
        timeout_s: Seconds to wait for the connection; None waits for ever.

    Raises:
        ConnectionLost: Nobody answers there.
    """
    loop, server = asyncio.get_running_loop(), f"the server at {host} port {port}"
    try:
        async with asyncio.timeout(timeout_s):
            failure = OSError(errno.EADDRNOTAVAIL)
            for *_, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    _, link = await loop.create_connection(lambda: Link(server), *address[:2])
                except OSError as error:
                    failure = error
                else:
                    return link
            raise failure
    except OSError as error:
        is_unknown = isinstance(error, socket.gaierror)
        reason = error.strerror if is_unknown else os.strerror(error.errno or errno.ETIMEDOUT)
        raise ConnectionLost(f"no server answers at {host} port {port}: {reason}") from error
