"""``gammond train fit``: fit a net, of any width and depth, to labelled positions.

With --from the net begins as another one: more inputs, wider and more layers are added without changing its
outputs. The folder gets ``checkpoint.npz`` and a line of ``log.jsonl`` after each epoch, and ``best.npz``:
the averaged weights with the least error on labels set aside. A run that was killed resumes with --resume.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from gammond.engine.errors import DataFileError, StateError, ValueRangeError
from gammond.engine.formats.array_file import Arrays, load_arrays, read_array, read_array_file, read_count
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import Journal, Record
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.fitting.net_set_fitter import NetSetFitter, split_labels
from gammond.tools.train.fitting.recipe import FittingWork, Recipe
from gammond.tools.train.labels.shards import Labels, concatenate_labels, read_newest_labels
from gammond.tools.train.runs.run import BEST_FILE, Learner, RunProgress
from gammond.tools.train.runs.run_folder import LOG_FILE
from gammond.tools.train.runs.strength_games import (
    format_strengths,
    measure_strength,
    strengths_from_record,
    strengths_to_arrays,
)
from gammond.tools.train.runs.trainer import Trainer
from gammond.tools.train.weights.net_set import PHASES, NetSet, net_set_from_arrays

SUMMARY = "fit a wider or deeper net to labelled positions"


class FitSettings(Recipe, frozen=True):
    """All that decides the resulting net."""

    lengths: ClassVar = ("epochs",)

    labels: Annotated[tuple[str, ...], Meta(description="folders of labelled positions")] = ()
    window: Annotated[int, Meta(ge=0, description="newest positions to take of each folder; 0 for all")] = 0
    epochs: Annotated[int, Meta(ge=1, description="passes through the positions")] = 8
    aside: Annotated[float, Meta(ge=0, lt=1, description="share of positions kept for validation")] = 0.05

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the nets come from, and the folders of labels."""
        return [*super().origins, *self.labels]


def _read_labels(settings: FitSettings) -> Labels:
    """Read the labels of the phase that is fitted."""
    if not settings.labels:
        raise ValueRangeError("expected folders of labelled positions", field="labels")
    parts = [read_newest_labels(Path(folder), settings.window or None) for folder in settings.labels]
    labels = concatenate_labels(parts).select_phases(PHASES[settings.phase])
    if not len(labels):
        raise DataFileError(f"expected {settings.phase} positions among the labels, got none", field="labels")
    if settings.differences and (np.diff(labels.decisions) != 0).all():
        raise DataFileError(
            "expected labels of several plays of a roll (train label --plays), got none", field="differences"
        )
    return labels


