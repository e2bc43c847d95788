"""The protocol on stdin and stdout: one client, input read and output written while work runs.

Three kinds of threads meet in one inbox: a reader, a writer, the workers. Only the main thread touches the
connection.
"""

from __future__ import annotations

import logging
import os
import queue
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from engine.cores import usable_cores
from engine.dice import MAX_SEED
from protocol.connection import Connection, Job
from protocol.requests import AnyReply
from protocol.service import Service, shipped_judges
from protocol.session import Session
from protocol.transports.workers import LONG_THREADS, ClientShare, WorkerPool

EXIT_BROKEN_PIPE = 141
GRACE_S = 5.0
"""How long work may go on after SIGTERM before it is stopped."""

_LAST_GRACE_S = 1.0
_READ_BYTES = 64 * 1024


def main() -> int:
    """Serve stdin and stdout with the shipped nets; returns the exit status."""
    logging.basicConfig(format="gammond: %(levelname)s: %(message)s")
    return serve_stdio(Service(shipped_judges(), threads=usable_cores()))


def serve_stdio(
    service: Service,
    *,
    input_fd: int = 0,
    output_fd: int = 1,
    seed: int | None = None,
    threads: int | None = None,
    grace_s: float = GRACE_S,
) -> int:
    """Serve one client until it ends its input, says ``quit``, or the process is told to end.

    Args:
        service: What is served.
        input_fd: File descriptor to read from.
        output_fd: File descriptor to write to.
        seed: Where the session's dice start; by chance if left out.
        threads: Workers for quick work; one for each core if left out.
        grace_s: How long work may go on after SIGTERM or SIGINT.

    Returns:
        The exit status: 0, or 141 when the reader of the output went away.
    """
    session = Session(service, secrets.randbelow(MAX_SEED) if seed is None else seed)
    pool = WorkerPool(threads, long_share=LONG_THREADS, clock=service.clock)
    return _StdioServer(Connection(session), input_fd, output_fd, pool, grace_s).run()


class _StdioServer:
    def __init__(
        self, connection: Connection, input_fd: int, output_fd: int, pool: WorkerPool, grace_s: float
    ) -> None:
        self._connection = connection
        self._input_fd = input_fd
        self._output_fd = output_fd
        self._pool = pool
        self._grace_s = grace_s
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._output: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._may_read = threading.Semaphore(0)
        self._is_reading = False
        self._is_turn_due = False
        self._share = ClientShare(pool)
        self._unsent = 0
        self._ends: Iterator[Callable[[], object]] | None = None
        self._deadline: float | None = None
        self._status: int | None = None

    def run(self) -> int:
        """Serve to the end; returns the exit status."""
        for target in (self._read, self._write):
            threading.Thread(target=target, name=target.__name__.strip("_"), daemon=True).start()
        self._connection.session.service.clients += 1
        with _signals(lambda: self._inbox.put(self._begin_end)):
            while self._status is None:
                self._pump()
                if self._connection.is_done and not self._unsent:
                    self._status = 0
                    break
                try:
                    self._inbox.get(timeout=self._time_left())()
                except queue.Empty:
                    self._end_harder()
        self._pool.close()
        return self._status

    def _pump(self) -> None:
        cap = self._connection.session.service.limits.unsent_bytes
        while self._unsent <= cap and (data := self._connection.data_to_send()):
            self._unsent += len(data)
            self._output.put(data)
        while job := self._share.next_job(self._connection):
            self._pool.submit(self, job, self._progressed, self._finished)
        if self._connection.has_lines and not self._is_turn_due:
            self._is_turn_due = True
            self._inbox.put(self._take_turn)
        if not self._is_reading and self._unsent <= cap and self._connection.wants_data:
            self._is_reading = True
            self._may_read.release()

    def _take_turn(self) -> None:
        self._is_turn_due = False
        self._connection.advance()

    def _progressed(self, job: Job, reply: AnyReply) -> None:
        self._inbox.put(partial(self._connection.progressed, job, reply))

    def _finished(self, job: Job, result: bytes | Exception) -> None:
        self._inbox.put(partial(self._take_result, job, result))

    def _take_result(self, job: Job, result: bytes | Exception) -> None:
        self._share.ended(job)
        self._connection.finished(job, result)

    def _read(self) -> None:
        data = b" "
        while data:
            self._may_read.acquire()
            try:
                data = os.read(self._input_fd, _READ_BYTES)
            except OSError:
                data = b""
            self._inbox.put(partial(self._take_input, data))

    def _take_input(self, data: bytes) -> None:
        self._is_reading = False
        if data:
            self._connection.receive_data(data)
        else:
            self._connection.receive_eof()

    def _write(self) -> None:
        while True:
            data = memoryview(self._output.get())
            size = len(data)
            try:
                while data:
                    data = data[os.write(self._output_fd, data) :]
            except OSError:
                self._inbox.put(self._take_broken_pipe)
                return
            self._inbox.put(partial(self._take_written, size))

    def _take_written(self, size: int) -> None:
        self._unsent -= size

    def _take_broken_pipe(self) -> None:
        self._connection.drop()
        self._status = EXIT_BROKEN_PIPE

    def _begin_end(self) -> None:
        """Take no more requests, and end what runs by ever harder means."""
        if self._ends is None:
            self._connection.close()
            self._ends = iter((self._connection.stop_all, self._connection.abandon, self._give_up))
            self._deadline = time.monotonic() + self._grace_s

    def _end_harder(self) -> None:
        if self._ends is not None:
            next(self._ends)()
            self._deadline = time.monotonic() + _LAST_GRACE_S

    def _give_up(self) -> None:
        self._status = 0

    def _time_left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())


@contextmanager
def _signals(act: Callable[[], None]) -> Iterator[None]:
    """Act on SIGTERM and SIGINT for a while; outside the main thread, which alone gets them, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(kind, lambda *_: act()) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
