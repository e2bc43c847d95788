"""``gammond train heuristic-net``: a net on phase features that imitates a heuristic, then learns who won.

First the net learns what the heuristic says of positions of random games. Then, round by round, it learns
outcomes: positions of games of a player that chooses among its 4 best plays, 1 for those of the winner, 0 for
those of the loser. The folder gets ``imitation.npz`` (the net after the first part), ``best.npz`` (the best
measured), ``checkpoint.npz`` and a line of ``log.jsonl`` after each epoch and round. A run that was killed
goes on with --resume; it loses the epoch or the round that was under way.
"""

from __future__ import annotations

import argparse
import sys

from tools.train.heuristic_net.run import HeuristicNetRun
from tools.train.heuristic_net.settings import HeuristicNetSettings
from tools.train.plots import add_plot_option, check_plot
from tools.train.run_options import add_run, settings_of
from tools.train.settings import add_settings
from tools.train.stage import begin

SUMMARY = "train a net on phase features: it imitates a heuristic, then learns from outcomes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train heuristic-net``."""
    add_run(parser, "run.toml, checkpoint.npz, imitation.npz, best.npz, log.jsonl")
    add_settings(parser, HeuristicNetSettings)
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Train; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot(args.plot)
    settings = settings_of(args.run, args, HeuristicNetSettings)
    settings.check()
    if not args.resume:
        begin(args.run, "heuristic-net", settings, ())
    run = HeuristicNetRun(args.run, settings, args.plot)
    run.go_on()
    sys.stdout.write(run.result())
    return 0
