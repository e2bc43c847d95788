"""Rollouts: games played out from a position by the engine itself, and what they say about it."""

from engine.rollout.cube_decisions import RolledOutCube, roll_out_cube
from engine.rollout.cubeful import Cubeful
from engine.rollout.decisions import (
    RolledOutPlay,
    ranked_plays,
    roll_out_plays,
    roll_out_position,
    scoring_after_plays,
    scoring_before_roll,
)
from engine.rollout.evaluator import RolloutEvaluator
from engine.rollout.policy import ShortlistedReplies
from engine.rollout.results import Difference, Estimate, RolloutState
from engine.rollout.running import Rollout, roll_out
from engine.rollout.saving import load_state, save_state
from engine.rollout.scoring import Cubeless, Cubes, Scoring
from engine.rollout.settings import RolloutJudges, RolloutSettings
from engine.rollout.stopping import StopReason

__all__ = [
    "Cubeful",
    "Cubeless",
    "Cubes",
    "Difference",
    "Estimate",
    "RolledOutCube",
    "RolledOutPlay",
    "Rollout",
    "RolloutEvaluator",
    "RolloutJudges",
    "RolloutSettings",
    "RolloutState",
    "Scoring",
    "ShortlistedReplies",
    "StopReason",
    "load_state",
    "ranked_plays",
    "roll_out",
    "roll_out_cube",
    "roll_out_plays",
    "roll_out_position",
    "save_state",
    "scoring_after_plays",
    "scoring_before_roll",
]
