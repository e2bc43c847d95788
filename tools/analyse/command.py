"""Analyse matches: what each player did wrong, with performance ratings, error rates and luck.

    gammond analyse match.mat
    gammond analyse matches/ --plies 3 --format json --output analyses.jsonl
    gammond analyse match.xg --deepen 3 --format html --output report.html
    gammond analyse match.xg --format sgf --output match.sgf
    gammond analyse --player "Ann Lee" matches/ --format html --output ann.html

FILE is a match in any format that gammond reads, recognised by its content; of a folder or a .zip archive,
all files in it; - is standard input. Every play, cube decision and roll is rated at the score. Decisions
that are wrong, or close, by .02 or so are rated again at --deepen plies, all their choices alike. --rollout
then rolls out those that still are: the play that was made and those near the best, or both cube actions,
with the same dice and trials. Their equities have standard errors, and are ranked among themselves.

The text has the statistics of both players, each number on the scale of the program that it is named after,
and the errors, the worst first; in the end those of players over several matches. --format html writes a page
for a browser, with the course of the match and a board for every decision; json an object for each match,
with every decision; csv a row for each decision; sgf the match with its analysis, as GNU Backgammon keeps it,
ogxm as OpenGammon does. For several matches --output of html, sgf and ogxm is a folder.

--player NAME analyses the matches of one player alone, and writes how well each was played: by date, as far
as files have one, with the mean of the last decisions (--window) and 95 % intervals; html has it as a plot.
Capitals, accents, blanks and signs do not count in names, and a part of a name will do; what was taken for
the name is said. A match that several files have counts once.

What is wrong in a file is said on stderr, with its place, and of several files in the end how many were read
whole, cut, or not at all, and why; --strict refuses a file with a fault. The exit status is 1 where decisions
of a file were lost; an illegal play, which is marked, or a last game without an end is not.

Ctrl-C keeps the matches that are finished. With --output every decision is kept as soon as it is rated, in a
file beside it (OUTPUT.unfinished), and after Ctrl-C or a kill the same command goes on from there; the output
is the same to the last byte. --force begins anew. What exists is not overwritten without it.
"""

from __future__ import annotations

import argparse
import threading
from contextlib import ExitStack
from datetime import datetime
from functools import partial

from gammond.engine.errors import CancelledWork, LimitError, PositionError, UnsupportedError
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_analysis.rollouts import DecisionRollouts
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.threads import Workers
from gammond.engine.search import FILTERS
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.tools.analyse.analyser import MatchAnalyser
from gammond.tools.analyse.kept_decisions import KeptDecisions, find_kept_file
from gammond.tools.analyse.output import (
    DEFAULT_WINDOW,
    FORMATS,
    TEXT,
    MatchReports,
    PlayerReports,
    ReportStream,
)
from gammond.tools.common.interrupts import GOES_ON, call_on_interrupt
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.match_inputs import list_match_inputs
from gammond.tools.common.opponents import collect_net_hashes, load_net_engine
from gammond.tools.common.options import add_force_option, written_path
from gammond.tools.common.position_arguments import STDIN
from gammond.tools.common.progress import write_message
from gammond.tools.common.rollout_options import (
    QUICK,
    add_rollout_arguments,
    find_rollout_option,
    read_rollout_options,
)
from gammond.tools.common.strength import add_net_argument
from gammond.tools.parallel.options import add_cluster_option, add_threads_option, open_cluster
from gammond.tools.parallel.shared_decisions import SharedDecisions

SUMMARY = "what the players of match files did wrong: ratings, errors, luck"

DEFAULT_PLIES = 2
DEFAULT_ERRORS = 20

