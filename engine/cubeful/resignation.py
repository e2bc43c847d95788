"""Resignations: what a side can offer without a loss, and whether an offer is to be accepted."""

from __future__ import annotations

from engine.cubeful.state_space import CubeStateSpace

TOLERANCE_POINTS = 0.001
"""How far playing on may be worth more or less than what is offered, in points for the present cube."""


def choose_resignation(value: float, space: CubeStateSpace) -> int:
    """Say what a side can resign: what playing on would cost it anyway, and no less, or it is not accepted.

    Args:
        value: What playing on is worth to the side: points for a cube of 1, or the chance to win the match.
        space: The states, seen by that side.

    Returns:
        1 a single game, 2 a gammon, 3 a backgammon; the least of those that cost the same. 0 to play on.
    """
    tolerance = TOLERANCE_POINTS * _compute_point_value(space)
    for points in (1, 2, 3):
        if abs(value - _compute_offer_value(-points, space)) <= tolerance:
            return points
    return 0


def should_accept_resignation(value: float, points: int, space: CubeStateSpace) -> bool:
    """Say whether to accept a resignation.

    Args:
        value: What playing on is worth to the side that was offered it: points for a cube of 1, or the chance
            to win the match.
        points: What was offered: 1 a single game, 2 a gammon, 3 a backgammon.
        space: The states, seen by that side.
    """
    return _compute_offer_value(points, space) >= value - TOLERANCE_POINTS * _compute_point_value(space)


def _compute_offer_value(points: int, space: CubeStateSpace) -> float:
    """The worth of a result, a single game under the Jacoby rule while the cube is in the middle."""
    counts_single = space.is_money and space.match.jacoby and space.match.cube_owner is None
    return space.result_value((1 if points > 0 else -1) if counts_single else points)


def _compute_point_value(space: CubeStateSpace) -> float:
    """One point for the present cube."""
    return 0.5 * (space.result_value(1) - space.result_value(-1))
