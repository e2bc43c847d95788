"""A client that waits: gammond in a process of its own, or on a socket."""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Any, TypeVar, Unpack

from gammond import _questions, _wire
from gammond._links import ServerLink, connect_to_server, spawn_server
from gammond._match_question import MatchQuestion
from gammond._options import AnalysisSettings, RolloutSettings
from gammond._questions import Question, RolloutQuestion
from gammond._wire import CANCEL_POLL_S, EXIT_TIMEOUT_S, Pending, Wire
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

STOP_WAIT_S = 1.0
"""How long a stop waits for a question that another thread is sending: the server may have ceased to read."""


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

    def __init__(self, link: ServerLink, timeout_s: float | None) -> None:
        self._wire, self._lock, self._write_lock = Wire(), threading.Lock(), threading.Lock()
        self._link = link
        self._timeout_s = timeout_s
        self._lost: ConnectionLost | None = None
        self._made_in = os.getpid()
        atexit.register(self.close)
        self._reader = threading.Thread(target=self._run_reader, name="gammond client", daemon=True)
        self._reader.start()

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
            **options: ``kind``, ``trials``, ``seed``, ``truncation``, ``plies``, ``cubeful``,
                ``variance_reduction``, ``candidates``, ``stop_error``, ``stop_jsd``, ``min_trials``.

        Raises:
            ServerError: The server refused it.
            CancelledWork: It was cancelled before anything was complete.
            ConnectionLost: The server went away.
        """
        question = RolloutQuestion(position, dice, match, **options)
        report = None if progress is None else lambda trials, _: progress(trials)
        return self._run_long(Question(question.fields, question.parse), report, cancel)

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
        question = MatchQuestion(match, plies, **options)
        return self._run_long(Question(question.fields, question.parse), progress, cancel)

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
        future: Future[list[str]] = Future()
        self._begin(Pending(_questions.parse_lines, future), future, partial(self._wire.add_command, line))
        return future

    def close(self) -> None:
        """End the connection, and the process if it was spawned; questions under way fail."""
        atexit.unregister(self.close)
        if self._made_in != os.getpid():
            return  # it is the connection of the process that forked this one
        self._lose("the client was closed")
        self._link.close()
        if threading.current_thread() is not self._reader:
            self._reader.join(EXIT_TIMEOUT_S)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, question: Question[T]) -> Future[T]:
        future: Future[T] = Future()
        self._begin(Pending(question.parse, future), future, partial(self._wire.add_query, question.fields))
        return future

    def _begin(self, pending: Pending[T], future: Future[T], add: Callable[[Pending[T]], bytes]) -> None:
        """Send a request; the server is told to stop once its future is cancelled.

        Args:
            pending: The request.
            future: Takes its result.
            add: Registers it, and returns its line.
        """
        _wire.check_process(self._made_in)

        def stop(future: Future[T]) -> None:
            if future.cancelled():
                future.set_running_or_notify_cancel()  # tells those who wait for several futures
                self._stop(pending)

        try:
            with self._write_lock:
                with self._lock:  # not while writing: the server may write before it reads on
                    if self._lost is not None:
                        raise self._lost
                    line = add(pending)
                future.add_done_callback(stop)
                self._write(line)
        except BaseException:
            future.cancel()
            raise

    def _stop(self, pending: Pending[Any]) -> None:
        """Tell the server to end a request, unless it reads nothing more."""
        if self._lost is None and self._write_lock.acquire(timeout=STOP_WAIT_S):
            try:
                self._write(pending.stop)
            finally:
                self._write_lock.release()

    def _write(self, line: bytes) -> None:
        try:
            self._link.write(line)
        except OSError as error:
            self._lose(_wire.format_write_error(error))
        except BaseException:
            self._lose("the program was interrupted while it sent a question")  # perhaps half of it
            raise

    def _run_long(
        self,
        question: Question[T],
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
    ) -> T:
        """Wait for long work, which reports progress and can be cancelled.

        Args:
            question: What is asked.
            progress: Called with how much is done, and how much there is.
            cancel: Ends the work.
        """
        reports: queue.SimpleQueue[tuple[int, ...] | None] = queue.SimpleQueue()
        future: Future[T] = Future()
        future.add_done_callback(lambda _: reports.put(None))
        pending = Pending(question.parse, future, reports.put)
        try:
            self._begin(pending, future, partial(self._wire.add_query, question.fields))
            while not (future.done() and reports.empty()):
                try:
                    done = reports.get(timeout=CANCEL_POLL_S)
                except queue.Empty:
                    done = None
                if done is not None and progress is not None:
                    progress(*done)
                if cancel is not None and cancel.is_set() and not future.done():
                    cancel = None
                    self._stop(pending)
            return future.result()
        finally:
            future.cancel()  # Ctrl-C, or progress failed

    def _wait(self, future: Future[T]) -> T:
        try:
            return future.result(self._timeout_s)
        except TimeoutError:
            raise _wire.make_timeout_error(self._timeout_s) from None
        finally:
            future.cancel()  # the time is up, or Ctrl-C was pressed; without effect on an answer

    def _run_reader(self) -> None:
        while True:
            try:
                data = self._link.read()
            except (OSError, ValueError):
                data = b""
            if not data:
                break
            with self._lock:
                finished = self._wire.receive(data)
            for finish in finished:
                finish()
        if self._lost is None:
            self._lose(self._link.close())

    def _lose(self, reason: str) -> None:
        with self._lock:
            lost = self._lost = self._lost or ConnectionLost(reason)
            waiting = self._wire.take_all()
        for pending in waiting:
            pending.fail(lost)