class FitLearner(Learner):
    """A net that learns labels, epoch by epoch.

    Args:
        folder: Of the run; it names the nets.
        settings: Of the run.
        work: How the net is fitted.
        processes: Measure it.
    """

    unit = "epoch"
    label = "fit"
    steps_done = 0
    total_steps = 0

    def __init__(self, folder: Path, settings: FitSettings, work: FittingWork, processes: Executor) -> None:
        self._folder = folder
        self._settings = settings
        self._work = work
        self._processes = processes
        labels = _read_labels(settings)
        self._labels, self._aside = split_labels(labels, settings.aside, settings.seed)
        if not len(self._labels):
            raise DataFileError(
                f"all {len(labels)} labels are set aside, none is left to learn from: lower --aside",
                field="aside",
            )
        self._batches = -(-len(self._labels) // settings.batch)
        self.total_steps = settings.epochs
        self._metrics: Record = {}
        self._fitter: NetSetFitter

    @property
    def total_work(self) -> int:
        """Positions to learn from in all epochs."""
        return self._settings.epochs * self._batches * self._settings.batch

    @property
    def work_done(self) -> int:
        """Positions of the epochs done."""
        return self.steps_done * self._batches * self._settings.batch

    def start(self, records: Sequence[Record]) -> None:
        """Make the first nets."""
        self._begin_fitting(self._settings.make_initial_nets(self._folder.name), None)

    def run_step(self, progress: RunProgress) -> None:
        """Fit one epoch."""
        settings, work_before = self._settings, self.work_done
        loss = self._fitter.train(
            self._labels,
            self._batches,
            self.steps_done,
            self.total_steps,
            lambda step, loss: progress.update(work_before + step * settings.batch, f"loss {loss:.5f}"),
        )
        self.steps_done += 1
        self._metrics = {"rate": settings.learning_rate_at(self.steps_done / self.total_steps), "loss": loss}

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe an epoch, with the errors of the net and of its averaged weights on labels set aside."""
        last, averaged = self._fitter.compute_metrics(self._aside)
        self._metrics |= {
            "aside_loss": _nan_to_none(last.loss),
            "aside_points": _nan_to_none(last.equity_rmse),
            "averaged_loss": _nan_to_none(averaged.loss),
            "averaged_points": _nan_to_none(averaged.equity_rmse),
            "learned": len(self._labels),
        }
        if not math.isnan(averaged.play_loss):
            self._metrics["play_points"] = averaged.play_loss
        return self._metrics

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        text = f"epoch {record['epoch']}, rate {record['rate']:.2e}, loss {record['loss']:.5f}"
        if record["averaged_loss"] is not None:
            text += (
                f", validation {record['aside_loss']:.5f}, averaged {record['averaged_loss']:.5f} "
                f"({record['averaged_points']:.4f} points)"
            )
        return f"{text}, {record['seconds']:.0f} s"

    def score(self, record: Record) -> float:
        """Return the averaged net's loss on labels set aside, negated; without any the last net is best."""
        loss = record["averaged_loss"]
        return math.inf if loss is None else -float(loss)

    def state_dict(self) -> Arrays:
        """Return the averaged nets and the state of the fit."""
        state = {"epoch": np.array(self.steps_done), "learned": np.array(len(self._labels))}
        return {**self._averaged_arrays(), **state, **self._fitter.state_dict()}

    def best_state_dict(self) -> Arrays:
        """Return the averaged nets with their loss."""
        loss = self._metrics["averaged_loss"]
        aside_loss = np.array(math.nan if loss is None else loss)
        return {**self._averaged_arrays(), "epoch": np.array(self.steps_done), "aside_loss": aside_loss}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`.

        Raises:
            StateError: The run began with another number of labels.
        """
        self.steps_done = int(read_array(arrays, "epoch"))
        if (learned := int(read_array(arrays, "learned"))) != len(self._labels):
            raise StateError(
                f"expected the {learned} labels that {self._folder} started with, got {len(self._labels)}",
                field="labels",
            )
        self._begin_fitting(net_set_from_arrays(self._folder.name, arrays), arrays)

    def finish(self, folder: Path) -> str:
        """Measure the best net, once."""
        settings, best = self._settings, folder / BEST_FILE
        arrays = read_array_file(best)
        if settings.games and "ppg" not in arrays:
            nets, epoch = load_arrays(
                best,
                lambda found: (net_set_from_arrays(folder.name, found), read_count(found, "epoch")),
                arrays,
            )
            measured = measure_strength(
                nets, settings.opponents, settings.games, self._processes, settings.rules
            )
            strengths = strengths_from_record(measured)
            record = {"epoch": "best", "best_epoch": epoch, **measured}
            with Journal(folder / LOG_FILE) as log:
                log.append_new(record, "epoch")
            write_arrays(best, {**arrays, **strengths_to_arrays(strengths)})
            sys.stderr.write(f"{nets.name}: {format_strengths(strengths)}\n")
        return ""

    def _begin_fitting(self, nets: NetSet, state: Arrays | None) -> None:
        self._fitter = NetSetFitter(nets, self._settings, self._work.device, self._work.threads, state)

    def _averaged_arrays(self) -> Arrays:
        return self._fitter.make_averaged(self._folder.name).to_arrays()


def _nan_to_none(value: float) -> float | None:
    """Return a number for the log; None where nothing was set aside."""
    return None if math.isnan(value) else value


TRAINER = Trainer("train fit", FitSettings, FittingWork, FitLearner)

COMMAND = TRAINER.make_command()
