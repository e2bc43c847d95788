"""The result of a game in a match file: by its line, by the rules, or by the score after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.match_files.model import IssueKind
from engine.rules.game_replay import GameSituation
from engine.rules.match import RESULT_NAMES, SEATS, GameResult, MatchState
from engine.wording import format_count


@dataclass(frozen=True)
class StatedResult:
    """What a file says about the end of a game.

    Attributes:
        at: Where.
        winner: The seat that won.
        points: The points; None where the file does not say how many.
    """

    at: int
    winner: int
    points: int | None


class SettledResult(NamedTuple):
    """The result of a game, None for one that has none, and what contradicts it."""

    result: GameResult | None
    fault: tuple[IssueKind, str] | None = None


def settle_result(
    end: GameSituation, begun: MatchState, stated: StatedResult | None, following: tuple[int, int] | None
) -> SettledResult:
    """Determine the result of a game.

    What the file states counts, unless both the rules and the score after the game name the other winner.
    Points that the rules do not give are those of the score after the game, or else those that are stated.

    Args:
        end: The game after its last action.
        begun: The match state before its first one.
        stated: What the file says about its end.
        following: The score over the next game; None where there is none, or games are missing.
    """
    ruled, scored = end.result, _read_score(begun, following)
    if stated is None and ruled is not None:
        return SettledResult(ruled)
    if stated is None:
        message = "expected more actions or a result, got the end of the game"
        if scored is None:
            return SettledResult(None, (IssueKind.NO_RESULT, message))
        shown = f"{message}: {_tell(*scored)} by the score after it"
        return SettledResult(_make_result(end, begun, *scored), (IssueKind.NO_RESULT, shown))
    winner, points = stated.winner, stated.points
    told = f"got {_tell(winner, points)}"
    if ruled is not None and scored is not None and ruled.winner == scored[0] != winner:
        message = f"expected {_tell(ruled.winner, ruled.points)} by the rules and the score after it, {told}"
        return SettledResult(ruled, (IssueKind.WRONG_RESULT, message))
    if ruled is not None and ruled.winner == winner and (points is None or _is_worth(ruled, begun, points)):
        return SettledResult(ruled)
    result = _find_result(end, begun, winner, points) if ruled is None and points is not None else None
    if result is not None:
        return SettledResult(result)
    if scored is not None and scored[0] == winner:
        points = scored[1]
    if ruled is not None:
        message = f"expected {_tell(ruled.winner, ruled.points)} by the rules, {told}"
    else:
        message = (
            f"expected one to three times {end.match.cube} points for a game resigned at that cube, {told}"
        )
    if points != stated.points and points is not None:
        message += f": {format_count(points, 'point')} by the score after it"
    fault = None if stated.points is None else (IssueKind.WRONG_RESULT, message)
    return SettledResult(_make_result(end, begun, winner, points or end.match.cube), fault)


def _read_score(begun: MatchState, following: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return who won a game, and how many points, by the score after it; None if that shows no winner."""
    if following is None:
        return None
    won = [after - before for before, after in zip(begun.score, following, strict=True)]
    for seat in SEATS:
        if won[seat] > 0 and won[1 - seat] == 0:
            return seat, won[seat]
    return None


def _find_result(end: GameSituation, begun: MatchState, winner: int, points: int) -> GameResult | None:
    """Return the result at the present cube that is worth a number of points; None if there is none."""
    results = (end.match.game_result(winner, kind) for kind in range(1, len(RESULT_NAMES) + 1))
    return next((result for result in results if _is_worth(result, begun, points)), None)


def _make_result(end: GameSituation, begun: MatchState, winner: int, points: int) -> GameResult:
    """Return a result with a number of points, of a kind that gives so many at the present cube or at any."""
    backgammon = len(RESULT_NAMES)
    kind = backgammon if points % backgammon == 0 and (points // backgammon).bit_count() == 1 else 1
    return _find_result(end, begun, winner, points) or GameResult(winner, kind, points)


def _is_worth(result: GameResult, begun: MatchState, points: int) -> bool:
    """Return whether a result fits stated points; sites cap them at the points needed or the length."""
    caps = () if begun.is_money else (begun.away(result.winner), begun.length)
    return points in (result.points, *(min(result.points, cap) for cap in caps))


def _tell(winner: int, points: int | None) -> str:
    won = "a win" if points is None else str(points)
    return f"{won} for player {winner + 1}"
