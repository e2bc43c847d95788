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
in docs/reference/wire-commands.md.

Ctrl-C, SIGTERM or SIGHUP ends a rollout with the trials that are complete; the exit status is then 130.
--state FILE saves the trials at the end and once a minute, and the same command resumes from them; with more
--trials it adds to them. The numbers are those of a single run. The state of another rollout is refused.
"""

from __future__ import annotations

import sys
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, ClassVar

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
from gammond.tools.common.command_options import CORES, Threads, ToolCommand, option, written_file
from gammond.tools.common.interrupts import GOES_ON, call_on_interrupt, end_with_partial
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.opponents import collect_net_hashes, load_net_engine
from gammond.tools.common.position_arguments import AskedPosition, Dice, PositionOptions, ScoreOptions
from gammond.tools.common.rollout_options import RolloutOptions, UsualNumbers
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.parallel.options import Cluster, open_cluster
from gammond.tools.parallel.rollout_blocks import ExecutorBlocks, RolloutPlayers
from gammond.tools.rollout.progress import RolloutProgress, RolloutStateFile
from gammond.tools.rollout.report import format_json, format_text

SUMMARY = "roll out plays, a position or a cube decision"


class RolloutCommandOptions(PositionOptions, frozen=True, kw_only=True):
    """What is rolled out, and how."""

    takes_dice: ClassVar[bool] = True

    dice: Dice | None = None
    score: ScoreOptions = ScoreOptions()
    what: (
        Annotated[
            str,
            option("what to roll out (default moves if there are dice, else position)", choices=tuple(KINDS)),
        ]
        | None
    ) = None
    play: Annotated[
        tuple[str, ...],
        option("a play to roll out, such as '24/18 13/11'; once for each of them", "PLAY", is_repeated=True),
    ] = ()
    numbers: UsualNumbers = UsualNumbers()
    plies: (
        Annotated[int, option("look-ahead for checker plays and cube decisions (default the preset's)")]
        | None
    ) = None
    cubeless: Annotated[bool, option("play without the cube")] = False
    threads: Threads = CORES
    cluster: Cluster = ""
    state: Annotated[Path, written_file("save the trials here, and resume from them")] | None = None
    json: Annotated[bool, option("write one JSON object in place of the table")] = False
    net: Net = DEFAULT_NET


def run(options: RolloutCommandOptions) -> int:
    """Run the tool.

    Returns:
        0.

    Raises:
        GammondError: The arguments are invalid, or the state is damaged or of another rollout.
        KeyboardInterrupt: Ctrl-C or SIGTERM ended it early; the trials so far have been reported.
    """
    rollouts, asked = options.numbers.read(options.plies, options.threads), options.read(options.score)
    request, settings = read_request(options, asked, rollouts), rollouts.settings
    own_nets = {} if options.state is None else collect_net_hashes(options.net)
    keeper = RolloutStateFile(options.state, own_nets | find_pruner().net_hashes if own_nets else {})
    stopped = threading.Event()
    with nullcontext() if options.state is None else hold_lock(options.state, "state"):
        resume = keeper.load()
        report = RolloutProgress(settings.trials, resume, keeper)
        with call_on_interrupt(stopped.set, has_nothing=lambda: not report.count), report:
            rules = Rules(VARIANTS[options.variant])
            engine = load_net_engine(options.net).with_rules(rules)
            players = RolloutPlayers(options.net, rules, request.plies, request.leaf_plies)
            try:
                prepared = PreparedRollout(request, engine, settings, stopped.is_set)
                report.show_means(prepared)
                with open_cluster(options.cluster, options.net) as executor:
                    blocks = None if executor is None else ExecutorBlocks(executor, players)
                    answer = prepared.run(resume, report, blocks)
            except CancelledWork:
                raise KeyboardInterrupt from None
        unsaved = keeper.save(answer.rollout.state)
    as_json = asked.add_assumed(format_json(answer)) if options.json else ""
    sys.stdout.write(f"{as_json}\n" if as_json else format_text(answer, settings))
    sys.stdout.flush()
    if unsaved is not None:
        raise unsaved
    if answer.rollout.reason == CANCELLED:
        raise end_with_partial("trials", GOES_ON if options.state else "--state keeps them")
    return EXIT_OK


def read_request(
    options: RolloutCommandOptions, asked: AskedPosition, rollouts: RolloutOptions
) -> RolloutRequest:
    """Make the request from the options.

    Raises:
        StateError: Plays without dice, or of a game that is over.
        UnsupportedError: Dice or plays for anything but plays.
        ValueRangeError: A number is out of range.
        GammondError: As `parse_candidates`.
    """
    position, match, _ = asked
    kind = options.what or (MOVES if options.play else default_kind(match.roll))
    for name, given in (("dice", options.dice), ("play", options.play)):
        if kind != MOVES and given:
            raise UnsupportedError(f"--{name} goes with --what {MOVES}, not {kind}", field=name)
    plays: tuple[Play, ...] = ()
    if kind == MOVES:
        if match.roll is None:
            asking = f"--what {MOVES}" if options.what else "--play"
            raise StateError(f"{asking} needs dice: --dice 3 1", field="dice")
        plays = parse_candidates(options.play, position, match.roll)
    return RolloutRequest(
        kind=kind,
        position=position,
        match=match.before_roll(),
        roll=match.roll if kind == MOVES else None,
        is_cubeful=not options.cubeless,
        candidates=rollouts.candidates,
        plays=plays,
        plies=rollouts.plies,
        leaf_plies=rollouts.leaf_plies,
    )


COMMAND = ToolCommand(RolloutCommandOptions, run)
