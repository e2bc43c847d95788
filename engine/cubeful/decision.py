"""Cube decisions: whether to double, how to answer, and what each choice is worth."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from engine.cubeful.cube_game import CubeGame, Values
from engine.cubeful.values import equities, leaf_values
from engine.errors import ValueRangeError
from engine.outcome import Outcome

TIE = 1e-5
"""Values closer than this, in points for the present cube, count as equal: rounding of 32-bit numbers."""


class Doubling(enum.StrEnum):
    """What the side on roll should do before its roll."""

    UNAVAILABLE = "unavailable"
    """It may not double, or could not gain by it whatever the position."""
    NO_DOUBLE = "no double"
    DOUBLE = "double"
    TOO_GOOD = "too good"
    """Playing on for a gammon is worth more than what a pass brings."""


class Response(enum.StrEnum):
    """What the other side should do when it is doubled, rightly or not."""

    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"
    """Take, turn the cube at once and keep it; money play only."""


@dataclass(frozen=True)
class CubeValue:
    """What a choice is worth to the side on roll.

    Attributes:
        equity_points: 1 is a game won singly at the present cube, -1 one lost.
        mwc: The chance to win the match; None in money play.
    """

    equity_points: float
    mwc: float | None


@dataclass(frozen=True)
class CubeDecision:
    """A cube decision with the values behind it, all of them for the side on roll.

    Attributes:
        doubling: What the side on roll should do.
        response: What the other side should do if it is doubled; None where no double is possible.
        is_redouble: Whether the side on roll already owns the cube.
        no_double: The value of rolling without doubling.
        take: The value of a double that is taken; None where no double is possible.
        passed: The value of a double that is passed; None where no double is possible.
        best: The value when both sides choose as they should.
    """

    doubling: Doubling
    response: Response | None
    is_redouble: bool
    no_double: CubeValue
    take: CubeValue | None
    passed: CubeValue | None
    best: CubeValue

    @property
    def should_double(self) -> bool:
        """Whether the side on roll should double."""
        return self.doubling is Doubling.DOUBLE

    @property
    def should_take(self) -> bool:
        """Whether the other side should not pass; true also where no double is possible."""
        return self.response is not Response.PASS

    @property
    def text(self) -> str:
        """The proper cube action, such as ``Redouble, take`` or ``Too good to double, pass``."""
        if self.response is None:
            return "No cube action"
        noun = "redouble" if self.is_redouble else "double"
        words = {
            Doubling.UNAVAILABLE: f"Never {noun}",
            Doubling.NO_DOUBLE: f"No {noun}",
            Doubling.DOUBLE: noun.capitalize(),
            Doubling.TOO_GOOD: f"Too good to {noun}",
        }
        return f"{words[self.doubling]}, {self.response}"


def decide(values: Values, game: CubeGame) -> CubeDecision:
    """Compare not doubling, a double taken and a double passed.

    Args:
        values: ``float32[states]``, before the roll, without the option to double now: from `leaf_values`, or
            averaged over the rolls by a search.
        game: The states, seen by the side on roll.

    Returns:
        The decision. Not doubling is worth the column of the present state, a take that of the state after
        it, beavered where that is right for the other side.

    Raises:
        ValueRangeError: The values have another shape.
    """
    if values.shape != game.taken.shape:
        raise ValueRangeError(
            f"expected {len(game.taken)} cubeful values, got {values.shape}", field="values"
        )
    points = equities(values, game)
    held = float(points[0])
    is_redouble = game.states[0].owner == game.seat
    if game.taken[0] < 0:
        value = _value(held, game)
        return CubeDecision(Doubling.UNAVAILABLE, None, is_redouble, value, None, None, value)
    taken = game.stake_factor * float(points[game.taken[0]])
    response = _response(taken, game)
    if response is Response.BEAVER:
        taken *= 2.0
    doubling = _doubling(held, taken, game)
    best = min(taken, 1.0) if doubling is Doubling.DOUBLE else held
    return CubeDecision(
        doubling,
        response,
        is_redouble,
        _value(held, game),
        _value(taken, game),
        _value(1.0, game),
        _value(best, game),
    )


def decide_outcome(outcome: Outcome, efficiency: float, game: CubeGame) -> CubeDecision:
    """Decide by an outcome alone, without looking ahead.

    Args:
        outcome: Cubeless, for the side on roll, before the roll.
        efficiency: The cube efficiency of the position, 0 to 1.
        game: The states, seen by the side on roll.
    """
    outcomes = np.array([outcome], np.float32)
    return decide(leaf_values(outcomes, np.array([efficiency], np.float32), game)[0], game)


def _response(taken: float, game: CubeGame) -> Response:
    if game.match.may_beaver and taken < -TIE:
        return Response.BEAVER
    return Response.TAKE if taken <= 1.0 + TIE else Response.PASS


def _doubling(held: float, taken: float, game: CubeGame) -> Doubling:
    """Among equals, double where a wrong answer would gain something, or where it costs nothing."""
    if not game.may_double[0]:
        return Doubling.UNAVAILABLE
    doubled = min(taken, 1.0)
    gains_by_mistakes = taken > held + TIE or (game.doubles_free and taken > -1.0 + TIE)
    if doubled > held + TIE or (doubled > held - TIE and gains_by_mistakes):
        return Doubling.DOUBLE
    return Doubling.TOO_GOOD if held > 1.0 + TIE else Doubling.NO_DOUBLE


def _value(equity_points: float, game: CubeGame) -> CubeValue:
    if game.is_money:
        return CubeValue(equity_points, None)
    lost, won = game.result_worth(-1), game.result_worth(1)
    return CubeValue(equity_points, 0.5 * (won + lost) + 0.5 * equity_points * (won - lost))
