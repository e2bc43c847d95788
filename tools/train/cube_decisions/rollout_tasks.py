"""Roll cube decisions out: no double and double/take, with the same dice, the cube and variance reduction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from gammond.engine.cubeful import make_cube_game
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, TrialCubes
from gammond.engine.rollout.results import Scores
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.engine.statistics import mean_with_error
from gammond.tools.parallel.rollout_blocks import RolloutPlayers, load_rollout_evaluators
from gammond.tools.train.cube_decisions.decision_file import (
    ROLLED_DECISIONS,
    DecisionRollout,
    RatedDecision,
    write_decisions,
)
from gammond.tools.train.labels.rollouts import derive_dice_seed, play_to_error
from gammond.tools.train.runs.shard_loop import ShardRecord, ShardTask

SHARD_DECISIONS = 8
"""Decisions of a shard: some seconds of work."""

_DICE_SEED_TAG = 0x63756265726F6C6C
"""Stands first in the seeds of the dice of rollouts."""


DecisionTask = ShardTask[tuple[RolloutPlayers, RolloutSettings], list[RatedDecision]]
"""A shard to make. Its plan: who plays, and how decisions are rolled out, with the seed of the set."""


def make_decision_tasks(
    players: RolloutPlayers, settings: RolloutSettings, folder: Path, decisions: list[RatedDecision]
) -> list[DecisionTask]:
    """Share the decisions of a set among shards; see `DecisionTask`."""
    return ROLLED_DECISIONS.divide((players, settings), folder, decisions, SHARD_DECISIONS, write_decisions)


def roll_out_shard(task: DecisionTask) -> tuple[ShardRecord, list[RatedDecision]]:
    """Roll out the decisions of a shard.

    Returns:
        The number of decisions, of trials, and the root mean square of the standard errors of what doubling
        gains, in points; and the decisions with their rollouts.
    """
    players, rollouts = task.plan
    evaluators = load_rollout_evaluators(players)
    done = []
    for place, decision in enumerate(task.items, task.place):
        settings = replace(rollouts, seed=derive_dice_seed(_DICE_SEED_TAG, rollouts.seed, place))
        found = roll_out_decision(decision.position, decision.match, evaluators, settings)
        done.append((replace(decision, rollout=found), found))
    error = float(np.sqrt(np.mean([found.gain_error**2 for _, found in done])))
    trials = sum(found.trials for _, found in done)
    record = {"labelled": len(done), "trials": trials, "error": error}
    return record, [decision for decision, _ in done]


def roll_out_decision(
    position: Position, match: MatchState, evaluators: RolloutEvaluators, settings: RolloutSettings
) -> DecisionRollout:
    """Roll a cube decision out until what doubling gains is known well enough, as `play_to_error`.

    Args:
        position: The position, not over; the rules let its side double.
        match: The match state.
        evaluators: Play, and decide about the cube.
        settings: Of the rollout.
    """
    game = make_cube_game(match)
    cubes = TrialCubes.make_decision(game)
    starts = np.repeat(position.board[None], 2, axis=0)

    def play(trials: range) -> Scores:
        scores, _ = TrialBlock(starts, trials, settings, game, cubes).play(evaluators)
        return scores

    def compute_gain(scores: Scores) -> Scores:
        held, taken = game.equities(scores)
        gains: Scores = taken - held
        return gains

    scores = play_to_error(play, compute_gain, settings)
    held, taken = game.equities(scores)
    return DecisionRollout(
        (float(held.mean()), float(taken.mean())),
        (mean_with_error(held).error, mean_with_error(taken).error),
        mean_with_error(taken - held).error,
        len(held),
        Outcome(*scores[1, :, :OUTCOME_COLUMNS].mean(axis=0).tolist()),
    )
