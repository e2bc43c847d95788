"""Cube decisions: whether to double, how to respond, and the value of each choice."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.state_space import CubefulValues, CubeStateSpace
from engine.cubeful.values import compute_leaf_values, to_equities
from engine.errors import ValueRangeError
from engine.rules.outcome import Outcome

TIE_POINTS = 1e-5
"""Values closer than this, in points for the present cube, count as equal: rounding of 32-bit numbers."""


class DoublingAction(enum.StrEnum):
    """The proper action of the side on roll before its roll."""

    UNAVAILABLE = "unavailable"
    """It may not double, or could not gain by it in any position."""
    NO_DOUBLE = "no double"
    DOUBLE = "double"
    TOO_GOOD = "too good"
    """Playing on for a gammon is worth more than a pass."""


class CubeResponse(enum.StrEnum):
    """The proper response to a double, whether or not the double was right."""

    TAKE = "take"
    PASS = "pass"
    BEAVER = "beaver"
    """Take, redouble at once and keep the cube; money play only."""


@dataclass(frozen=True)
class CubeValue:
    """The value of a choice for the side on roll.

    Attributes:
        equity_points: 1 is a single game won at the present cube, -1 one lost.
        mwc: Match-winning chance; None in money play.
    """

    equity_points: float
    mwc: float | None


@dataclass(frozen=True)
class CubeDecision:
    """A cube decision with the values behind it, all of them for the side on roll.

    Attributes:
        doubling: The proper action of the side on roll.
        response: The proper response to a double; None where no double is possible.
        is_redouble: Whether the side on roll already owns the cube.
        no_double: The value of rolling without doubling.
        double_take: The value of a double that is taken; None where no double is possible.
        double_pass: The value of a double that is passed; None where no double is possible.
        best: The value with the proper actions of both sides.
    """

    doubling: DoublingAction
    response: CubeResponse | None
    is_redouble: bool
    no_double: CubeValue
    double_take: CubeValue | None
    double_pass: CubeValue | None
    best: CubeValue

    @property
    def should_double(self) -> bool:
        """Whether the side on roll should double."""
        return self.doubling is DoublingAction.DOUBLE

    @property
    def should_take(self) -> bool:
        """Whether a pass would be wrong; true also where no double is possible."""
        return self.response is not CubeResponse.PASS

    @property
    def text(self) -> str:
        """The proper cube action, such as ``Redouble, take`` or ``Too good to double, pass``."""
        if self.response is None:
            return "No cube action"
        noun = "redouble" if self.is_redouble else "double"
        words = {
            DoublingAction.UNAVAILABLE: f"Never {noun}",
            DoublingAction.NO_DOUBLE: f"No {noun}",
            DoublingAction.DOUBLE: noun.capitalize(),
            DoublingAction.TOO_GOOD: f"Too good to {noun}",
        }
        return f"{words[self.doubling]}, {self.response}"


def decide_from_values(values: CubefulValues, space: CubeStateSpace) -> CubeDecision:
    """Compare not doubling, a double taken and a double passed.

    Args:
        values: ``float32[states]``, before the roll, without the option to double now: from
            `compute_leaf_values`, or averaged over the rolls by a search.
        space: The states, seen by the side on roll.

    Returns:
        The decision. No double has the value of the present state's column, double/take that of the state
        after it, beavered where that is right.

    Raises:
        ValueRangeError: The values have another shape.
    """
    if values.shape != space.state_after_take.shape:
        raise ValueRangeError(
            f"expected {len(space.state_after_take)} cubeful values, got {values.shape}", field="values"
        )
    points = to_equities(values, space)
    return _decide(float(points[0]), float(points[space.state_after_take[0]]), space)


def decide_from_many_values(values: CubefulValues, space: CubeStateSpace) -> list[CubeDecision]:
    """Make the decisions of many positions of one match state, each as `decide_from_values`.

    Args:
        values: ``float32[n, states]``.
        space: The states, seen by the side on roll.
    """
    held = to_equities(values[:, 0], space)
    taken = to_equities(values[:, space.state_after_take[0]], space)
    return [_decide(*points, space) for points in zip(held.tolist(), taken.tolist(), strict=True)]


def _decide(held: float, taken: float, space: CubeStateSpace) -> CubeDecision:
    """Make a decision.

    Args:
        held: Equity of no double, in points.
        taken: Equity in the state after a take, in points of the present cube; unused where no double is
            possible.
        space: The states, seen by the side on roll.
    """
    is_redouble = space.states[0].owner == space.seat
    if space.state_after_take[0] < 0:
        value = _make_cube_value(held, space)
        return CubeDecision(DoublingAction.UNAVAILABLE, None, is_redouble, value, None, None, value)
    taken *= space.stake_factor
    response = _choose_response(taken, space)
    if response is CubeResponse.BEAVER:
        taken *= 2.0
    doubling = _choose_doubling(held, taken, space)
    best = min(taken, 1.0) if doubling is DoublingAction.DOUBLE else held
    return CubeDecision(
        doubling,
        response,
        is_redouble,
        _make_cube_value(held, space),
        _make_cube_value(taken, space),
        _make_cube_value(1.0, space),
        _make_cube_value(best, space),
    )


def decide_from_outcome(
    outcome: Outcome, efficiency: float | NDArray[np.float32], space: CubeStateSpace
) -> CubeDecision:
    """Decide by an outcome alone, at 0-ply.

    Args:
        outcome: Cubeless, for the side on roll, before the roll.
        efficiency: The cube efficiency of the position, 0 to 1, or three by state of the cube.
        space: The states, seen by the side on roll.
    """
    outcomes, efficiencies = np.array([outcome], np.float32), np.array([efficiency], np.float32)
    return decide_from_values(compute_leaf_values(outcomes, efficiencies, space)[0], space)


def _choose_response(taken: float, space: CubeStateSpace) -> CubeResponse:
    if space.match.may_beaver and taken < -TIE_POINTS:
        return CubeResponse.BEAVER
    return CubeResponse.TAKE if taken <= 1.0 + TIE_POINTS else CubeResponse.PASS


def _choose_doubling(held: float, taken: float, space: CubeStateSpace) -> DoublingAction:
    """Choose; between equals, double where a wrong response would gain or a double costs nothing."""
    if not space.may_double[0]:
        return DoublingAction.UNAVAILABLE
    doubled = min(taken, 1.0)
    gains_by_mistakes = taken > held + TIE_POINTS or (space.has_free_double and taken > -1.0 + TIE_POINTS)
    if doubled > held + TIE_POINTS or (doubled > held - TIE_POINTS and gains_by_mistakes):
        return DoublingAction.DOUBLE
    return DoublingAction.TOO_GOOD if held > 1.0 + TIE_POINTS else DoublingAction.NO_DOUBLE


def _make_cube_value(equity_points: float, space: CubeStateSpace) -> CubeValue:
    if space.is_money:
        return CubeValue(equity_points, None)
    even, stake = space.equity_scale
    return CubeValue(equity_points, min(max(even + equity_points * stake, 0.0), 1.0))
