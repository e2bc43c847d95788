"""The cube: values with the cube, decisions about it, and where they change.

A `CubeGame` (from `cube_game`) lays out the states that the cube of a game can come to. Everything else is a
function of it and of outcomes or values:

- a search: `cube_efficiencies` and `leaf_values` at the leaves, `with_option` for the right to double;
  `equities` for people;
- an answer: `decide` on the values of the root, or `decide_outcome` without looking ahead; `resignation` and
  `accepts_resignation`; `score_matrix` for all scores at once;
- theory: `doubling_window`, `take_point`, `gammon_value`.
"""

from engine.cubeful.cube_game import CubeGame, CubeState, Values, cube_game
from engine.cubeful.decision import CubeDecision, CubeValue, Doubling, Response, decide, decide_outcome
from engine.cubeful.efficiency import USUAL_EFFICIENCIES, CubeEfficiencies, are_all_home, cube_efficiencies
from engine.cubeful.resignation import accepts_resignation, resignation
from engine.cubeful.score_matrix import ScoreMatrix, score_matrix
from engine.cubeful.take_points import DoublingWindow, doubling_window, gammon_value, take_point
from engine.cubeful.values import (
    dead_values,
    equities,
    exact_values,
    leaf_values,
    with_option,
)

__all__ = [
    "USUAL_EFFICIENCIES",
    "CubeDecision",
    "CubeEfficiencies",
    "CubeGame",
    "CubeState",
    "CubeValue",
    "Doubling",
    "DoublingWindow",
    "Response",
    "ScoreMatrix",
    "Values",
    "accepts_resignation",
    "are_all_home",
    "cube_efficiencies",
    "cube_game",
    "dead_values",
    "decide",
    "decide_outcome",
    "doubling_window",
    "equities",
    "exact_values",
    "gammon_value",
    "leaf_values",
    "resignation",
    "score_matrix",
    "take_point",
    "with_option",
]
