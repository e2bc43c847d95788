"""What a game brings to tables: the ``view`` of its row in the table of games.

A view reads the session's table of its game and knows the words of its commands; it changes nothing itself.
All that is done at a table are lines that `gammond.protocol.commands.dispatch.answer_command` answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from gammond.engine.errors import UnsupportedError
from gammond.protocol.core.requests import Task
from gammond.protocol.state.session import Session
from gammond.protocol.tables.requests import ActRequest, TableSpec


class TablePhase(StrEnum):
    """What a game waits for."""

    WAITING = "waiting"
    ROLL = "roll"
    PLAY = "play"
    RESPONSE = "response"
    RESIGNATION = "resignation"
    OVER = "over"
    FINISHED = "finished"


class GameEnd(NamedTuple):
    """How a game ended.

    Attributes:
        winner: The seat that won; None for a draw.
        points: Points won.
        kind: How: ``single``, ``gammon``, ``backgammon``, ``time``, or a game's own word.
    """

    winner: int | None
    points: int
    kind: str


class TableView(ABC):
    """The view of one game, of one table.

    Args:
        session: The table's session, which plays the game.
        spec: What the table was created with.
    """

    has_dice: ClassVar[bool] = False
    """Whether rolls are made."""

    engine_player: ClassVar[str] = "engine"
    """The value of ``engine.player`` for the game's own engine at its level."""

    default_level: ClassVar[str] = ""
    """The level of an engine that none is given for; empty for a game without levels."""

    def __init__(self, session: Session, spec: TableSpec) -> None:
        self.session = session
        self.spec = spec

    def check_spec(self) -> None:
        """Refuse what the game does not have.

        Raises:
            UnsupportedError: The table was created with it.
        """
        if self.spec.length:
            raise UnsupportedError(f"there are no matches in {self.spec.variant}", field="length")
        if self.spec.dice != "server":
            raise UnsupportedError(f"there are no dice in {self.spec.variant}", field="dice")
        if self.spec.doubles != "four":
            raise UnsupportedError(f"there are no dice in {self.spec.variant}", field="doubles")
        if self.spec.begins is not None:
            raise UnsupportedError(f"the rules of {self.spec.variant} say who begins", field="begins")

    def check_engine(self) -> None:
        """Refuse the engine that the session is set to where it cannot play.

        Raises:
            GammondError: Something is missing, or the rules do not support it.
        """
        return

    def list_setup_lines(self) -> list[str]:
        """List commands that make the rules those of the table, after ``set game.variant``."""
        return []

    def list_start_lines(self, number: int) -> list[str]:
        """List commands that begin a game.

        Args:
            number: Which, from 1.
        """
        if number == 1 and self.spec.position is not None:
            return [f"position {self.spec.position}"]
        return ["newgame"]

    def note_start(self, number: int) -> None:
        """Take in that a game has begun, and do nothing unless the game has something to note.

        Args:
            number: Which, from 1.
        """
        return

    @property
    @abstractmethod
    def phase(self) -> TablePhase:
        """What the game waits for."""

    @property
    @abstractmethod
    def to_act(self) -> int | None:
        """The seat that is to act; None where neither or either is."""

    @property
    @abstractmethod
    def end(self) -> GameEnd | None:
        """How the game ended; None while it lasts."""

    @property
    def match_winner(self) -> int | None:
        """The seat that won the match; None while it lasts, and where there are none."""
        return None

    def count_score(self, ends: Sequence[GameEnd]) -> tuple[int, int]:
        """Return the score: the points of the games so far.

        Args:
            ends: How the games ended, that at hand among them if it has.
        """
        first, second = (sum(end.points for end in ends if end.winner == seat) for seat in (0, 1))
        return first, second

    @property
    def resigns_at_once(self) -> bool:
        """Whether who resigns loses, the match too, without an answer of the other side."""
        return True

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the state of the game that everybody sees."""

    @abstractmethod
    def describe_choices(self) -> Task[dict[str, Any]] | dict[str, Any]:
        """Return what only the seat to act is told: its legal plays, or the work of finding them."""

    @abstractmethod
    def describe_place(self) -> dict[str, Any]:
        """Return what a history says of the position before an action."""

    @property
    def dice(self) -> list[int] | None:
        """The dice on the board; None before a roll, and where there are none."""
        return None

    @property
    def stake(self) -> int:
        """The points that a single game wins now."""
        return 1

    @property
    def is_opening(self) -> bool:
        """Whether the next roll decides who begins."""
        return False

    @property
    def may_double(self) -> bool:
        """Whether the seat to act may double before its roll."""
        return False

    def make_line(self, request: ActRequest) -> str:
        """Return the command that carries out an action of a person.

        Raises:
            UnsupportedError: The game has no such action.
        """
        if request.act == "play":
            return f"play {request.play or ''}"
        raise UnsupportedError(f"there is no {request.act} in {self.spec.variant}", field="act")

    @abstractmethod
    def plan_decision(self, rejected_kind: int) -> Task[str] | str:
        """Decide for the seat to act.

        Args:
            rejected_kind: The dearest resignation that its opponent has rejected in this game; 0 for none.

        Returns:
            The command that carries the decision out, or the work of finding it.
        """

    def write_record(self, names: tuple[str, str]) -> tuple[str, str]:
        """Return the form and the text of the record of the games so far; empty where there is none.

        Args:
            names: Of seats 0 and 1.
        """
        return "", ""
