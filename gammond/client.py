"""A client that waits: gammond in a process of its own, or on a socket."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import IO, Any, TypeVar

from gammond import _wire
from gammond._wire import STOP, Pending, Wire
from gammond.errors import ConnectionLost
from gammond.match import Dice, MatchState
from gammond.position import Position
from gammond.results import CubeDecision, Evaluation, Evaluations, RankedPlays

T = TypeVar("T")

_READ_BYTES = 1 << 16
_EXIT_TIMEOUT_S = 5.0


class Client:
    """Asks a gammond server; safe to use from several threads. Make one with `spawn` or `connect`.

    Each question has a method that waits for the answer, and one that ends in ``_later`` and returns a
    future, so that many questions can be on their way at the same time.

    Examples:
        >>> with Client.spawn() as client:
        ...     client.rank(Position.start(), (3, 1)).best.play.text
        '8/5 6/5'
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        write: Callable[[bytes], None],
        close: Callable[[], str],
        timeout_s: float | None,
    ) -> None:
        self._wire, self._lock, self._write_lock = Wire(), threading.Lock(), threading.Lock()
        self._read, self._write, self._close = read, write, close
        self._timeout_s = timeout_s
        self._lost: ConnectionLost | None = None
        self._reader = threading.Thread(target=self._run_reader, name="gammond client", daemon=True)
        self._reader.start()

    @classmethod
    def spawn(cls, command: Sequence[str] | None = None, timeout_s: float | None = 300.0) -> Client:
        """Start gammond in a process of its own.

        Args:
            command: The command line; ``python -m gammond`` with this Python if None.
            timeout_s: Seconds to wait for an answer; None waits for ever.

        Raises:
            ConnectionLost: The process cannot be started.
        """
        line = list(command) if command is not None else [sys.executable, "-m", "gammond"]
        try:
            process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise ConnectionLost(f"{line[0]} cannot be started: {error.strerror}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        stdin: IO[bytes] = process.stdin
        stdout: IO[bytes] = process.stdout

        def close() -> str:
            with contextlib.suppress(OSError, ValueError):
                stdin.write(STOP)
            with contextlib.suppress(OSError):
                stdin.close()
            try:
                process.wait(_EXIT_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            return f"the server process ended with status {process.returncode}"

        def read() -> bytes:
            data = stdout.read(_READ_BYTES)
            if not data:
                stdout.close()
            return data

        def write(data: bytes) -> None:
            stdin.write(data)

        return cls(read, write, close, timeout_s)

    @classmethod
    def connect(cls, host: str = "localhost", port: int = 4321, timeout_s: float | None = 300.0) -> Client:
        """Connect to a server that runs as ``gammond serve --tcp PORT``.

        Args:
            host: Its name or address.
            port: Its port.
            timeout_s: Seconds to wait for an answer; None waits for ever.

        Raises:
            ConnectionLost: Nobody answers there.
        """
        try:
            connection = socket.create_connection((host, port), timeout_s)
        except OSError as error:
            raise ConnectionLost(
                f"no server answers at {host} port {port}: {error.strerror or error}"
            ) from error
        connection.settimeout(None)

        def close() -> str:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
            return f"the server at {host} port {port} closed the connection"

        return cls(lambda: connection.recv(_READ_BYTES), connection.sendall, close, timeout_s)

    def evaluate(
        self, position: Position, match: MatchState | None = None, plies: int = 0, *, cubeful: bool = True
    ) -> Evaluation:
        """Evaluate a position before the roll, as `gammond.Engine.evaluate`.

        Raises:
            ServerError: The server refused it.
            ConnectionLost: The server went away, or the time is up.
        """
        return self._wait(self.evaluate_later(position, match, plies, cubeful=cubeful))

    def evaluate_later(
        self, position: Position, match: MatchState | None = None, plies: int = 0, *, cubeful: bool = True
    ) -> Future[Evaluation]:
        """Begin `evaluate`, and return the future of its result."""
        query = _wire.make_query([position], match, plies, "eval", cubeful=cubeful)
        return self._ask(query, _wire.parse_evaluation)

    def evaluate_many(
        self,
        positions: Sequence[Position],
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
    ) -> Evaluations:
        """Evaluate many positions of one match state in one query, as `gammond.Engine.evaluate_many`.

        Raises:
            ServerError: The server refused it, as for too many positions.
            ConnectionLost: The server went away, or the time is up.
        """
        query = _wire.make_query(positions, match, plies, "eval", cubeful=cubeful)
        return self._wait(self._ask(query, _wire.parse_evaluations))

    def rank(
        self,
        position: Position,
        dice: Dice,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
        move_filter: str = "normal",
    ) -> RankedPlays:
        """Rank the legal plays of a roll, as `gammond.Engine.rank`.

        Raises:
            ServerError: The server refused it.
            ConnectionLost: The server went away, or the time is up.
        """
        return self._wait(
            self.rank_later(position, dice, match, plies, cubeful=cubeful, move_filter=move_filter)
        )

    def rank_later(
        self,
        position: Position,
        dice: Dice,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
        move_filter: str = "normal",
    ) -> Future[RankedPlays]:
        """Begin `rank`, and return the future of its result."""
        fields = {"dice": list(dice), "filter": move_filter, "cubeful": cubeful}
        query = _wire.make_query([position], match, plies, "moves", **fields)
        return self._ask(query, _wire.make_plays_parser(position, dice))

    def cube(self, position: Position, match: MatchState | None = None, plies: int = 0) -> CubeDecision:
        """Decide about the cube before the roll, as `gammond.Engine.cube`.

        Raises:
            ServerError: The server refused it.
            ConnectionLost: The server went away, or the time is up.
        """
        return self._wait(self.cube_later(position, match, plies))

    def cube_later(
        self, position: Position, match: MatchState | None = None, plies: int = 0
    ) -> Future[CubeDecision]:
        """Begin `cube`, and return the future of its result."""
        return self._ask(_wire.make_query([position], match, plies, "cube"), _wire.parse_cube)

    def command(self, line: str) -> list[str]:
        """Send any command of the protocol, and wait for its answer.

        Args:
            line: The command without a tag, such as ``set engine.level casual``.

        Returns:
            The lines of the answer without the tag, the final one last.

        Raises:
            ServerError: The final line is an error.
            ConnectionLost: The server went away, or the time is up.
        """
        return self._wait(self.command_later(line))

    def command_later(self, line: str) -> Future[list[str]]:
        """Begin `command`, and return the future of its lines."""
        return self._send(self._wire.add_command, line, _wire.parse_lines)

    def close(self) -> None:
        """End the connection, and the process if it was spawned; questions under way fail."""
        self._lose("the client was closed")
        self._close()
        if threading.current_thread() is not self._reader:
            self._reader.join(_EXIT_TIMEOUT_S)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, query: dict[str, object], parse: Callable[[Any], T]) -> Future[T]:
        return self._send(self._wire.add_query, query, parse)

    def _send(
        self, register: Callable[[Any, Pending[Any]], bytes], request: object, parse: Callable[[Any], T]
    ) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        pending = Pending(parse, future.set_result, future.set_exception)
        with self._write_lock:
            with self._lock:  # not while writing: the server may write before it reads on
                if self._lost is not None:
                    raise self._lost
                line = register(request, pending)
            try:
                self._write(line)
            except OSError as error:
                self._lose(f"the server went away: {error.strerror or error}")
        return future

    def _wait(self, future: Future[T]) -> T:
        try:
            return future.result(self._timeout_s)
        except TimeoutError:
            raise ConnectionLost(f"no answer within {self._timeout_s:g} seconds") from None

    def _run_reader(self) -> None:
        while True:
            try:
                data = self._read()
            except (OSError, ValueError):
                data = b""
            if not data:
                break
            with self._lock:
                self._wire.receive(data)
        if self._lost is None:
            self._lose(self._close())

    def _lose(self, reason: str) -> None:
        with self._lock:
            if self._lost is None:
                self._lost = ConnectionLost(reason)
            self._wire.fail_all(self._lost)
