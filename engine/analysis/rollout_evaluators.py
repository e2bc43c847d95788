"""What an engine evaluates and plays with in rollouts."""

from __future__ import annotations

from collections.abc import Callable

from engine.analysis.engine import Engine
from engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from engine.rollout import RolloutEvaluators
from engine.rules.rules import Feature


def make_rollout_evaluators(
    engine: Engine,
    play_plies: int = 0,
    leaf_plies: int = 0,
    cube_plies: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> RolloutEvaluators:
    """Make the evaluators of rollouts; luck is measured at 0-ply.

    Args:
        engine: Evaluates.
        play_plies: Look-ahead for checker plays.
        leaf_plies: Look-ahead for the values at the truncation.
        cube_plies: Look-ahead for cube decisions.
        cancelled: Stops the rollout, and its searches.

    Raises:
        ValueRangeError: Plies are out of range.
        UnsupportedError: The rules do not support evaluation.
    """
    engine.rules.check_supports(Feature.EVALUATION)
    cheap = engine.policy or EvaluatorPruner(engine.evaluator)
    policy = cheap
    if play_plies:
        policy = ShortlistPruner(
            engine.pruner or cheap, engine.make_n_ply_evaluator(play_plies, cancelled=cancelled)
        )
    return RolloutEvaluators(
        policy,
        engine.make_n_ply_evaluator(leaf_plies, cancelled=cancelled),
        luck=engine.evaluator,
        luck_policy=cheap,
        cube=engine.make_n_ply_evaluator(cube_plies, cancelled=cancelled),
        exact_cubeful=engine.exact,
    )
