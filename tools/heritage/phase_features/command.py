"""``gammond heritage heuristic-net``: a net on phase features that imitates a heuristic, then learns who won.

First the net learns what the heuristic says of positions of random games. Then, round by round, it learns
outcomes: positions of games of a player that chooses among its 4 best plays, 1 for those of the winner, 0 for
those of the loser. The folder gets ``imitation.npz`` (the net after the first part), ``best.npz`` (the best
measured), ``checkpoint.npz`` and a line of ``log.jsonl`` after each epoch and round. A run that was killed
goes on with --resume; it loses the epoch or the round that was under way.
"""

from __future__ import annotations

import argparse
import sys

from tools.figures import add_plot_option, check_plot_file
from tools.heritage.phase_features.run import HeuristicNetRun
from tools.heritage.phase_features.settings import HeuristicNetSettings
from tools.train.runs.options import add_run_options, load_run_settings
from tools.train.runs.run_folder import begin_run
from tools.train.runs.settings import add_setting_options

SUMMARY = "train a net on phase features: it imitates a heuristic, then learns from outcomes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond heritage heuristic-net``."""
    add_run_options(parser, "run.toml, checkpoint.npz, imitation.npz, best.npz, log.jsonl")
    add_setting_options(parser, HeuristicNetSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, HeuristicNetSettings)
    settings.check()
    if not args.resume:
        begin_run(args.run, "heritage heuristic-net", settings, ())
    run = HeuristicNetRun(args.run, settings, args.plot)
    run.run()
    sys.stdout.write(run.format_result())
    return 0
