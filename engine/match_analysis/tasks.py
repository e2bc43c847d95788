"""What there is to analyse in a match: plays, cube decisions, rolls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from gammond.engine.evaluation.results import CubeDecision, RankedPlay
from gammond.engine.match_files.model import (
    ActionNotes,
    RecordedGame,
    RecordedMatch,
    find_candidate,
    split_by_depth,
)
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Feature

CLOSE_POINTS = 0.02
"""A decision whose error is as large, or whose two best choices are as near, is analysed anew where a deeper
analysis is wanted."""


@dataclass(frozen=True)
class AnalysisTask:
    """A question about one action of a match: what is best, or how lucky its roll was.

    Attributes:
        game: The place of the game in the match.
        places: The places of the actions that the answer is for: a double and the response have one.
        actions: These actions.
        position: The checkers, as the seat on roll sees them.
        match: The match state, before the roll.
        roll: The dice; None for the cube.
        play: The play that was made; None for the cube, for a roll that was not played, and for a play that
            the rules forbid, with which the legal ones are not compared.
        is_opening: Whether the roll decided who begins, so that it could be no double; of no use elsewhere.
    """

    game: int
    places: tuple[int, ...]
    actions: tuple[GameAction, ...]
    position: Position
    match: MatchState
    roll: Roll | None = None
    play: Play | None = None
    is_opening: bool = False

    def find_made(self, candidates: Iterable[RankedPlay]) -> RankedPlay:
        """Return the play that was made, which every analysis of a legal one has."""
        assert self.play is not None
        made = find_candidate(candidates, self.play)
        assert made is not None
        return made

    def is_close(self, notes: ActionNotes) -> bool:
        """Return whether the decision is close or wrong; never one about a roll that was not played.

        Args:
            notes: The candidates of a play, or the cube decision.
        """
        if self.roll is None:
            assert notes.cube is not None
            return self._is_close_cube(notes.cube)
        if self.play is None:
            return False
        best = notes.candidates[0].evaluation
        made = self.find_made(notes.candidates)
        equities = [each.evaluation.equity for each in split_by_depth(notes.candidates)[0]]
        is_near = len(equities) > 1 and equities[0] - equities[1] < CLOSE_POINTS
        return is_near or best.equity - made.evaluation.equity >= CLOSE_POINTS

    def _is_close_cube(self, cube: CubeDecision) -> bool:
        errors = [cube.find_doubling_error(is_double=isinstance(self.actions[0], DoubleAction))]
        errors += [
            cube.find_response_error(is_take=action.is_take)
            for action in self.actions
            if isinstance(action, ResponseAction)
        ]
        no_double, double_take, double_pass = cube.equities
        margin = min(abs(no_double - cube.double), abs(double_take - double_pass))
        return margin < CLOSE_POINTS or max(errors) >= CLOSE_POINTS


def list_match_tasks(match: RecordedMatch) -> list[AnalysisTask]:
    """Return what is to be analysed in a match, in order."""
    return [task for number, game in enumerate(match.games) for task in list_tasks(number, game)]


def list_tasks(number: int, game: RecordedGame) -> Iterator[AnalysisTask]:
    """Yield what is to be analysed in a game, in order.

    A seat that may double decides before each roll, except before the opening roll, and before dice that were
    set with the position. A resignation is rated by the value of playing on: of the cube decision, or of the
    best play of a roll that is out; one of which only the result tells was nobody's decision.

    Args:
        number: The place of the game in the match.
        game: The game.
    """
    before: GameAction | None = None
    has_cube = game.rules.supports(Feature.CUBE)
    for place, (situation, action, _) in enumerate(game.replayed):
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
            case ResignationAction(is_stated=True):
                yield AnalysisTask(number, (place,), (action,), position, own, match.roll)
            case _:
                pass
        before = action


def _is_cube_action(action: GameAction) -> bool:
    return isinstance(action, ResponseAction | DoubleAction)


def list_rolls(match: RecordedMatch) -> Iterator[AnalysisTask]:
    """Yield the rolls of a match whose luck is asked for, in order."""
    for number, game in enumerate(match.games):
        for place, (situation, action, _) in enumerate(game.replayed):
            if isinstance(action, PlayAction | RollAction):
                position, own = situation.position, situation.match.before_roll()
                is_start = place == 0 and position == game.rules.starting_position
                is_opening = is_start and action.roll[0] != action.roll[1]
                yield AnalysisTask(
                    *(number, (place,), (action,), position, own, action.roll), is_opening=is_opening
                )
