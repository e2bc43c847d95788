"""The cube: cubeful values, cube decisions, take points and doubling windows.

A `CubeStateSpace` (from `build_cube_state_space`) has the states that the cube of a game can reach. All
else is a function of it and of outcomes or values:

- search: `cube_efficiencies` and `compute_leaf_values` at the leaves, `with_doubling_option` for the right to
  double, `to_equities` for people;
- decisions: `decide_from_values` on the values of the root, or `decide_from_outcome` at 0-ply;
  `choose_resignation` and `should_accept_resignation`; `compute_score_matrix` for all scores at once;
- theory: `doubling_window`, `take_point`, `gammon_value`.
"""

from engine.cubeful.decision import (
    CubeDecision,
    CubeResponse,
    CubeValue,
    DoublingAction,
    decide_from_many_values,
    decide_from_outcome,
    decide_from_values,
)
from engine.cubeful.efficiency import (
    DEFAULT_EFFICIENCIES,
    CubeEfficiencies,
    EfficiencyFormula,
    are_all_home,
    cube_efficiencies,
)
from engine.cubeful.resignation import (
    choose_resignation,
    compute_resignation_loss,
    should_accept_resignation,
)
from engine.cubeful.score_matrix import ScoreMatrix, compute_score_matrix
from engine.cubeful.state_space import (
    CubefulValues,
    CubeState,
    CubeStateSpace,
    build_cube_state_space,
    make_dead_cube_game,
)
from engine.cubeful.take_points import DoublingWindow, doubling_window, gammon_value, take_point
from engine.cubeful.values import (
    compute_dead_cube_values,
    compute_leaf_values,
    list_exact_columns,
    select_exact_columns,
    select_exact_values,
    to_equities,
    with_doubling_option,
)

__all__ = [
    "DEFAULT_EFFICIENCIES",
    "CubeDecision",
    "CubeEfficiencies",
    "CubeResponse",
    "CubeState",
    "CubeStateSpace",
    "CubeValue",
    "CubefulValues",
    "DoublingAction",
    "DoublingWindow",
    "EfficiencyFormula",
    "ScoreMatrix",
    "are_all_home",
    "build_cube_state_space",
    "choose_resignation",
    "compute_dead_cube_values",
    "compute_leaf_values",
    "compute_resignation_loss",
    "compute_score_matrix",
    "cube_efficiencies",
    "decide_from_many_values",
    "decide_from_outcome",
    "decide_from_values",
    "doubling_window",
    "gammon_value",
    "list_exact_columns",
    "make_dead_cube_game",
    "select_exact_columns",
    "select_exact_values",
    "should_accept_resignation",
    "take_point",
    "to_equities",
    "with_doubling_option",
]
