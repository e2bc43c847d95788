"""Roll positions out: many games from each, by nets or by GNU Backgammon, with variance reduction.

Each position has dice of its own, which its place in the set and the seed decide: so the errors of labels do
not depend on each other, and labels depend neither on how many processes share the work nor on where a run
was interrupted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.results import Scores
from gammond.engine.rules.position import Board
from gammond.engine.statistics import compute_standard_errors, mean_with_error
from gammond.nets.catalogue import load_pruner
from gammond.tools.gnubg.rollouts import roll_out_with_gnubg
from gammond.tools.train.labels.rollouts import (
    derive_dice_seed,
    make_rollout_evaluators,
    play_to_error,
    roll_out_trials,
)
from gammond.tools.train.runs.shard_loop import ShardRecord, ShardTask
from gammond.tools.train.validation.net_errors import rms
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
    boards = task.items.boards
    if nets is None:
        rows = _roll_out_with_gnubg(boards, plies, settings, seeds)
    else:
        evaluators = make_rollout_evaluators(nets, load_pruner(), plies)
        rows = _roll_out_with_nets(boards, evaluators, settings, seeds)
    labels = RolloutLabels.from_rows(task.items, rows)
    trials, error = int(labels.trials.sum()), rms(labels.equity_errors)
    return {"labelled": len(labels), "trials": trials, "error": error}, labels


_Row = tuple[NDArray[Any], NDArray[Any], float, int]
"""Of a position the mean outcome, its standard errors, that of the equity, and the number of trials."""


def _roll_out_with_nets(
    boards: Board, evaluators: RolloutEvaluators, settings: RolloutSettings, seeds: Sequence[int]
) -> Iterator[_Row]:
    for board, seed in zip(boards, seeds, strict=True):
        scores = roll_out_to_error(board, evaluators, replace(settings, seed=seed))
        equity_error = mean_with_error(CUBELESS_GAME.equities(scores)).error
        yield scores.mean(axis=0), compute_standard_errors(scores), equity_error, len(scores)


def _roll_out_with_gnubg(
    boards: Board, plies: int, settings: RolloutSettings, seeds: Sequence[int]
) -> Iterator[_Row]:
    with tempfile.TemporaryDirectory(prefix="gammond-gnubg-") as folder:
        for each in roll_out_with_gnubg(boards, plies, settings, seeds, Path(folder)):
            error = np.nan if each.error is None else each.error
            yield np.array(each.outcome), np.array(each.outcome_errors), error, each.trials


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
