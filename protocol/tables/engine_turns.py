"""The turns of engines at a table: they ask the session, step by step, as any client would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from engine.errors import GammondError
from engine.runtime.prompt_threads import UncompiledKernel
from protocol.commands.dispatch import answer_command
from protocol.commands.session_game import find_game
from protocol.core.requests import AnyReply, Reply, Work
from protocol.state.session import Session
from protocol.tables.game_view import Decision
from protocol.tables.submission import Submit, WorkResult, make_preparation


def read_reply(replies: Sequence[AnyReply]) -> Reply:
    """Return the final line of an answer.

    Raises:
        GammondError: It is an error.
    """
    reply = cast("Reply", replies[-1])
    if reply.word == "error":
        if isinstance(reply.error, GammondError):
            raise reply.error
        raise GammondError("internal error, recorded in the server's log", field="server")
    return reply


def list_player_lines(session: Session, player: str | None, level: str | None) -> list[str]:
    """List commands that let a player decide in a session, as far as its game has such settings."""
    given = {"engine.player": player, "engine.level": level}
    settings = find_game(session).settings
    return [f"set {key} {value}" for key, value in given.items() if value is not None and key in settings]


class EngineTurn:
    """One decision, from the first question to the line that carries it out.

    Args:
        session: The table's session.
        decision: The decision.
        submit: Has work done.
        client: The table, for shares of the threads.
        on_decided: Takes the line.
        on_failed: Takes the error of a question that failed.
    """

    def __init__(
        self,
        session: Session,
        decision: Decision,
        submit: Submit,
        client: object,
        on_decided: Callable[[EngineTurn, str], None],
        on_failed: Callable[[EngineTurn, Exception], None],
    ) -> None:
        self._session = session
        self._decision = decision
        self._submit = submit
        self._client = client
        self._on_decided = on_decided
        self._on_failed = on_failed
        self._stop: Callable[[], object] | None = None
        self._is_cancelled = False

    def begin(self) -> None:
        """Ask the first question."""
        self._go_on(None)

    def cancel(self) -> None:
        """Forget the decision: the game went another way."""
        self._is_cancelled = True
        self._decision.close()
        if self._stop is not None:
            self._stop()

    def _go_on(self, answer: Sequence[AnyReply] | None) -> None:
        """Give an answer to the decision, and ask its next question, until one takes time."""
        try:
            while True:
                if answer is not None:
                    read_reply(answer)
                line = self._decision.send(cast("Sequence[Reply]", answer))
                answer = self._ask(line)
                if answer is None:
                    return
        except StopIteration as decided:
            self._on_decided(self, decided.value)
        except Exception as error:
            self._decision.close()
            self._on_failed(self, error)

    def _ask(self, line: str) -> Sequence[AnyReply] | None:
        """Ask the session; return its answer, or None where that takes time."""
        try:
            asked = answer_command(self._session, line)
        except UncompiledKernel as missing:
            self._compile(missing.compile, line)
            return None
        if isinstance(asked, Work):
            self._stop = self._submit(asked, self._take_result, self._client)
            return None
        return cast("Sequence[AnyReply]", asked)

    def _compile(self, prepare: Callable[[], object], line: str) -> None:
        """Ask a question again once a kernel is compiled that it needs."""

        def ask_again(result: WorkResult) -> None:
            if isinstance(result, Exception):
                self._take_result(result)
            elif not self._is_cancelled and (answer := self._ask(line)) is not None:
                self._go_on(answer)

        self._submit(make_preparation(prepare), ask_again, self._client)

    def _take_result(self, result: WorkResult) -> None:
        self._stop = None
        if self._is_cancelled:
            return
        if isinstance(result, Exception):
            self._decision.close()
            self._on_failed(self, result)
        else:
            self._go_on(result)
