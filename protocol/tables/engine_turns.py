"""The engines of a table: they think in the pool, and move at a pace that people can follow.

They ask the table's session, step by step, as any client would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from gammond.protocol.commands.dispatch import answer_command
from gammond.protocol.core.requests import AnyReply, Reply, Work
from gammond.protocol.tables.game import TableGame, read_reply
from gammond.protocol.tables.game_view import Decision
from gammond.protocol.tables.services import Submit, WorkResult


class EnginePlay:
    """The engines of a table: at most one of them thinks, or has decided and waits for its time.

    Args:
        game: The table's games.
        submit: Has work done.
        client: The table, for shares of the threads.
        on_failed: Takes the error of an engine that cannot decide, or whose decision cannot be carried out.
    """

    def __init__(
        self, game: TableGame, submit: Submit, client: object, on_failed: Callable[[Exception], None]
    ) -> None:
        self._game = game
        self._submit = submit
        self._client = client
        self._on_failed = on_failed
        self._decision: Decision | None = None
        self._on_decided: Callable[[str], None] = lambda line: None
        self._stop: Callable[[], object] | None = None
        self._due: tuple[float, Callable[[], None]] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an engine decides, or something is due."""
        return self._decision is not None or self._due is not None

    @property
    def due_s(self) -> float | None:
        """When something is due, by the clock of `plan`; None for nothing."""
        return None if self._due is None else self._due[0]

    def ask(
        self, player: str | None, level: str | None, rejected_kind: int, on_decided: Callable[[str], None]
    ) -> None:
        """Let a player decide for the seat to act.

        Args:
            player: The player.
            level: Its level; the game's usual one if None, by which a player without levels uses the cube.
            rejected_kind: As for `TableView.decide`.
            on_decided: Takes the command that carries the decision out.
        """
        self._game.set_player(player, level or self._game.view.default_level or None)
        decision = self._decision = self._game.view.decide(rejected_kind)
        self._on_decided = on_decided
        self._go_on(decision, None)

    def _go_on(self, decision: Decision, answer: Sequence[AnyReply] | None) -> None:
        """Give an answer to a decision, and ask its next question, until one takes time."""
        try:
            while True:
                if answer is not None:
                    read_reply(answer)
                answer = self._ask(decision, decision.send(cast("Sequence[Reply]", answer)))
                if answer is None:
                    return
        except StopIteration as decided:
            line, on_decided = decided.value, self._on_decided
            self._decision = None
            self._take_step(lambda: on_decided(line))
        except Exception as error:
            self._fail(decision, error)

    def _ask(self, decision: Decision, line: str) -> Sequence[AnyReply] | None:
        """Ask the session; return its answer, or None where that takes time."""
        asked = answer_command(self._game.session, line)
        if isinstance(asked, Work):
            self._stop = self._submit(asked, partial(self._take_result, decision), self._client)
            return None
        return cast("Sequence[AnyReply]", asked)

    def _take_result(self, decision: Decision, result: WorkResult) -> None:
        if decision is not self._decision:
            return
        self._stop = None
        if isinstance(result, Exception):
            self._fail(decision, result)
        else:
            self._go_on(decision, result)

    def _fail(self, decision: Decision, error: Exception) -> None:
        decision.close()
        self._decision = None
        self._on_failed(error)

    def plan(self, due_s: float, step: Callable[[], None]) -> None:
        """Do something at a time, unless the game goes another way before."""
        self._due = (due_s, step)

    def run_due(self, now: float) -> None:
        """Do what is due."""
        if self._due is not None and self._due[0] <= now:
            _, step = self._due
            self._due = None
            self._take_step(step)

    def _take_step(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            self._on_failed(error)

    def cancel(self) -> None:
        """Forget decisions and plans: the game goes another way."""
        self._due = None
        if self._decision is not None:
            self._decision.close()
            self._decision = None
        if self._stop is not None:
            self._stop()
            self._stop = None
