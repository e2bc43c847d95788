"""``gammond train classic``: nets as in the first years of TD-Gammon, which learn from games.

Sigmoid hidden units, one, two or five outputs, weights free or mirrored; one net for everything or another
one for races, and bearoffs learned or looked up. They learn by temporal differences from games against
themselves or with the help of an expert. At each checkpoint they play against fixed opponents, and the best
so far are kept in ``best.npz``; with --backtrack a run that falls behind goes back to those and learns at
lower rates. A run that was killed goes on with --resume; it loses the games since the last checkpoint.
"""

from __future__ import annotations

import argparse

from tools.train.classic.learner import first_nets, resumed
from tools.train.classic.settings import ClassicSettings
from tools.train.learning_run import CHECKPOINT, LearningRun
from tools.train.plots import add_plot_option, check_plot
from tools.train.run_options import add_run, settings_of
from tools.train.settings import add_settings
from tools.train.stage import begin

SUMMARY = "train nets as in the first years of TD-Gammon: sigmoid units, symmetric or not, experts or not"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train classic``."""
    add_run(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl")
    add_settings(parser, ClassicSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot(args.plot)
    settings = settings_of(args.run, args, ClassicSettings)
    settings.check()
    if not args.resume:
        first_nets(settings)
        begin(args.run, "classic", settings, ())
    LearningRun(args.run, settings, resumed(args.run / CHECKPOINT, settings), args.plot).run()
    return 0
