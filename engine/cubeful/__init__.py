"""The cube: cubeful values, cube decisions, match equities.

A `CubeGame` (from `make_cube_game`) is a match state and a match equity table as one value. All else is a
function of it and of outcomes or values:

- search: `CubeEfficiencies.for_boards` and `CubeGame.evaluate` at the leaves, `CubeGame.with_double` for the
  right to double, `CubeGame.to_equities` for people;
- decisions: `CubeGame.decide` on the values of the root, or `CubeGame.decide_outcome` at 0-ply;
  `choose_resignation` and `should_accept_resignation`; `compute_score_matrix` for all scores at once.
"""

from gammond.engine.cubeful.cube_game import (
    CUBELESS_GAME,
    CubefulValues,
    CubeGame,
    CubeState,
    make_cube_game,
    make_dead_cube_game,
    select_exact_values,
)
from gammond.engine.cubeful.efficiency import (
    DEFAULT_EFFICIENCIES,
    CubeEfficiencies,
    EfficiencyFormula,
    are_all_home,
)
from gammond.engine.cubeful.scores import (
    ScoreMatrix,
    choose_resignation,
    compute_resignation_loss,
    compute_score_matrix,
    should_accept_resignation,
)

__all__ = [
    "CUBELESS_GAME",
    "DEFAULT_EFFICIENCIES",
    "CubeEfficiencies",
    "CubeGame",
    "CubeState",
    "CubefulValues",
    "EfficiencyFormula",
    "ScoreMatrix",
    "are_all_home",
    "choose_resignation",
    "compute_resignation_loss",
    "compute_score_matrix",
    "make_cube_game",
    "make_dead_cube_game",
    "select_exact_values",
    "should_accept_resignation",
]
