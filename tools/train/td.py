"""``gammond train td``: self-play with temporal differences, from random weights."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import fields
from pathlib import Path

from engine.errors import ValueRangeError
from engine.games import GameResults, play_games
from engine.players import EvaluatorPlayer, Player
from nets.loading import load_player
from tools.progress import Progress
from tools.train.network import Trainee
from tools.train.run_folder import RunFolder
from tools.train.self_play import RoundReport, TdConfig

SUMMARY = "train a contact and a race net by self-play (temporal differences)"

_LEAST_BENCHMARK = 4
"""Two pairs: fewer have no standard error."""

_HELP = {
    "games": "games of self-play in all",
    "hidden": "hidden units of the contact net",
    "race_hidden": "hidden units of the race net",
    "learning_rate": "learning rate at the first game",
    "final_rate": "learning rate at the last game",
    "trace": "lambda of the returns, 0 to 1",
    "threads": "workers that play side by side",
    "round_games": "games of each worker before weight changes are added",
    "seed": "seed of the first weights and of the dice",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train td``."""
    parser.add_argument(
        "run", type=Path, help="folder of the run: run.toml, checkpoint.npz, best.npz, log.jsonl"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the run's last checkpoint")
    for field in fields(TdConfig):
        parser.add_argument(
            "--" + field.name.replace("_", "-"),
            type=type(field.default),
            default=field.default,
            help=f"{_HELP[field.name]} (default {field.default}; with --resume the run's own)",
        )
    parser.add_argument(
        "--checkpoint-every", type=int, default=100_000, help="games between checkpoints (default 100000)"
    )
    parser.add_argument(
        "--opponent", default="pubeval", help="who strength is measured against (default pubeval)"
    )
    parser.add_argument(
        "--benchmark-games",
        type=int,
        default=2000,
        help="paired games of each measurement; 0 for none (default 2000)",
    )


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    _check(args)
    opponent = load_player(args.opponent)
    folder = RunFolder(args.run)
    if args.resume:
        run = folder.resume()
    else:
        run = folder.start(TdConfig(**{field.name: getattr(args, field.name) for field in fields(TdConfig)}))
    began, games_before, saved_at = time.monotonic(), run.games_done, run.games_done
    with Progress(run.config.games, "games") as bar:
        for report in run.rounds():
            bar.update(report.games, f"error {report.error_points:.3f}")
            if report.games - saved_at < args.checkpoint_every and report.games < run.config.games:
                continue
            saved_at = report.games
            per_second = (report.games - games_before) / (time.monotonic() - began)
            strength = measure(run.trainee, opponent, args.benchmark_games)
            folder.checkpoint(run, record(report, per_second, opponent.name, strength))
            sys.stderr.write(_line(report, per_second, opponent.name, strength) + "\n")
    return 0


def _check(args: argparse.Namespace) -> None:
    if args.checkpoint_every < 1:
        raise ValueRangeError(
            f"games between checkpoints are 1 or more, not {args.checkpoint_every}", field="checkpoint_every"
        )
    if args.benchmark_games and (args.benchmark_games < _LEAST_BENCHMARK or args.benchmark_games % 2):
        raise ValueRangeError(
            f"games of a measurement are 0, or {_LEAST_BENCHMARK} or more and even, "
            f"not {args.benchmark_games}",
            field="benchmark_games",
        )


def measure(trainee: Trainee, opponent: Player, games: int) -> GameResults | None:
    """Play paired games against a fixed opponent, always with the same dice; None for no games."""
    return play_games(EvaluatorPlayer(trainee), opponent, games, seed=1) if games else None


def record(
    report: RoundReport, games_per_s: float, opponent: str, strength: GameResults | None
) -> dict[str, float | int | str]:
    """Describe a checkpoint for the log; points are points per game of the net."""
    entry: dict[str, float | int | str] = {
        "games": report.games,
        "rate": report.rate,
        "error_points": report.error_points,
        "gammons": report.gammons,
        "plies": report.plies,
        "games_per_s": games_per_s,
    }
    if strength is not None:
        entry |= {
            "opponent": opponent,
            "ppg": strength.points_per_game,
            "ppg_error": strength.standard_error,
            "ppg_games": strength.games,
        }
    return entry


def _line(report: RoundReport, games_per_s: float, opponent: str, strength: GameResults | None) -> str:
    text = f"{report.games} games, rate {report.rate:.4f}, error {report.error_points:.4f}"
    text += f", {games_per_s:.0f} games/s"
    if strength is not None:
        text += f", {strength.points_per_game:+.3f} ± {strength.standard_error:.3f} against {opponent}"
    return text
