"""``gammond train fit``: fit a net, of any width and depth, to labelled positions.

With --from the net begins as another one: more inputs, wider and more layers are added without changing what
it says. The folder gets ``checkpoint.npz`` and a line of ``log.jsonl`` after each epoch, and ``best.npz``:
the averaged weights with the least error on labels set aside. A run that was killed goes on with --resume.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from engine.errors import DataFileError, StateError, ValueRangeError
from nets.provenance import StrengthRecord
from tools.figures import add_plot_option, check_plot_file, draw_runs
from tools.files import append_new_record, read_arrays
from tools.parallel import ProcessPool
from tools.progress import Progress
from tools.train.fitting.net_set_fitter import NetSetFitter
from tools.train.fitting.recipe import Recipe, add_fitting_options
from tools.train.fitting.training_loop import FitMetrics, split_labels
from tools.train.labels.shards import Labels, concatenate_labels, read_newest_labels
from tools.train.runs.options import add_run_options, add_workers_option, load_run_settings
from tools.train.runs.run_folder import LOG_FILE, begin_run
from tools.train.runs.settings import add_setting_options
from tools.train.runs.strength_games import (
    format_strengths,
    measure_strength,
    strengths_to_arrays,
    strengths_to_record,
)
from tools.train.weights.net_set import PHASES, NetSet, read_net_set

SUMMARY = "fit a wider or deeper net to labelled positions"


class FitSettings(Recipe, frozen=True):
    """All that decides which net comes out; each field says what it is."""

    labels: Annotated[tuple[str, ...], Meta(description="folders of labelled positions")] = ()
    window: Annotated[
        int, Meta(ge=0, description="take only so many positions of each folder, the newest; 0 for all")
    ] = 0
    epochs: Annotated[int, Meta(ge=1, description="how often each position is learned from")] = 8
    aside: Annotated[float, Meta(ge=0, lt=1, description="share of positions kept for validation")] = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train fit``."""
    add_run_options(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl")
    add_setting_options(parser, FitSettings)
    add_fitting_options(parser)
    add_workers_option(parser)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Fit; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, FitSettings)
    if not args.resume:
        settings.check()
    fit = _FitRun(args, settings, _read_labels(settings))
    if not args.resume:
        begin_run(args.run, "train fit", settings, [*settings.origins, *settings.labels])
    with ProcessPool(args.workers) as processes:
        fit.run(processes)
    return 0


def _read_labels(settings: FitSettings) -> Labels:
    """Read the labels of the phase that is fitted."""
    if not settings.labels:
        raise ValueRangeError("expected folders of labelled positions", field="labels")
    parts = [read_newest_labels(Path(folder), settings.window or None) for folder in settings.labels]
    labels = concatenate_labels(parts).select_phases(PHASES[settings.phase])
    if not len(labels):
        raise DataFileError(f"there is no {settings.phase} position among the labels", field="labels")
    return labels


