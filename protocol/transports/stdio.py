"""The protocol on stdin and stdout: one client, input read and output written while work runs.

The main thread waits for input and for results of the workers, and alone touches the connection.
"""

from __future__ import annotations

import errno
import queue
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NoReturn

from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.runtime.exit_codes import EXIT_BROKEN_PIPE
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.store.options import read_store_options
from gammond.protocol.core.connection import Connection
from gammond.protocol.core.interpreter import INTERPRETER
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.player_registry import FilePlayers
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.protocol.transports.pipes import Inbox, Outbox
from gammond.protocol.transports.process_end import end_process, list_ending_signals
from gammond.protocol.transports.rounds import RoundClient, Rounds
from gammond.protocol.transports.workers import LAST_WORK_S, LONG_THREADS, WorkerPool

_PIECE_BYTES = 64 * 1024
"""How much output is handed on at a time; the rest waits in the connection."""

EXIT_UNWRITABLE = 2
GRACE_S = 5.0
"""How long work may continue after SIGTERM before it is stopped."""

_LAST_GRACE_S = 1.0

READER_CHECK_S = 1.0
"""After the end of input, how often work under way looks whether anybody is left to read its answer."""


def main(make_file_players: Callable[[], FilePlayers]) -> NoReturn:
    """Serve stdin and stdout with the shipped nets, and end the process.

    Args:
        make_file_players: Makes the players that name files.
    """
    catalogue = make_shipped_catalogue(read_store_options(), make_file_players())
    end_process(serve_stdio(Service(catalogue, threads=count_usable_cores())))


def serve_stdio(
    service: Service,
    *,
    input_fd: int = 0,
    output_fd: int = 1,
    seed: int | None = None,
    threads: int | None = None,
    grace_s: float = GRACE_S,
) -> int:
    """Serve one client until it ends its input, sends ``quit``, or a signal ends the process.

    Args:
        service: What is served.
        input_fd: File descriptor to read from.
        output_fd: File descriptor to write to.
        seed: Where the session's dice start; by chance if left out.
        threads: Workers for quick work; one for each core if left out.
        grace_s: How long work may continue after SIGTERM or SIGINT.

    Returns:
        The exit status: 0, 141 when the reader of the output went away, 2 when it cannot be written.
    """
    connection = connect(Session(service, secrets.randbelow(MAX_SEED) if seed is None else seed))
    limits = service.limits
    pool = WorkerPool(
        threads, long_share=LONG_THREADS, started_bytes=limits.started_bytes, clock=service.clock
    )
    service.client_count += 1
    return _StdioServer(connection, limits.unsent_bytes, input_fd, output_fd, pool, grace_s).run()


class _StdioServer:
    def __init__(
        self,
        connection: Connection,
        unsent_bytes: int,
        input_fd: int,
        output_fd: int,
        pool: WorkerPool,
        grace_s: float,
    ) -> None:
        self._connection = connection
        self._max_unsent = unsent_bytes
        self._pool = pool
        self._grace_s = grace_s
        self._inbox = Inbox(input_fd)
        self._outbox = Outbox(output_fd, self._inbox, self._take_broken_pipe)
        self._is_reading = False
        self._rounds = Rounds(self._inbox.put_here, time.monotonic)
        self._client = RoundClient(connection, pool, self._run_here, lambda: None)
        self._shutdown_steps: Iterator[Callable[[], object]] | None = None
        self._deadline: float | None = None
        self._has_ended = False
        self._exit_status: int | None = None

    def run(self) -> int:
        """Serve to the end; returns the exit status."""
        with _handle_signals(lambda: self._inbox.put(self._begin_shutdown)), INTERPRETER.hold():
            while self._exit_status is None:
                self._pump()
                if self._connection.is_done and not self._outbox.unsent:
                    self._exit_status = 0
                    break
                try:
                    with INTERPRETER.leave():
                        call = self._inbox.take(self._compute_timeout_s())
                    call()
                except queue.Empty:
                    self._outbox.check_reader()
                    self._escalate_shutdown()
        self._client.drop()
        self._pool.close()
        self._pool.join(LAST_WORK_S)
        return self._exit_status

    def _pump(self) -> None:
        while self._outbox.unsent <= self._max_unsent and (
            data := self._connection.data_to_send(_PIECE_BYTES)
        ):
            self._outbox.write(data)
        self._client.report_to_pool()
        if self._connection.has_lines:
            self._rounds.add(self._client)
        has_room = self._outbox.unsent <= self._max_unsent
        if not self._is_reading and has_room and self._connection.wants_data:
            self._is_reading = True
            self._inbox.request_input(self._take_input)

    def _run_here(self, act: Callable[..., None], *values: object) -> None:
        self._inbox.put(partial(act, *values))

    def _take_input(self, data: bytes) -> None:
        self._is_reading = False
        if data:
            self._connection.receive_data(data)
        else:
            self._connection.receive_eof()
            self._has_ended = True
        self._rounds.add(self._client, at_once=True)

    def _take_broken_pipe(self, error: OSError) -> None:
        self._connection.drop()
        self._exit_status = EXIT_BROKEN_PIPE
        if error.errno != errno.EPIPE:  # that the reader has gone is no news to anybody
            sys.stderr.write(f"gammond: cannot write the answers: {error.strerror}\n")
            self._exit_status = EXIT_UNWRITABLE

    def _begin_shutdown(self) -> None:
        """Take no more requests, and end what runs by ever harder means."""
        if self._shutdown_steps is None:
            self._connection.close()
            self._shutdown_steps = iter((self._connection.stop_all, self._abandon, self._exit_now))
            self._deadline = time.monotonic() + self._grace_s

    def _escalate_shutdown(self) -> None:
        if self._shutdown_steps is not None and not self._compute_timeout_s():
            next(self._shutdown_steps)()
            self._deadline = time.monotonic() + _LAST_GRACE_S

    def _abandon(self) -> None:
        self._client.drop()
        self._connection.abandon()

    def _exit_now(self) -> None:
        self._exit_status = 0

    def _compute_timeout_s(self) -> float | None:
        if self._deadline is not None:
            return max(0.0, self._deadline - time.monotonic())
        return READER_CHECK_S if self._has_ended else None


@contextmanager
def _handle_signals(on_signal: Callable[[], None]) -> Iterator[None]:
    """Act on the signals that end a server; do nothing outside the main thread, which alone gets them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = list_ending_signals()
    before = [signal.signal(kind, lambda *_: on_signal()) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
