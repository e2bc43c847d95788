"""Resignations: what a side can offer without a loss, and whether an offer is to be accepted."""

from __future__ import annotations

from engine.cubeful.cube_game import CubeGame

TOLERANCE_POINTS = 0.001
"""How far playing on may be worth more or less than what is offered, in points for the present cube."""


def resignation(value: float, game: CubeGame) -> int:
    """Say what a side can resign: what playing on would cost it anyway, and no less, or it is not accepted.

    Args:
        value: What playing on is worth to the side: points for a cube of 1, or the chance to win the match.
        game: The states, seen by that side.

    Returns:
        1 a single game, 2 a gammon, 3 a backgammon; the least of those that cost the same. 0 to play on.
    """
    tolerance = TOLERANCE_POINTS * _point(game)
    for points in (1, 2, 3):
        if abs(value - _offer_worth(-points, game)) <= tolerance:
            return points
    return 0


def accepts_resignation(value: float, points: int, game: CubeGame) -> bool:
    """Say whether to accept a resignation.

    Args:
        value: What playing on is worth to the side that was offered it: points for a cube of 1, or the chance
            to win the match.
        points: What was offered: 1 a single game, 2 a gammon, 3 a backgammon.
        game: The states, seen by that side.
    """
    return _offer_worth(points, game) >= value - TOLERANCE_POINTS * _point(game)


def _offer_worth(points: int, game: CubeGame) -> float:
    """The worth of a result, a single game under the Jacoby rule while the cube is in the middle."""
    counts_single = game.is_money and game.match.jacoby and game.match.cube_owner is None
    return game.result_worth((1 if points > 0 else -1) if counts_single else points)


def _point(game: CubeGame) -> float:
    """One point for the present cube."""
    return 0.5 * (game.result_worth(1) - game.result_worth(-1))
