"""The cube: when to double, take, beaver or resign, from one outcome, for money and matches.

The model is Janowski's: a dead cube is worth what the game is worth at its present stake; a perfectly live
one moves a player's value in straight lines between losing, its own take point, the opponent's take point and
winning; the truth lies between the two by a fixed cube efficiency. The same lines serve both kinds of play:
money counts points, a match counts the chance to win it.

*Source:* Rick Janowski, "Take-Points in Money Games" (1993), general model. Differences: one efficiency for
every position, and take points, in a match as for money, are found by going up the cube until nobody can turn
it further.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from engine.match import MAX_CUBE, MatchState
from engine.outcome import Outcome

CUBE_EFFICIENCY = 0.68
"""How far a cube is from dead (0) to live (1): the usual figure for contact positions."""

GAMMON_SHARE = 0.25
"""The share of won games that are gammons, where a match equity needs one."""

CERTAIN = 0.0005
"""A chance below this is none, for a resignation."""

_TIE = 1e-9
_FARTHEST = 200


@dataclass(frozen=True)
class CubeAction:
    """What to do with the cube.

    Attributes:
        double: Whether the player on roll doubles; never where it may not.
        take: Whether the opponent takes that double, offered or not.
        beaver: Whether the opponent turns the cube again and keeps it; money play with beavers only.
        resign: What the player on roll can lose without a loss: 0 nothing, 1 a single game, 2 a gammon,
            3 a backgammon.
    """

    double: bool
    take: bool
    beaver: bool
    resign: int


def cube_action(outcome: Outcome, match: MatchState) -> CubeAction:
    """Decide about the cube.

    Args:
        outcome: Cubeless, for the player on roll, before the roll.
        match: The match state; its cube is the one before the double, also while a double waits.

    Returns:
        The decisions of both players.
    """
    roller = _Side(_possible(outcome), match, match.on_roll)
    held = _value(roller, match.cube, match.cube_owner)
    taken = _value(roller, 2 * match.cube, 1 - match.on_roll)
    dropped = roller.worth(match.cube)
    can_beaver = match.is_money and match.beavers and 4 * match.cube <= MAX_CUBE
    return CubeAction(
        double=match.may_double(match.on_roll) and min(taken, dropped) > held + _TIE,
        take=taken <= dropped + _TIE,
        beaver=can_beaver and taken < -_TIE,
        resign=_resignation(roller),
    )


def takes_beaver(outcome: Outcome) -> bool:
    """Whether a player on roll whose double was beavered plays on, rather than lose the doubled stake.

    The cube is counted as dead, which is close: only the opponent can turn it, at a stake no one wants.

    Args:
        outcome: Cubeless, for the doubler, who is on roll.
    """
    return _possible(outcome).equity > -0.5


def game_value(outcome: Outcome, match: MatchState, *, cubeful: bool) -> float:
    """The value of a game to the player on roll.

    Args:
        outcome: Cubeless, for the player on roll, before the roll.
        match: The match state.
        cubeful: Whether the cube can still be turned; otherwise the game is played out at its present stake,
            with gammons.

    Returns:
        In money play the equity in points for a cube of 1; in a match the chance to win it.
    """
    roller = _Side(_possible(outcome), match, match.on_roll)
    if cubeful:
        value = _value(roller, match.cube, match.cube_owner)
    else:
        won, lost = roller.won(match.cube), roller.lost(match.cube)
        value = lost + roller.outcome.win * (won - lost)
    return value / match.cube if match.is_money else value


def match_winning_chance(away: int, other_away: int, *, crawford_is_over: bool) -> float:
    """Estimate the chance to win a match at the start of a game.

    Away from the end the difference in points, over the spread of the points still to be played for, is
    read off the normal curve, within 0.02 of the Kazaross-XG2 table up to 25 points. A point from the end the
    trailer's games are counted out: it doubles at once after the Crawford game, and a gammon is worth twice a
    single game (within 0.013).

    Args:
        away: Points the player still needs; 0 or less when it has won.
        other_away: Points the opponent needs.
        crawford_is_over: Whether the Crawford game has been played.
    """
    if away <= 0 or other_away <= 0:
        return 1.0 if away <= 0 else 0.0
    if away == 1:
        return 1.0 - _trailers_chance(other_away, crawford_is_over)
    if other_away == 1:
        return _trailers_chance(away, crawford_is_over)
    spread = math.sqrt(away + other_away + 1)
    return 0.5 + 0.5 * math.erf(0.6 * (other_away - away) / spread / math.sqrt(2.0))


@dataclass(frozen=True)
class _Side:
    """One player's view of the game: its chances, and what points are worth to it."""

    outcome: Outcome
    match: MatchState
    seat: int

    def other(self) -> _Side:
        """The opponent's view."""
        win, win_g, win_bg, lose_g, lose_bg = self.outcome
        return _Side(Outcome(1.0 - win, lose_g, lose_bg, win_g, win_bg), self.match, 1 - self.seat)

    def worth(self, points: int) -> float:
        """What it is worth to win points, or to lose them (negative)."""
        if self.match.is_money:
            return float(points)
        return match_winning_chance(
            self.match.away(self.seat) - max(points, 0),
            self.match.away(1 - self.seat) - max(-points, 0),
            crawford_is_over=self.match.crawford or self.match.is_post_crawford,
        )

    def won(self, cube: int, *, gammons: bool = True) -> float:
        """The average worth of a won game."""
        win, win_g, win_bg, _, _ = self.outcome
        return self._average(cube, 1, (win, win_g, win_bg) if gammons else (win, 0.0, 0.0))

    def lost(self, cube: int, *, gammons: bool = True) -> float:
        """The average worth of a lost game."""
        win, _, _, lose_g, lose_bg = self.outcome
        return self._average(cube, -1, (1.0 - win, lose_g, lose_bg) if gammons else (1.0 - win, 0.0, 0.0))

    def can_turn(self, cube: int) -> bool:
        """Whether this side could gain by turning a cube it has access to."""
        is_alive = self.match.is_money or cube < self.match.away(self.seat)
        return is_alive and not self.match.crawford and cube < MAX_CUBE

    def _average(self, cube: int, sign: int, chances: tuple[float, float, float]) -> float:
        every, gammon, backgammon = chances
        if every <= 0.0:
            return self.worth(sign * cube)
        total = (every - gammon) * self.worth(sign * cube)
        total += (gammon - backgammon) * self.worth(sign * 2 * cube)
        total += backgammon * self.worth(sign * 3 * cube)
        return total / every


