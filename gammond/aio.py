"""A client for asyncio: gammond in a process of its own, or on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import TypeVar, Unpack

from gammond import _questions, _wire
from gammond._match_question import MatchQuestion
from gammond._options import AnalysisSettings, RolloutSettings
from gammond._questions import Question, RolloutQuestion
from gammond._wire import CANCEL_POLL_S, EXIT_TIMEOUT_S, OWN_GROUP, READ_BYTES, STOP, Pending, Wire
from gammond.errors import ConnectionLost
from gammond.match import Dice, MatchState
from gammond.match_file import Match
from gammond.position import Board, Position
from gammond.results import (
    CubeDecision,
    Evaluation,
    Evaluations,
    MatchProgress,
    Opinion,
    Progress,
    RankedPlays,
    Rollout,
)

T = TypeVar("T")


class AsyncClient:
    """Asks a gammond server from asyncio; many questions may be awaited at the same time.

    Make one with `spawn` or `connect`, inside a running event loop. The server stops working on a question
    whose task is cancelled or whose time is up.

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
        self._made_in = os.getpid()
        self._reading = asyncio.ensure_future(self._run_reader())

    @classmethod
    async def spawn(
        cls, command: Sequence[str] | None = None, timeout_s: float | None = 300.0
    ) -> AsyncClient:
        """Start gammond in a process of its own, as `gammond.Client.spawn`.

        Raises:
            ConnectionLost: The process cannot be started.
        """
        line = _wire.make_command_line(command)
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *line, stdin=pipe, stdout=pipe, limit=1 << 24, **OWN_GROUP
            )
        except OSError as error:
            raise _wire.make_start_error(line[0], error) from error
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
            raise _wire.make_connect_error(host, port, error) from error
        return cls(reader, writer, None, timeout_s)

    async def evaluate(
        self, position: Position, match: MatchState | None = None, plies: int = 0, *, cubeful: bool = True
    ) -> Evaluation:
        """Evaluate a position before the roll, as `gammond.Client.evaluate`."""
        return await self._ask(_questions.ask_evaluation(position, match, plies, cubeful))

    async def evaluate_many(
        self,
        positions: Sequence[Position] | Board,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
    ) -> Evaluations:
        """Evaluate many positions of one match state in one query, as `gammond.Client.evaluate_many`."""
        return await self._ask(_questions.ask_evaluations(positions, match, plies, cubeful))

    async def rank(
        self,
        position: Position,
        dice: Dice,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
        move_filter: str = "normal",
        candidates: int = 5,
    ) -> RankedPlays:
        """Rank the legal plays of a roll, as `gammond.Client.rank`."""
        return await self._ask(
            _questions.ask_plays(position, dice, match, plies, cubeful, move_filter, candidates)
        )

    async def opinion(self, position: Position, player: str, dice: Dice | None = None) -> tuple[Opinion, ...]:
        """Say what a player thinks, as `gammond.Client.opinion`."""
        return await self._ask(_questions.ask_opinion(position, player, dice))

    async def cube(self, position: Position, match: MatchState | None = None, plies: int = 0) -> CubeDecision:
        """Decide about the cube before the roll, as `gammond.Client.cube`."""
        return await self._ask(_questions.ask_cube(position, match, plies))

    async def rollout(
        self,
        position: Position,
        dice: Dice | None = None,
        match: MatchState | None = None,
        *,
        progress: Progress | None = None,
        cancel: asyncio.Event | None = None,
        **options: Unpack[RolloutSettings],
    ) -> Rollout:
        """Play a position out many times, as `gammond.Client.rollout`; ``cancel`` is an `asyncio.Event`."""
        question = RolloutQuestion(position, dice, match, **options)
        report = None if progress is None else lambda trials, _: progress(trials)
        return await self._run_long(Question(question.fields, question.parse), report, cancel)

    async def analyse(
        self,
        match: Match,
        plies: int = 2,
        *,
        progress: MatchProgress | None = None,
        cancel: asyncio.Event | None = None,
        **options: Unpack[AnalysisSettings],
    ) -> Match:
        """Analyse a match, as `gammond.Client.analyse`; ``cancel`` is an `asyncio.Event`."""
        question = MatchQuestion(match, plies, **options)
        return await self._run_long(Question(question.fields, question.parse), progress, cancel)

    async def command(self, line: str) -> list[str]:
        """Send any command of the protocol, and return the lines of its answer, as `Client.command`."""
        future: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        pending = Pending(_questions.parse_lines, future)
        return await self._wait(pending, future, partial(self._wire.add_command, line))

    async def close(self) -> None:
        """End the connection, and the process if it was spawned; questions under way fail."""
        if self._made_in != os.getpid():
            return  # it is the connection of the process that forked this one
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

    async def _ask(self, question: Question[T]) -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        pending = Pending(question.parse, future)
        return await self._wait(pending, future, partial(self._wire.add_query, question.fields))

    async def _run_long(
        self,
        question: Question[T],
        progress: Callable[[int, int], None] | None,
        cancel: asyncio.Event | None,
    ) -> T:
        """Wait for long work, as `Client` does."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        reports: asyncio.Queue[tuple[int, ...]] = asyncio.Queue()
        pending = Pending(question.parse, future, reports.put_nowait)
        try:
            await self._begin(pending, future, partial(self._wire.add_query, question.fields))
            while not (future.done() and reports.empty()):
                await asyncio.wait([future], timeout=CANCEL_POLL_S)
                while not reports.empty():
                    done = reports.get_nowait()
                    if progress is not None:
                        progress(*done)
                if cancel is not None and cancel.is_set() and not future.done():
                    cancel = None
                    self._stop(pending)
            return future.result()
        finally:
            future.cancel()  # the task was cancelled, or progress failed

    async def _begin(
        self, pending: Pending[T], future: asyncio.Future[T], add: Callable[[Pending[T]], bytes]
    ) -> None:
        """Send a request, as `Client` does."""
        _wire.check_process(self._made_in)
        if self._lost is not None:
            raise self._lost

        def stop(future: asyncio.Future[T]) -> None:
            if future.cancelled():
                self._stop(pending)

        try:
            self._writer.write(add(pending))
            future.add_done_callback(stop)
            await self._writer.drain()
        except OSError as error:
            self._lose(_wire.format_write_error(error))

    def _stop(self, pending: Pending[T]) -> None:
        """Tell the server to end a request."""
        if self._lost is None:
            self._writer.write(pending.stop)

    async def _wait(
        self, pending: Pending[T], future: asyncio.Future[T], add: Callable[[Pending[T]], bytes]
    ) -> T:
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._begin(pending, future, add)
                return await future
        except TimeoutError:
            raise _wire.make_timeout_error(self._timeout_s) from None
        finally:
            future.cancel()  # the time is up, or the task was cancelled; without effect on an answer

    async def _run_reader(self) -> None:
        while True:
            try:
                data = await self._reader.read(READ_BYTES)
            except OSError:
                data = b""
            if not data:
                break
            for finish in self._wire.receive(data):
                finish()
        if self._lost is None:
            status = await self._end_process()
            ended = "the server closed the connection"
            self._lose(ended if status is None else f"the server process ended with status {status}")

    async def _end_process(self) -> int | None:
        if self._process is None:
            return None
        try:
            return await asyncio.wait_for(self._process.wait(), EXIT_TIMEOUT_S)
        except TimeoutError:
            self._process.kill()
            return await self._process.wait()

    def _lose(self, reason: str) -> None:
        self._lost = self._lost or ConnectionLost(reason)
        for pending in self._wire.take_all():
            pending.fail(self._lost)
