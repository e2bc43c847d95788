"""Roll out the plays of a roll, a position or a cube decision, with standard errors.

POSITION is one in any form, as for `gammond hint`. Its dice are played unless --dice gives others. Score and
cube are those of the text or of options; without them it is money play with a centred cube.

The table on stdout has a row for each play, or for the position, or for no double and double/take: trials;
chances in percent, wins including gammons and backgammons; cubeless money equity; cubeful equity, where 1 is
a single game at the present cube; in a match the match-winning chance (MWC), each with its standard error;
and the difference from the best play, also in joint standard deviations (JSD). --json writes the same as one
JSON object, with the keys of 'rollout' in docs/reference/protocol.md.

Ctrl-C or SIGTERM ends a rollout with the trials that are complete; the exit status is then 130. --state FILE
saves the trials at the end and once a minute, and the same command resumes from them; with more --trials it
adds to them. The numbers are those of a single run. The state of another rollout is refused.
"""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import nullcontext
from pathlib import Path

from engine.analysis.rollout_requests import (
    DEFAULT_CANDIDATES,
    KINDS,
    MOVES,
    PreparedRollout,
    RolloutRequest,
    default_kind,
)
from engine.errors import CancelledWork, StateError, UnsupportedError
from engine.rollout import RolloutSettings, StopReason
from engine.runtime.cores import count_usable_cores
from nets.catalogue import collect_pruning_net_hashes
from tools.common.interrupts import EXIT_INTERRUPTED, call_on_interrupt
from tools.common.locks import hold_lock
from tools.common.opponents import collect_net_hashes, load_net_engine
from tools.common.position_arguments import add_position_arguments, read_position
from tools.common.strength import add_net_argument
from tools.rollout.report import format_json, format_table
from tools.rollout.state_file import RolloutProgress, RolloutStateFile

SUMMARY = "roll out plays, a position or a cube decision"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_position_arguments(parser, has_dice=True)
    parser.add_argument(
        "--what", choices=KINDS, help="what to roll out (default moves if there are dice, else position)"
    )
    usual = RolloutSettings()
    numbers: tuple[tuple[str, str, int | float, str], ...] = (
        ("--candidates", "N", DEFAULT_CANDIDATES, "plays to roll out, the best at 0-ply"),
        ("--trials", "N", usual.trials, "trials of each"),
        ("--seed", "N", usual.seed, "seed of the dice"),
        (
            "--truncate",
            "PLIES",
            usual.truncation,
            "plies after which a trial ends with an evaluation; 0 plays to the end",
        ),
        ("--plies", "PLIES", 0, "look-ahead for checker plays and cube decisions"),
        ("--leaf-plies", "PLIES", 0, "look-ahead for evaluations at the truncation"),
        ("--stop-error", "POINTS", usual.stop_error, "stop at this standard error of equities; 0 never"),
        (
            "--stop-jsd",
            "JSD",
            usual.stop_jsd,
            "prune plays this many joint standard deviations behind; 0 never",
        ),
        ("--min-trials", "N", usual.min_trials, "trials before either of these stops anything"),
    )
    for name, unit, default, meaning in numbers:
        parser.add_argument(
            name, type=type(default), default=default, metavar=unit, help=f"{meaning} (default %(default)s)"
        )
    parser.add_argument("--no-vr", action="store_true", help="no variance reduction: more noise, less work")
    parser.add_argument("--cubeless", action="store_true", help="play without the cube")
    parser.add_argument("--threads", type=int, help="threads (default one for each core)")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="save the trials here, and resume from them"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object in place of the table")
    add_net_argument(parser)


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0, or 130 if Ctrl-C or SIGTERM ended it early.

    Raises:
        GammondError: The arguments are invalid, or the state is damaged or of another rollout.
        KeyboardInterrupt: Ctrl-C or SIGTERM, before any trial was complete.
    """
    request, settings = read_request(args), _read_settings(args)
    nets = {} if args.state is None else collect_net_hashes(args.net) | collect_pruning_net_hashes()
    keeper = RolloutStateFile(args.state, nets)
    stopped = threading.Event()
    with nullcontext() if args.state is None else hold_lock(args.state, "state"):
        resume = keeper.load()
        engine = load_net_engine(args.net)
        with call_on_interrupt(stopped.set), RolloutProgress(settings.trials, resume, keeper) as report:
            try:
                answer = PreparedRollout(request, engine, settings, stopped.is_set).run(resume, report)
            except CancelledWork:
                raise KeyboardInterrupt from None
        unsaved = keeper.save(answer.rollout.state)
    sys.stdout.write(format_json(answer) if args.json else format_table(answer))
    sys.stdout.flush()
    if unsaved is not None:
        raise unsaved
    return EXIT_INTERRUPTED if answer.rollout.reason is StopReason.CANCELLED else 0


def read_request(args: argparse.Namespace) -> RolloutRequest:
    """Make the request from the arguments.

    Raises:
        StateError: Plays without dice, or of a game that is over.
        UnsupportedError: Dice for anything but plays.
        ValueRangeError: A number is out of range.
        GammondError: As `tools.common.position_arguments.read_position`.
    """
    position, match = read_position(args, has_dice=True)
    roll = match.roll
    kind = args.what or default_kind(roll)
    if kind != MOVES and args.dice is not None:
        raise UnsupportedError(f"--dice goes with --what {MOVES}, not {kind}", field="dice")
    if kind == MOVES and roll is None:
        raise StateError(f"--what {MOVES} needs dice: --dice 3 1", field="dice")
    return RolloutRequest(
        kind=kind,
        position=position,
        match=match.before_roll(),
        roll=roll if kind == MOVES else None,
        is_cubeful=not args.cubeless,
        candidates=args.candidates,
        plies=args.plies,
        leaf_plies=args.leaf_plies,
    )


def _read_settings(args: argparse.Namespace) -> RolloutSettings:
    return RolloutSettings(
        trials=args.trials,
        seed=args.seed,
        truncation=args.truncate,
        variance_reduction=not args.no_vr,
        stop_error=args.stop_error,
        stop_jsd=args.stop_jsd,
        min_trials=args.min_trials,
        threads=count_usable_cores() if args.threads is None else args.threads,
    )
