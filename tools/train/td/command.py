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
from engine.play.player import EvaluatorPlayer, Player
from tools.figures import add_plot_option, check_plot_file
from tools.progress import Progress, format_short_number
from tools.train.runs.learning_run import CHECKPOINT_FILE, LearningRun
from tools.train.runs.options import add_run_options, load_run_settings
from tools.train.runs.run_folder import begin_run
from tools.train.runs.settings import add_setting_options, settings_from_args
from tools.train.td.checkpoints import load_td_checkpoint, resume_self_play
from tools.train.td.self_play import RoundReport, SelfPlay, TdSettings

SUMMARY = "train a contact and a race net by self-play (temporal differences)"

BENCH_GAMES = 40_000
"""At most so many games are timed by --bench."""

BENCH_WARM_UP_GAMES = 6_000
"""Games before those: untrained nets play games that are far longer than usual."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train td``."""
    add_run_options(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl", is_optional=True)
    parser.add_argument("--bench", action="store_true", help="only measure games a second; nothing is kept")
    add_setting_options(parser, TdSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    if args.bench:
        return _run_bench(settings_from_args(args, TdSettings))
    if args.run is None:
        raise UnsupportedError("expected a folder for the run, or --bench", field="run")
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, TdSettings)
    settings.check()
    if not args.resume:
        begin_run(args.run, "train td", settings, ())
    learner = _TdLearner(resume_self_play(args.run / CHECKPOINT_FILE, settings))
    LearningRun(args.run, settings, learner, args.plot).run()
    return 0


class _TdLearner:
    """Self-play as a run sees it."""

    def __init__(self, play: SelfPlay) -> None:
        self.play = play

    @property
    def games_done(self) -> int:
        return self.play.games_done

    @property
    def player(self) -> Player:
        return EvaluatorPlayer(self.play.nets)

    @property
    def rate(self) -> float:
        return self.play.rate

    @property
    def can_cut_rate(self) -> bool:
        return self.play.rate > self.play.settings.final_rate

    @property
    def cuts(self) -> int:
        return self.play.cuts

    def play_rounds(self) -> Iterator[RoundReport]:
        return self.play.play_rounds()

    def compute_metrics(self) -> dict[str, object]:
        return {}

    def save(self, file: Path, extra: dict[str, NDArray[Any]]) -> None:
        self.play.nets.save(file, **self.play.state_dict(), **extra)

    def backtrack_to(self, file: Path) -> int:
        best = load_td_checkpoint(file)
        self.play.backtrack_to(best.nets)
        return best.games_done


def _run_bench(settings: TdSettings) -> int:
    """Measure games a second, after a start that compiles the loops and teaches the nets to end games."""
    timed = min(settings.games, BENCH_GAMES)
    play = SelfPlay(msgspec.structs.replace(settings, games=BENCH_WARM_UP_GAMES + timed))
    played, started_s = 0, 0.0
    with Progress(play.settings.games, "games") as bar:
        for report in play.play_rounds():
            bar.update(report.games_done, f"error {report.error_points:.3f}")
            if report.games_done <= BENCH_WARM_UP_GAMES or not started_s:
                started_s = time.monotonic()
            else:
                played += report.games_played
    elapsed_s = time.monotonic() - started_s
    sys.stdout.write(
        f"self-play, {settings.hidden} and {settings.race_hidden} hidden units: "
        f"{format_short_number(played / elapsed_s)} games/s "
        f"({played} in {elapsed_s:.1f} s, {settings.threads} threads)\n"
    )
    return 0