class _FitRun:
    """A run in progress."""

    def __init__(self, args: argparse.Namespace, settings: FitSettings, labels: Labels) -> None:
        self._folder: Path = args.run
        self._plot: Path | None = args.plot
        self._settings = settings
        self._labels, self._aside = split_labels(labels, settings.aside, settings.seed)
        if not len(self._labels):
            raise DataFileError(f"none of {len(labels)} labels is left to learn from", field="aside")
        self._steps = -(-len(self._labels) // settings.batch)
        self._checkpoint = self._folder / "checkpoint.npz"
        self._best = self._folder / "best.npz"
        state: dict[str, NDArray[Any]] | None = None
        self._done = 0
        if args.resume and self._checkpoint.exists():
            self._nets, state = read_net_set(self._checkpoint), read_arrays(self._checkpoint)
            self._done = int(state["epoch"])
            if int(state["learned"]) != len(self._labels):
                raise StateError(
                    f"{self._folder} was begun with {state['learned']} labels, not {len(self._labels)}",
                    field="labels",
                )
        else:
            self._nets = settings.make_initial_nets(self._folder.name)
        make = partial(settings.make_fitter, args.device, args.threads)
        self._fits = NetSetFitter(self._nets, settings.phase, make, state)

    def run(self, processes: ProcessPool) -> None:
        """Fit the epochs that are left, and measure the best net."""
        positions = self._steps * self._settings.epochs * self._settings.batch
        start = self._done * self._steps * self._settings.batch
        with Progress(positions, "fit", start=start) as bar:
            while self._done < self._settings.epochs:
                self._fit_epoch(bar)
        self._measure(processes)

    def _fit_epoch(self, bar: Progress) -> None:
        settings, before, started_s = self._settings, self._done * self._steps, time.monotonic()

        def rate(share: float) -> float:
            return settings.learning_rate_at((self._done + share) / settings.epochs)

        loss = self._fits.train(
            self._labels,
            self._steps,
            settings.batch,
            rate,
            np.random.Generator(np.random.PCG64([settings.seed, self._done])),
            lambda step, loss: bar.update((before + step) * settings.batch, f"loss {loss:.5f}"),
        )
        last_rate = rate(1.0)
        self._done += 1
        self._save_epoch(loss, last_rate, time.monotonic() - started_s)

    def _save_epoch(self, loss: float, rate: float, seconds: float) -> None:
        """Save an epoch: the best net, the line of the log, then the checkpoint from which to go on."""
        last, mean = self._fits.compute_metrics(self._aside)
        nets = self._fits.make_averaged(self._folder.name)
        if not self._best.exists() or not mean.loss > float(read_arrays(self._best)["aside_loss"]):
            nets.save(self._best, epoch=np.array(self._done), aside_loss=np.array(mean.loss))
        record = {**_make_record(self._done, rate, loss, last, mean, seconds), "learned": len(self._labels)}
        append_new_record(self._folder / LOG_FILE, record, "epoch")
        state = {"epoch": np.array(self._done), "learned": np.array(len(self._labels))}
        nets.save(self._checkpoint, **state, **self._fits.state_dict())
        self._draw()
        sys.stderr.write(
            f"epoch {self._done}, rate {rate:.2e}, loss {loss:.5f}, aside {last.loss:.5f}, averaged "
            f"{mean.loss:.5f} ({mean.equity_rmse:.4f} points), {seconds:.0f} s\n"
        )

    def _draw(self) -> None:
        if self._plot:
            draw_runs([self._folder], self._plot)

    def _measure(self, processes: ProcessPool) -> None:
        settings = self._settings
        arrays = read_arrays(self._best)
        if not settings.games or "ppg" in arrays:
            return
        nets = read_net_set(self._best)
        strengths = measure_strength(nets, settings.opponents, settings.games, processes)
        self._save_strengths(nets, arrays, strengths)
        self._draw()
        sys.stderr.write(f"{nets.name}: {format_strengths(strengths)}\n")

    def _save_strengths(
        self, nets: NetSet, arrays: dict[str, NDArray[Any]], strengths: list[StrengthRecord]
    ) -> None:
        kept = {key: arrays[key] for key in ("epoch", "aside_loss")}
        record = {"epoch": "best", "best_epoch": int(arrays["epoch"]), **strengths_to_record(strengths)}
        append_new_record(self._folder / LOG_FILE, record, "epoch")
        nets.save(self._best, **kept, **strengths_to_arrays(strengths))


def _make_record(
    epoch: int, rate: float, loss: float, last: FitMetrics, mean: FitMetrics, seconds: float
) -> dict[str, object]:
    """Describe an epoch for the log, with errors of the net and of its averaged weights on those aside."""
    return {
        "epoch": epoch,
        "rate": rate,
        "loss": loss,
        "aside_loss": _nan_to_none(last.loss),
        "aside_points": _nan_to_none(last.equity_rmse),
        "averaged_loss": _nan_to_none(mean.loss),
        "averaged_points": _nan_to_none(mean.equity_rmse),
        "seconds": seconds,
    }


def _nan_to_none(value: float) -> float | None:
    """A number for the log; none where nothing was set aside."""
    return None if math.isnan(value) else value
