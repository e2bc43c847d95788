"""Questions of the score: what a resignation loses there, and the proper cube action at every score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gammond.engine.cubeful.cube_game import CubeGame
from gammond.engine.cubeful.match_equity import MAX_TABLE_POINTS
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.results import CubeDecision
from gammond.engine.rules.match import MAX_CUBE, MatchState

_TOLERANCE_POINTS = 0.001
"""Allowed difference between playing on and a resignation, in points for the present cube."""


def choose_resignation(value: float, game: CubeGame) -> int:
    """Return the resignation that costs a side exactly as much as playing on; a smaller one is not accepted.

    It is 1 to 3, the smallest of equal ones, or 0 to play on; arguments as `compute_resignation_loss`.
    """
    losses = (abs(compute_resignation_loss(value, points, game)) for points in (1, 2, 3))
    return next((points for points, loss in enumerate(losses, 1) if loss <= _TOLERANCE_POINTS), 0)


def should_accept_resignation(value: float, points: int, game: CubeGame) -> bool:
    """Return whether the other side should accept a resignation, arguments as `compute_resignation_loss`."""
    return compute_resignation_loss(value, points, game) >= -_TOLERANCE_POINTS


def compute_resignation_loss(value: float, points: int, game: CubeGame) -> float:
    """Return what a resignation loses against playing on, in points for the present cube.

    Args:
        value: The resigning side's value of playing on: points for a cube of 1, or match-winning chance.
        points: The offer: 1 a single game, 2 a gammon, 3 a backgammon.
        game: The game, seen by that side.

    Returns:
        The loss; below zero where the offer is worth less than the other side expects.
    """
    _, stake = game.equity_scale
    return (value - game.table.result_value(game.match, game.seat, -points)) / stake


@dataclass(frozen=True)
class ScoreMatrix:
    """Cube decisions by score.

    Attributes:
        cube: Value of the cube; above 1 the side on roll owns it.
        money: The decision for money, with neither the Jacoby rule nor beavers.
        rows: ``rows[i][j]`` is the decision when the side on roll is i+1 points away and the other side j+1;
            with a side 1-away it is that after the Crawford game, which has no doubling.
    """

    cube: int
    money: CubeDecision
    rows: tuple[tuple[CubeDecision, ...], ...]


def compute_score_matrix(
    decide: Callable[[MatchState], CubeDecision], max_away: int, *, cube: int = 1
) -> ScoreMatrix:
    """Decide at every score up to a distance on both sides.

    Args:
        decide: Decides about the cube of the position, given the match state.
        max_away: The largest distance in points away, 2 to 64.
        cube: As in the `ScoreMatrix`.

    Raises:
        ValueRangeError: An argument is out of range.
    """
    if not 2 <= max_away <= MAX_TABLE_POINTS:
        raise ValueRangeError(
            f"expected a score matrix of 2 to {MAX_TABLE_POINTS} points away, got {max_away}", field="away"
        )
    if not 1 <= cube < MAX_CUBE or cube & (cube - 1):
        raise ValueRangeError(
            f"expected a cube that is a power of two from 1 to {MAX_CUBE // 2}, got {cube}", field="cube"
        )
    owner = None if cube == 1 else 0

    def decision(length: int, score: tuple[int, int] = (0, 0)) -> CubeDecision:
        return decide(MatchState(length=length, score=score, cube=cube, cube_owner=owner, beavers=False))

    steps = range(1, max_away + 1)
    rows = tuple(
        tuple(decision(max_away, (max_away - own, max_away - other)) for other in steps) for own in steps
    )
    return ScoreMatrix(cube, decision(0), rows)
