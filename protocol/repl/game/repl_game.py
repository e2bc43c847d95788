"""The session's table as a person at the terminal has it: the seats, what was set aside, what can be undone.

What is done and said there are functions beside this module; the state that they work on is here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gammond.engine.errors import StateError
from gammond.engine.rules.dice import RollSequence
from gammond.nets.player_specs import name_player
from gammond.protocol.commands.board_drawing import CHECKER_MARKS
from gammond.protocol.repl.answers.sentences import ENGINE_NAME, HUMAN_NAME
from gammond.protocol.repl.game.preferences import Preferences
from gammond.protocol.repl.game.tutor import Tutor
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.repl.records.open_records import OpenRecords
from gammond.protocol.state.game_log import GameLog
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.player_registry import ENGINE_PLAYER, HUMAN_PLAYER
from gammond.protocol.state.session import EngineSettings, Session

DEFAULT_COLUMNS = 80
"""Columns of a terminal that does not say how many it has."""

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
        advised: As `ReplGame` has them.
    """

    table: GameState
    human_seat: int
    decisions: tuple[GameState, ...]
    log: GameLog
    rolls: RollSequence | None = None
    advised: tuple[GameState, ...] = ()


@dataclass(frozen=True)
class SavedGame:
    """What the next start of the terminal goes on with.

    Attributes:
        game: The game, in progress or over, with what was done in it and before.
        engine: The settings that it is played by.
        tutor: The loss in points from which the tutor objects; 0 without it.
        shows_chances: Whether winning chances are shown.
    """

    game: SetAsideGame
    engine: EngineSettings
    tutor: float = 0.0
    shows_chances: bool = False


@dataclass(frozen=True)
class ShownPlace:
    """A place of an open match on the table.

    Attributes:
        record: The match.
        table: The table as it was set up: after any change it is another one.
        aside: The game that was set aside for it; None for none.
        tried: The tables that plays, rolls and cube actions tried from there have led to.
    """

    record: OpenRecord
    table: GameState
    aside: SetAsideGame | None
    tried: list[GameState] = field(default_factory=list)


