"""Rollouts: trials that the engine plays out from a position, and estimates from them."""

from gammond.engine.rollout.decisions import (
    CubeRollout,
    rank_by_rollout,
    roll_out_cube,
    roll_out_plays,
    roll_out_position,
)
from gammond.engine.rollout.results import RolloutState, TrialCubes
from gammond.engine.rollout.runner import Rollout, roll_out
from gammond.engine.rollout.settings import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.state_file import load_state, save_state
from gammond.engine.rollout.stop_rules import CANCELLED

__all__ = [
    "CANCELLED",
    "CubeRollout",
    "Rollout",
    "RolloutEvaluators",
    "RolloutSettings",
    "RolloutState",
    "TrialCubes",
    "load_state",
    "rank_by_rollout",
    "roll_out",
    "roll_out_cube",
    "roll_out_plays",
    "roll_out_position",
    "save_state",
]
