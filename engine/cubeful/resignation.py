"""Resignations: what a side can resign without a loss, and whether to accept."""

from __future__ import annotations

from engine.cubeful.state_space import CubeStateSpace

TOLERANCE_POINTS = 0.001
"""Allowed difference between playing on and the offer, in points for the present cube."""


def choose_resignation(value: float, space: CubeStateSpace) -> int:
    """Return the resignation that costs a side exactly as much as playing on; a smaller one is not accepted.

    Args:
        value: The side's value of playing on: points for a cube of 1, or match-winning chance.
        space: The states, seen by that side.

    Returns:
        1 a single game, 2 a gammon, 3 a backgammon, the smallest of equal ones; 0 to play on.
    """
    tolerance = TOLERANCE_POINTS * _compute_point_value(space)
    for points in (1, 2, 3):
        if abs(value - _compute_offer_value(-points, space)) <= tolerance:
            return points
    return 0


def should_accept_resignation(value: float, points: int, space: CubeStateSpace) -> bool:
    """Return whether the other side should accept a resignation.

    Args:
        value: The resigning side's value of playing on: points for a cube of 1, or match-winning chance.
        points: The offer: 1 a single game, 2 a gammon, 3 a backgammon.
        space: The states, seen by that side.
    """
    other, other_value = space.opponent_view, -value if space.is_money else 1.0 - value
    return _compute_offer_value(points, other) >= other_value - TOLERANCE_POINTS * _compute_point_value(other)


def compute_resignation_loss(value: float, points: int, space: CubeStateSpace) -> float:
    """Return what a resignation loses against playing on, in points for the present cube.

    Args:
        value: The resigning side's value of playing on: points for a cube of 1, or match-winning chance.
        points: The offer: 1 a single game, 2 a gammon, 3 a backgammon.
        space: The states, seen by that side.

    Returns:
        The loss; below zero where the offer is worth less than the other side expects.
    """
    return (value - _compute_offer_value(-points, space)) / _compute_point_value(space)


def _compute_offer_value(points: int, space: CubeStateSpace) -> float:
    """Return the value of a result, that of a single game under Jacoby while the cube is centred."""
    counts_single = space.is_money and space.match.jacoby and space.match.cube_owner is None
    return space.result_value((1 if points > 0 else -1) if counts_single else points)


def _compute_point_value(space: CubeStateSpace) -> float:
    """Return the value of one point at the present cube."""
    return 0.5 * (space.result_value(1) - space.result_value(-1))
