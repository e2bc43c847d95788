"""The record of a game: plays and cube actions in order, and the result."""

from __future__ import annotations

from dataclasses import dataclass

from engine.rules.dice import Roll
from engine.rules.match import GameResult, MatchState
from engine.rules.moves import Play
from engine.rules.rules import STANDARD_RULES, Rules


@dataclass(frozen=True)
class PlayAction:
    """A roll and its play, which may move nothing.

    Attributes:
        seat: The seat that rolled, 0 or 1.
        roll: The dice.
        play: The play.
    """

    seat: int
    roll: Roll
    play: Play


@dataclass(frozen=True)
class DoubleAction:
    """A double.

    Attributes:
        seat: The seat that doubled.
        cube: The value of the cube once it is taken.
    """

    seat: int
    cube: int


@dataclass(frozen=True)
class ResponseAction:
    """The response to a double.

    Attributes:
        seat: The seat that responded.
        is_take: Whether it took; otherwise it passed.
    """

    seat: int
    is_take: bool


GameAction = PlayAction | DoubleAction | ResponseAction


@dataclass(frozen=True)
class GameRecord:
    """A finished game.

    Attributes:
        initial_state: The match state before its first roll; the seat on roll began.
        actions: Plays and cube actions, in order.
        result: How the game ended.
        rules: The rules by which it was played.
    """

    initial_state: MatchState
    actions: tuple[GameAction, ...]
    result: GameResult
    rules: Rules = STANDARD_RULES
