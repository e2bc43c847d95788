"""What there is to judge in a match: plays, cube decisions, rolls."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.match_files.model import RecordedGame
from engine.rules.dice import Roll
from engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from engine.rules.match import MatchState
from engine.rules.moves import Play
from engine.rules.position import Position


class TaskKind(enum.Enum):
    """What is asked about a position."""

    CUBE = "cube"
    PLAY = "play"


@dataclass(frozen=True)
class AnalysisTask:
    """A question about one action of a match.

    Attributes:
        kind: Whether it is about the cube or about a play.
        game: The place of the game in the match.
        places: The places of the actions that the answer is for: a double and the response have one.
        position: The checkers, as the seat on roll sees them.
        match: The match state, before the roll.
        roll: The dice; None for the cube.
        play: The play that was made; None for the cube.
    """

    kind: TaskKind
    game: int
    places: tuple[int, ...]
    position: Position
    match: MatchState
    roll: Roll | None = None
    play: Play | None = None


@dataclass(frozen=True)
class RolledDice:
    """A roll whose luck is to be judged.

    Attributes:
        game: The place of the game in the match.
        place: That of the action.
        position: The checkers before it, as the seat on roll sees them.
        match: The match state before it.
        roll: The dice.
        is_opening: Whether it decided who begins, so that it could be no double.
    """

    game: int
    place: int
    position: Position
    match: MatchState
    roll: Roll
    is_opening: bool


def list_tasks(number: int, game: RecordedGame) -> Iterator[AnalysisTask]:
    """Yield what is to be judged in a game, in order.

    A seat that may double decides before each roll, except before the first one of a game. A resignation is
    judged by the value of playing on: of the cube decision, or of the best play of a roll that is out.

    Args:
        number: The place of the game in the match.
        game: The game.
    """
    before: object = None
    for place, (situation, action) in enumerate(game.replay()):
        position, match = situation.position, situation.match
        own = match.before_roll()
        has_answered = isinstance(before, ResponseAction | DoubleAction)
        match action:
            case PlayAction(roll=roll, play=play):
                if place and own.may_double(own.on_roll) and not has_answered:
                    yield AnalysisTask(TaskKind.CUBE, number, (place,), position, own)
                yield AnalysisTask(TaskKind.PLAY, number, (place,), position, own, roll, play)
            case DoubleAction() if not match.doubled:
                answered = [place]
                for following in game.actions[place + 1 :]:
                    if not isinstance(following, ResponseAction | DoubleAction):
                        break
                    answered.append(place + len(answered))
                yield AnalysisTask(TaskKind.CUBE, number, tuple(answered), position, own)
            case ResignationAction() if match.roll is None:
                yield AnalysisTask(TaskKind.CUBE, number, (place,), position, own)
            case ResignationAction():
                yield AnalysisTask(TaskKind.PLAY, number, (place,), position, own, match.roll)
            case _:
                pass
        before = action


def list_rolls(number: int, game: RecordedGame) -> Iterator[RolledDice]:
    """Yield the rolls of a game in order, arguments as `list_tasks`."""
    for place, (situation, action) in enumerate(game.replay()):
        if isinstance(action, PlayAction | RollAction):
            is_start = place == 0 and situation.position == game.rules.starting_position
            is_opening = is_start and action.roll[0] != action.roll[1]
            match = replace(situation.match, roll=None)
            yield RolledDice(number, place, situation.position, match, action.roll, is_opening)
