"""What happened in a game: its plays and cube actions in order, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from engine.dice import Roll
from engine.match import GameResult, MatchState
from engine.moves import Play


@dataclass(frozen=True)
class Rolled:
    """A roll and the play it was answered with, which may be a pass.

    Attributes:
        seat: Who rolled, 0 or 1.
        roll: The dice.
        play: What was played.
    """

    seat: int
    roll: Roll
    play: Play


@dataclass(frozen=True)
class Doubled:
    """A double.

    Attributes:
        seat: Who offered it.
        cube: What the cube shows once it is taken.
    """

    seat: int
    cube: int


@dataclass(frozen=True)
class Answered:
    """The answer to a double.

    Attributes:
        seat: Who gave it.
        took: Whether the double was taken, or the game given up.
    """

    seat: int
    took: bool


Action = Rolled | Doubled | Answered


@dataclass(frozen=True)
class RecordedGame:
    """A game that was finished.

    Attributes:
        begun: The match state before its first roll; the seat on roll began.
        actions: What the seats did, in order.
        result: How it ended.
    """

    begun: MatchState
    actions: tuple[Action, ...]
    result: GameResult
