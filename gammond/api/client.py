"""A client that waits: gammond in a process of its own, or on a socket."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar, Unpack

from gammond.api import _questions
from gammond.api._links import EXIT_TIMEOUT_S, Link, connect_to_server, make_timeout_error, spawn_server
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

CANCEL_POLL_S = 0.05
"""How often long work under way looks whether it is cancelled."""


class Client:
    """Asks a gammond server; safe to use from several threads. Make one with `spawn` or `connect`.

    Each question has a method that waits for the answer, and one that ends in ``_later`` and returns a
    future, so that many questions can be on their way at the same time. The server stops working on a
    question that nobody waits for any more: its time is up, Ctrl-C was pressed, its future was cancelled.

    Examples:
        >>> with Client.spawn() as client:
        ...     client.rank(Position.start(), (3, 1)).best.play.text
        '8/5 6/5'
    """

    def __init__(self, opening: Coroutine[Any, Any, Link], timeout_s: float | None) -> None:
        self._timeout_s = timeout_s
        opened: Future[Link] = Future()
        self._thread = threading.Thread(
            target=_run_link, args=(opening, opened), name="gammond client", daemon=True
        )
        self._thread.start()
        try:
            self._link = opened.result()
        finally:
            opened.cancel()  # Ctrl-C
        atexit.register(self.close)

    @classmethod
    def spawn(cls, command: Sequence[str] | None = None, timeout_s: float | None = 300.0) -> Client:
        """Start gammond in a process of its own, which Ctrl-C at the terminal does not end.

        Args:
            command: The command line; ``python -m gammond`` with this Python if None.
            timeout_s: Seconds to wait for an answer; None waits for ever.

        Raises:
            ConnectionLost: The process cannot be started.
        """
        return cls(spawn_server(command), timeout_s)

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
        return cls(connect_to_server(host, port, timeout_s), timeout_s)

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
        return self._ask(_questions.ask_evaluation(position, match, plies, cubeful))

    def evaluate_many(
        self,
        positions: Sequence[Position] | Board,
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
        return self._wait(self._ask(_questions.ask_evaluations(positions, match, plies, cubeful)))

    def rank(
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
        """Rank the legal plays of a roll, as `gammond.Engine.rank`.

        Raises:
            ServerError: The server refused it.
            ConnectionLost: The server went away, or the time is up.
        """
        return self._wait(
            self.rank_later(
                *(position, dice, match, plies),
                cubeful=cubeful,
                move_filter=move_filter,
                candidates=candidates,
            )
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
        candidates: int = 5,
    ) -> Future[RankedPlays]:
        """Begin `rank`, and return the future of its result."""
        return self._ask(_questions.ask_plays(position, dice, match, plies, cubeful, move_filter, candidates))

    def opinion(self, position: Position, player: str, dice: Dice | None = None) -> tuple[Opinion, ...]:
        """Say what a player thinks, as `gammond.Engine.opinion`.

        Raises:
            ServerError: The server refused it.
            ConnectionLost: The server went away, or the time is up.
        """
        return self._wait(self._ask(_questions.ask_opinion(position, player, dice)))

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
        return self._ask(_questions.ask_cube(position, match, plies))

    def rollout(
        self,
        position: Position,
        dice: Dice | None = None,
        match: MatchState | None = None,
        *,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
        **options: Unpack[RolloutSettings],
    ) -> Rollout:
        """Play a position out many times, as `gammond.Engine.rollout`, which explains the options.

        The client's time limit does not apply.

        Args:
            position: The checkers, those of the player on roll first.
            dice: The roll, to roll out its best plays.
            match: Score and cube; money play if None.
            progress: Called about twice a second with the number of complete trials.
            cancel: Set it, from another thread or from ``progress``, to end early with what is complete.
            **options: The others of `gammond.Engine.rollout`, by name.

        Raises:
            ServerError: The server refused it.
            CancelledWork: It was cancelled before anything was complete.
            ConnectionLost: The server went away.
        """
        report = None if progress is None else lambda trials, _: progress(trials)
        return self._run_long(_questions.ask_rollout(position, dice, match, **options), report, cancel)

    def analyse(
        self,
        match: Match,
        plies: int = 2,
        *,
        progress: MatchProgress | None = None,
        cancel: threading.Event | None = None,
        **options: Unpack[AnalysisSettings],
    ) -> Match:
        """Analyse a match on the server, as `gammond.Engine.analyse`, which explains the options.

        The client's time limit does not apply. Comments are not sent.

        Args:
            match: The match (`gammond.read_match`); what its file has of an analysis is replaced.
            plies: Look-ahead of every decision, 0 to 4.
            progress: Called with the numbers of decisions that are done, and of all; of rollouts about twice
                a second with those of trials.
            cancel: Set it, from another thread or from ``progress``, to end the work.
            **options: ``deeper``, ``move_filter``, ``rollout``.

        Raises:
            ServerError: The server refused it, as for too many decisions, or too many games of rollouts.
            CancelledWork: It was cancelled.
            ConnectionLost: The server went away.
        """
        return self._run_long(ask_analysis(match, plies, **options), progress, cancel)

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
        return self._ask(_questions.ask_command(line))

    def close(self) -> None:
        """End the connection, and the process if it was spawned; questions under way fail."""
        atexit.unregister(self.close)
        if not self._link.is_of_this_process():
            return  # it is the connection of the one that forked this process
        if self._is_in_loop():
            self._link.close()
        else:
            self._link.run_soon(self._link.close)
            self._thread.join(2 * EXIT_TIMEOUT_S)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, question: Question[T]) -> Future[T]:
        return self._begin(question)[1]

    def _wait(self, future: Future[T]) -> T:
        assert isinstance(future, _Answer)  # this client made it
        left_s = self._timeout_s
        if left_s is not None:
            left_s = max(0.0, left_s - (time.monotonic() - future.asked_s))
        try:
            answer: T = future.result(left_s)
            return answer
        except TimeoutError:
            raise make_timeout_error(self._timeout_s) from None
        finally:
            future.cancel()  # the time is up, or Ctrl-C was pressed; without effect on an answer

    def _run_long(
        self,
        question: Question[T],
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
    ) -> T:
        """Wait for long work, as `AsyncClient` does."""
        reports: queue.SimpleQueue[tuple[int, ...] | None] = queue.SimpleQueue()
        pending, future = self._begin(question, reports.put)
        future.add_done_callback(lambda _: reports.put(None))
        try:
            while not (future.done() and reports.empty()):
                done = None
                with contextlib.suppress(queue.Empty):
                    done = reports.get(timeout=CANCEL_POLL_S)
                if done is not None and progress is not None:
                    progress(*done)
                if cancel is not None and cancel.is_set():
                    cancel = None
                    self._link.stop(pending)
            return future.result()
        finally:
            future.cancel()  # Ctrl-C, or progress failed

    def _begin(
        self, question: Question[T], report: Callable[[tuple[int, ...]], object] = lambda _: None
    ) -> tuple[Pending[T], Future[T]]:
        """Send a request, as `AsyncClient` does; wait as long as the server reads less than is sent."""
        link = self._link
        future = _Answer[T]()
        pending = Pending(question, future, report)
        try:
            link.begin(pending)
            if not (link.has_room.is_set() or self._is_in_loop() or link.has_room.wait(self._timeout_s)):
                raise make_timeout_error(self._timeout_s)
        except BaseException:  # Ctrl-C too
            future.cancel()
            raise
        return pending, future

    def _is_in_loop(self) -> bool:
        """Return whether this is a callback of a future, for which other answers wait."""
        return threading.current_thread() is self._thread


class _Answer(Future[T]):
    """The future of an answer.

    Attributes:
        asked_s: When it was asked for, by the clock that never goes back.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked_s = time.monotonic()


def _run_link(opening: Coroutine[Any, Any, Link], opened: Future[Link]) -> None:
    """Open a connection, and run its event loop until it has ended.

    Args:
        opening: Makes the connection.
        opened: Takes it, or the error.
    """

    async def run() -> None:
        try:
            link = await opening
        except BaseException as error:
            if opened.set_running_or_notify_cancel():
                opened.set_exception(error)
            return
        if opened.set_running_or_notify_cancel():
            opened.set_result(link)
        else:
            link.close()
        await link.has_ended.wait()

    if sys.platform == "win32":
        loop: asyncio.AbstractEventLoop = asyncio.ProactorEventLoop()  # which has processes
    else:
        loop = asyncio.SelectorEventLoop()  # whatever loops the program makes
    with contextlib.closing(loop):
        loop.run_until_complete(run())