_write_message = partial(write_message, "gammond analyse")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help=f"match files, folders and .zip archives of them; {STDIN} is standard input",
    )
    parser.add_argument(
        "--plies", type=int, default=DEFAULT_PLIES, help="look-ahead of every decision (default %(default)s)"
    )
    parser.add_argument(
        "--deepen",
        type=int,
        default=0,
        metavar="PLIES",
        help="look-ahead of decisions that are close or wrong (default none)",
    )
    parser.add_argument(
        "--filter", choices=FILTERS, default=DEFAULT_FILTER, help="move filter (default %(default)s)"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default=TEXT, help="what is written (default %(default)s)"
    )
    parser.add_argument(
        "--output",
        type=written_path,
        metavar="FILE",
        help="write here, in place of stdout; a folder for many .html, .sgf or .ogxm files",
    )
    add_force_option(parser, "forget what an unfinished run to the same --output has rated")
    parser.add_argument(
        "--errors", type=int, default=DEFAULT_ERRORS, metavar="N", help="errors to list (default %(default)s)"
    )
    parser.add_argument(
        "--player", metavar="NAME", help="the matches of this player alone, as ratings over time"
    )
    parser.add_argument(
        "--window",
        type=int,
        metavar="N",
        help=f"with --player: decisions in the moving mean (default {DEFAULT_WINDOW})",
    )
    parser.add_argument("--strict", action="store_true", help="refuse files with a fault")
    add_threads_option(parser)
    add_cluster_option(parser)
    add_net_argument(parser)
    rollouts = parser.add_argument_group("rollouts")
    rollouts.add_argument(
        "--rollout", action="store_true", help="roll out what is close or wrong after the search"
    )
    rollouts.add_argument(
        "--rollout-plies",
        type=int,
        metavar="PLIES",
        help="look-ahead for checker plays and cube decisions of rollouts (default the preset's)",
    )
    add_rollout_arguments(rollouts, QUICK)


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0, or 1 where a file could not be read, or decisions of it were lost.

    Raises:
        GammondError: An option is wrong, or the output cannot be written.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what is finished has been written.
    """
    settings = AnalysisSettings(args.plies, args.deepen, args.filter)
    rollouts, sources = _read_rollouts(args), list_match_inputs(args.files)
    _write_message(f"reads {sources[0].name if len(sources) == 1 else f'{len(sources):,} files'}")
    stopped = threading.Event()
    with ExitStack() as opened:
        stream = opened.enter_context(ReportStream(args.output))
        work = (MatchReports if args.player is None else PlayerReports)(args, sources, stream, _write_message)
        opened.enter_context(call_on_interrupt(stopped.set, has_nothing=lambda: not work.count))
        nets = collect_net_hashes(args.net)
        executor = opened.enter_context(open_cluster(args.cluster, args.net))
        shared = None
        if executor is not None:
            shared = SharedDecisions(executor, args.net, settings, stopped.is_set)
        analyser = MatchAnalyser(
            load_net_engine(args.net), nets, settings, rollouts, Workers(args.threads), stopped, shared
        )
        kept = _open_kept(args, analyser, opened)
        are_analysed = True
        work.date = kept.date if kept else datetime.now().astimezone()
        try:
            for match, name, label, write in work.list_matches():
                if match.has_analysis:
                    _write_message(f"{name}: the file's own analysis is not used")
                try:
                    write(analyser.analyse(match, name, label, kept))
                except (LimitError, PositionError, UnsupportedError) as error:
                    _write_message(f"{name}: {error.message}")
                    are_analysed = False
        except CancelledWork:
            pass
        work.finish()
        for line in work.tally.summarise() if len(sources) > 1 and not stopped.is_set() else ():
            _write_message(line)
        if stopped.is_set():
            raise KeyboardInterrupt(GOES_ON if kept else "")
        if kept is not None:
            kept.remove()
            if work.count:
                _write_message(f"wrote {args.output}")
    return EXIT_OK if work.count and are_analysed and work.tally.is_whole else EXIT_FAULTS


def _read_rollouts(args: argparse.Namespace) -> DecisionRollouts | None:
    """Return how decisions are rolled out; None if they are not.

    Raises:
        GammondError: A number is out of range, or there is no --rollout.
    """
    if not args.rollout:
        option = "--rollout-plies" if args.rollout_plies is not None else find_rollout_option(args)
        if option:
            raise UnsupportedError(f"{option} is for rollouts: add --rollout", field="rollout")
        return None
    chosen = argparse.Namespace(**{**vars(args), "plies": args.rollout_plies})
    options = read_rollout_options(chosen, args.threads, QUICK)
    plays = DecisionRollouts.max_plays if options.candidates is None else options.candidates
    return DecisionRollouts(options.settings, options.plies, options.leaf_plies, plays)


def _open_kept(args: argparse.Namespace, analyser: MatchAnalyser, opened: ExitStack) -> KeptDecisions | None:
    """Open the file with the decisions of an unfinished run; None if the output is not kept either."""
    if args.output is None:
        return None
    opened.enter_context(hold_lock(args.output, "output"))
    file = find_kept_file(args.output)
    kept = opened.enter_context(KeptDecisions(file, analyser.describe_run(), is_new=args.force))
    if kept.matches:
        plural = "es" * (kept.matches != 1)
        _write_message(f"goes on with {file}, which has decisions of {kept.matches:,} match{plural}")
    return kept
