"""Roll out the plays of a roll, a position or a cube decision, with standard errors.

POSITION is one in any form. Its dice are played unless --dice gives others: the best plays at 0-ply,
or those that --play names, with the best beside them where --candidates is given. Score and cube are those of
the text, unless options give others; without them it is money play with a centred cube.

--quick, --usual and --long set trials, truncation and look-ahead; each can be set by itself, too. While the
rollout runs the means so far are shown on stderr: a table on a terminal, else a line now and then.

The table on stdout has two lines for each play, or for the position, or for no double and double/take: the
equity (cubeful, where 1 is a single game at the present cube), how far it is behind the best one, also in
joint standard deviations (JSD), and in a match the match-winning chance (MWC) in percent, each with its
standard error; below it the chances in percent (wins, gammons and backgammons among them, and the same of
losses) and the cubeless money equity. --json writes the same as one JSON object, with the keys of 'rollout'
in docs/reference/protocol.md.

Ctrl-C, SIGTERM or SIGHUP ends a rollout with the trials that are complete; the exit status is then 130.
--state FILE saves the trials at the end and once a minute, and the same command resumes from them; with more
--trials it adds to them. The numbers are those of a single run. The state of another rollout is refused.
"""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import nullcontext

from gammond.engine.analysis.rollout_requests import (
    KINDS,
    MOVES,
    PreparedRollout,
    RolloutRequest,
    default_kind,
    parse_candidates,
)
from gammond.engine.errors import CancelledWork, StateError, UnsupportedError
from gammond.engine.rollout import CANCELLED
from gammond.engine.rules.moves import Play
from gammond.engine.rules.rules import VARIANTS, Rules
from gammond.engine.runtime.exit_codes import EXIT_OK
from gammond.nets.catalogue import find_pruner
from gammond.tools.common.interrupts import GOES_ON, call_on_interrupt, end_with_partial
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.opponents import collect_net_hashes, load_net_engine
from gammond.tools.common.options import written_path
from gammond.tools.common.position_arguments import add_assumed, add_position_arguments, read_position
from gammond.tools.common.rollout_options import RolloutOptions, add_rollout_arguments, read_rollout_options
from gammond.tools.common.strength import add_net_argument
from gammond.tools.parallel.options import add_cluster_option, add_threads_option, open_cluster
from gammond.tools.parallel.rollout_blocks import ExecutorBlocks, RolloutPlayers
from gammond.tools.rollout.progress import RolloutProgress, RolloutStateFile
from gammond.tools.rollout.report import format_json, format_text

SUMMARY = "roll out plays, a position or a cube decision"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_position_arguments(parser, has_dice=True)
    parser.add_argument(
        "--what", choices=KINDS, help="what to roll out (default moves if there are dice, else position)"
    )
    parser.add_argument(
        "--play",
        action="append",
        default=[],
        metavar="PLAY",
        help="a play to roll out, such as '24/18 13/11'; once for each of them",
    )
    add_rollout_arguments(parser)
    parser.add_argument(
        "--plies", type=int, help="look-ahead for checker plays and cube decisions (default the preset's)"
    )
    parser.add_argument("--cubeless", action="store_true", help="play without the cube")
    add_threads_option(parser)
    add_cluster_option(parser)
    parser.add_argument(
        "--state", type=written_path, metavar="FILE", help="save the trials here, and resume from them"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object in place of the table")
    add_net_argument(parser)


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0.

    Raises:
        GammondError: The arguments are invalid, or the state is damaged or of another rollout.
        KeyboardInterrupt: Ctrl-C or SIGTERM ended it early; the trials so far have been reported.
    """
    options = read_rollout_options(args, args.threads)
    request, settings = read_request(args, options), options.settings
    own_nets = {} if args.state is None else collect_net_hashes(args.net)
    keeper = RolloutStateFile(args.state, own_nets | find_pruner().net_hashes if own_nets else {})
    stopped = threading.Event()
    with nullcontext() if args.state is None else hold_lock(args.state, "state"):
        resume = keeper.load()
        report = RolloutProgress(settings.trials, resume, keeper)
        with call_on_interrupt(stopped.set, has_nothing=lambda: not report.count), report:
            rules = Rules(VARIANTS[args.variant])
            engine = load_net_engine(args.net).with_rules(rules)
            players = RolloutPlayers(args.net, rules, request.plies, request.leaf_plies)
            try:
                prepared = PreparedRollout(request, engine, settings, stopped.is_set)
                report.show_means(prepared)
                with open_cluster(args.cluster, args.net) as executor:
                    blocks = None if executor is None else ExecutorBlocks(executor, players)
                    answer = prepared.run(resume, report, blocks)
            except CancelledWork:
                raise KeyboardInterrupt from None
        unsaved = keeper.save(answer.rollout.state)
    as_json = add_assumed(args, format_json(answer)) if args.json else ""
    sys.stdout.write(f"{as_json}\n" if as_json else format_text(answer, settings))
    sys.stdout.flush()
    if unsaved is not None:
        raise unsaved
    if answer.rollout.reason == CANCELLED:
        raise end_with_partial("trials", GOES_ON if args.state else "--state keeps them")
    return EXIT_OK


def read_request(args: argparse.Namespace, options: RolloutOptions) -> RolloutRequest:
    """Make the request from the arguments.

    Raises:
        StateError: Plays without dice, or of a game that is over.
        UnsupportedError: Dice or plays for anything but plays.
        ValueRangeError: A number is out of range.
        GammondError: As `gammond.tools.common.position_arguments.read_position` and `parse_candidates`.
    """
    position, match = read_position(args, has_dice=True)
    kind = args.what or (MOVES if args.play else default_kind(match.roll))
    for option, given in (("dice", args.dice), ("play", args.play)):
        if kind != MOVES and given:
            raise UnsupportedError(f"--{option} goes with --what {MOVES}, not {kind}", field=option)
    plays: tuple[Play, ...] = ()
    if kind == MOVES:
        if match.roll is None:
            option = f"--what {MOVES}" if args.what else "--play"
            raise StateError(f"{option} needs dice: --dice 3 1", field="dice")
        plays = parse_candidates(args.play, position, match.roll)
    return RolloutRequest(
        kind=kind,
        position=position,
        match=match.before_roll(),
        roll=match.roll if kind == MOVES else None,
        is_cubeful=not args.cubeless,
        candidates=options.candidates,
        plays=plays,
        plies=options.plies,
        leaf_plies=options.leaf_plies,
    )
