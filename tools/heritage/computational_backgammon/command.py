"""``gammond heritage classic``: nets as in the first years of TD-Gammon, which learn from games.

Sigmoid hidden units, one, two or five outputs, weights free or mirrored; one net for everything or another
one for races, and bearoffs learned or looked up. They learn by temporal differences from games against
themselves or with the help of an expert. At each checkpoint they play against fixed opponents, and the best
so far are kept in ``best.npz``; with --backtrack a run that falls behind goes back to those and learns at
lower rates. A run that was killed goes on with --resume; it loses the games since the last checkpoint.
"""

from __future__ import annotations

import argparse

from tools.figures import add_plot_option, check_plot_file
from tools.heritage.computational_backgammon.learner import make_initial_nets, resume_learner
from tools.heritage.computational_backgammon.settings import ClassicSettings
from tools.train.runs.learning_run import CHECKPOINT_FILE, LearningRun
from tools.train.runs.options import add_run_options, load_run_settings
from tools.train.runs.run_folder import begin_run
from tools.train.runs.settings import add_setting_options

SUMMARY = "train nets as in the first years of TD-Gammon: sigmoid units, symmetric or not, experts or not"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond heritage classic``."""
    add_run_options(parser, "run.toml, checkpoint.npz, best.npz, log.jsonl")
    add_setting_options(parser, ClassicSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, ClassicSettings)
    settings.check()
    if not args.resume:
        make_initial_nets(settings)
        begin_run(args.run, "heritage classic", settings, ())
    LearningRun(args.run, settings, resume_learner(args.run / CHECKPOINT_FILE, settings), args.plot).run()
    return 0
