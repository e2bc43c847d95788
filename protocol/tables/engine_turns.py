"""The engines of a table: they think in the pool, and move at a pace that people can follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gammond.protocol.commands.decisions import ROLL_ACTION
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.replies import describe_error
from gammond.protocol.core.requests import Task
from gammond.protocol.tables.archive import TableAction
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.seats import ENGINE, Seats
from gammond.protocol.tables.services import TableServices

DEFAULT_PACE_MS = 600
"""The least time between what an engine sees and what it does, unless the table says otherwise."""


class EnginePlay:
    """The engines of a table: at most one of them thinks, or has decided and waits for its time.

    Args:
        game: The table's games.
        seats: Who sits where.
        services: What the table needs of its hub.
        client: The table, for shares of the threads.
        act: Carries an action of the games out.
        tell: Tells everybody what happened, to which seat, and a word about it.
        on_paused: Called when trouble has made the engines wait.

    Attributes:
        is_paused: Whether engines wait for somebody to let them go on.
        pace_s: The least time between what an engine sees and what it does.
        awaits_dice: Whether an engine has decided to roll, and somebody is to type its dice.
    """

    def __init__(
        self,
        game: TableGame,
        seats: Seats,
        services: TableServices,
        client: object,
        act: Callable[[TableAction], None],
        tell: Callable[[str, int | None, str], None],
        on_paused: Callable[[], None],
    ) -> None:
        self.is_paused = False
        pace_ms = game.spec.pace_ms
        self.pace_s = (DEFAULT_PACE_MS if pace_ms is None else pace_ms) / 1000
        self.awaits_dice = False
        self._game = game
        self._seats = seats
        self._services = services
        self._client = client
        self._act = act
        self._tell = tell
        self._on_paused = on_paused
        self._changed_s = services.clock()
        self._thinking: Task[str] | None = None
        self._stop: Callable[[], object] = lambda: None
        self._due: tuple[float, Callable[[], None]] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an engine decides, or something is due."""
        return self._thinking is not None or self._due is not None

    @property
    def due_s(self) -> float | None:
        """When something is due, by the clock; None for nothing."""
        return None if self._due is None else self._due[0]

    def begin_turn(self) -> None:
        """Let the engine decide that is to act, if one is that does not wait or think already."""
        place = self._game.to_act
        if place is None or not self._seats.is_engine(place):
            return
        if self.is_paused or self.is_busy or self.awaits_dice:
            return

        def plan(line: str) -> None:
            self.plan(self._changed_s + self.pace_s, lambda: self._carry_out(place, line))

        seat = self._seats[place]
        self._ask(seat.player, seat.level, place, plan)

    def help_person(self, place: int, player: str) -> None:
        """Let a player decide for a person who asks for it, as `SeatSpec.player`, and carry that out.

        Raises:
            GammondError: There is no such player.
        """
        player = self._game.view.engine_player if player == ENGINE else player
        self._ask(player, None, place, partial(self._carry_out, place, is_help=True))

    def _ask(
        self, player: str | None, level: str | None, place: int, on_decided: Callable[[str], None]
    ) -> None:
        """Let a player decide for a seat; at the game's usual level if None, which sets how it uses the cube.

        Raises:
            GammondError: There is no such player.
        """
        view = self._game.view
        self._game.set_player(player, level or view.default_level or None)
        self._game.session.count_request()
        rejected_kind = self._game.rejected_kinds[place]
        self._try(lambda: self._think(view.plan_decision(rejected_kind), on_decided))

    def _think(self, decision: Task[str] | str, on_decided: Callable[[str], None]) -> None:
        if isinstance(decision, str):
            on_decided(decision)
            return

        def take(line: str | Exception) -> None:
            if self._thinking is not decision:
                return  # the game went another way
            self._thinking = None
            if isinstance(line, Exception):
                self._fail(line)
            else:
                self._try(lambda: on_decided(line))

        self._thinking = decision
        self._stop = self._services.submit(decision, take, self._client)

    def _carry_out(self, place: int, line: str, *, is_help: bool = False) -> None:
        """Do what an engine decided for itself, or to help a person."""
        if line == ROLL_ACTION and self._game.spec.dice == "typed":
            self.awaits_dice = not is_help
            self._tell("awaits_dice", place, "")
        else:
            self._act(TableAction("do", line=line, seat=place, help=is_help))

    def plan(self, due_s: float, step: Callable[[], None]) -> None:
        """Do something at a time, unless the game goes another way before."""
        self._due = (due_s, step)
        self._services.note_due(due_s)

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
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Tell everybody why an engine does not move, and wait for somebody to let it try again."""
        FAULT_LOG.log_own("an engine's turn at a table failed", error)
        self.is_paused = True
        self._on_paused()
        self._tell("trouble", self._game.to_act, describe_error(error)[2])

    def note_change(self, now: float) -> None:
        """Begin to see the game as it is now: it has changed."""
        self.cancel()
        self.awaits_dice, self._changed_s = False, now

    def cancel(self) -> None:
        """Forget decisions and plans: the game goes another way."""
        self._due = None
        if self._thinking is not None:
            self._thinking = None
            self._stop()
