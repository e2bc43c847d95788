"""The score matrix: the proper cube action of one position at every score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.cubeful.decision import CubeDecision
from engine.cubeful.match_equity import MAX_TABLE_POINTS
from engine.errors import ValueRangeError
from engine.rules.match import MAX_CUBE, MatchState


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

    def decision_at(self, away: int, other_away: int) -> CubeDecision:
        """Return the decision at a score.

        Args:
            away: Points that the side on roll needs.
            other_away: Points that the other side needs.

        Raises:
            ValueRangeError: The score is not in the matrix.
        """
        if not (1 <= away <= len(self.rows) and 1 <= other_away <= len(self.rows)):
            raise ValueRangeError(
                f"expected 1 to {len(self.rows)} points away, got {away} against {other_away}",
                field="away",
            )
        return self.rows[away - 1][other_away - 1]


def compute_score_matrix(
    decide: Callable[[MatchState], CubeDecision], max_away: int, *, cube: int = 1
) -> ScoreMatrix:
    """Decide at every score up to a distance on both sides.

    Args:
        decide: Decides about the cube of the position, given the match state.
        max_away: The largest distance in points away, 2 to 64.
        cube: Value of the cube; above 1 the side on roll owns it.

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
