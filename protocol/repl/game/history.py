"""What a person can take back: decisions of a game, and games that were set aside for another."""

from __future__ import annotations

from dataclasses import dataclass

from gammond.engine.errors import StateError
from gammond.engine.rules.dice import RollSequence
from gammond.protocol.state.game_log import GameLog
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.session import Session

_MAX_SET_ASIDE = 20


@dataclass(frozen=True)
class SetAsideGame:
    """A game, in progress or over, that another one, or another position, took the place of.

    Attributes:
        table: The table as it was.
        human_seat: The person's seat.
        decisions: The tables before each of the person's decisions.
        log: What was done in it, and in the games before it.
        rolls: The place of the dice; None for a game of an earlier session.
        advised: As `DecisionHistory` has them.
    """

    table: GameState
    human_seat: int
    decisions: tuple[GameState, ...]
    log: GameLog
    rolls: RollSequence | None = None
    advised: tuple[GameState, ...] = ()


class DecisionHistory:
    """The person's decisions in the game at hand, and the games set aside.

    Args:
        session: The table.

    Attributes:
        decisions: The tables before each of them, in order.
        advised: The tables at which the engine chose for the person, or had told what it would choose.
    """

    def __init__(self, session: Session) -> None:
        self.decisions: list[GameState] = []
        self.advised: list[GameState] = []
        self._session = session
        self._undone: list[GameState] = []
        self._set_aside: list[SetAsideGame] = []

    def clear(self) -> None:
        """Forget the decisions: another game begins, or none is on."""
        self.decisions.clear()
        self.advised.clear()
        self._undone.clear()

    def note_advice(self) -> None:
        """Note that the engine chooses at this table, or has told what it would choose."""
        if not any(table is self._session.game for table in self.advised):
            self.advised.append(self._session.game)

    def undo(self) -> GameState:
        """Take back the last decision and all after it; return the table before it.

        Raises:
            StateError: There is none.
        """
        if not self.decisions:
            raise StateError(
                "nothing to undo: you have made no decision in this game, and rolls are not undone",
                field="undo",
            )
        if not self._session.can_redo:
            self._undone.clear()
        wanted = self.decisions.pop()
        reached = self._session.game
        while self._session.game is not wanted:
            self._session.undo()
        self._undone.append(reached)
        return wanted

    def redo(self) -> GameState:
        """Do again what `undo` took back last; return the table after it.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        if not self._undone or not self._session.can_redo:
            raise StateError("nothing to redo: you have undone nothing since your last action", field="redo")
        reached = self._undone.pop()
        self.decisions.append(self._session.game)
        while self._session.game is not reached:
            self._session.redo()
        return reached

    def describe(self, human_seat: int) -> SetAsideGame:
        """Return the game at hand, to be set aside."""
        session = self._session
        decisions, advised = tuple(self.decisions), tuple(self.advised)
        return SetAsideGame(session.game, human_seat, decisions, session.log, session.rolls, advised)

    def set_aside(self, game: SetAsideGame) -> None:
        """Set a game aside, so that it can be taken up again."""
        self._set_aside = [*self._set_aside, game][-_MAX_SET_ASIDE:]

    @property
    def newest(self) -> SetAsideGame | None:
        """The game that was set aside last."""
        return self._set_aside[-1] if self._set_aside else None

    def take_up(self, *, anywhere: bool = False) -> SetAsideGame | None:
        """Take up the game that was set aside last.

        Args:
            anywhere: Whether to put its table back; if not, it is taken up only where that is back already.

        Returns:
            The game; None if there is none.
        """
        if not self._set_aside or not (anywhere or self._set_aside[-1].table is self._session.game):
            return None
        game = self._set_aside.pop()
        if self._session.game is not game.table:
            self._session.push_state(game.table)
        self.restore(game)
        return game

    def restore(self, game: SetAsideGame) -> None:
        """Go back to the decisions, the log and the dice of a game whose table is on."""
        self.clear()
        self.decisions += game.decisions
        self.advised += game.advised
        self._session.log = game.log
        if game.rolls is not None:
            self._session.rewind_dice(game.rolls)