class ReplGame:
    """The table of backgammon of a person at the terminal.

    Args:
        session: The table.

    Attributes:
        human_seat: The person's seat in a game; None without one. People play both seats of a game whose
            opponent, ``engine.player``, is human too.
        columns: The width of the terminal, for the board.
        records: The matches that are open.
        news: What was rolled and done last, from the person's last decision on, in sentences.
        tutor: Objects to bad decisions, once switched on.
        shows_chances: Whether winning chances are shown after each play.
        preferences: What the terminal begins with.
        written: What was saved to files, by their names.
        draft: What the next prompt has been filled with, to be changed; empty for nothing.
        decisions: The tables before each of the person's decisions in the game at hand, in order.
        advised: The tables at which the engine chose for the person, or had told what it would choose.
        rejected_kind: The dearest resignation of the engine that the person has rejected in this game.
        shown: The place of an open match that was put on the table last.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.human_seat: int | None = None
        self.columns = DEFAULT_COLUMNS
        self.records = OpenRecords()
        self.news: list[str] = []
        self.tutor = Tutor(session)
        self.shows_chances = False
        self.preferences = Preferences()
        self.draft = ""
        self.written: dict[str, bytes] = {}
        self.decisions: list[GameState] = []
        self.advised: list[GameState] = []
        self.rejected_kind = 0
        self.shown: ShownPlace | None = None
        self._undone: list[GameState] = []
        self._set_aside: list[SetAsideGame] = []

    @property
    def is_running(self) -> bool:
        """Whether a game is in progress."""
        game = self.session.game
        return self.human_seat is not None and game.position is not None and not game.is_over

    @property
    def has_two_humans(self) -> bool:
        """Whether people play both seats."""
        return self.session.engine_settings.player == HUMAN_PLAYER

    @property
    def shown_place(self) -> ShownPlace | None:
        """The place of an open match that is on the table; None for any other table."""
        shown = self.shown
        is_there = shown is not None and self.human_seat is None and shown.table is self.session.game
        return shown if is_there else None

    @property
    def origin(self) -> ShownPlace | None:
        """The place of an open match that is on the table, or was before what was tried there; else None."""
        shown = self.shown
        if shown is None or self.human_seat is not None:
            return None
        tables = (shown.table, *shown.tried)
        return shown if any(table is self.session.game for table in tables) else None

    @property
    def names(self) -> tuple[str, str]:
        """The names of seats 0 and 1."""
        if self.origin is not None:
            return self.origin.record.names
        if self.human_seat is None or self.has_two_humans:
            return CHECKER_MARKS
        player = self.session.engine_settings.player
        opponent = ENGINE_NAME if player == ENGINE_PLAYER else name_player(player)
        return (HUMAN_NAME, opponent) if self.human_seat == 0 else (opponent, HUMAN_NAME)

    @property
    def is_match_over(self) -> bool:
        """Whether the game on the table is over and decided the match."""
        return self.session.game.final_score is not None

    @property
    def points(self) -> tuple[int, int]:
        """Points of seats 0 and 1, with those of a game that decided the match."""
        return self.session.game.score

    def find_record(self) -> OpenRecord:
        """Return the match that is stepped through: one that is open, or the person's own games as they are.

        Raises:
            StateError: There is neither.
        """
        record = self.records.current
        if record is None or (record.is_own and self.human_seat is not None):
            return self.records.open_own(self.session.log)
        return record

    def begin(self, human_seat: int) -> None:
        """Let a game begin, or go on, in which the person has a seat."""
        self.human_seat = human_seat
        self.session.keeps_match = True
        self.news, self.rejected_kind = [], 0
        self._forget()

    def _forget(self) -> None:
        for tables in (self.decisions, self.advised, self._undone):
            tables.clear()

    def note_advice(self) -> None:
        """Note that the engine chooses for the person at this table, or has told what it would choose."""
        if self.is_running and not any(table is self.session.game for table in self.advised):
            self.advised.append(self.session.game)

    def undo_decision(self) -> GameState:
        """Take back the last decision and all after it; return the table before it.

        Raises:
            StateError: There is none.
        """
        if not self.decisions:
            raise StateError(
                "nothing to undo: you have made no decision in this game, and rolls are not undone",
                field="undo",
            )
        if not self.session.can_redo:
            self._undone.clear()
        wanted = self.decisions.pop()
        reached = self.session.game
        while self.session.game is not wanted:
            self.session.undo()
        self._undone.append(reached)
        return wanted

    def redo_decision(self) -> GameState:
        """Do again what `undo_decision` took back last; return the table after it.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        if not self._undone or not self.session.can_redo:
            raise StateError("nothing to redo: you have undone nothing since your last action", field="redo")
        reached = self._undone.pop()
        self.decisions.append(self.session.game)
        while self.session.game is not reached:
            self.session.redo()
        return reached

    def describe_game(self) -> SetAsideGame | None:
        """Return the game at hand, in progress or over, to be set aside; None without one."""
        session = self.session
        if self.human_seat is None or session.game.position is None:
            return None
        decisions, advised = tuple(self.decisions), tuple(self.advised)
        return SetAsideGame(session.game, self.human_seat, decisions, session.log, session.rolls, advised)

    def describe_kept(self) -> SavedGame | None:
        """Return what another session can go on with, review and save; None without a game."""
        game, newest = self.describe_game(), self._set_aside[-1] if self._set_aside else None
        if game is None and self.shown is not None and self.shown.aside is newest:
            game = newest
        if game is None:
            return None
        tutor, shows_chances = self.tutor.limit or 0.0, self.shows_chances
        return SavedGame(game, self.session.engine_settings, tutor, shows_chances)

    def set_aside(self, game: SetAsideGame) -> None:
        """Set a game aside, so that it can be taken up again."""
        self._set_aside = [*self._set_aside, game][-_MAX_SET_ASIDE:]

    def leave_for(self, game: SetAsideGame | None) -> list[str]:
        """Set a game aside for another position, which is on the table; return a sentence that says so.

        Args:
            game: As it was before that; None for none.
        """
        self.news = []
        if game is None:
            return []
        self.set_aside(game)
        self.human_seat = None
        self.session.keeps_match = False
        self._forget()
        what = "match" if game.table.is_over and game.table.match.length else "game"
        return [f"Your {what} is set aside: 'undo' brings it back."]

    def take_up(self, *, anywhere: bool = False) -> SetAsideGame | None:
        """Take up the game that was set aside last.

        Args:
            anywhere: Whether to put its table back; if not, it is taken up only where that is back already.

        Returns:
            The game; None if there is none.
        """
        if not self._set_aside or not (anywhere or self._set_aside[-1].table is self.session.game):
            return None
        game = self._set_aside.pop()
        if self.session.game is not game.table:
            self.session.push_state(game.table)
        self.begin(game.human_seat)
        self.restore(game)
        return game

    def restore(self, game: SetAsideGame) -> None:
        """Go back to the decisions, the log and the dice of a game that has begun again at its table."""
        self.decisions += game.decisions
        self.advised += game.advised
        self.session.log = game.log
        if game.rolls is not None:
            self.session.rewind_dice(game.rolls)
