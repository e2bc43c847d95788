"""Measure cube efficiencies: the parameters of Janowski's model, by class of position.

Positions near the doubling window come from games that the net plays against itself. Each is rolled out with
the cube centred, held by the side on roll, held by the opponent, and without a cube, all with the same dice;
endings in a cubeful bearoff table need no rollout. Efficiencies are the least-squares fit of these values to
the rolled-out outcomes; in races they depend on the pip count of the side on roll. The last table has the
loss of 0-ply cube decisions by the default efficiencies, and what measured ones save, each on positions that
it was not measured on.

Ctrl-C or SIGTERM ends it with the positions that are done; the exit status is then 130.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from dataclasses import replace

from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies
from gammond.engine.errors import ValueRangeError
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings
from gammond.engine.runtime.exit_codes import EXIT_INTERRUPTED
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.engine.runtime.version import read_version
from gammond.tools.common.interrupts import call_on_interrupt
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.progress import Progress
from gammond.tools.common.ranges import check_number
from gammond.tools.common.strength import add_net_argument
from gammond.tools.measure.cube.fit import EFFICIENCY_NAMES, efficiencies_from_vector
from gammond.tools.measure.cube.positions import KINDS, classify_positions, draw_positions
from gammond.tools.measure.cube.report import (
    MIN_POSITIONS,
    CubeEfficiencyReport,
    estimate_efficiencies,
    make_kind_reports,
    name_averages,
)
from gammond.tools.measure.cube.values import CubeValueEvaluator, make_money_game

SUMMARY = "measure cube efficiencies by class of position"

MAX_SEED = 2**31 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)} (default all)")
    parser.add_argument("--positions", type=int, default=400, help="positions of each kind (default 400)")
    parser.add_argument("--trials", type=int, default=144, help="trials of each rollout (default 144)")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of positions and dice, 0 or more (default 1)"
    )
    parser.add_argument("--threads", type=int, help="threads (default one for each core)")
    add_net_argument(parser, "evaluator for cube decisions")
    parser.add_argument(
        "--play-net", metavar="NAME", help="evaluator for plays in the rollouts (default that of --net)"
    )
    parser.add_argument(
        "--decide-by",
        type=float,
        metavar="EFFICIENCY",
        help="efficiency for all cube decisions in the rollouts (default the efficiencies in use)",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")


def main(args: argparse.Namespace) -> int:
    """Measure and report.

    Args:
        args: As `add_arguments` declares them.

    Returns:
        0, or 130 when Ctrl-C or SIGTERM ended it early.

    Raises:
        ValueRangeError: An unknown kind or net, or a number out of range.
        LimitError: A kind hardly ever comes up in the games.
        DataFileError: A net or database is missing or faulty.
        KeyboardInterrupt: Ctrl-C or SIGTERM before there was anything to report.
    """
    kinds = _read_kinds(args)
    started_s = time.monotonic()
    evaluators, names = _load_evaluators(args)
    game = make_money_game()
    with Progress(len(kinds) * args.positions, "drawing positions") as bar:
        boards = draw_positions(evaluators, kinds, args.positions, game, args.seed, bar.update)
    stopped = threading.Event()
    decide_by = _make_efficiencies(args.decide_by)
    roller = CubeValueEvaluator(
        evaluators, make_money_game(decide_by), args.trials, args.seed, stopped.is_set
    )
    threads = count_usable_cores() if args.threads is None else args.threads
    with call_on_interrupt(stopped.set), Progress(len(boards), "rolling out") as bar:
        known = roller.evaluate(boards, threads, bar.update)
    kind_of = classify_positions(known.boards, evaluators.exact_cubeful)
    found = make_kind_reports(known, kind_of, DEFAULT_EFFICIENCIES) if len(known) >= MIN_POSITIONS else []
    if stopped.is_set() and not found:
        raise KeyboardInterrupt
    report = CubeEfficiencyReport(
        version=read_version(),
        net=names[0],
        play_net=names[1],
        decided_by=args.decide_by,
        trials=args.trials,
        seed=args.seed,
        seconds=round(time.monotonic() - started_s, 3),
        efficiencies=estimate_efficiencies(known),
        in_use=name_averages(known, DEFAULT_EFFICIENCIES),
        kinds=found,
    )
    sys.stdout.write(report.as_json() if args.json else report.as_text())
    return EXIT_INTERRUPTED if stopped.is_set() else 0


def _read_kinds(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the kinds to measure.

    Raises:
        ValueRangeError: One is unknown, or a number is out of range.
    """
    for kind in args.kinds:
        if kind not in KINDS:
            raise ValueRangeError(
                f"kind of position: expected one of {', '.join(KINDS)}, got {kind!r}", field="kinds"
            )
    check_number("positions", args.positions, MIN_POSITIONS)
    check_number("seed", args.seed, 0, MAX_SEED)
    if args.threads is not None:
        check_number("threads", args.threads, 1, MAX_THREADS)
    if args.decide_by is not None:
        check_number("decide-by", args.decide_by, 0, 1)
    RolloutSettings(trials=args.trials)
    return tuple(kind for kind in KINDS if kind in args.kinds or not args.kinds)


def _load_evaluators(args: argparse.Namespace) -> tuple[RolloutEvaluators, tuple[str, str]]:
    """Load the evaluators; return them with the names of the nets for the cube and for plays."""
    engine = load_net_engine(args.net)
    if args.play_net is None:
        return make_rollout_evaluators(engine), (engine.name, engine.name)
    player = load_net_engine(args.play_net)
    evaluators = replace(make_rollout_evaluators(player), leaf=engine.evaluator, cube=engine.evaluator)
    return evaluators, (engine.name, player.name)


def _make_efficiencies(efficiency: float | None) -> CubeEfficiencies:
    """Return the same efficiency for all positions, or the default ones."""
    return (
        DEFAULT_EFFICIENCIES
        if efficiency is None
        else efficiencies_from_vector([efficiency] * len(EFFICIENCY_NAMES))
    )
