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

from nets.manifest import Strength
from tools.progress import Progress
from tools.train.curves import standing
from tools.train.epochs import FitError
from tools.train.files import append_once, read_arrays, read_records
from tools.train.fits import Fits
from tools.train.labelling import LabelFinder, LabelPlan, LabelPlies, LabelSources, LabelTrace, make_missing
from tools.train.measuring import mean_strength, measured, strength_arrays, strength_record, strength_text
from tools.train.net_set import load_net_set, read_net_set
from tools.train.plots import add_plot_option, check_plot, draw_runs
from tools.train.processes import Processes
from tools.train.recipe import Recipe, add_fitting_options
from tools.train.run_options import add_run, add_workers, settings_of
from tools.train.sampling import USUAL_SOURCES, read_sources
from tools.train.settings import add_settings
from tools.train.shards import Labels, read_newest
from tools.train.stage import LOG, begin

SUMMARY = "let a net teach itself: label with look-ahead, fit, generation by generation"


class RefineSettings(Recipe, frozen=True):
    """All that decides which net comes out; each field says what it is."""

    generations: Annotated[int, Meta(ge=1, description="how many generations in all")] = 20
    positions: Annotated[int, Meta(ge=1, description="positions labelled in each")] = 150_000
    window: Annotated[int, Meta(ge=1, description="generations of labels that are learned from")] = 8
    epochs: Annotated[
        float, Meta(gt=0, description="how often a generation goes through the labels of the window")
    ] = 1.0
    plies: LabelPlies = 1
    sources: LabelSources = USUAL_SOURCES
    finder: LabelFinder = ""
    trace: LabelTrace = 0.0
    measure_every: Annotated[int, Meta(ge=1, description="generations between measurements")] = 3

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the nets come from."""
        return list(dict.fromkeys([*super().origins, *([self.finder] if self.finder else [])]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train refine``."""
    add_run(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl, labels-000000.npz, ...")
    add_settings(parser, RefineSettings)
    add_fitting_options(parser)
    add_workers(parser)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Refine; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot(args.plot)
    settings = settings_of(args.run, args, RefineSettings)
    if not args.resume:
        settings.check()
    refinement = _Refinement(args, settings)
    if not args.resume:
        begin(args.run, "refine", settings, settings.origins)
    with Processes(args.workers) as processes:
        refinement.run(processes)
    return 0


class _Refinement:
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
            self._nets = settings.first_nets(self._folder.name)
        self._plan = LabelPlan(
            self._nets,
            read_sources(settings.sources),
            settings.phase,
            settings.plies,
            settings.seed,
            load_net_set(settings.finder) if settings.finder else None,
            settings.trace,
        )
        make = partial(settings.fitter, args.device, args.threads)
        self._fits = Fits(self._nets, settings.phase, make, state)

    def run(self, processes: Processes) -> None:
        """Go through the generations that are left."""
        while self._done < self._settings.generations:
            started_s = time.monotonic()
            made = self._label(processes)
            labelled_s = time.monotonic()
            record = self._fit()
            self._done += 1
            strengths = self._measured(processes)
            record |= {
                "labels_per_s": made / (labelled_s - started_s),
                "seconds": time.monotonic() - started_s,
                **strength_record(strengths),
            }
            self._keep(record, strengths)

    def _label(self, processes: Processes) -> int:
        """Make the labels of a generation that are not there yet; returns how many positions they were."""
        settings = self._settings
        plan = replace(self._plan, nets=self._nets)
        tasks = plan.tasks(self._folder, settings.positions, self._done)
        with Progress(settings.positions, f"generation {self._done + 1}: labels") as bar:
            made = make_missing(tasks, processes, lambda count, _: bar.update(count))
            return sum(each.positions for each in made)

    def _fit(self) -> dict[str, object]:
        settings = self._settings
        _, fresh = self._fits.errors(read_newest(self._folder, settings.positions))
        labels = read_newest(self._folder, settings.window * settings.positions)
        steps = max(1, round(settings.epochs * len(labels) / settings.batch))

        def rate(share: float) -> float:
            return settings.rate_at((self._done + share) / settings.generations)

        so_far = standing(read_records(self._folder / LOG))
        with Progress(steps * settings.batch, f"generation {self._done + 1}: fit") as bar:
            loss = self._fits.learn(
                labels,
                steps,
                settings.batch,
                rate,
                np.random.Generator(np.random.PCG64([settings.seed, self._done])),
                lambda step, loss: bar.update(step * settings.batch, f"loss {loss:.5f}{so_far}"),
            )
        self._nets = self._fits.averaged(self._folder.name)
        return self._record(labels, fresh, loss, rate(1.0))

    def _record(self, labels: Labels, fresh: FitError, loss: float, rate: float) -> dict[str, object]:
        """Describe a generation for the log; ``fresh`` is the error on its labels before it learned them."""
        return {
            "generation": self._done + 1,
            "labelled": self._settings.positions,
            "learned": len(labels),
            "rate": rate,
            "fresh_loss": fresh.loss,
            "fresh_points": fresh.equity,
            "loss": loss,
        }

    def _measured(self, processes: Processes) -> list[Strength]:
        settings = self._settings
        if self._done % settings.measure_every and self._done < settings.generations:
            return []
        return measured(self._nets, settings.opponents, settings.games, processes)

    def _keep(self, record: dict[str, object], strengths: list[Strength]) -> None:
        """Save a generation: the best net, the line of the log, then the checkpoint from which to go on."""
        generation = np.array(self._done)
        if strengths and mean_strength(strengths) >= self._best_strength():
            self._nets.save(self._best, generation=generation, **strength_arrays(strengths))
        append_once(self._folder / LOG, record, "generation")
        self._nets.save(self._checkpoint, generation=generation, **self._fits.state())
        sys.stderr.write(_line(record, strengths) + "\n")
        if self._plot:
            draw_runs([self._folder], self._plot)

    def _best_strength(self) -> float:
        if not self._best.exists():
            return float("-inf")
        return float(read_arrays(self._best)["ppg"].mean())


def _line(record: dict[str, object], strengths: list[Strength]) -> str:
    text = (
        f"generation {record['generation']}, rate {record['rate']:.2e}, fresh error "
        f"{record['fresh_points']:.4f} points, loss {record['loss']:.6f}, "
        f"{record['labels_per_s']:.0f} labels/s, {record['seconds']:.0f} s"
    )
    return f"{text}, {strength_text(strengths)}" if strengths else text
