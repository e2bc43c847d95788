"""What there is to judge in a match: plays, cube decisions, rolls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from engine.match_files.model import RecordedCandidate, RecordedGame, RecordedMatch, find_candidate
from engine.rules.dice import Roll
from engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from engine.rules.match import MatchState
from engine.rules.moves import Play
from engine.rules.position import Position
from engine.rules.rules import Feature


@dataclass(frozen=True)
class AnalysisTask:
    """A question about one action of a match.

    Attributes:
        game: The place of the game in the match.
        places: The places of the actions that the answer is for: a double and the response have one.
        actions: These actions.
        position: The checkers, as the seat on roll sees them.
        match: The match state, before the roll.
        roll: The dice; None for the cube.
        play: The play that was made; None for the cube, for a roll that was not played, and for a play that
            the rules forbid, with which the legal ones are not compared.
    """

    game: int
    places: tuple[int, ...]
    actions: tuple[GameAction, ...]
    position: Position
    match: MatchState
    roll: Roll | None = None
    play: Play | None = None

    def find_made(self, candidates: Iterable[RecordedCandidate]) -> RecordedCandidate:
        """Return the play that was made, which every analysis of a legal one has."""
        assert self.play is not None
        made = find_candidate(candidates, self.play)
        assert made is not None
        return made


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


def list_match_tasks(match: RecordedMatch) -> list[AnalysisTask]:
    """Return what is to be judged in a match, in order."""
    return [task for number, game in enumerate(match.games) for task in list_tasks(number, game)]


def list_tasks(number: int, game: RecordedGame) -> Iterator[AnalysisTask]:
    """Yield what is to be judged in a game, in order.

    A seat that may double decides before each roll, except before the opening roll, and before dice that were
    set with the position. A resignation is judged by the value of playing on: of the cube decision, or of the
    best play of a roll that is out.

    Args:
        number: The place of the game in the match.
        game: The game.
    """
    before: GameAction | None = None
    has_cube = game.rules.supports(Feature.CUBE)
    for place, (situation, action) in enumerate(game.replay()):
        position, match = situation.position, situation.match
        own = match.before_roll()
        has_answered = before is not None and _is_cube_action(before)
        match action:
            case PlayAction(roll=roll):
                is_opening = not place and position == game.rules.starting_position
                has_chosen = match.roll is None and not is_opening and not has_answered
                if has_chosen and has_cube and own.may_double(own.on_roll):
                    yield AnalysisTask(number, (place,), (action,), position, own)
                made = action.play if action.is_legal else None
                yield AnalysisTask(number, (place,), (action,), position, own, roll, made)
            case DoubleAction() if not match.doubled:
                answers = takewhile(_is_cube_action, game.actions[place + 1 :])
                actions = (action, *answers)
                places = tuple(range(place, place + len(actions)))
                yield AnalysisTask(number, places, actions, position, own)
            case ResignationAction() if match.roll is None:
                yield AnalysisTask(number, (place,), (action,), position, own)
            case ResignationAction():
                yield AnalysisTask(number, (place,), (action,), position, own, match.roll)
            case _:
                pass
        before = action


def _is_cube_action(action: GameAction) -> bool:
    return isinstance(action, ResponseAction | DoubleAction)


def list_rolls(number: int, game: RecordedGame) -> Iterator[RolledDice]:
    """Yield the rolls of a game in order, arguments as `list_tasks`."""
    for place, (situation, action) in enumerate(game.replay()):
        if isinstance(action, PlayAction | RollAction):
            is_start = place == 0 and situation.position == game.rules.starting_position
            is_opening = is_start and action.roll[0] != action.roll[1]
            match = replace(situation.match, roll=None)
            yield RolledDice(number, place, situation.position, match, action.roll, is_opening)
