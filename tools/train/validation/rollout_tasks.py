"""Roll positions out: many games from each, by nets or by GNU Backgammon, with variance reduction.

Each position has dice of its own, which its place in the set and the seed decide: so the errors of labels do
not depend on each other, and labels depend neither on how many processes share the work nor on where a run
was interrupted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.results import Scores
from gammond.engine.rules.position import Board
from gammond.nets.catalogue import load_pruner
from gammond.tools.gnubg.rollouts import roll_out_with_gnubg
from gammond.tools.train.labels.rollouts import (
    derive_dice_seed,
    make_rollout_evaluators,
    play_to_error,
    roll_out_trials,
)
from gammond.tools.train.runs.shard_loop import ShardRecord, ShardTask
from gammond.tools.train.validation.positions import ValidationPositions
from gammond.tools.train.validation.rollout_labels import ROLLOUTS, RolloutLabels, write_rollouts
from gammond.tools.train.weights.net_set import NetSet

SHARD_POSITIONS = 16
"""Positions of a shard: about a minute of work."""

_DICE_SEED_TAG = 0x726F6C6C6F757473
"""Stands first in the seeds of the dice of rollouts."""


RolloutTask = ShardTask[tuple[NetSet | None, int, RolloutSettings], ValidationPositions]
"""A shard to make. Its plan: the nets that play, None for GNU Backgammon's program; how far plays are looked
ahead, 0 for the nets alone; how positions are rolled out, with the seed of the set."""


def make_rollout_tasks(
    nets: NetSet | None, plies: int, settings: RolloutSettings, folder: Path, positions: ValidationPositions
) -> list[RolloutTask]:
    """Share the positions of a set among shards; see `RolloutTask`."""
    return ROLLOUTS.divide((nets, plies, settings), folder, positions, SHARD_POSITIONS, write_rollouts)


def roll_out_shard(task: RolloutTask) -> tuple[ShardRecord, RolloutLabels]:
    """Roll out the positions of a shard.

    Returns:
        The number of positions, of trials, and the root mean square of the standard errors of equity, in
        points; and the labels.
    """
    nets, plies, settings = task.plan
    places = range(task.place, task.place + len(task.items))
    seeds = [derive_dice_seed(_DICE_SEED_TAG, settings.seed, place) for place in places]
    if nets is None:
        labels = _roll_out_with_gnubg(task.items, plies, settings, seeds)
    else:
        evaluators = make_rollout_evaluators(nets, load_pruner(), plies)
        labels = _roll_out_with_nets(task.items, evaluators, settings, seeds)
    error = float(np.sqrt(np.square(labels.equity_errors, dtype=np.float64).mean()))
    return {"labelled": len(labels), "trials": int(labels.trials.sum()), "error": error}, labels


def _roll_out_with_nets(
    positions: ValidationPositions,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings,
    seeds: Sequence[int],
) -> RolloutLabels:
    scores = [
        roll_out_to_error(board, evaluators, replace(settings, seed=seed))
        for board, seed in zip(positions.boards, seeds, strict=True)
    ]
    return RolloutLabels(
        positions,
        np.array([each.mean(axis=0) for each in scores], np.float32),
        np.array([_standard_errors(each) for each in scores], np.float32),
        np.array([_standard_errors(CUBELESS_GAME.equities(each)) for each in scores], np.float32),
        np.array([len(each) for each in scores], np.int32),
    )


def _roll_out_with_gnubg(
    positions: ValidationPositions, plies: int, settings: RolloutSettings, seeds: Sequence[int]
) -> RolloutLabels:
    with tempfile.TemporaryDirectory(prefix="gammond-gnubg-") as folder:
        found = roll_out_with_gnubg(positions.boards, plies, settings, seeds, Path(folder))
    return RolloutLabels(
        positions,
        np.array([each.outcome for each in found], np.float32),
        np.array([each.outcome_errors for each in found], np.float32),
        np.array([each.error for each in found], np.float32),
        np.array([each.trials for each in found], np.int32),
    )


def roll_out_to_error(board: Board, evaluators: RolloutEvaluators, settings: RolloutSettings) -> Scores:
    """Roll a position out until its equity is known well enough, as `play_to_error`.

    Args:
        board: ``int8[2, 26]``.
        evaluators: Play and evaluate.
        settings: Of the rollout.

    Returns:
        ``float64[trials, 5]``.
    """
    play = partial(roll_out_trials, board, evaluators, settings)
    return play_to_error(play, CUBELESS_GAME.equities, settings)


def _standard_errors(samples: Scores) -> Scores:
    """Of the mean over the first axis."""
    errors: Scores = np.asarray(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return errors
