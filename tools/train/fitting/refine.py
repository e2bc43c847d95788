"""``gammond train refine``: a net teaches itself by looking ahead, generation by generation.

Each generation samples positions, labels them with exact backups by the present net (`gammond train label`),
and fits the net to the newest labels (`gammond train fit`). Every few generations it plays against fixed
opponents, and the best so far by measured play is kept in ``best.npz``. The labels of each generation stay in
the folder (``labels-000000.npz``). A run that was killed resumes with
--resume; it loses the shards that were being made, or the generation that was being fitted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from gammond.engine.errors import ValueRangeError
from gammond.engine.formats.array_file import Arrays, read_array
from gammond.tools.common.journal import Record
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.fitting.net_set_fitter import NetSetFitter
from gammond.tools.train.fitting.recipe import FittingWork, Recipe
from gammond.tools.train.labels.label_tasks import (
    LabelPlan,
    LabelPlaysOption,
    LabelPliesOption,
    LabelPrunerOption,
    LabelSourcesOption,
    LabelTraceOption,
    LabelTrialsOption,
    LabelTruncationOption,
    label_shard,
)
from gammond.tools.train.labels.sampling import DEFAULT_SOURCES, parse_sources
from gammond.tools.train.labels.shards import read_newest_labels
from gammond.tools.train.runs.run import Learner, RunProgress
from gammond.tools.train.runs.shard_loop import make_missing_shards
from gammond.tools.train.runs.strength_games import measure_strength
from gammond.tools.train.runs.trainer import Trainer
from gammond.tools.train.weights.net_set import NetSet, load_net_set, net_set_from_arrays

SUMMARY = "let a net teach itself: label with look-ahead, fit, generation by generation"


class RefineSettings(Recipe, frozen=True):
    """All that decides the resulting net."""

    lengths: ClassVar = ("generations",)

    generations: Annotated[int, Meta(ge=1, description="generations in all")] = 20
    positions: Annotated[int, Meta(ge=1, description="positions labelled in each")] = 150_000
    window: Annotated[int, Meta(ge=1, description="generations of labels that are learned from")] = 8
    epochs: Annotated[
        float, Meta(gt=0, description="passes of a generation through the labels of the window")
    ] = 1.0
    plies: LabelPliesOption = 1
    sources: LabelSourcesOption = DEFAULT_SOURCES
    finder: LabelPrunerOption = ""
    plays: LabelPlaysOption = 0
    trace: LabelTraceOption = 0.0
    trials: LabelTrialsOption = 0
    truncate: LabelTruncationOption = 0
    measure_every: Annotated[int, Meta(ge=1, description="generations between measurements")] = 3

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the nets come from."""
        return list(dict.fromkeys([*super().origins, *([self.finder] if self.finder else [])]))

    def check(self) -> None:
        """Check what msgspec cannot, as `Recipe.check`.

        Raises:
            ValueRangeError: Differences are to be learned of plays that are not labelled together.
        """
        super().check()
        if self.differences and self.plays < 2:
            raise ValueRangeError(
                f"expected 2 plays or more with differences between them, got {self.plays}", field="plays"
            )


class RefineLearner(Learner):
    """A net that labels positions by looking ahead and learns those labels, generation by generation.

    Args:
        folder: Of the run; it holds the labels, and names the nets.
        settings: Of the run.
        work: How the net is fitted.
        processes: Label positions, and measure the net.
    """

    unit = "generation"
    total_work = None
    steps_done = 0
    total_steps = 0

    def __init__(
        self, folder: Path, settings: RefineSettings, work: FittingWork, processes: Executor
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._work = work
        self._processes = processes
        self._sources = parse_sources(settings.sources)
        self._finder = load_net_set(settings.finder) if settings.finder else None
        self.total_steps = settings.generations
        self._metrics: Record = {}
        self._nets: NetSet
        self._fitter: NetSetFitter
        self._plan: LabelPlan

    def start(self, records: Sequence[Record]) -> None:
        """Make the first nets."""
        self._begin_fitting(self._settings.make_initial_nets(self._folder.name), None)

    def run_step(self, progress: RunProgress) -> None:
        """Label the positions of a generation, and fit the net to the newest labels."""
        started_s = time.monotonic()
        made = self._label_generation()
        labels_per_s = made / (time.monotonic() - started_s)
        self._fit_generation(progress)
        self._metrics["labels_per_s"] = labels_per_s
        self.steps_done += 1

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe a generation; ``fresh`` is the error on its labels before it learned them."""
        return self._metrics

    def measure_strength(self) -> Record:
        """Play all opponents, every few generations and after the last."""
        settings = self._settings
        if self.steps_done % settings.measure_every and self.steps_done < self.total_steps:
            return {}
        return measure_strength(
            self._nets, settings.opponents, settings.games, self._processes, settings.rules
        )

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        return (
            f"generation {record['generation']}, rate {record['rate']:.2e}, fresh error "
            f"{record['fresh_points']:.4f} points, loss {record['loss']:.6f}, "
            f"{record['labels_per_s']:.0f} labels/s, {record['seconds']:.0f} s"
        )

    def state_dict(self) -> Arrays:
        """Return the averaged nets and the state of the fit."""
        return {**self.best_state_dict(), **self._fitter.state_dict()}

    def best_state_dict(self) -> Arrays:
        """Return the averaged nets."""
        return {**self._nets.to_arrays(), "generation": np.array(self.steps_done)}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        self.steps_done = int(read_array(arrays, "generation"))
        self._begin_fitting(net_set_from_arrays(self._folder.name, arrays), arrays)

    def _begin_fitting(self, nets: NetSet, state: Arrays | None) -> None:
        settings, work = self._settings, self._work
        self._nets = nets
        self._fitter = NetSetFitter(nets, settings, work.device, work.threads, state)
        self._plan = LabelPlan(
            nets,
            self._sources,
            settings.phase,
            settings.plies,
            settings.seed,
            self._finder,
            settings.trace,
            settings.rules,
            settings.trials,
            settings.truncate,
            plays=settings.plays,
        )

    def _label_generation(self) -> int:
        """Make the labels of a generation that are not there yet; return the number of positions labelled."""
        settings, number = self._settings, self.steps_done
        tasks = replace(self._plan, nets=self._nets).make_tasks(self._folder, settings.positions, number)
        label = f"generation {number + 1}: labels"
        made = make_missing_shards(label_shard, tasks, self._processes, label)
        return sum(record["labelled"] for record in made)

    def _fit_generation(self, progress: RunProgress) -> None:
        settings, number = self._settings, self.steps_done
        _, fresh = self._fitter.compute_metrics(read_newest_labels(self._folder, settings.positions))
        labels = read_newest_labels(self._folder, settings.window * settings.positions)
        steps = max(1, round(settings.epochs * len(labels) / settings.batch))
        with Progress(steps * settings.batch, f"generation {number + 1}: fit") as bar:
            loss = self._fitter.train(
                labels,
                steps,
                number,
                self.total_steps,
                lambda step, loss: bar.update(
                    step * settings.batch, f"loss {loss:.5f}{progress.strength_text}"
                ),
            )
        self._nets = self._fitter.make_averaged(self._folder.name)
        self._metrics = {
            "labelled": settings.positions,
            "learned": len(labels),
            "rate": settings.learning_rate_at((number + 1) / self.total_steps),
            "fresh_loss": fresh.loss,
            "fresh_points": fresh.equity_rmse,
            "loss": loss,
        }


TRAINER = Trainer("train refine", RefineSettings, FittingWork, RefineLearner)

COMMAND = TRAINER.make_command()
