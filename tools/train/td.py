"""``gammond train td``: self-play with temporal differences, from random weights.

At each checkpoint the nets play against fixed opponents, and the best so far are kept in ``best.npz``. With
--backtrack a run whose nets fall behind the best goes back to those and learns at a lower rate. A run that
was killed goes on with --resume; it loses the games since the last checkpoint.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import msgspec

from engine.errors import UnsupportedError
from engine.games import play_games
from engine.players import EvaluatorPlayer
from nets.manifest import Strength
from tools.opponents import load_opponent
from tools.progress import Progress, short_number
from tools.train.checkpoints import load_checkpoint, resumed
from tools.train.curves import best_strength, standing
from tools.train.files import append_once, read_records
from tools.train.measuring import mean_strength, strength_arrays, strength_record, strength_text
from tools.train.plots import add_plot_option, check_plot, draw_runs
from tools.train.self_play import RoundReport, SelfPlay, TdSettings
from tools.train.settings import add_settings, read_options, read_settings
from tools.train.stage import CONFIG, LOG, begin

SUMMARY = "train a contact and a race net by self-play (temporal differences)"

BENCH_GAMES = 40_000
"""At most so many games are timed by --bench."""

BENCH_START_GAMES = 6_000
"""Games before those: untrained nets play games that are far longer than usual."""

_SEED = 1
"""Always the same dice, so that what is measured of two nets differs by the nets alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train td``."""
    parser.add_argument(
        "run", type=Path, nargs="?", help="folder of the run: run.toml, checkpoint.npz, best.npz, log.jsonl"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the run's last checkpoint")
    parser.add_argument("--bench", action="store_true", help="only measure games a second; nothing is kept")
    add_settings(parser, TdSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    if args.bench:
        return _bench(read_options(args, TdSettings))
    if args.run is None:
        raise UnsupportedError("expected a folder for the run, or --bench", field="run")
    check_plot(args.plot)
    if args.resume:
        settings = read_settings(args.run / CONFIG, TdSettings)
        settings.check()
    else:
        settings = read_options(args, TdSettings)
        settings.check()
        begin(args.run, "td", settings, ())
    _Training(args, settings).run()
    return 0


class _Training:
    """A run in progress."""

    def __init__(self, args: argparse.Namespace, settings: TdSettings) -> None:
        self._folder: Path = args.run
        self._plot: Path | None = args.plot
        self._settings = settings
        self._checkpoint = self._folder / "checkpoint.npz"
        self._best = self._folder / "best.npz"
        self._play = resumed(self._checkpoint, settings)
        self._opponents = {
            name: load_opponent(name) for name in settings.opponents if settings.benchmark_games
        }
        self._read_log()

    def run(self) -> None:
        """Play the games that are left."""
        settings, saved_at, done = self._settings, self._play.games_done, None
        kept_s = time.monotonic()
        with Progress(settings.games, "games", start=saved_at) as bar:
            for report in self._play.rounds():
                done = report.after(done)
                bar.update(report.games, f"error {done.error_points:.3f}{self._standing}")
                if report.games - saved_at < settings.checkpoint_every and report.games < settings.games:
                    continue
                bar.say(self._keep(done, kept_s))
                saved_at, done, kept_s = report.games, None, time.monotonic()

    def _keep(self, report: RoundReport, since_s: float) -> str:
        """Measure and save what was learned: the best nets, the line of the log, then the checkpoint.

        Returns:
            What to tell.
        """
        games_per_s = report.played / (time.monotonic() - since_s)
        strengths = self._measured()
        record = {**_record(report, games_per_s), **strength_record(strengths)}
        text = _line(report, games_per_s, strengths)
        if strengths and mean_strength(strengths) >= self._best_strength:
            self._play.trainee.save(self._best, **self._play.state(), **strength_arrays(strengths))
        elif strengths and self._has_fallen_behind(mean_strength(strengths)):
            record |= self._go_back()
            text += (
                f"; fallen behind: back to the nets of {record['back_to']} games, rate {self._play.rate:.4f}"
            )
        record["seconds"] = time.monotonic() - since_s
        append_once(self._folder / LOG, record, "games")
        self._play.trainee.save(self._checkpoint, **self._play.state())
        self._read_log()
        if self._plot:
            draw_runs([self._folder], self._plot)
        return text

    def _measured(self) -> list[Strength]:
        """Play against each opponent; none where nothing is measured."""
        player, games = EvaluatorPlayer(self._play.trainee), self._settings.benchmark_games
        results = {name: play_games(player, other, games, _SEED) for name, other in self._opponents.items()}
        return [
            Strength(name, each.points_per_game, each.standard_error, each.games)
            for name, each in results.items()
        ]

    def _has_fallen_behind(self, strength: float) -> bool:
        """Whether to go back; a rate that cannot be cut any more leaves nothing to gain by it."""
        settings = self._settings
        behind = self._best_strength - strength > settings.backtrack > 0.0
        return behind and self._play.rate > settings.final_rate

    def _go_back(self) -> dict[str, object]:
        """Go back to the best nets, and describe it for the log."""
        best = load_checkpoint(self._best)
        self._play.go_back(best.trainee)
        return {"back_to": best.games_done, "cuts": self._play.cuts}

    def _read_log(self) -> None:
        records = read_records(self._folder / LOG)
        self._best_strength = best_strength(records)
        self._standing = standing(records)


def _record(report: RoundReport, games_per_s: float) -> dict[str, object]:
    """Describe for the log what was learned since the last record."""
    return {
        "games": report.games,
        "rate": report.rate,
        "error_points": report.error_points,
        "gammons": report.gammons / max(report.played, 1),
        "plies": report.plies / max(report.played, 1),
        "games_per_s": games_per_s,
    }


def _line(report: RoundReport, games_per_s: float, strengths: list[Strength]) -> str:
    text = (
        f"{report.games} games, rate {report.rate:.4f}, error {report.error_points:.4f}, "
        f"{games_per_s:.0f} games/s"
    )
    return f"{text}, {strength_text(strengths)}" if strengths else text


def _bench(settings: TdSettings) -> int:
    """Measure games a second, after a start that compiles the loops and teaches the nets to end games."""
    timed = min(settings.games, BENCH_GAMES)
    play = SelfPlay(msgspec.structs.replace(settings, games=BENCH_START_GAMES + timed))
    played, started_s = 0, 0.0
    with Progress(play.settings.games, "games") as bar:
        for report in play.rounds():
            bar.update(report.games, f"error {report.error_points:.3f}")
            if report.games <= BENCH_START_GAMES or not started_s:
                started_s = time.monotonic()
            else:
                played += report.played
    elapsed_s = time.monotonic() - started_s
    sys.stdout.write(
        f"self-play, {settings.hidden} and {settings.race_hidden} hidden units: "
        f"{short_number(played / elapsed_s)} games/s "
        f"({played} in {elapsed_s:.1f} s, {settings.threads} threads)\n"
    )
    return 0
