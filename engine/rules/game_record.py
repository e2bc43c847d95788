"""What happened in a game: its plays and cube actions in order, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from engine.rules.dice import Roll
from engine.rules.match import GameResult, MatchState
from engine.rules.moves import Play


@dataclass(frozen=True)
class PlayAction:
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
class DoubleAction:
    """A double.

    Attributes:
        seat: Who offered it.
        cube: What the cube shows once it is taken.
    """

    seat: int
    cube: int


@dataclass(frozen=True)
class ResponseAction:
    """The answer to a double.

    Attributes:
        seat: Who gave it.
        is_take: Whether the double was taken, or the game given up.
    """

    seat: int
    is_take: bool


GameAction = PlayAction | DoubleAction | ResponseAction


@dataclass(frozen=True)
class GameRecord:
    """A game that was finished.

    Attributes:
        initial_state: The match state before its first roll; the seat on roll began.
        actions: What the seats did, in order.
        result: How it ended.
    """

    initial_state: MatchState
    actions: tuple[GameAction, ...]
    result: GameResult
