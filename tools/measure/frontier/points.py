"""The frontier of strength against speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class FrontierPoint:
    """A player's speed and strength.

    Attributes:
        name: The player, as the command called it.
        title: What the player calls itself.
        nets: sha256 by name of the net.
        evaluations_per_s: Positions per second on one core.
        points_per_game: Cubeless money points per game against the common opponent.
        standard_error: Of `points_per_game`.
        is_on_frontier: Whether no other player is at least as fast and as strong, and ahead in one.
    """

    name: str
    title: str
    nets: dict[str, str]
    evaluations_per_s: float
    points_per_game: float
    standard_error: float
    is_on_frontier: bool = True


def mark_frontier(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Return the players, fastest first, with `FrontierPoint.is_on_frontier` set."""
    ordered = sorted(points, key=_speed_and_strength, reverse=True)
    return tuple(
        replace(point, is_on_frontier=not any(_dominates(other, point) for other in points))
        for point in ordered
    )


def _speed_and_strength(point: FrontierPoint) -> tuple[float, float]:
    return point.evaluations_per_s, point.points_per_game


def _dominates(one: FrontierPoint, other: FrontierPoint) -> bool:
    place, other_place = _speed_and_strength(one), _speed_and_strength(other)
    return place != other_place and place[0] >= other_place[0] and place[1] >= other_place[1]
