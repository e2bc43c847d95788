"""A client for asyncio: gammond in a process of its own, or on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from gammond import _wire
from gammond._wire import STOP, Pending, Wire
from gammond.errors import ConnectionLost
from gammond.match import Dice, MatchState
from gammond.position import Position
from gammond.results import CubeDecision, Evaluation, Evaluations, RankedPlays

T = TypeVar("T")

_READ_BYTES = 1 << 16
_EXIT_TIMEOUT_S = 5.0


class AsyncClient:
    """Asks a gammond server from asyncio; many questions may be awaited at the same time.

    Make one with `spawn` or `connect`, inside a running event loop.

    ::

        async with await AsyncClient.spawn() as client:
            plays, cube = await asyncio.gather(client.rank(position, (3, 1)), client.cube(position))
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        process: asyncio.subprocess.Process | None,
        timeout_s: float | None,
    ) -> None:
        self._wire = Wire()
        self._reader, self._writer, self._process = reader, writer, process
        self._timeout_s = timeout_s
        self._lost: ConnectionLost | None = None
        self._reading = asyncio.ensure_future(self._run_reader())

    @classmethod
    async def spawn(
        cls, command: Sequence[str] | None = None, timeout_s: float | None = 300.0
    ) -> AsyncClient:
        """Start gammond in a process of its own, as `gammond.Client.spawn`.

        Raises:
            ConnectionLost: The process cannot be started.
        """
        line = list(command) if command is not None else [sys.executable, "-m", "gammond"]
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*line, stdin=pipe, stdout=pipe, limit=1 << 24)
        except OSError as error:
            raise ConnectionLost(f"{line[0]} cannot be started: {error.strerror}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        return cls(process.stdout, process.stdin, process, timeout_s)

    @classmethod
    async def connect(
        cls, host: str = "localhost", port: int = 4321, timeout_s: float | None = 300.0
    ) -> AsyncClient:
        """Connect to a server that runs as ``gammond serve --tcp PORT``, as `gammond.Client.connect`.

        Raises:
            ConnectionLost: Nobody answers there.
        """
        try:
            reader, writer = await asyncio.open_connection(host, port)
        except OSError as error:
            raise ConnectionLost(
                f"no server answers at {host} port {port}: {error.strerror or error}"
            ) from error
        return cls(reader, writer, None, timeout_s)

    async def evaluate(
        self, position: Position, match: MatchState | None = None, plies: int = 0, *, cubeful: bool = True
    ) -> Evaluation:
        """Evaluate a position before the roll, as `gammond.Client.evaluate`."""
        query = _wire.make_query([position], match, plies, "eval", cubeful=cubeful)
        return await self._ask(query, _wire.parse_evaluation)

    async def evaluate_many(
        self,
        positions: Sequence[Position],
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
    ) -> Evaluations:
        """Evaluate many positions of one match state in one query, as `gammond.Client.evaluate_many`."""
        query = _wire.make_query(positions, match, plies, "eval", cubeful=cubeful)
        return await self._ask(query, _wire.parse_evaluations)

    async def rank(
        self,
        position: Position,
        dice: Dice,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
        move_filter: str = "normal",
    ) -> RankedPlays:
        """Rank the legal plays of a roll, as `gammond.Client.rank`."""
        fields = {"dice": list(dice), "filter": move_filter, "cubeful": cubeful}
        query = _wire.make_query([position], match, plies, "moves", **fields)
        return await self._ask(query, _wire.make_plays_parser(position, dice))

    async def cube(self, position: Position, match: MatchState | None = None, plies: int = 0) -> CubeDecision:
        """Decide about the cube before the roll, as `gammond.Client.cube`."""
        return await self._ask(_wire.make_query([position], match, plies, "cube"), _wire.parse_cube)

    async def command(self, line: str) -> list[str]:
        """Send any command of the protocol, and return the lines of its answer, as `Client.command`."""
        return await self._send(self._wire.add_command, line, _wire.parse_lines)

    async def close(self) -> None:
        """End the connection, and the process if it was spawned; questions under way fail."""
        self._lose("the client was closed")
        if not self._writer.is_closing():
            self._writer.write(STOP)
        self._writer.close()
        with contextlib.suppress(OSError, ConnectionError):
            await self._writer.wait_closed()
        await self._end_process()
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(self, query: dict[str, object], parse: Callable[[Any], T]) -> T:
        return await self._send(self._wire.add_query, query, parse)

    async def _send(
        self, register: Callable[[Any, Pending[Any]], bytes], request: object, parse: Callable[[Any], T]
    ) -> T:
        if self._lost is not None:
            raise self._lost
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        pending = Pending(
            parse, _unless_done(future, future.set_result), _unless_done(future, future.set_exception)
        )
        line = register(request, pending)
        try:
            self._writer.write(line)
            await self._writer.drain()
        except OSError as error:
            self._lose(f"the server went away: {error.strerror or error}")
        try:
            return await asyncio.wait_for(future, self._timeout_s)
        except TimeoutError:
            raise ConnectionLost(f"no answer within {self._timeout_s:g} seconds") from None

    async def _run_reader(self) -> None:
        while True:
            try:
                data = await self._reader.read(_READ_BYTES)
            except OSError:
                data = b""
            if not data:
                break
            self._wire.receive(data)
        if self._lost is None:
            status = await self._end_process()
            ended = "the server closed the connection"
            self._lose(ended if status is None else f"the server process ended with status {status}")

    async def _end_process(self) -> int | None:
        if self._process is None:
            return None
        try:
            return await asyncio.wait_for(self._process.wait(), _EXIT_TIMEOUT_S)
        except TimeoutError:
            self._process.kill()
            return await self._process.wait()

    def _lose(self, reason: str) -> None:
        if self._lost is None:
            self._lost = ConnectionLost(reason)
        self._wire.fail_all(self._lost)


def _unless_done(future: asyncio.Future[T], settle: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a callback that does nothing once its caller has given up waiting."""

    def call(value: object) -> None:
        if not future.done():
            settle(value)

    return call
