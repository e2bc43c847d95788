"""What is done in a game: plays, cube actions and resignations, and where they lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules import cube_actions
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.outcome import classify_results
from gammond.engine.rules.position import Position


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
        is_stated: Whether the offer is known of; else a file only says who won how much, and a clock or a
            lost connection may have ended the game. Not compared.
    """

    seat: int
    kind: int
    is_accepted: bool = True
    is_stated: bool = field(default=True, compare=False)


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
class GameSituation:
    """Where a game stands.

    Attributes:
        position: The checkers, as the seat on roll sees them.
        match: The match state; of a finished game, the one before it ended.
        result: How the game ended; None while it lasts.
    """

    position: Position
    match: MatchState
    result: GameResult | None = None

    def apply(self, action: GameAction) -> GameSituation:
        """Return where the game stands after an action; plays are carried out, legal or not.

        Raises:
            StateError: The game is over, it is the other seat's turn, or the cube cannot be turned.
            ValueRangeError: The cube or the resignation has another size.
        """
        if self.result is not None:
            raise StateError("the game is over")
        match action:
            case SetAction(position, match):
                return GameSituation(position, match)
            case ResignationAction():
                return self._resign(action)
        if action.seat != self.match.to_act:
            raise StateError(
                f"it is the turn of player {self.match.to_act + 1}, not of player {action.seat + 1}"
            )
        match action:
            case PlayAction():
                return self._play(action)
            case RollAction(roll=roll):
                self._check_rolls()
                return replace(self, match=self.match.with_roll(roll))
            case DoubleAction(cube=cube):
                return self._double(cube)
            case ResponseAction(is_take=True):
                return replace(self, match=cube_actions.take(self.match))
            case ResponseAction():
                return replace(self, result=cube_actions.pass_double(self.match))

    def _play(self, action: PlayAction) -> GameSituation:
        self._check_rolls()
        position, following = action.play.result, self.match.next_turn()
        if not position.is_over:
            return GameSituation(position, following)
        kind = int(classify_results(position.board[None])[0])
        return GameSituation(position, following, self.match.game_result(action.seat, kind))

    def _check_rolls(self) -> None:
        if self.match.doubled:
            raise StateError("a double is pending", field="doubled", missing="answer", advice="take or drop")

    def _double(self, cube: int) -> GameSituation:
        match = self.match
        if match.beavered:
            following, expected = cube_actions.raccoon(match), 4 * match.cube
        elif match.doubled:
            following, expected = cube_actions.beaver(match), 4 * match.cube
        else:
            following, expected = cube_actions.double(match), 2 * match.cube
        if cube != expected:
            raise ValueRangeError(f"expected the cube at {expected}, got {cube}", field="cube")
        return replace(self, match=following)

    def _resign(self, action: ResignationAction) -> GameSituation:
        if not 1 <= action.kind <= 3:
            raise ValueRangeError(f"expected a resignation of 1 to 3, got {action.kind}", field="resigned")
        if not action.is_accepted:
            return self
        return replace(self, result=self.match.game_result(1 - action.seat, action.kind))


def replay(start: GameSituation, actions: Iterable[GameAction]) -> Iterator[tuple[GameSituation, GameAction]]:
    """Yield each action of a game with the situation before it.

    Raises:
        GammondError: As `GameSituation.apply`.
    """
    for action in actions:
        yield start, action
        start = start.apply(action)
