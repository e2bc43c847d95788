"""The engines of a table: they think in the pool, and move at a pace that people can follow."""

from __future__ import annotations

from collections.abc import Callable

from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.services import Submit, TableWork


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
        self._thinking: TableWork[str] | None = None
        self._stop: Callable[[], object] = lambda: None
        self._due: tuple[float, Callable[[], None]] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an engine decides, or something is due."""
        return self._thinking is not None or self._due is not None

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
            rejected_kind: As for `TableView.plan_decision`.
            on_decided: Takes the command that carries the decision out.

        Raises:
            GammondError: There is no such player.
        """
        view = self._game.view
        self._game.set_player(player, level or view.default_level or None)
        self._game.session.count_request()
        self._try(lambda: self._think(view.plan_decision(rejected_kind), on_decided))

    def _think(self, decision: TableWork[str] | str, on_decided: Callable[[str], None]) -> None:
        if isinstance(decision, str):
            on_decided(decision)
            return

        def take(result: str | Exception) -> None:
            if self._thinking is not decision:
                return  # the game went another way
            self._thinking = None
            if isinstance(result, Exception):
                self._on_failed(result)
            else:
                self._try(lambda: on_decided(result))

        self._thinking = decision
        self._stop = self._submit(decision, take, self._client)

    def plan(self, due_s: float, step: Callable[[], None]) -> None:
        """Do something at a time, unless the game goes another way before."""
        self._due = (due_s, step)

    def run_due(self, now: float) -> None:
        """Do what is due."""
        if self._due is not None and self._due[0] <= now:
            _, step = self._due
            self._due = None
            self._try(step)

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            self._on_failed(error)

    def cancel(self) -> None:
        """Forget decisions and plans: the game goes another way."""
        self._due = None
        if self._thinking is not None:
            self._thinking = None
            self._stop()
