"""Results: what positions, plays and cube actions are worth, by a search, by a rollout or by a file."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.moves import Play
from gammond.engine.rules.outcome import Outcome, cubeless_equity

TIE_POINTS = 1e-5
"""Values closer than this, in points for the present cube, count as equal: rounding of 32-bit numbers."""

LEAST_SCALE_MWC = 1e-4
"""A point of equity that is worth less of the match is no scale: with 97 of 99 points a game hardly matters,
unless the cube gets so high that it decides the match, which then counts thousands of points."""

MOST_POINTS = 10.0
"""Beyond this an equity is on no scale either: the point that it is measured by is next to nothing."""


def is_on_scale(points: float, mwc_per_point: float | None) -> bool:
    """Return whether an equity, or a difference of equities, says something.

    Args:
        points: The equity, in units of the present cube.
        mwc_per_point: The match-winning chance that a point is worth there; None in money play.
    """
    return mwc_per_point is None or (mwc_per_point >= LEAST_SCALE_MWC and abs(points) <= MOST_POINTS)


def find_unscaled(
    points: NDArray[np.float64], mwc_per_point: NDArray[np.float64] | float | None
) -> NDArray[np.bool_]:
    """Return which equities are on no scale, ``bool[...]``: `is_on_scale` for arrays.

    Args:
        points: ``float64[...]``.
        mwc_per_point: As there, one for all or ``float64[...]``, nan in money play.
    """
    scale = np.float64(np.nan) if mwc_per_point is None else mwc_per_point
    unscaled: NDArray[np.bool_] = (np.abs(points) > MOST_POINTS) | (scale < LEAST_SCALE_MWC)
    return unscaled & ~np.isnan(scale)


@dataclass(frozen=True)
class Effort:
    """The depth that a search reached, and what that took.

    Attributes:
        plies: Plies of look-ahead behind the values.
        is_finished: Whether that is the depth asked for, and the search was not stopped before.
        nodes: Positions evaluated at 0-ply; repeats and values from a cache are not counted.
        elapsed_s: Seconds since the start.
        is_stored: Whether the values are those of an earlier search, which were kept.
    """

    plies: int
    is_finished: bool
    nodes: int
    elapsed_s: float
    is_stored: bool = False


class Evaluation(NamedTuple):
    """What a position is worth for the player on roll, or a play for who makes it.

    Attributes:
        equity: What choices are compared by, in points: 1 is a game won singly at the present cube. With the
            cube under best action by both sides; without it cubeless, and in a match the match-winning chance
            at the present cube on this scale.
        outcome: Cubeless; None for a cube action, and where a file has none.
        words: How a rollout or a file found it: ``rollout``, ``2-ply``, ``XG Roller+``; empty for a search.
        error: Standard error of the equity in a rollout, nan for a single trial; None for the others.
        trials: Trials of a rollout; 0 for the others.
        cubeless_equity: Cubeless money equity of the outcome, in points; None where nobody asked for it.
        mwc: Match-winning chance; None in money play, and in files.
        mwc_per_point: The match-winning chance that a point is worth; None in money play, and in files.
        is_cubeful: Whether the cube counts in the equity.
        plies: Plies of look-ahead of a search; None for the others.
        decision: The cube decision before the roll; None without the cube, for plays, and once the game is
            over.
        effort: What the search of a position took; None for the others.
        outcome_errors: Standard errors of the outcome in a rollout, as `error`.
        cubeless_error: That of the cubeless equity.
    """

    equity: float
    outcome: Outcome | None = None
    words: str = ""
    error: float | None = None
    trials: int = 0
    cubeless_equity: float | None = None
    mwc: float | None = None
    mwc_per_point: float | None = None
    is_cubeful: bool = True
    plies: int | None = None
    decision: CubeDecision | None = None
    effort: Effort | None = None
    outcome_errors: Outcome | None = None
    cubeless_error: float | None = None

    @property
    def cubeful(self) -> float | None:
        """The equity; None if the cube does not count."""
        return self.equity if self.is_cubeful else None

    @property
    def is_scaled(self) -> bool:
        """Whether the equity says something: `is_on_scale`."""
        return is_on_scale(self.equity, self.mwc_per_point)

    @property
    def points(self) -> float | None:
        """The equity; None where it is on no scale."""
        return self.equity if self.is_scaled else None

    @property
    def mwc_or_equity(self) -> float:
        """Match-winning chance in a match, else the equity."""
        return self.equity if self.mwc is None else self.mwc

    @property
    def depth(self) -> str:
        """How it was found, in words."""
        return self.words if self.plies is None else f"{self.plies}-ply"


class MeanEquity(NamedTuple):
    """The mean equity of the trials of a rollout, or the mean difference of two.

    Attributes:
        trials: Number of trials; for a difference those that both have, which share their dice.
        equity: The mean in points.
        error: Its standard error in points; that of a difference is the joint standard deviation of the two.
    """

    trials: int
    equity: float
    error: float

    @property
    def jsds(self) -> float:
        """The difference in joint standard deviations; infinite if there is no spread."""
        if self.equity == 0:
            return 0.0
        return self.equity / self.error if self.error else math.copysign(math.inf, self.equity)


class RankedPlay(NamedTuple):
    """A play with its evaluation, for the player who makes it.

    Attributes:
        play: The play.
        evaluation: Of the position after it; equities of different depths do not compare.
        survived: Whether it reached the greatest depth of the search, or all trials of the rollout: only such
            plays are chosen, and compared with the best.
        difference_to_best: In a rollout, its loss against the best play; None for the best play itself.
    """

    play: Play
    evaluation: Evaluation
    survived: bool = True
    difference_to_best: MeanEquity | None = None


class DoublingAction(enum.StrEnum):
    """The proper action of the side on roll before its roll."""

    UNAVAILABLE = "unavailable"
    """It may not double, or could not gain by it in any position."""
    NO_DOUBLE = "no double"
    DOUBLE = "double"
    TOO_GOOD = "too good"
    """Playing on for a gammon is worth more than a pass."""

    @property
    def words(self) -> str:
        """What it is called: ``too good to double``, of a first double."""
        return _WORDS[self]


_WORDS = {
    DoublingAction.UNAVAILABLE: "never double",
    DoublingAction.NO_DOUBLE: "no double",
    DoublingAction.DOUBLE: "double",
    DoublingAction.TOO_GOOD: "too good to double",
}


class CubeResponse(enum.StrEnum):
    """The proper response to a double, whether or not the double was right."""

    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"
    """Take, redouble at once and keep the cube; money play only."""


_PASSED = Evaluation(1.0)


@dataclass(frozen=True)
class CubeDecision:
    """A cube decision with the values of its choices, for the side on roll and at the cube before a double.

    Attributes:
        doubling: The proper action of the side on roll.
        response: The proper response to a double; None where no double is possible.
        is_redouble: Whether the side on roll already owns the cube; files do not say it.
        no_double: The value of rolling without doubling.
        double_take: The value of a double that is taken; None where no double is possible.
        double_pass: The value of a double that is passed; None where no double is possible.
    """

    doubling: DoublingAction
    response: CubeResponse | None
    is_redouble: bool
    no_double: Evaluation
    double_take: Evaluation | None
    double_pass: Evaluation | None

    @classmethod
    def of_choices(
        cls, no_double: Evaluation, double_take: Evaluation, double_pass: Evaluation = _PASSED
    ) -> CubeDecision:
        """Make the decision that the values of its choices come to, as notes on a match have them."""
        held, taken, passed = no_double.equity, double_take.equity, double_pass.equity
        doubling = DoublingAction.TOO_GOOD if held > passed else DoublingAction.NO_DOUBLE
        if min(taken, passed) >= held:
            doubling = DoublingAction.DOUBLE
        response = CubeResponse.PASS if taken > passed else CubeResponse.TAKE
        return cls(doubling, response, False, no_double, double_take, double_pass)

    @property
    def should_double(self) -> bool:
        """Whether the side on roll should double."""
        return self.doubling is DoublingAction.DOUBLE

    @property
    def should_take(self) -> bool:
        """Whether a pass would be wrong; true also where no double is possible."""
        return self.response is not CubeResponse.PASS

    @property
    def best(self) -> Evaluation:
        """The value with the proper actions of both sides."""
        if not self.should_double or self.double_take is None or self.double_pass is None:
            return self.no_double
        return min(self.double_take, self.double_pass, key=lambda choice: choice.equity)

    @property
    def equities(self) -> tuple[float, float, float]:
        """Of not doubling, of a double that is taken and of one that is passed.

        Where no double is possible, a take is worth what no double is, and a pass a point.
        """
        held, passed = self.no_double.equity, (self.double_pass or _PASSED).equity
        return held, held if self.double_take is None else self.double_take.equity, passed

    @property
    def double(self) -> float:
        """The equity of a double with the right response."""
        _, taken, passed = self.equities
        return min(taken, passed)

    @property
    def text(self) -> str:
        """The proper cube action, such as ``Redouble, take`` or ``Too good to double, pass``."""
        if self.response is None:
            return "No cube action"
        words = self.doubling.words.replace("double", "redouble" if self.is_redouble else "double")
        return f"{words.capitalize()}, {self.response}"

    @property
    def best_action(self) -> str:
        """What was best, as of a first double: ``no double``, ``double, take``, ``too good to double``."""
        return f"{self.doubling.words}, {self.response}" if self.should_double else self.doubling.words

    def find_doubling_error(self, *, is_double: bool) -> float:
        """Return the equity that a double loses, or not doubling; 0 or more."""
        held = self.no_double.equity
        return max(held, self.double) - (self.double if is_double else held)

    def find_response_error(self, *, is_take: bool) -> float:
        """Return the equity that a take loses for who takes, or a pass; 0 or more."""
        _, taken, passed = self.equities
        return max(0.0, taken - passed if is_take else passed - taken)


@dataclass(frozen=True, eq=False)
class Evaluations:
    """The evaluations of many positions or plays as arrays; see `Evaluation`.

    Attributes:
        outcomes: ``float32[n, 5]`` or ``float64[n, 5]``, cubeless; cubeless equities have their precision.
        cubeful: ``float64[n]``, cubeful equities; None without the cube.
        mwc: ``float64[n]``, match-winning chances; None in money play.
        mwc_per_point: The match-winning chance that a point is worth: of all, or ``float64[n]`` with nan in
            money play; None in money play.
        decisions: The cube decisions, None where the game is over; None if they were not asked for.
    """

    outcomes: NDArray[np.floating]
    cubeful: NDArray[np.float64] | None
    mwc: NDArray[np.float64] | None
    mwc_per_point: NDArray[np.float64] | float | None = None
    decisions: list[CubeDecision | None] | None = None

    @property
    def cubeless_equities(self) -> NDArray[np.floating]:
        """Cubeless money equities of the outcomes, in points."""
        equities: NDArray[np.floating] = cubeless_equity(self.outcomes)
        return equities

    def find_unscaled(self) -> NDArray[np.bool_]:
        """Return which cubeful equities are on no scale, ``bool[n]``; without the cube, none."""
        if self.cubeful is None:
            return np.zeros(len(self.outcomes), np.bool_)
        return find_unscaled(self.cubeful, self.mwc_per_point)