def _value(side: _Side, cube: int, owner: int | None) -> float:
    """The cubeful worth of the game to a side at a cube value and owner."""
    under_jacoby = side.match.is_money and side.match.jacoby and owner is None
    win = side.outcome.win
    won, lost = side.won(cube, gammons=not under_jacoby), side.lost(cube, gammons=not under_jacoby)
    dead = lost + win * (won - lost)
    corners = [(0.0, lost), *_live_corners(side, cube, owner), (1.0, won)]
    live = dead
    for (left, low), (right, high) in pairwise(corners):
        if left <= win <= right:
            live = low + (win - left) / (right - left) * (high - low)
            break
    return (1.0 - CUBE_EFFICIENCY) * dead + CUBE_EFFICIENCY * live


def _live_corners(side: _Side, cube: int, owner: int | None) -> list[tuple[float, float]]:
    """Where a live cube ends the game: chances to win, increasing within (0, 1), and what they are worth."""
    other = side.other()
    corners = []
    if owner != side.seat and other.can_turn(cube):
        corners.append((_take_point(side, cube), side.worth(-cube)))
    if owner != other.seat and side.can_turn(cube):
        corners.append((1.0 - _take_point(other, cube), side.worth(cube)))
    inside = [corner for corner in corners if 0.0 < corner[0] < 1.0]
    return [] if len(inside) == 2 and inside[0][0] >= inside[1][0] else inside


def _take_point(side: _Side, cube: int) -> float:
    """The least chance to win, with a live cube, at which a side takes a cube turned from this value."""
    dropped, lost = side.worth(-cube), side.lost(2 * cube)
    if dropped <= lost:
        return 0.0
    end, top = 1.0, side.won(2 * cube)
    if side.can_turn(2 * cube):
        cash = 1.0 - _take_point(side.other(), 2 * cube)
        if 0.0 < cash < 1.0:
            end, top = cash, side.worth(2 * cube)
    if top <= dropped:
        return 1.0
    return end * (dropped - lost) / (top - lost)


def _trailers_chance(away: int, crawford_is_over: bool) -> float:
    """The chance of a player against an opponent that needs one point."""
    if away == 1:
        return 0.5
    if crawford_is_over:
        return _POST_CRAWFORD[min(away, _FARTHEST)]
    after_single, after_gammon = (_POST_CRAWFORD[min(max(away - points, 0), _FARTHEST)] for points in (1, 2))
    return 0.5 * ((1.0 - GAMMON_SHARE) * after_single + GAMMON_SHARE * after_gammon)


def _post_crawford_chances() -> tuple[float, ...]:
    """The trailer's chances by its points away, at two points a game and four a gammon."""
    chances = [1.0, 0.5]
    for away in range(2, _FARTHEST + 1):
        after_gammon = chances[max(away - 4, 0)]
        chances.append(0.5 * ((1.0 - GAMMON_SHARE) * chances[away - 2] + GAMMON_SHARE * after_gammon))
    return tuple(chances)


_POST_CRAWFORD = _post_crawford_chances()


def _resignation(roller: _Side) -> int:
    """What a lost game costs for certain; 0 while it can be won or its price is open."""
    win, _, _, lose_g, lose_bg = roller.outcome
    if win >= CERTAIN:
        return 0
    match = roller.match
    if lose_g < CERTAIN or (match.is_money and match.jacoby and match.cube_owner is None):
        return 1
    if lose_g <= 1.0 - CERTAIN:
        return 0
    if lose_bg < CERTAIN:
        return 2
    return 3 if lose_bg > 1.0 - CERTAIN else 0


def _possible(outcome: Outcome) -> Outcome:
    """An outcome with its probabilities in order, whatever rounding did to them."""
    win = min(max(outcome.win, 0.0), 1.0)
    win_g = min(max(outcome.win_g, 0.0), win)
    lose_g = min(max(outcome.lose_g, 0.0), 1.0 - win)
    return Outcome(
        win, win_g, min(max(outcome.win_bg, 0.0), win_g), lose_g, min(max(outcome.lose_bg, 0.0), lose_g)
    )
