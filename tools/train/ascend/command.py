"""``gammond train ascend``: gradient ascent on the weights of a player, by matches against itself.

A step tries each weight: the player with that weight changed by --delta plays --games paired games against
the player as it is. What it gains for each unit of change is the gradient, and the next point lies --rate
along it. Each point meets the same reference player with the same dice, and the best is kept. A run that
finds no better point for --patience steps goes back to its best one with another delta and rate. Games count
their points, their length and how the positions were evaluated on the way.

The folder gets run.toml, checkpoint.npz, best.npz and a line of log.jsonl for each step. A run that was
killed goes on with --resume; it loses the step that was under way. In the end the best point and the first
meet the reference, and each other, with fresh dice.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from engine.games import GameResults, play_games
from engine.players import Player
from tools.opponents import load_opponent
from tools.progress import Progress
from tools.train.ascend.ascent import Ascent, Gradient, Point, Standing, load_standing, save_standing
from tools.train.ascend.families import Vector, family
from tools.train.ascend.settings import START, AscendSettings
from tools.train.files import append_once, write_arrays
from tools.train.plots import add_plot_option, check_plot, draw_runs
from tools.train.processes import Processes
from tools.train.run_options import add_run, add_workers, settings_of
from tools.train.settings import add_settings
from tools.train.stage import LOG, begin

SUMMARY = "learn the weights of a player without nets by gradient ascent on match scores"

_FRESH_SEED = 2
"""Of the dice that nothing was chosen by."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train ascend``."""
    add_run(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl")
    add_workers(parser, 1)
    add_settings(parser, AscendSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot(args.plot)
    settings = settings_of(args.run, args, AscendSettings)
    settings.check()
    with Processes(args.workers) as processes:
        if not args.resume:
            begin(args.run, "ascend", settings, ())
        best = _ascend(args.run, settings, Ascent(settings, processes), args.plot)
    sys.stdout.write(result_text(settings, best))
    return 0


def _ascend(folder: Path, settings: AscendSettings, ascent: Ascent, plot: Path | None) -> Point:
    """Make the steps that are left."""
    checkpoint = folder / "checkpoint.npz"
    began_s = time.monotonic()
    if checkpoint.exists():
        standing = load_standing(checkpoint, settings)
    else:
        standing = ascent.begun()
        _keep(folder, settings, standing, standing.now, None, time.monotonic() - began_s)
    with Progress(settings.steps, "steps", start=standing.step) as bar:
        while standing.step < settings.steps:
            began_s = time.monotonic()
            before = standing
            standing, gradient = ascent.stepped(before)
            reached = standing.best if standing.best is not before.best else standing.now
            _keep(folder, settings, standing, reached, gradient, time.monotonic() - began_s)
            if plot:
                draw_runs([folder], plot)
            bar.say(_line(before, standing, reached, gradient))
            bar.update(standing.step, f"best {standing.best_ever.points:+.3f}")
    return standing.best_ever


def _keep(
    folder: Path,
    settings: AscendSettings,
    standing: Standing,
    reached: Point,
    gradient: Gradient | None,
    seconds: float,
) -> None:
    """Save a step: the best point, the line of the log, then the checkpoint."""
    best = standing.best_ever
    write_arrays(
        folder / "best.npz",
        {
            "player": np.array(settings.player),
            "vector": best.vector,
            "ppg": np.array(best.points),
            "ppg_error": np.array(best.error),
        },
    )
    record: dict[str, object] = {
        "step": standing.step,
        "games": standing.games,
        "seconds": seconds,
        "opponent": settings.reference,
        "ppg": reached.points,
        "ppg_error": reached.error,
        "ppg_games": settings.reference_games,
        "vector": reached.vector.tolist(),
        "best_ppg": best.points,
        "delta": standing.delta,
        "rate": standing.rate,
        "returns": standing.returns,
        "random_points": standing.random_points,
    }
    if gradient is not None:
        record |= {
            "gradient": gradient.slopes.tolist(),
            "gradient_errors": gradient.errors.tolist(),
            "signal": gradient.signal,
        }
    append_once(folder / LOG, record, "step")
    save_standing(folder / "checkpoint.npz", settings.player, standing)


def _line(before: Standing, after: Standing, reached: Point, gradient: Gradient) -> str:
    text = (
        f"step {after.step}: {reached.points:+.3f} ± {reached.error:.3f}, "
        f"best {after.best_ever.points:+.3f}, signal {gradient.signal:.2f}"
    )
    if after.random_points > before.random_points:
        return f"{text}; stuck: on to a random point"
    if after.delta != before.delta:
        return f"{text}; stuck: back to the best with delta {after.delta:g} and rate {after.rate:g}"
    return text


def result_text(settings: AscendSettings, best: Point) -> str:
    """Measure a result with dice that nothing was chosen by, and say it in a few lines.

    Args:
        settings: Of the run.
        best: Its best point.
    """
    kind = family(settings.player)
    start = np.array(settings.start) if settings.start else kind.start
    first, last = kind.player(start), kind.player(best.vector)
    lines = [f"{settings.player}, {settings.steps} steps; with fresh dice, points per game:"]
    if settings.reference != START:
        reference = load_opponent(settings.reference)
        for name, player in (("first", first), ("best", last)):
            result = _fresh(player, reference, settings.reference_games)
            lines.append(f"{name} against {settings.reference}: {_points(result)}")
    lines.append(f"best against first: {_points(_fresh(last, first, settings.reference_games))}")
    if called := kind.called(best.vector):
        lines.append(f"the best as a player: {called}")
    lines += [_weights(kind.names, start, best.vector)]
    return "\n".join(lines) + "\n"


def _fresh(player: Player, other: Player, games: int) -> GameResults:
    return play_games(player, other, games, _FRESH_SEED)


def _points(result: GameResults) -> str:
    won = result.counts(0)[0] / result.games
    points = f"{result.points_per_game:+.3f} ± {result.standard_error:.3f}"
    return f"{points} in {result.games:,} games, {won:.1%} won"


def _weights(names: tuple[str, ...], before: Vector, after: Vector) -> str:
    width = max(map(len, names))
    rows = zip(names, before, after, strict=True)
    return "\n".join(f"  {name:<{width}} {old:9.3f} -> {new:9.3f}" for name, old, new in rows)
