"""``gammond heritage ascend``: gradient ascent on the weights of a player, by matches against itself.

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

from engine.play.lockstep import PairedGameResults, play_games
from engine.play.player import Player
from tools.figures import add_plot_option, check_plot_file, draw_runs
from tools.files import append_new_record, write_arrays
from tools.heritage.barca.ascent import (
    AscentState,
    Gradient,
    GradientAscent,
    RatedVector,
    load_state,
    save_state,
)
from tools.heritage.barca.families import Vector, get_family
from tools.heritage.barca.settings import START_REFERENCE, AscendSettings
from tools.opponents import load_opponent
from tools.parallel import ProcessPool
from tools.progress import Progress
from tools.train.runs.options import add_run_options, add_workers_option, load_run_settings
from tools.train.runs.run_folder import LOG_FILE, begin_run
from tools.train.runs.settings import add_setting_options

SUMMARY = "learn the weights of a player without nets by gradient ascent on match scores"

_FRESH_SEED = 2
"""Of the dice that nothing was chosen by."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond heritage ascend``."""
    add_run_options(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl")
    add_workers_option(parser, 1)
    add_setting_options(parser, AscendSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, AscendSettings)
    settings.check()
    with ProcessPool(args.workers) as processes:
        if not args.resume:
            begin_run(args.run, "heritage ascend", settings, ())
        best = _run_ascent(args.run, settings, GradientAscent(settings, processes), args.plot)
    sys.stdout.write(report_result(settings, best))
    return 0


def _run_ascent(
    folder: Path, settings: AscendSettings, ascent: GradientAscent, plot: Path | None
) -> RatedVector:
    """Make the steps that are left."""
    checkpoint = folder / "checkpoint.npz"
    began_s = time.monotonic()
    if checkpoint.exists():
        standing = load_state(checkpoint, settings)
    else:
        standing = ascent.rate_start()
        _save_step(folder, settings, standing, standing.now, None, time.monotonic() - began_s)
    with Progress(settings.steps, "steps", start=standing.step) as bar:
        while standing.step < settings.steps:
            began_s = time.monotonic()
            before = standing
            standing, gradient = ascent.take_step(before)
            reached = standing.best if standing.best is not before.best else standing.now
            _save_step(folder, settings, standing, reached, gradient, time.monotonic() - began_s)
            if plot:
                draw_runs([folder], plot)
            bar.write_line(_format_step(before, standing, reached, gradient))
            bar.update(standing.step, f"best {standing.best_ever.points_per_game:+.3f}")
    return standing.best_ever


def _save_step(
    folder: Path,
    settings: AscendSettings,
    state: AscentState,
    reached: RatedVector,
    gradient: Gradient | None,
    seconds: float,
) -> None:
    """Save a step: the best point, the line of the log, then the checkpoint."""
    best = state.best_ever
    write_arrays(
        folder / "best.npz",
        {
            "player": np.array(settings.player),
            "vector": best.vector,
            "ppg": np.array(best.points_per_game),
            "ppg_error": np.array(best.standard_error),
        },
    )
    record: dict[str, object] = {
        "step": state.step,
        "games": state.games,
        "seconds": seconds,
        "opponent": settings.reference,
        "ppg": reached.points_per_game,
        "ppg_error": reached.standard_error,
        "ppg_games": settings.reference_games,
        "vector": reached.vector.tolist(),
        "best_ppg": best.points_per_game,
        "delta": state.delta,
        "rate": state.rate,
        "returns": state.returns,
        "random_points": state.random_points,
    }
    if gradient is not None:
        record |= {
            "gradient": gradient.slopes.tolist(),
            "gradient_errors": gradient.errors.tolist(),
            "signal": gradient.signal_to_noise,
        }
    append_new_record(folder / LOG_FILE, record, "step")
    save_state(folder / "checkpoint.npz", settings.player, state)


def _format_step(before: AscentState, after: AscentState, reached: RatedVector, gradient: Gradient) -> str:
    text = (
        f"step {after.step}: {reached.points_per_game:+.3f} ± {reached.standard_error:.3f}, "
        f"best {after.best_ever.points_per_game:+.3f}, signal {gradient.signal_to_noise:.2f}"
    )
    if after.random_points > before.random_points:
        return f"{text}; stuck: on to a random point"
    if after.delta != before.delta:
        return f"{text}; stuck: back to the best with delta {after.delta:g} and rate {after.rate:g}"
    return text


def report_result(settings: AscendSettings, best: RatedVector) -> str:
    """Measure a result with dice that nothing was chosen by, and say it in a few lines.

    Args:
        settings: Of the run.
        best: Its best point.
    """
    kind = get_family(settings.player)
    start = np.array(settings.start) if settings.start else kind.start
    first, last = kind.make_player(start), kind.make_player(best.vector)
    lines = [f"{settings.player}, {settings.steps} steps; with fresh dice, points per game:"]
    if settings.reference != START_REFERENCE:
        reference = load_opponent(settings.reference)
        for name, player in (("first", first), ("best", last)):
            result = _play_fresh_games(player, reference, settings.reference_games)
            lines.append(f"{name} against {settings.reference}: {_format_points(result)}")
    lines.append(
        f"best against first: {_format_points(_play_fresh_games(last, first, settings.reference_games))}"
    )
    if called := kind.format_player(best.vector):
        lines.append(f"the best as a player: {called}")
    lines += [_format_weights(kind.names, start, best.vector)]
    return "\n".join(lines) + "\n"


def _play_fresh_games(player: Player, other: Player, games: int) -> PairedGameResults:
    return play_games(player, other, games, _FRESH_SEED)


def _format_points(result: PairedGameResults) -> str:
    won = result.count_wins(0)[0] / result.games
    points = f"{result.points_per_game:+.3f} ± {result.standard_error:.3f}"
    return f"{points} in {result.games:,} games, {won:.1%} won"


def _format_weights(names: tuple[str, ...], before: Vector, after: Vector) -> str:
    width = max(map(len, names))
    rows = zip(names, before, after, strict=True)
    return "\n".join(f"  {name:<{width}} {old:9.3f} -> {new:9.3f}" for name, old, new in rows)
