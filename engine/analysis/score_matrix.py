"""The score matrix of a position, by a search at every score."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeDecision, ScoreMatrix, compute_score_matrix
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.rules.rules import Feature
from engine.search import SearchWatch


class SearchedMatrix(NamedTuple):
    """A score matrix by searches.

    Attributes:
        matrix: The decisions.
        is_stored: Whether all of them were kept, and nothing was searched.
    """

    matrix: ScoreMatrix
    is_stored: bool


def search_score_matrix(
    engine: Engine,
    position: Position,
    away: int,
    *,
    cube: int = 1,
    settings: EvalSettings | None = None,
    watch: SearchWatch | None = None,
) -> SearchedMatrix:
    """Search the cube decision at every score up to a number of points away.

    Args:
        engine: Searches.
        position: The checkers, those of the player on roll first.
        away: Greatest number of points away, 2 to 64.
        cube: Value of the cube; above 1 the player on roll owns it.
        settings: Look-ahead at every score, and whether kept values of this depth will do; 0-ply if None.
        watch: Counts nodes and stops the work.

    Raises:
        ValueRangeError: An argument is out of range.
        UnsupportedError: The rules have no cube.
        CancelledWork: The watch stopped it.
    """
    engine.rules.check_supports(Feature.CUBE)
    settings, watch = replace(settings or EvalSettings(), is_cubeful=True), watch or SearchWatch()

    is_stored = True

    def decide(match: MatchState) -> CubeDecision:
        nonlocal is_stored
        values, was_kept = engine.find_values(position, match, settings, watch)
        is_stored &= was_kept
        decision = engine.make_objective(match, settings).read_root(values, is_over=False).decision
        assert decision is not None  # it is cubeful
        return decision

    return SearchedMatrix(compute_score_matrix(decide, away, cube=cube), is_stored)
