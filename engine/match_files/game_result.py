"""The result of a game in a match file: by its line, by the rules, or by the score after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gammond.engine.match_files.model import IssueKind
from gammond.engine.rules.game_record import GameSituation
from gammond.engine.rules.match import RESULT_NAMES, SEATS, GameResult, MatchState
from gammond.engine.wording import format_count


class StatedResult(NamedTuple):
    """What a file says about the end of a game.

    Attributes:
        at: Where.
        winner: The seat that won; None where that does not show.
        points: The points; None where the file does not say how many.
    """

    at: int
    winner: int | None
    points: int | None


Settled = tuple[GameResult | None, tuple[IssueKind, str] | None]
"""The result of a game, None for one that has none, and what contradicts it."""

_KINDS = range(1, len(RESULT_NAMES) + 1)


@dataclass(frozen=True)
class GameEnding:
    """How a game ended as far as its actions and the score after it show.

    Attributes:
        situation: The game after its last action.
        begun: The match state before its first one.
        following: The score over the next game; None where there is none, or games are missing.
        is_damaged: Whether something of it could not be read, so that nobody knows how high the cube got.
    """

    situation: GameSituation
    begun: MatchState
    following: tuple[int, int] | None
    is_damaged: bool = False

    def settle(self, stated: StatedResult | None) -> Settled:
        """Determine the result of the game.

        What the file states counts, unless both the rules and the score after the game name the other winner,
        or, in a game that was resigned, the score gives the other one the points that are stated. Points that
        the rules do not give are those of the score after the game, or else those that are stated; of more
        than a resignation gives, so many as win the match. A winner who does not show is the one by the rules
        or the score after the game, or else who acted last.

        Args:
            stated: What the file says about its end.
        """
        ruled, scored = self.situation.result, self._read_score()
        if stated is None and ruled is not None:
            return ruled, None
        if stated is None:
            message = "expected more actions or a result, got the end of the game"
            if scored is None:
                return None, (IssueKind.NO_RESULT, message)
            shown = f"{message}: {_tell(*scored)} by the score after it"
            return self._make_result(*scored), (IssueKind.NO_RESULT, shown)
        if stated.winner is None:
            return self._settle_without_winner(stated)
        return self._settle_stated(stated.winner, stated.points)

    def _settle_stated(self, winner: int, points: int | None) -> Settled:
        """Determine the result of a game whose winner is stated."""
        ruled, scored = self.situation.result, self._read_score()
        if ruled is not None and scored is not None and ruled.winner == scored[0] != winner:
            expected = f"{_tell(ruled.winner, ruled.points)} by the rules and the score after it"
            message = f"expected {expected}, got {_tell(winner, points)}"
            return ruled, (IssueKind.WRONG_RESULT, message)
        if ruled is not None and ruled.winner == winner and (points is None or self._is_worth(ruled, points)):
            return ruled, None
        result = self._find_result(winner, points) if ruled is None and points is not None else None
        if result is None:
            return self._settle_points(winner, points)
        if scored is None or (scored[0] == winner and self._is_worth(result, scored[1])):
            return result, None
        message = f"expected {_tell(*scored)} by the score after it, got {_tell(winner, result.points)}"
        by_score = self._find_result(*scored)
        if by_score is not None and by_score.winner != winner and by_score.points == result.points:
            result = by_score  # two numbers of the score confirm each other, against one name
        return result, (IssueKind.WRONG_RESULT, message)

    def _settle_points(self, winner: int, points: int | None) -> Settled:
        """Determine the points of a game whose winner is stated with others than the rules give."""
        ruled, scored, stated = self.situation.result, self._read_score(), points
        if ruled is not None:
            message = f"expected {_tell(ruled.winner, ruled.points)} by the rules"
        else:
            single, double, triple = (kind * self.situation.match.cube for kind in _KINDS)
            message = f"expected {single}, {double} or {triple} for a game resigned at a cube of {single}"
            if points is not None and points > triple and not (self.begun.is_money or self.is_damaged):
                points = min(points, self.begun.away(winner))
        by_score = scored[1] if scored is not None and scored[0] == winner else None
        result = self._make_result(winner, by_score or points or self.situation.match.cube)
        if stated is None:
            return result, None
        message += f", got {_tell(winner, stated)}"
        if by_score is not None and by_score != stated:
            message += f": {format_count(by_score, 'point')} by the score after it"
        elif result.points < stated:
            message += f": read as {result.points}, with which the match is won"
        return result, (IssueKind.WRONG_RESULT, message)

    def _settle_without_winner(self, stated: StatedResult) -> Settled:
        """Determine the result of a game whose winner does not show in the line that states it."""
        ruled, scored = self.situation.result, self._read_score()
        if ruled is not None:
            return self._settle_stated(ruled.winner, stated.points)
        if scored is not None:
            return self._settle_stated(scored[0], stated.points)
        winner = 1 - self.situation.match.to_act
        result, fault = self._settle_stated(winner, stated.points)
        doubt = "expected the result in the column of the winner, got columns without blanks between them"
        doubt += f": read as {_tell(winner, stated.points)}, who acted last"
        return result, (IssueKind.DOUBTFUL_RESULT, f"{doubt}; {fault[1]}" if fault else doubt)

    def _read_score(self) -> tuple[int, int] | None:
        """Return who won, and how many points, by the score after the game; None if that shows no winner."""
        if self.following is None:
            return None
        won = [after - before for before, after in zip(self.begun.score, self.following, strict=True)]
        for seat in SEATS:
            if won[seat] > 0 and won[1 - seat] == 0:
                return seat, won[seat]
        return None

    def _find_result(self, winner: int, points: int) -> GameResult | None:
        """Return the result at the present cube that is worth a number of points; None if there is none."""
        results = (self.situation.match.game_result(winner, kind) for kind in _KINDS)
        return next((result for result in results if self._is_worth(result, points)), None)

    def _make_result(self, winner: int, points: int) -> GameResult:
        """Return a result of so many points, of a kind that gives them at the present cube or at any."""
        backgammon = max(_KINDS)
        kind = backgammon if points % backgammon == 0 and (points // backgammon).bit_count() == 1 else 1
        return self._find_result(winner, points) or GameResult(winner, kind, points)

    def _is_worth(self, result: GameResult, points: int) -> bool:
        """Return whether a result fits stated points; sites cap them at the points needed or the length."""
        caps = () if self.begun.is_money else (self.begun.away(result.winner), self.begun.length)
        return points in (result.points, *(min(result.points, cap) for cap in caps))


def _tell(winner: int, points: int | None) -> str:
    won = "a win" if points is None else str(points)
    return f"{won} for player {winner + 1}"
