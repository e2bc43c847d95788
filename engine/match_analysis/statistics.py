"""Statistics of the decisions of a player: performance rating, error rates, errors by kind, luck.

Each number is on the scale of the program that it is named after, since the programs count differently.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gammond.engine.match_analysis.decision_errors import (
    WRONG_POINTS,
    Choice,
    CountedDecision,
    GamePhase,
    ScaledPoints,
)
from gammond.engine.rules.match import SEATS

PR_SCALE = 500.0
"""eXtreme Gammon's performance rating is this times the mean error."""

MILLIPOINTS = 1000.0
"""GNU Backgammon's error rates and Snowie's are in thousandths of a point."""

NO_SCALE = "not meaningful here"
"""What stands in place of a number whose scale is (almost) zero."""

NO_SCALE_REASON = (
    "at this score a point at the present cube is worth (almost) nothing of the match, so that errors in "
    "points have no scale"
)

_NORMAL_95 = 1.96
_DIGITS = 6


@dataclass(frozen=True)
class AnalysedRoll:
    """The luck of a roll.

    Attributes:
        seat: Who rolled.
        luck: What the roll gave beyond the mean of all rolls.
        game: The place of its game in the match, from 0.
    """

    seat: int
    luck: ScaledPoints
    game: int


@dataclass(frozen=True)
class ErrorTotal:
    """Decisions of some kind and what they lost.

    Attributes:
        count: How many there were.
        error_points: What those lost in all whose loss is on a scale; None where none is.
        error_mwc: What all lost in match-winning chance; None in money play.
    """

    count: int
    error_points: float | None
    error_mwc: float | None


@dataclass(frozen=True)
class PlayerStatistics:
    """Statistics of one player.

    Decisions whose loss is on no scale (`is_on_scale`) count for no rating or rate.

    Attributes:
        plays: Plays that eXtreme Gammon counts.
        doublings: Doubles, and the decisions against one that it counts.
        responses: Takes and passes that it counts.
        total: All decisions, counted or not.
        missed_doubles: Doubles that were right and not made.
        wrong_doubles: Doubles that were made and not right.
        wrong_takes: Takes that should have been passes.
        wrong_passes: Passes that should have been takes.
        errors: Decisions that lost `XG_ERROR_POINTS` or more, blunders included.
        blunders: Decisions that lost `XG_BLUNDER_POINTS` or more.
        performance_rating: By eXtreme Gammon's rule, PR; None without a counted decision.
        performance_rating_95: Half the width of its 95 % interval, from the spread of the errors; None with
            fewer than two counted decisions.
        gnubg_error_rate: GNU Backgammon's overall rate, in millipoints per unforced play and per cube
            decision that was close or made; None without one.
        snowie_error_rate: Snowie's, in millipoints per play of both players; None without one.
        luck_points: The luck of the player's own rolls that is on a scale; None where none is.
        luck_mwc: The luck of all of them in match-winning chance; None in money play.
        unscaled: Decisions whose loss is on no scale.
    """

    plays: ErrorTotal
    doublings: ErrorTotal
    responses: ErrorTotal
    total: ErrorTotal
    missed_doubles: ErrorTotal
    wrong_doubles: ErrorTotal
    wrong_takes: ErrorTotal
    wrong_passes: ErrorTotal
    errors: int
    blunders: int
    performance_rating: float | None
    performance_rating_95: float | None
    gnubg_error_rate: float | None
    snowie_error_rate: float | None
    luck_points: float | None
    luck_mwc: float | None
    unscaled: int = 0

    @property
    def counted_decisions(self) -> int:
        """How many decisions eXtreme Gammon counts."""
        return self.plays.count + self.doublings.count + self.responses.count


def round_value(value: float | None) -> float | None:
    """Return a number as documents have it."""
    return None if value is None else round(value, _DIGITS)


@dataclass(frozen=True)
class RatingTotal:
    """What a performance rating is made of, so that the ratings of several matches can be added.

    Attributes:
        counted: Decisions that eXtreme Gammon counts.
        error_points: What all decisions lost, counted or not.
        counted_points: What the counted ones lost.
        counted_squares: The squares of these, added up.
    """

    counted: int = 0
    error_points: float = 0.0
    counted_points: float = 0.0
    counted_squares: float = 0.0

    @classmethod
    def add_up(cls, seat: int, decisions: Iterable[CountedDecision]) -> RatingTotal:
        """Add up the decisions of a seat."""
        own = [each for each in decisions if each.seat == seat and each.loss.points is not None]
        counted = [each.loss.equity for each in own if each.counts_for_xg]
        return cls(
            len(counted),
            sum(each.loss.equity for each in own),
            sum(counted),
            sum(points * points for points in counted),
        )

    def __add__(self, other: RatingTotal) -> RatingTotal:
        """Return the total of both."""
        return RatingTotal(
            self.counted + other.counted,
            self.error_points + other.error_points,
            self.counted_points + other.counted_points,
            self.counted_squares + other.counted_squares,
        )

    @property
    def performance_rating(self) -> float | None:
        """As `PlayerStatistics.performance_rating`."""
        return PR_SCALE * self.error_points / self.counted if self.counted else None

    @property
    def performance_rating_95(self) -> float | None:
        """As `PlayerStatistics.performance_rating_95`."""
        if self.counted < 2:
            return None
        squares = max(0.0, self.counted_squares - self.counted_points**2 / self.counted)
        return _NORMAL_95 * PR_SCALE * math.sqrt(squares / (self.counted - 1) / self.counted)


