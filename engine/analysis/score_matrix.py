"""The score matrix of a position, by a search at every score."""

from __future__ import annotations

from engine.analysis.engine import Engine
from engine.cubeful import CubeStateSpace, ScoreMatrix, compute_score_matrix
from engine.kernels.objectives import OUTCOME_COLUMNS
from engine.rules.position import Position
from engine.rules.rules import Feature
from engine.search import SearchWatch
from engine.search.objective import Objective, Values
from engine.search.tree import check_plies


def search_score_matrix(
    engine: Engine,
    position: Position,
    away: int,
    *,
    cube: int = 1,
    plies: int = 0,
    watch: SearchWatch | None = None,
) -> ScoreMatrix:
    """Search the cube decision at every score up to a number of points away.

    Args:
        engine: Searches.
        position: The checkers, those of the player on roll first.
        away: Greatest number of points away, 2 to 64.
        cube: Value of the cube; above 1 the player on roll owns it.
        plies: Plies of look-ahead at every score.
        watch: Counts nodes and stops the work.

    Raises:
        ValueRangeError: An argument is out of range.
        UnsupportedError: The rules have no cube.
        CancelledWork: The watch stopped it.
    """
    engine.rules.check_supports(Feature.CUBE)
    check_plies(plies)
    board, watch = position.board[None], watch or SearchWatch()

    def values_at(game: CubeStateSpace) -> Values:
        objective = Objective(engine.evaluator, game, engine.exact)
        return engine.tree.evaluate(objective, board, plies, watch)[0, OUTCOME_COLUMNS:]

    return compute_score_matrix(values_at, away, cube=cube, table=engine.table)
