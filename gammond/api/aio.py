"""A client for asyncio: gammond in a process of its own, or on a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TypeVar, Unpack

from gammond.api import _questions
from gammond.api._links import Link, connect_to_server, make_timeout_error, spawn_server
from gammond.api._match_question import ask_analysis
from gammond.api._options import AnalysisSettings, RolloutSettings
from gammond.api._questions import Question
from gammond.api._wire import Pending
from gammond.api.match import Dice, MatchState
from gammond.api.match_file import Match
from gammond.api.position import Board, Position
from gammond.api.results import (
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

    def __init__(self, link: Link, timeout_s: float | None) -> None:
        self._link, self._timeout_s = link, timeout_s

    @classmethod
    async def spawn(
        cls, command: Sequence[str] | None = None, timeout_s: float | None = 300.0
    ) -> AsyncClient:
        """Start gammond in a process of its own, as `gammond.Client.spawn`.

        Raises:
            ConnectionLost: The process cannot be started.
        """
        return cls(await spawn_server(command), timeout_s)

    @classmethod
    async def connect(
        cls, host: str = "localhost", port: int = 4321, timeout_s: float | None = 300.0
    ) -> AsyncClient:
        """Connect to a server that runs as ``gammond serve --tcp PORT``, as `gammond.Client.connect`.

        Raises:
            ConnectionLost: Nobody answers there.
        """
        return cls(await connect_to_server(host, port, timeout_s), timeout_s)

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
        report = None if progress is None else lambda trials, _: progress(trials)
        question = _questions.ask_rollout(position, dice, match, **options)
        return await self._run_long(question, report, cancel)

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
        return await self._run_long(ask_analysis(match, plies, **options), progress, cancel)

    async def command(self, line: str) -> list[str]:
        """Send any command of the protocol, and return the lines of its answer, as `Client.command`."""
        return await self._ask(_questions.ask_command(line))

    async def close(self) -> None:
        """End the connection, and the process if it was spawned; questions under way fail."""
        if self._link.is_of_this_process():  # else it is the connection of the one that forked this process
            self._link.close()
            await self._link.has_ended.wait()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(self, question: Question[T]) -> T:
        _, future = self._begin(question)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await future
        except TimeoutError:
            raise make_timeout_error(self._timeout_s) from None
        finally:
            future.cancel()  # the time is up, or the task was cancelled; without effect on an answer

    async def _run_long(
        self,
        question: Question[T],
        progress: Callable[[int, int], None] | None,
        cancel: asyncio.Event | None,
    ) -> T:
        """Wait for long work, which reports progress and can be cancelled.

        Args:
            question: What is asked.
            progress: Called with how much is done, and how much there is.
            cancel: Ends the work.
        """
        reports: asyncio.Queue[tuple[int, ...] | None] = asyncio.Queue()
        pending, future = self._begin(question, reports.put_nowait)
        future.add_done_callback(lambda _: reports.put_nowait(None))
        cancelling = asyncio.ensure_future(self._stop_at(cancel, pending)) if cancel is not None else None
        try:
            while (done := await reports.get()) is not None:
                if progress is not None:
                    progress(*done)
            return future.result()
        finally:
            future.cancel()  # the task was cancelled, or progress failed
            if cancelling is not None:
                cancelling.cancel()

    async def _stop_at(self, cancel: asyncio.Event, pending: Pending[T]) -> None:
        await cancel.wait()
        self._link.stop(pending)

    def _begin(
        self, question: Question[T], report: Callable[[tuple[int, ...]], object] = lambda _: None
    ) -> tuple[Pending[T], asyncio.Future[T]]:
        """Send a request; the server is told to stop once its future is cancelled."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        pending = Pending(question, future, report)
        self._link.begin(pending)
        return pending, future
