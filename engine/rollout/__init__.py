"""Rollouts: trials that the engine plays out from a position, and estimates from them."""

from engine.rollout.cube_decisions import CubeRollout, roll_out_cube
from engine.rollout.decisions import (
    PlayRollout,
    make_scoring_after_plays,
    make_scoring_before_roll,
    rank_by_rollout,
    roll_out_plays,
    roll_out_position,
)
from engine.rollout.evaluator import RolloutEvaluator
from engine.rollout.results import EquityDifference, RolloutEstimate, RolloutState
from engine.rollout.runner import Rollout, roll_out
from engine.rollout.settings import RolloutEvaluators, RolloutSettings
from engine.rollout.state_file import load_state, save_state
from engine.rollout.stop_rules import StopReason
from engine.rollout.trial_scoring import CubefulScoring, TrialCubes, TrialScoring

__all__ = [
    "CubeRollout",
    "CubefulScoring",
    "EquityDifference",
    "PlayRollout",
    "Rollout",
    "RolloutEstimate",
    "RolloutEvaluator",
    "RolloutEvaluators",
    "RolloutSettings",
    "RolloutState",
    "StopReason",
    "TrialCubes",
    "TrialScoring",
    "load_state",
    "make_scoring_after_plays",
    "make_scoring_before_roll",
    "rank_by_rollout",
    "roll_out",
    "roll_out_cube",
    "roll_out_plays",
    "roll_out_position",
    "save_state",
]
