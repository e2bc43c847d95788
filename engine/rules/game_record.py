"""The record of a game: plays, cube actions and resignations in order, and the result."""

from __future__ import annotations

from dataclasses import dataclass

from engine.rules.dice import Roll
from engine.rules.match import GameResult, MatchState
from engine.rules.moves import Play
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES, Rules


@dataclass(frozen=True)
class PlayAction:
    """A roll and its play, which may move nothing.

    Attributes:
        seat: The seat that rolled, 0 or 1.
        roll: The dice.
        play: The play.
        is_legal: Whether the rules allow it; match files hold plays that were made against them.
    """

    seat: int
    roll: Roll
    play: Play
    is_legal: bool = True


@dataclass(frozen=True)
class RollAction:
    """A roll that was not played, since the game ended before.

    Attributes:
        seat: The seat that rolled, 0 or 1.
        roll: The dice.
    """

    seat: int
    roll: Roll


@dataclass(frozen=True)
class DoubleAction:
    """A double, a beaver of it, or a raccoon on top of the beaver, which is taken at once.

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


@dataclass(frozen=True)
class ResignationAction:
    """An offer to resign, and the answer.

    Attributes:
        seat: The seat that offered.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        is_accepted: Whether the other seat accepted, which ends the game.
    """

    seat: int
    kind: int
    is_accepted: bool = True


@dataclass(frozen=True)
class SetAction:
    """Checkers, cube or turn set by hand.

    Attributes:
        position: The checkers, as the seat on roll sees them.
        match: The match state before a roll.
    """

    position: Position
    match: MatchState


GameAction = PlayAction | RollAction | DoubleAction | ResponseAction | ResignationAction | SetAction


@dataclass(frozen=True)
class GameRecord:
    """A finished game.

    Attributes:
        initial_state: The match state before its first roll; the seat on roll began.
        actions: All that was done, in order.
        result: How the game ended.
        rules: The rules by which it was played.
    """

    initial_state: MatchState
    actions: tuple[GameAction, ...]
    result: GameResult
    rules: Rules = STANDARD_RULES
