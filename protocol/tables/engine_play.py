"""What engines do at a table, and when: they think in the pool, and move at a pace that people can follow."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from engine.runtime.prompt_threads import UncompiledKernel
from protocol.tables.engine_turns import EngineTurn, list_player_lines
from protocol.tables.submission import Submit, WorkResult, make_preparation
from protocol.tables.table_game import TableGame


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
        self._turn: EngineTurn | None = None
        self._due: tuple[float, Callable[[], None]] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an engine decides, or something is due."""
        return self._turn is not None or self._due is not None

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
        session = self._game.session
        level = level or self._game.view.default_level or None
        for line in list_player_lines(session, player, level):
            self._game.run(line)

        def take(turn: EngineTurn, line: str) -> None:
            if turn is self._turn:
                self._turn = None
                self._take_step(lambda: on_decided(line))

        def fail(turn: EngineTurn, error: Exception) -> None:
            if turn is self._turn:
                self._turn = None
                self._on_failed(error)

        decision = self._game.view.decide(rejected_kind)
        self._turn = EngineTurn(session, decision, self._submit, self._client, take, fail)
        self._turn.begin()

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
        """Do something, now or once the kernels that it needs are compiled, if it is not cancelled."""
        try:
            step()
        except UncompiledKernel as missing:
            waiting = self._due = (inf, step)

            def go_on(result: WorkResult) -> None:
                if self._due is not waiting:
                    return
                self._due = None
                if isinstance(result, Exception):
                    self._on_failed(result)
                else:
                    self._take_step(step)

            self._submit(make_preparation(missing.compile), go_on, self._client)
        except Exception as error:
            self._on_failed(error)

    def cancel(self) -> None:
        """Forget decisions and plans: the game goes another way."""
        self._due = None
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.cancel()
