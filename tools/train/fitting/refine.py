"""``gammond train refine``: a net teaches itself by looking ahead, generation by generation.

Each generation samples positions, labels them with exact backups by the present net (`gammond train label`),
and fits the net to the newest labels (`gammond train fit`). Every few generations it plays against fixed
opponents, and the best so far by measured play is kept in ``best.npz``. A run that was killed goes on with
--resume; it loses the shards that were being made, or the generation that was being fitted.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from nets.provenance import StrengthRecord
from tools.figures import add_plot_option, check_plot_file, draw_runs
from tools.files import append_new_record, read_arrays, read_records
from tools.parallel import ProcessPool
from tools.progress import Progress
from tools.train.fitting.net_set_fitter import NetSetFitter
from tools.train.fitting.recipe import Recipe, add_fitting_options
from tools.train.fitting.training_loop import FitMetrics
from tools.train.labels.label_tasks import (
    LabelPlan,
    LabelPliesOption,
    LabelPrunerOption,
    LabelSourcesOption,
    LabelTraceOption,
    label_missing,
)
from tools.train.labels.sampling import DEFAULT_SOURCES, parse_sources
from tools.train.labels.shards import Labels, read_newest_labels
from tools.train.runs.curves import format_run_strength
from tools.train.runs.options import add_run_options, add_workers_option, load_run_settings
from tools.train.runs.run_folder import LOG_FILE, begin_run
from tools.train.runs.settings import add_setting_options
from tools.train.runs.strength_games import (
    format_strengths,
    mean_strength,
    measure_strength,
    strengths_to_arrays,
    strengths_to_record,
)
from tools.train.weights.net_set import load_net_set, read_net_set

SUMMARY = "let a net teach itself: label with look-ahead, fit, generation by generation"


class RefineSettings(Recipe, frozen=True):
    """All that decides which net comes out; each field says what it is."""

    generations: Annotated[int, Meta(ge=1, description="how many generations in all")] = 20
    positions: Annotated[int, Meta(ge=1, description="positions labelled in each")] = 150_000
    window: Annotated[int, Meta(ge=1, description="generations of labels that are learned from")] = 8
    epochs: Annotated[
        float, Meta(gt=0, description="how often a generation goes through the labels of the window")
    ] = 1.0
    plies: LabelPliesOption = 1
    sources: LabelSourcesOption = DEFAULT_SOURCES
    finder: LabelPrunerOption = ""
    trace: LabelTraceOption = 0.0
    measure_every: Annotated[int, Meta(ge=1, description="generations between measurements")] = 3

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the nets come from."""
        return list(dict.fromkeys([*super().origins, *([self.finder] if self.finder else [])]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train refine``."""
    add_run_options(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl, labels-000000.npz, ...")
    add_setting_options(parser, RefineSettings)
    add_fitting_options(parser)
    add_workers_option(parser)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Refine; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, RefineSettings)
    if not args.resume:
        settings.check()
    refinement = _RefineRun(args, settings)
    if not args.resume:
        begin_run(args.run, "train refine", settings, settings.origins)
    with ProcessPool(args.workers) as processes:
        refinement.run(processes)
    return 0


class _RefineRun:
    """A run in progress."""

    def __init__(self, args: argparse.Namespace, settings: RefineSettings) -> None:
        self._folder: Path = args.run
        self._plot: Path | None = args.plot
        self._settings = settings
        self._checkpoint = self._folder / "checkpoint.npz"
        self._best = self._folder / "best.npz"
        self._done = 0
        state: dict[str, NDArray[Any]] | None = None
        if args.resume and self._checkpoint.exists():
            self._nets, state = read_net_set(self._checkpoint), read_arrays(self._checkpoint)
            self._done = int(state["generation"])
        else:
            self._nets = settings.make_initial_nets(self._folder.name)
        self._plan = LabelPlan(
            self._nets,
            parse_sources(settings.sources),
            settings.phase,
            settings.plies,
            settings.seed,
            load_net_set(settings.finder) if settings.finder else None,
            settings.trace,
        )
        make = partial(settings.make_fitter, args.device, args.threads)
        self._fits = NetSetFitter(self._nets, settings.phase, make, state)

    def run(self, processes: ProcessPool) -> None:
        """Go through the generations that are left."""
        while self._done < self._settings.generations:
            started_s = time.monotonic()
            made = self._label_generation(processes)
            labelled_s = time.monotonic()
            record = self._fit_generation()
            self._done += 1
            strengths = self._measure_strength(processes)
            record |= {
                "labels_per_s": made / (labelled_s - started_s),
                "seconds": time.monotonic() - started_s,
                **strengths_to_record(strengths),
            }
            self._save_generation(record, strengths)

    def _label_generation(self, processes: ProcessPool) -> int:
        """Make the labels of a generation that are not there yet; returns how many positions they were."""
        settings = self._settings
        plan = replace(self._plan, nets=self._nets)
        tasks = plan.make_tasks(self._folder, settings.positions, self._done)
        with Progress(settings.positions, f"generation {self._done + 1}: labels") as bar:
            made = label_missing(tasks, processes, lambda count, _: bar.update(count))
            return sum(each.positions for each in made)

    def _fit_generation(self) -> dict[str, object]:
        settings = self._settings
        _, fresh = self._fits.compute_metrics(read_newest_labels(self._folder, settings.positions))
        labels = read_newest_labels(self._folder, settings.window * settings.positions)
        steps = max(1, round(settings.epochs * len(labels) / settings.batch))

        def rate(share: float) -> float:
            return settings.learning_rate_at((self._done + share) / settings.generations)

        so_far = format_run_strength(read_records(self._folder / LOG_FILE))
        with Progress(steps * settings.batch, f"generation {self._done + 1}: fit") as bar:
            loss = self._fits.train(
                labels,
                steps,
                settings.batch,
                rate,
                np.random.Generator(np.random.PCG64([settings.seed, self._done])),
                lambda step, loss: bar.update(step * settings.batch, f"loss {loss:.5f}{so_far}"),
            )
        self._nets = self._fits.make_averaged(self._folder.name)
        return self._make_record(labels, fresh, loss, rate(1.0))

    def _make_record(self, labels: Labels, fresh: FitMetrics, loss: float, rate: float) -> dict[str, object]:
        """Describe a generation for the log; ``fresh`` is the error on its labels before it learned them."""
        return {
            "generation": self._done + 1,
            "labelled": self._settings.positions,
            "learned": len(labels),
            "rate": rate,
            "fresh_loss": fresh.loss,
            "fresh_points": fresh.equity_rmse,
            "loss": loss,
        }

    def _measure_strength(self, processes: ProcessPool) -> list[StrengthRecord]:
        settings = self._settings
        if self._done % settings.measure_every and self._done < settings.generations:
            return []
        return measure_strength(self._nets, settings.opponents, settings.games, processes)

    def _save_generation(self, record: dict[str, object], strengths: list[StrengthRecord]) -> None:
        """Save a generation: the best net, the line of the log, then the checkpoint from which to go on."""
        generation = np.array(self._done)
        if strengths and mean_strength(strengths) >= self._read_best_strength():
            self._nets.save(self._best, generation=generation, **strengths_to_arrays(strengths))
        append_new_record(self._folder / LOG_FILE, record, "generation")
        self._nets.save(self._checkpoint, generation=generation, **self._fits.state_dict())
        sys.stderr.write(_format_generation(record, strengths) + "\n")
        if self._plot:
            draw_runs([self._folder], self._plot)

    def _read_best_strength(self) -> float:
        if not self._best.exists():
            return float("-inf")
        return float(read_arrays(self._best)["ppg"].mean())


def _format_generation(record: dict[str, object], strengths: list[StrengthRecord]) -> str:
    text = (
        f"generation {record['generation']}, rate {record['rate']:.2e}, fresh error "
        f"{record['fresh_points']:.4f} points, loss {record['loss']:.6f}, "
        f"{record['labels_per_s']:.0f} labels/s, {record['seconds']:.0f} s"
    )
    return f"{text}, {format_strengths(strengths)}" if strengths else text
