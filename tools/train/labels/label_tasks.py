"""Label positions with exact backups, the mean over all 21 rolls of the best reply, or with rollouts.

The work comes in tasks of a fixed size, each with a number that decides its dice; so what is made depends
neither on how many processes share the work nor on where a run was interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta

from gammond.engine.bearoff.databases import open_table
from gammond.engine.bearoff.one_sided import OneSidedTable
from gammond.engine.errors import DataFileError, UnsupportedError
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.settings import MAX_TRUNCATION
from gammond.engine.rules.outcome import Outcomes, cubeless_equity
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.search import NPlyEvaluator
from gammond.nets.catalogue import load_pruner
from gammond.tools.train.labels.rollouts import make_rollout_evaluators, roll_out_labels
from gammond.tools.train.labels.sampling import (
    RACE_SOURCES,
    SOURCES,
    PositionSample,
    Sampler,
    allocate_counts,
    concatenate_samples,
    make_sampler,
)
from gammond.tools.train.labels.shards import LABELS, Labels, ShardMetadata, read_shard, write_shard
from gammond.tools.train.labels.traces import propagate_corrections
from gammond.tools.train.runs.shard_loop import ShardRecord, ShardTask
from gammond.tools.train.weights.net_set import NetSet

SHARD_POSITIONS = 4096
"""Positions of a shard; an eighth where labels look deeper than 1 ply or are rolled out."""

_MOST_LABEL_TRIALS = 10_000
_MOST_LABEL_PLAYS = 32
"""The most plays of a roll that are labelled together."""

_PLAYS_MARGIN = 0.12
"""The most points by which such a play may lose against the best one, by the nets at 0 plies."""

_FEWEST_DRAWN = 64
"""Positions that are drawn at least for such plays."""

_ROLLS_STREAM = 32
"""Stands last in the seeds of their rolls, beyond the streams of the sources."""

_DICE_SEED_TAG = 0x6C6162656C726F6C
"""Stands first in the seeds of the dice of rolled-out labels."""

LabelPliesOption = Annotated[int, Meta(ge=1, le=3, description="look-ahead of a label, in plies")]
LabelSourcesOption = Annotated[
    tuple[str, ...],
    Meta(description=f"sources of positions, NAME=PART of the whole: {', '.join(SOURCES)}"),
]
LabelPrunerOption = Annotated[str, Meta(description="nets that prune replies (default the manifest's)")]
LabelTraceOption = Annotated[
    float,
    Meta(
        ge=0, le=1, description="share of the corrections at later positions of a game that earlier ones get"
    ),
]
LabelTrialsOption = Annotated[
    int, Meta(ge=0, le=_MOST_LABEL_TRIALS, description="games of a label that is rolled out; 0 looks ahead")
]
LabelTruncationOption = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_TRUNCATION,
        description="plies after which these games end with the net's value; 0 plays on",
    ),
]
LabelPlaysOption = Annotated[
    int,
    Meta(
        ge=0,
        le=_MOST_LABEL_PLAYS,
        description="best plays of a roll that are labelled together, where several are close; 0 labels "
        "positions by themselves",
    ),
]
LabelBearoffOption = Annotated[
    str,
    Meta(description="one-sided bearoff database whose values label the positions that it covers"),
]
"""Settings of the commands that label; `LabelPlan` defines them in full."""


@dataclass(frozen=True, eq=False)
class LabelPlan:
    """The labels to make.

    Attributes:
        nets: Play and evaluate.
        sources: Sources of positions and their parts of the whole.
        phase: Which positions, a key of `gammond.tools.train.weights.net_set.PHASES`.
        plies: How deep labels look, 1 or more.
        seed: With the number of a shard it decides dice and draws.
        pruning_nets: Find promising replies; None for those of the manifest.
        trace: The share of the corrections of later positions of a game that each earlier one is given; with
            0 a label is its own exact backup. See `gammond.tools.train.labels.traces`.
        rules: The rules of the games.
        trials: Games of a label, in which the nets play at 0-ply, with variance reduction; 0 for labels by
            look-ahead.
        truncation: Plies after which these games end with the nets' value; 0 plays them to the end.
        bearoff: The file of a one-sided bearoff database beside the usual ones: its values are the labels of
            positions that it covers, and evaluate the replies in other positions; empty for none.
        plays: Positions are drawn with a roll each, and labels are for the positions after so many of its
            best plays; 0 for labels of the positions drawn.

    Raises:
        DataFileError: The database cannot be used.
        UnsupportedError: The pruning nets are not of the kind that one compiled loop plays; or a single play
            is to be labelled, or several with a trace; or there is a trace, or labels are rolled out, and
            labels look deeper than 1 ply; or both of these two; or a database with either, or with deeper
            labels; or races are to be set up for another phase.
    """

    nets: NetSet
    sources: Mapping[str, float]
    phase: str
    plies: int
    seed: int
    pruning_nets: NetSet | None = None
    trace: float = 0.0
    rules: Rules = STANDARD_RULES
    trials: int = 0
    truncation: int = 0
    bearoff: str = ""
    plays: int = 0

    def __post_init__(self) -> None:
        if self.trace and self.plies > 1:
            raise UnsupportedError(
                f"expected plies=1 with a trace, whose corrections are those of 1-ply, got {self.plies}",
                field="trace",
            )
        if self.plays == 1:
            raise UnsupportedError("expected 2 plays or more to label together, got 1", field="plays")
        if self.trace and self.plays:
            raise UnsupportedError(
                f"expected no trace, which follows one play of each roll, with plays={self.plays}",
                field="trace",
            )
        if self.trials and (self.trace or self.plies > 1):
            raise UnsupportedError(
                f"expected plies=1 and no trace with labels that are rolled out, got plies={self.plies} and "
                f"trace={self.trace:g}",
                field="trials",
            )
        if self.truncation and not self.trials:
            raise UnsupportedError(
                f"expected trials with truncate={self.truncation}, which cuts the games of rollouts",
                field="truncate",
            )
        if self.phase != "race" and (races := [each for each in RACE_SOURCES if each in self.sources]):
            raise UnsupportedError(
                f"expected phase=race with the source {races[0]}, which has no {self.phase} positions",
                field="sources",
            )
        if self.bearoff and (self.trace or self.trials or self.plies > 1):
            raise UnsupportedError(
                "expected plies=1, no trace and no trials with a bearoff database", field="bearoff"
            )
        if self.bearoff:
            _open_one_sided(self.bearoff)
        if self.pruning_nets is not None:
            self.pruning_nets.make_pruning_net()  # raises before anything begins

    def make_tasks(self, folder: Path, positions: int, generation: int = 0) -> list[LabelTask]:
        """Describe the shards of a number of positions, of the first or a later generation.

        They take some seconds each. Those that are there keep their sizes, so that there may be more later.

        Raises:
            DataFileError: A shard that is there is damaged.
        """
        most = SHARD_POSITIONS if self.plies == 1 and not self.trials else SHARD_POSITIONS // 8
        sizes, left, number = {}, positions, generation * -(-positions // most)
        while left > 0:
            file = LABELS.find(folder, number)
            sizes[number] = len(read_shard(file)[0]) if file.exists() else min(most, left)
            left, number = left - sizes[number], number + 1
        return self.make_tasks_of(folder, sizes)

    def make_tasks_of(self, folder: Path, sizes: Mapping[int, int]) -> list[LabelTask]:
        """Describe shards, given how many positions those of some numbers have."""
        name = f"{self.nets.name} {self.nets.digest}"
        how = ShardMetadata(name, self.plies, self.seed, self.trials, self.truncation, self.plays)
        write = partial(write_shard, metadata=how)
        return [
            ShardTask(self, LABELS.find(folder, number), number, range(size), write)
            for number, size in sizes.items()
        ]


LabelTask = ShardTask[LabelPlan, range]
"""A shard of labels to make."""


def label_shard(task: LabelTask) -> tuple[ShardRecord, Labels]:
    """Sample positions and label them.

    Returns:
        The number of positions, the root mean square of label less 0-ply evaluation, in points of equity, and
        the digest of the nets; and the labels.
    """
    plan = task.plan
    sampler = _make_sampler(plan.nets, plan.phase, plan.pruning_nets, plan.rules)
    sample = _draw_plays(task, sampler) if plan.plays else _draw_positions(task, sampler)
    shallow = sampler.evaluator.evaluate(sample.boards)
    targets = _roll_out(task, sampler, sample) if plan.trials else _look_ahead(plan, sampler, sample, shallow)
    labels = Labels(sample.boards, targets, sample.sources, tuple(plan.sources), sample.decisions)
    errors = cubeless_equity(targets) - cubeless_equity(shallow)
    correction = float(np.sqrt(np.square(errors).mean()))
    return {"labelled": len(labels), "correction": correction, "nets": plan.nets.digest}, labels


def _draw_positions(task: LabelTask, sampler: Sampler) -> PositionSample:
    plan = task.plan
    counts = allocate_counts(plan.sources, len(task.items))
    return sampler.sample(counts, (plan.seed, task.place), plan.trace > 0.0)


def _draw_plays(task: LabelTask, sampler: Sampler) -> PositionSample:
    """Draw positions and a roll for each, and take the positions after its plays, until there are enough."""
    plan, wanted = task.plan, len(task.items)
    parts: list[PositionSample] = []
    while (left := wanted - sum(len(part.boards) for part in parts)) > 0:
        seed = (plan.seed, task.place, len(parts))
        drawn = sampler.sample(allocate_counts(plan.sources, max(left // 2, _FEWEST_DRAWN)), seed)
        generator = np.random.Generator(np.random.PCG64([*seed, _ROLLS_STREAM]))
        parts.append(sampler.list_plays(drawn, plan.plays, _PLAYS_MARGIN, generator))
    return concatenate_samples(parts, wanted)


def _look_ahead(plan: LabelPlan, sampler: Sampler, sample: PositionSample, shallow: Outcomes) -> Outcomes:
    """Return exact backups, with a trace or without, given the evaluations at 0 plies."""
    optimal = tuple(each for each in sampler.exact_evaluators if each.is_optimal)
    if plan.bearoff:
        table = _open_one_sided(plan.bearoff)
        evaluator = plan.nets.make_evaluator((*optimal, table))
        is_covered, deep = table.covers(sample.boards), np.empty_like(shallow)
        deep[is_covered] = table.evaluate(sample.boards[is_covered])
        search = NPlyEvaluator(evaluator, sampler.pruner, plan.plies, exact=optimal)
        deep[~is_covered] = search.evaluate(sample.boards[~is_covered])
        return np.clip(deep, 0.0, 1.0)
    deep = NPlyEvaluator(sampler.evaluator, sampler.pruner, plan.plies, exact=optimal).evaluate(sample.boards)
    if not plan.trace:
        return np.clip(deep, 0.0, 1.0)
    # what scatters beyond 0 or 1 stays: cut off, rare outcomes would come out too likely
    return shallow + propagate_corrections(deep - shallow, sample.visits, plan.trace)


def _roll_out(task: LabelTask, sampler: Sampler, sample: PositionSample) -> Outcomes:
    """Return the means of rollouts; here too, what scatters beyond 0 or 1 stays.

    The plays of a roll have the same dice.
    """
    plan = task.plan
    evaluators = make_rollout_evaluators(plan.nets, sampler.pruner)
    settings = RolloutSettings(trials=plan.trials, truncation=plan.truncation)
    seed = _DICE_SEED_TAG, plan.seed, task.place
    return roll_out_labels(sample.boards, sample.decisions, evaluators, settings, seed)


@lru_cache(maxsize=2)
def _make_sampler(nets: NetSet, phase: str, pruning_nets: NetSet | None, rules: Rules) -> Sampler:
    """Make what a task needs, once for each process and set of nets."""
    return make_sampler(nets, _load_pruner(pruning_nets), phase, rules)


@lru_cache(maxsize=1)
def _open_one_sided(file: str) -> OneSidedTable:
    table = open_table(Path(file))
    if not isinstance(table, OneSidedTable):
        raise DataFileError(f"expected a one-sided database, got {table.header}: {file}", field="bearoff")
    return table


@lru_cache(maxsize=1)
def _load_pruner(nets: NetSet | None) -> PlayPruner:
    return load_pruner() if nets is None else nets.make_pruning_net()
