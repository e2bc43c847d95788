"""``gammond train td``: self-play with temporal differences, from random weights.

At each checkpoint the nets play against fixed opponents, and the best so far are kept in ``best.npz``. With
--backtrack a run whose nets fall behind the best goes back to those and learns at a lower rate. A run that
was killed goes on with --resume; it loses the games since the last checkpoint.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from numpy.typing import NDArray

from engine.errors import UnsupportedError
from engine.players import EvaluatorPlayer, Player
from tools.progress import Progress, short_number
from tools.train.checkpoints import load_checkpoint, resumed
from tools.train.learning_run import CHECKPOINT, LearningRun
from tools.train.plots import add_plot_option, check_plot
from tools.train.run_options import add_run, settings_of
from tools.train.self_play import RoundReport, SelfPlay, TdSettings
from tools.train.settings import add_settings, read_options
from tools.train.stage import begin

SUMMARY = "train a contact and a race net by self-play (temporal differences)"

BENCH_GAMES = 40_000
"""At most so many games are timed by --bench."""

BENCH_START_GAMES = 6_000
"""Games before those: untrained nets play games that are far longer than usual."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train td``."""
    add_run(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl", is_optional=True)
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
    settings = settings_of(args.run, args, TdSettings)
    settings.check()
    if not args.resume:
        begin(args.run, "td", settings, ())
    learner = _Learner(resumed(args.run / CHECKPOINT, settings))
    LearningRun(args.run, settings, learner, args.plot).run()
    return 0


class _Learner:
    """Self-play as a run sees it."""

    def __init__(self, play: SelfPlay) -> None:
        self.play = play

    @property
    def games_done(self) -> int:
        return self.play.games_done

    @property
    def player(self) -> Player:
        return EvaluatorPlayer(self.play.trainee)

    @property
    def rate(self) -> float:
        return self.play.rate

    @property
    def can_slow(self) -> bool:
        return self.play.rate > self.play.settings.final_rate

    @property
    def cuts(self) -> int:
        return self.play.cuts

    def rounds(self) -> Iterator[RoundReport]:
        return self.play.rounds()

    def observations(self) -> dict[str, object]:
        return {}

    def save(self, file: Path, extra: dict[str, NDArray[Any]]) -> None:
        self.play.trainee.save(file, **self.play.state(), **extra)

    def go_back(self, file: Path) -> int:
        best = load_checkpoint(file)
        self.play.go_back(best.trainee)
        return best.games_done


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
