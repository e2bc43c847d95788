"""Clients that load a server: one that waits or pipelines, and many that each wait for their answers."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO

import msgspec

from gammond.engine.errors import StateError
from gammond.protocol.core.words import DATA_WORDS

_RETRY_S = 0.02


@dataclass(frozen=True)
class LoadReport:
    """Measurements of a load.

    Attributes:
        clients: Clients at once.
        requests: Requests sent in all.
        answered: Requests that got their final line.
        errors: Final lines among them that were errors.
        seconds: From the first line to the last answer.
        p50_ms: Median of the time from a line to its final line.
        p99_ms: 99th percentile of it.
        final_lines: The final lines of each client.
    """

    clients: int
    requests: int
    answered: int
    errors: int
    seconds: float
    p50_ms: float
    p99_ms: float
    final_lines: Sequence[Sequence[str]] = ()


def is_final_line(line: str) -> bool:
    """Whether a line from a server ends an answer."""
    text = line.partition(" ")[2] if line.startswith("@") else line
    if text.startswith("{"):
        document = msgspec.json.decode(text)
        return isinstance(document, dict) and document.get("final") is not False
    return text.partition(" ")[0] not in DATA_WORDS


def is_error_line(line: str) -> bool:
    """Whether a final line says that the request failed."""
    text = line.partition(" ")[2] if line.startswith("@") else line
    return text.startswith("error ") or (text.startswith("{") and '"error":' in text)


def compute_percentile(values: Sequence[float], percent: int) -> float:
    """Return a percentile of values in any order; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0


class LineChannel:
    """One client on a pipe or a socket.

    Args:
        reader: Of the server's lines.
        writer: Of lines to the server.
    """

    def __init__(self, reader: IO[bytes], writer: IO[bytes]) -> None:
        self._reader = reader
        self._writer = writer

    def ask(self, line: str) -> str:
        """Send a line, and return the final line of its answer.

        Raises:
            StateError: The server ended the connection.
        """
        self.send([line])
        while not is_final_line(answer := self.read_line()):
            pass
        return answer

    def time_answer(self, line: str) -> tuple[str, float]:
        """Send a line; return the final line of its answer, and the seconds until it came.

        Raises:
            StateError: The server ended the connection.
        """
        started_s = time.perf_counter()
        return self.ask(line), time.perf_counter() - started_s

    def ask_all(self, lines: Sequence[str]) -> list[str]:
        """Send lines without waiting, and return their answers, one line each.

        Raises:
            StateError: The server ended the connection.
        """
        sender = threading.Thread(target=self.send, args=(lines,), daemon=True)
        sender.start()
        answers = [self.read_line() for _ in lines]
        sender.join()
        return answers

    def send(self, lines: Sequence[str]) -> None:
        """Send lines without waiting."""
        self._writer.write("".join(f"{line}\n" for line in lines).encode())
        self._writer.flush()

    def read_line(self) -> str:
        """Return the next line.

        Raises:
            StateError: The server ended the connection.
        """
        data = self._reader.readline()
        if not data:
            raise StateError("the server ended the connection before its answer", field="server")
        return data.decode().rstrip("\n")


@contextmanager
def open_channel(host: str, port: int, timeout_s: float = 10.0) -> Iterator[LineChannel]:
    """Connect to a server.

    Args:
        host: Where the server listens.
        port: Its port.
        timeout_s: How long to retry while nobody listens, and the longest wait for an answer.

    Raises:
        StateError: Nobody listens.
    """
    deadline_s = time.monotonic() + timeout_s
    while True:
        try:
            connection = socket.create_connection((host, port), timeout_s)
            break
        except ConnectionError as error:
            if time.monotonic() > deadline_s:
                raise StateError(f"nobody listens on {host} port {port}", field="server") from error
            time.sleep(_RETRY_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
        yield LineChannel(reader, writer)


def find_free_port(host: str) -> int:
    """Return a port that is free now, for a server that cannot choose one."""
    with socket.create_server((host, 0)) as server:
        return int(server.getsockname()[1])


async def measure_load(host: str, port: int, scripts: Sequence[Sequence[str]]) -> LoadReport:
    """Send lines from many clients at once, each waiting for a final line before it sends the next.

    Args:
        host: Where the server listens.
        port: Its port.
        scripts: The lines of each client.

    Returns:
        The report; `answered` is less than `requests` when a connection ended early.
    """
    loop = asyncio.get_running_loop()
    connected = await asyncio.gather(
        *(
            loop.create_connection(partial(_LoadClient, script, loop.create_future()), host, port)
            for script in scripts
        )
    )
    clients = [client for _, client in connected]
    began_s = time.perf_counter()
    for client in clients:
        client.send_next()
    await asyncio.gather(*(client.ended for client in clients))
    elapsed_s = time.perf_counter() - began_s
    latencies = [latency_s for client in clients for latency_s in client.latencies_s]
    return LoadReport(
        len(clients),
        sum(map(len, scripts)),
        len(latencies),
        sum(is_error_line(line) for client in clients for line in client.final_lines),
        elapsed_s,
        1000 * compute_percentile(latencies, 50),
        1000 * compute_percentile(latencies, 99),
        [client.final_lines for client in clients],
    )


class _LoadClient(asyncio.Protocol):
    """A client of a load.

    Args:
        script: Its lines.
        ended: Set when its connection is closed.
    """

    def __init__(self, script: Sequence[str], ended: asyncio.Future[None]) -> None:
        self.ended = ended
        self.latencies_s: list[float] = []
        self.final_lines: list[str] = []
        self._unsent = iter([f"{line}\n".encode() for line in script])
        self._partial_line = b""
        self._sent_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *lines, self._partial_line = (self._partial_line + data).split(b"\n")
        for line in lines:
            text = line.decode()
            if is_final_line(text):
                self.latencies_s.append(time.perf_counter() - self._sent_s)
                self.final_lines.append(text)
                self.send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set_result(None)

    def send_next(self) -> None:
        """Send the next line, or close the connection after the last answer."""
        line = next(self._unsent, None)
        if line is None:
            self._transport.close()
        else:
            self._sent_s = time.perf_counter()
            self._transport.write(line)
