"""Roll positions out: many games from each, by nets or by GNU Backgammon, with variance reduction.

Each position has dice of its own, which its place in the set and the seed decide: so the errors of labels do
not depend on each other, and labels depend neither on how many processes share the work nor on where a run
was interrupted.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.dice import FACES
from gammond.engine.rollout.results import Scores
from gammond.engine.rules.position import Board
from gammond.nets.catalogue import load_pruner
from gammond.tools.gnubg.rollouts import roll_out_with_gnubg
from gammond.tools.train.labels.rollouts import (
    derive_dice_seed,
    make_rollout_evaluators,
    roll_out_trials,
)
from gammond.tools.train.runs.shard_loop import ShardRecord
from gammond.tools.train.validation.positions import ValidationPositions
from gammond.tools.train.validation.rollout_labels import RolloutLabels, rollout_file, write_rollouts
from gammond.tools.train.weights.net_set import NetSet

SHARD_POSITIONS = 16
"""Positions of a shard: about a minute of work."""

_DICE_SEED_TAG = 0x726F6C6C6F757473
"""Stands first in the seeds of the dice of rollouts."""


@dataclass(frozen=True, eq=False)
class PositionRolloutTask:
    """One shard to make.

    Attributes:
        nets: Play; None for GNU Backgammon's program.
        plies: How far plays are looked ahead; 0 for the nets alone.
        settings: Of the rollouts; ``seed`` is that of the set, the other fields as `roll_out_to_error` takes
            them.
        folder: Where the shard goes.
        number: Of the shard.
        first: The place of its first position in the set.
        positions: What is rolled out.
    """

    nets: NetSet | None
    plies: int
    settings: RolloutSettings
    folder: Path
    number: int
    first: int
    positions: ValidationPositions

    @property
    def file(self) -> Path:
        """Where the shard goes."""
        return rollout_file(self.folder, self.number)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions)

    def derive_seed(self, place: int) -> int:
        """Derive the seed of the dice of a position, by its place in the shard."""
        return derive_dice_seed(_DICE_SEED_TAG, self.settings.seed, self.first + place)

    def write(self, content: RolloutLabels) -> None:
        """Write the shard."""
        write_rollouts(self.file, content)


def make_rollout_tasks(
    nets: NetSet | None, plies: int, settings: RolloutSettings, folder: Path, positions: ValidationPositions
) -> list[PositionRolloutTask]:
    """Share the positions of a set among shards; arguments as the attributes of `PositionRolloutTask`."""
    return [
        PositionRolloutTask(
            nets, plies, settings, folder, number, first, positions[first : first + SHARD_POSITIONS]
        )
        for number, first in enumerate(range(0, len(positions), SHARD_POSITIONS))
    ]


def roll_out_shard(task: PositionRolloutTask) -> tuple[ShardRecord, RolloutLabels]:
    """Roll out the positions of a shard.

    Returns:
        The number of positions, of trials, and the root mean square of the standard errors of equity, in
        points; and the labels.
    """
    labels = _roll_out_with_gnubg(task) if task.nets is None else _roll_out_with_nets(task, task.nets)
    error = float(np.sqrt(np.square(labels.equity_errors, dtype=np.float64).mean()))
    return {"labelled": len(labels), "trials": int(labels.trials.sum()), "error": error}, labels


def _roll_out_with_nets(task: PositionRolloutTask, nets: NetSet) -> RolloutLabels:
    evaluators = make_rollout_evaluators(nets, load_pruner(), task.plies)
    scores = [
        roll_out_to_error(board, evaluators, replace(task.settings, seed=task.derive_seed(place)))
        for place, board in enumerate(task.positions.boards)
    ]
    return RolloutLabels(
        task.positions,
        np.array([each.mean(axis=0) for each in scores], np.float32),
        np.array([_standard_errors(each) for each in scores], np.float32),
        np.array([_standard_errors(CUBELESS_GAME.equities(each)) for each in scores], np.float32),
        np.array([len(each) for each in scores], np.int32),
    )


def _roll_out_with_gnubg(task: PositionRolloutTask) -> RolloutLabels:
    with tempfile.TemporaryDirectory(prefix="gammond-gnubg-") as folder:
        seeds = [task.derive_seed(place) for place in range(len(task))]
        found = roll_out_with_gnubg(task.positions.boards, task.plies, task.settings, seeds, Path(folder))
    return RolloutLabels(
        task.positions,
        np.array([each.outcome for each in found], np.float32),
        np.array([each.outcome_errors for each in found], np.float32),
        np.array([each.error for each in found], np.float32),
        np.array([each.trials for each in found], np.int32),
    )


def roll_out_to_error(board: Board, evaluators: RolloutEvaluators, settings: RolloutSettings) -> Scores:
    """Roll a position out until it is known well enough.

    The spread of the first ``min_trials`` games tells how many it takes to come to a standard error of equity
    of ``stop_error``, in whole rows of first rolls; no more than ``trials`` are played.

    Args:
        board: ``int8[2, 26]``.
        evaluators: Play and evaluate.
        settings: Without ``stop_error`` all trials are played.

    Returns:
        ``float64[trials, 5]``.
    """
    if not settings.stop_error:
        return roll_out_trials(board, evaluators, settings, range(settings.trials))
    first = min(settings.min_trials, settings.trials)
    scores = roll_out_trials(board, evaluators, settings, range(first))
    variance = float(CUBELESS_GAME.equities(scores).var(ddof=1))
    rows = np.ceil(variance / settings.stop_error**2 / FACES)
    last = min(int(rows) * FACES, settings.trials)
    if last <= first:
        return scores
    return np.concatenate([scores, roll_out_trials(board, evaluators, settings, range(first, last))])


def _standard_errors(samples: Scores) -> Scores:
    """Of the mean over the first axis."""
    errors: Scores = np.asarray(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return errors
