"""Analyse matches: what each player did wrong, with performance ratings, error rates and luck.

    gammond analyse match.mat
    gammond analyse matches/ --plies 3 --format json --output analyses.jsonl
    gammond analyse match.xg --deepen 3 --format html --output report.html
    gammond analyse match.xg --format sgf --output match.sgf

FILE is a match in any format that gammond reads, recognised by its content; of a folder, all files below it;
- is standard input. Every play, cube decision and roll is judged at the score. Decisions that are wrong, or
close, by .02 or so are judged again at --deepen plies, all their choices alike. --rollout then rolls out
those that still are: the play that was made and those near the best, or both cube actions, with the same dice
and trials. Their equities have standard errors, and are ranked among themselves.

The text has the statistics of both players, each number on the scale of the program that it is named after,
and the errors, the worst first; in the end those of players over several matches. --format html writes a page
for a browser, with the course of the match and a board for every decision; json an object for each match,
with every decision; csv a row for each decision; sgf the match with its analysis, as GNU Backgammon keeps it.
For several matches --output of html and sgf is a folder.

What of a file could not be read is said on stderr, with its place; --strict refuses such a file. The exit
status is then 1.

Ctrl-C keeps the matches that are finished. With --output every decision is kept as soon as it is judged, in a
file beside it (OUTPUT.unfinished), and after Ctrl-C or a kill the same command goes on from there; the output
is the same to the last byte. --force begins anew.
"""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from engine.errors import CancelledWork, PositionError, UnsupportedError
from engine.match_analysis.analysis import AnalysisSettings
from engine.match_analysis.rollouts import DecisionRollouts
from engine.options import escape_unprintable
from engine.runtime.cores import count_usable_cores
from engine.search import FILTERS
from engine.search.filters import DEFAULT_FILTER
from tools.analyse.analyser import MatchAnalyser
from tools.analyse.kept_decisions import KeptDecisions
from tools.analyse.output import FORMATS, TEXT, MatchWriter, ReportStream
from tools.common.interrupts import call_on_interrupt
from tools.common.locks import hold_lock
from tools.common.match_inputs import list_match_inputs
from tools.common.opponents import collect_net_hashes, load_net_engine
from tools.common.position_arguments import STDIN
from tools.common.rollout_options import (
    QUICK,
    add_rollout_arguments,
    find_rollout_option,
    read_rollout_options,
)
from tools.common.strength import add_net_argument

SUMMARY = "what the players of match files did wrong: ratings, errors, luck"

DEFAULT_PLIES = 2
DEFAULT_ERRORS = 20

KEPT_SUFFIX = ".unfinished"
"""Ends the name of the file with the decisions of an unfinished run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help=f"match files, or folders of them; {STDIN} is standard input"
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
        type=Path,
        metavar="FILE",
        help="write here, in place of stdout; a folder for many .html or .sgf files",
    )
    parser.add_argument(
        "--force", action="store_true", help="forget what an unfinished run to the same --output has judged"
    )
    parser.add_argument(
        "--errors", type=int, default=DEFAULT_ERRORS, metavar="N", help="errors to list (default %(default)s)"
    )
    parser.add_argument("--strict", action="store_true", help="refuse files with a fault")
    parser.add_argument("--threads", type=int, help="threads (default one for each core)")
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
        0, or 1 where a file could not be read, or not all of it.

    Raises:
        GammondError: An option is wrong, or the output cannot be written.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what is finished has been written.
    """
    threads = count_usable_cores() if args.threads is None else args.threads
    settings = AnalysisSettings(args.plies, args.deepen, args.filter)
    rollouts, sources = _read_rollouts(args, threads), list_match_inputs(args.files)
    stopped, is_whole = threading.Event(), True
    with ExitStack() as opened:
        stream = opened.enter_context(ReportStream(args.output))
        writer = MatchWriter(args, len(sources), stream)
        opened.enter_context(call_on_interrupt(stopped.set, has_nothing=lambda: not writer.count))
        analyser = MatchAnalyser(
            load_net_engine(args.net), collect_net_hashes(args.net), settings, rollouts, threads, stopped
        )
        kept = _open_kept(args, analyser, opened)
        writer.date = kept.date if kept else datetime.now().astimezone()
        try:
            for number, source in enumerate(sources, 1):
                label = escape_unprintable(source.name) + f", {number} of {len(sources)}" * (len(sources) > 1)
                matches = source.read(_write_message, strict=args.strict)
                is_whole &= bool(matches) and not any(match.issues for match in matches)
                writer.check(matches)
                for match in (match for match in matches if match.games):
                    try:
                        analysed = analyser.analyse(match, source.name, label, kept)
                    except (PositionError, UnsupportedError) as error:
                        _write_message(f"{source.name}: {error.message}")
                        is_whole = False
                        continue
                    writer.write(analysed)
        except CancelledWork:
            pass
        writer.finish()
        if stopped.is_set():
            if kept is not None:
                _write_message("the same command goes on from here")
            raise KeyboardInterrupt
        if kept is not None:
            kept.remove()
    return 0 if writer.count and is_whole else 1


def _read_rollouts(args: argparse.Namespace, threads: int) -> DecisionRollouts | None:
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
    options = read_rollout_options(chosen, threads, QUICK)
    plays = DecisionRollouts.max_plays if options.candidates is None else options.candidates
    return DecisionRollouts(options.settings, options.plies, options.leaf_plies, plays)


def _open_kept(args: argparse.Namespace, analyser: MatchAnalyser, opened: ExitStack) -> KeptDecisions | None:
    """Open the file with the decisions of an unfinished run; None if the output is not kept either."""
    if args.output is None:
        return None
    opened.enter_context(hold_lock(args.output, "output"))
    file = args.output.with_name(args.output.name + KEPT_SUFFIX)
    kept = opened.enter_context(KeptDecisions(file, analyser.run, is_new=args.force))
    if kept.matches:
        _write_message(f"goes on with {file}, which has decisions of {kept.matches:,} matches")
    return kept


def _write_message(text: str) -> None:
    sys.stderr.write(f"gammond analyse: {escape_unprintable(text)}\n")