def compute_statistics(
    seat: int, decisions: Iterable[CountedDecision], rolls: Iterable[AnalysedRoll] = ()
) -> PlayerStatistics:
    """Compute the statistics of a player.

    Args:
        seat: The player's seat.
        decisions: Of both players: Snowie's rate divides by the plays of both. Illegal plays are left out.
        rolls: Of both players.
    """
    every = [decision for decision in decisions if decision.is_legal]
    own = [decision for decision in every if decision.seat == seat]
    scaled = [decision for decision in own if decision.loss.points is not None]
    counted = [decision for decision in scaled if decision.counts_for_xg]
    rating = RatingTotal.add_up(seat, own)
    wrong = [decision for decision in own if decision.loss.size >= WRONG_POINTS]
    marks = [decision.loss.mark for decision in own]
    gnubg_count = sum(decision.counts_for_gnubg for decision in scaled)
    plays_of_both = sum(
        decision.choice is Choice.PLAY and decision.loss.points is not None for decision in every
    )
    luck = [roll.luck for roll in rolls if roll.seat == seat]
    return PlayerStatistics(
        plays=_add_up(counted, Choice.PLAY),
        doublings=_add_up(counted, Choice.NO_DOUBLE, Choice.DOUBLE),
        responses=_add_up(counted, Choice.TAKE, Choice.PASS),
        total=_add_up(own),
        missed_doubles=_add_up(wrong, Choice.NO_DOUBLE),
        wrong_doubles=_add_up(wrong, Choice.DOUBLE),
        wrong_takes=_add_up(wrong, Choice.TAKE),
        wrong_passes=_add_up(wrong, Choice.PASS),
        errors=sum(map(bool, marks)),
        blunders=marks.count("blunder"),
        performance_rating=rating.performance_rating,
        performance_rating_95=rating.performance_rating_95,
        gnubg_error_rate=MILLIPOINTS * rating.error_points / gnubg_count if gnubg_count else None,
        snowie_error_rate=MILLIPOINTS * rating.error_points / plays_of_both if plays_of_both else None,
        luck_points=_sum_points(luck),
        luck_mwc=_sum_mwc(luck),
        unscaled=len(own) - len(scaled),
    )


@dataclass(frozen=True)
class StatisticsByPhase:
    """Statistics of a match, or of one of its games.

    Attributes:
        players: Of both players.
        phases: The same of each phase of the game that there was, in their order, without luck.
    """

    players: tuple[PlayerStatistics, PlayerStatistics]
    phases: Mapping[GamePhase, tuple[PlayerStatistics, PlayerStatistics]]


def compute_by_phase(
    decisions: Iterable[CountedDecision], rolls: Iterable[AnalysedRoll] = ()
) -> StatisticsByPhase:
    """Compute the statistics of both players, in all and by the phase of the game."""
    every, rolled = list(decisions), list(rolls)
    one, two = (compute_statistics(seat, every, rolled) for seat in SEATS)
    phases = {}
    for phase in GamePhase:
        if chosen := [decision for decision in every if decision.phase is phase]:
            phases[phase] = compute_statistics(0, chosen), compute_statistics(1, chosen)
    return StatisticsByPhase((one, two), phases)


def _add_up(decisions: Sequence[CountedDecision], *choices: Choice) -> ErrorTotal:
    """Add up the decisions with one of the choices; all if none is given."""
    lost = [decision.loss for decision in decisions if not choices or decision.choice in choices]
    return ErrorTotal(len(lost), _sum_points(lost), _sum_mwc(lost))


def _sum_points(values: Sequence[ScaledPoints]) -> float | None:
    """Return the sum of those that are on a scale; None if none of some values is."""
    scaled = [points for value in values if (points := value.points) is not None]
    return sum(scaled) if scaled or not values else None


def _sum_mwc(values: Sequence[ScaledPoints]) -> float | None:
    """Return the sum; None if there is money play among the values."""
    chances = [mwc for value in values if (mwc := value.mwc) is not None]
    return sum(chances) if len(chances) == len(values) else None
