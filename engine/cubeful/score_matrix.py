"""The score matrix: the proper cube action of one position at every score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.cubeful.decision import CubeDecision, decide_from_values
from engine.cubeful.match_equity import MAX_TABLE_POINTS, MatchEquityTable
from engine.cubeful.state_space import CubefulValues, CubeStateSpace, build_cube_state_space
from engine.errors import ValueRangeError
from engine.rules.match import MAX_CUBE, MatchState

CubefulValueFunction = Callable[[CubeStateSpace], CubefulValues]
"""Gives the ``float32[states]`` of one position in a game, before the roll, without doubling now."""


@dataclass(frozen=True)
class ScoreMatrix:
    """Cube decisions by score.

    Attributes:
        cube: What the cube shows; above 1 the side on roll owns it.
        money: The decision for money, with neither the Jacoby rule nor beavers.
        rows: ``rows[i][j]`` is the decision when the side on roll is i+1 points away and the other side j+1;
            one point away after the Crawford game, in which nobody doubles.
    """

    cube: int
    money: CubeDecision
    rows: tuple[tuple[CubeDecision, ...], ...]

    def decision_at(self, away: int, other_away: int) -> CubeDecision:
        """The decision at a score.

        Args:
            away: Points that the side on roll needs.
            other_away: Points that the other side needs.

        Raises:
            ValueRangeError: The score is not in the matrix.
        """
        if not (1 <= away <= len(self.rows) and 1 <= other_away <= len(self.rows)):
            raise ValueRangeError(
                f"the score matrix has 1 to {len(self.rows)} points away, not {away} against {other_away}",
                field="away",
            )
        return self.rows[away - 1][other_away - 1]


def compute_score_matrix(
    value_function: CubefulValueFunction,
    max_away: int,
    *,
    cube: int = 1,
    table: MatchEquityTable | None = None,
) -> ScoreMatrix:
    """Decide at every score up to so many points away on both sides.

    Args:
        value_function: Values the position in the states of any game it is given.
        max_away: How far the matrix reaches, 2 to 64.
        cube: What the cube shows; above 1 the side on roll owns it.
        table: What match equities come from; the shipped one if None.

    Raises:
        ValueRangeError: An argument is outside what it may be.
    """
    if not 2 <= max_away <= MAX_TABLE_POINTS:
        raise ValueRangeError(
            f"a score matrix reaches 2 to {MAX_TABLE_POINTS} points, not {max_away}", field="away"
        )
    if not 1 <= cube < MAX_CUBE or cube & (cube - 1):
        raise ValueRangeError(f"a cube is a power of two below {MAX_CUBE}, not {cube}", field="cube")
    owner = None if cube == 1 else 0

    def decision(length: int, score: tuple[int, int] = (0, 0)) -> CubeDecision:
        match = MatchState(length=length, score=score, cube=cube, cube_owner=owner, beavers=False)
        game = build_cube_state_space(match, table)
        return decide_from_values(value_function(game), game)

    steps = range(1, max_away + 1)
    rows = tuple(
        tuple(decision(max_away, (max_away - own, max_away - other)) for other in steps) for own in steps
    )
    return ScoreMatrix(cube, decision(0), rows)
