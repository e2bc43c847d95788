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
from nets.manifest import Strength
from tools.progress import Progress
from tools.train.epochs import FitError, split
from tools.train.files import append_once, read_arrays
from tools.train.fits import Fits
from tools.train.measuring import measured, strength_arrays, strength_record, strength_text
from tools.train.net_set import PHASES, NetSet, read_net_set
from tools.train.plots import add_plot_option, check_plot, draw_runs
from tools.train.processes import Processes
from tools.train.recipe import Recipe, add_fitting_options
from tools.train.run_options import add_run, add_workers, settings_of
from tools.train.settings import add_settings
from tools.train.shards import Labels, joined, read_newest
from tools.train.stage import LOG, begin

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
    add_run(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl")
    add_settings(parser, FitSettings)
    add_fitting_options(parser)
    add_workers(parser)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Fit; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot(args.plot)
    settings = settings_of(args.run, args, FitSettings)
    if not args.resume:
        settings.check()
    fit = _Fit(args, settings, _labels(settings))
    if not args.resume:
        begin(args.run, "fit", settings, [*settings.origins, *settings.labels])
    with Processes(args.workers) as processes:
        fit.run(processes)
    return 0


def _labels(settings: FitSettings) -> Labels:
    """Read the labels of the phase that is fitted."""
    if not settings.labels:
        raise ValueRangeError("expected folders of labelled positions", field="labels")
    parts = [read_newest(Path(folder), settings.window or None) for folder in settings.labels]
    labels = joined(parts).of_phases(PHASES[settings.phase])
    if not len(labels):
        raise DataFileError(f"there is no {settings.phase} position among the labels", field="labels")
    return labels


class _Fit:
    """A run in progress."""

    def __init__(self, args: argparse.Namespace, settings: FitSettings, labels: Labels) -> None:
        self._folder: Path = args.run
        self._plot: Path | None = args.plot
        self._settings = settings
        self._labels, self._aside = split(labels, settings.aside, settings.seed)
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
            self._nets = settings.first_nets(self._folder.name)
        make = partial(settings.fitter, args.device, args.threads)
        self._fits = Fits(self._nets, settings.phase, make, state)

    def run(self, processes: Processes) -> None:
        """Fit the epochs that are left, and measure the best net."""
        positions = self._steps * self._settings.epochs * self._settings.batch
        start = self._done * self._steps * self._settings.batch
        with Progress(positions, "fit", start=start) as bar:
            while self._done < self._settings.epochs:
                self._epoch(bar)
        self._measure(processes)

    def _epoch(self, bar: Progress) -> None:
        settings, before, started_s = self._settings, self._done * self._steps, time.monotonic()

        def rate(share: float) -> float:
            return settings.rate_at((self._done + share) / settings.epochs)

        loss = self._fits.learn(
            self._labels,
            self._steps,
            settings.batch,
            rate,
            np.random.Generator(np.random.PCG64([settings.seed, self._done])),
            lambda step, loss: bar.update((before + step) * settings.batch, f"loss {loss:.5f}"),
        )
        last_rate = rate(1.0)
        self._done += 1
        self._keep(loss, last_rate, time.monotonic() - started_s)

    def _keep(self, loss: float, rate: float, seconds: float) -> None:
        """Save an epoch: the best net, the line of the log, then the checkpoint from which to go on."""
        last, mean = self._fits.errors(self._aside)
        nets = self._fits.averaged(self._folder.name)
        if not self._best.exists() or not mean.loss > float(read_arrays(self._best)["aside_loss"]):
            nets.save(self._best, epoch=np.array(self._done), aside_loss=np.array(mean.loss))
        record = {**_record(self._done, rate, loss, last, mean, seconds), "learned": len(self._labels)}
        append_once(self._folder / LOG, record, "epoch")
        state = {"epoch": np.array(self._done), "learned": np.array(len(self._labels))}
        nets.save(self._checkpoint, **state, **self._fits.state())
        self._draw()
        sys.stderr.write(
            f"epoch {self._done}, rate {rate:.2e}, loss {loss:.5f}, aside {last.loss:.5f}, averaged "
            f"{mean.loss:.5f} ({mean.equity:.4f} points), {seconds:.0f} s\n"
        )

    def _draw(self) -> None:
        if self._plot:
            draw_runs([self._folder], self._plot)

    def _measure(self, processes: Processes) -> None:
        settings = self._settings
        arrays = read_arrays(self._best)
        if not settings.games or "ppg" in arrays:
            return
        nets = read_net_set(self._best)
        strengths = measured(nets, settings.opponents, settings.games, processes)
        self._save_measured(nets, arrays, strengths)
        self._draw()
        sys.stderr.write(f"{nets.name}: {strength_text(strengths)}\n")

    def _save_measured(
        self, nets: NetSet, arrays: dict[str, NDArray[Any]], strengths: list[Strength]
    ) -> None:
        kept = {key: arrays[key] for key in ("epoch", "aside_loss")}
        record = {"epoch": "best", "best_epoch": int(arrays["epoch"]), **strength_record(strengths)}
        append_once(self._folder / LOG, record, "epoch")
        nets.save(self._best, **kept, **strength_arrays(strengths))


def _record(
    epoch: int, rate: float, loss: float, last: FitError, mean: FitError, seconds: float
) -> dict[str, object]:
    """Describe an epoch for the log, with errors of the net and of its averaged weights on those aside."""
    return {
        "epoch": epoch,
        "rate": rate,
        "loss": loss,
        "aside_loss": _known(last.loss),
        "aside_points": _known(last.equity),
        "averaged_loss": _known(mean.loss),
        "averaged_points": _known(mean.equity),
        "seconds": seconds,
    }


def _known(value: float) -> float | None:
    """A number for the log; none where nothing was set aside."""
    return None if math.isnan(value) else value
