"""Analyse matches here and by GNU Backgammon, and report times, ratings, and where the two differ.

    gammond measure matches match.xg --deepen 3 --errors 4
    gammond measure matches matches/ --trials 144

FILE is a match in any format that gammond reads, or a folder of them. A table has a row for each analysis of
each match: that of its file, if it has one; gnubg's at --gnubg-plies; this engine's at --plies; with --deepen
another one, deeper where decisions are close or wrong. The numbers of both players stand beside each other;
PR is by eXtreme Gammon's rule for all of them, errors are decisions that lost .02 or more, times are those of
the processor in all threads together. Decisions follow whose loss differs by more than --above points
between gnubg's analysis and the last one here; with --trials gnubg rolls out the choice that was made and the
best one of each, to the end of the game.

It needs the program gnubg. An interrupted run reports the matches compared so far.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import CancelledWork, FormatError, LimitError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.threads import Workers
from gammond.engine.runtime.version import read_version
from gammond.engine.search import MAX_PLIES
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.command_options import CORES, Json, ToolCommand, argument, option, threads_option
from gammond.tools.common.interrupts import call_on_interrupt, end_with_partial
from gammond.tools.common.match_inputs import MatchTally, list_match_inputs
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.progress import Progress, write_message
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.gnubg import require_gnubg
from gammond.tools.gnubg.analysis import GnubgRoller, analyse_with_gnubg
from gammond.tools.measure.matches.comparison import (
    ComparedMatch,
    MatchComparison,
    analyse_here,
    find_disagreements,
    roll_out,
)
from gammond.tools.measure.matches.report import format_comparisons, list_comparisons

SUMMARY = "compare analyses of matches with those of GNU Backgammon"

DEFAULT_ABOVE_POINTS = 0.05
MAX_GNUBG_PLIES = 4
_WARM_UP_ROLL = (3, 1)
_write_message = partial(write_message, "gammond measure matches")


class MatchesOptions(Struct, frozen=True, kw_only=True):
    """Which matches are analysed, how deeply by each program, and what is listed."""

    files: Annotated[tuple[str, ...], argument("FILE", "match files, or folders of them", count="+")]
    plies: Annotated[int, option("look-ahead here", ge=0, le=MAX_PLIES)] = 2
    deepen: Annotated[
        int, option("one more analysis, deeper where it is close", "PLIES", ge=0, le=MAX_PLIES)
    ] = 0
    gnubg_plies: Annotated[int, option("look-ahead of gnubg", "N", ge=0, le=MAX_GNUBG_PLIES)] = 2
    above: Annotated[float, option("list decisions whose losses differ by more", "POINTS", ge=0)] = (
        DEFAULT_ABOVE_POINTS
    )
    errors: Annotated[int, option("list the worst decisions of each analysis", "N", ge=0)] = 0
    trials: Annotated[int, option("gnubg's games for each choice of those decisions", "N", ge=0)] = 0
    seed: Annotated[int, option("seed of their dice", ge=0)] = 1
    threads: Annotated[int, threads_option("threads here")] = CORES
    json: Json = False
    net: Net = DEFAULT_NET


def run(options: MatchesOptions) -> int:
    """Compare and report.

    Returns:
        0, or 1 where a match could not be compared, or not all of it.

    Raises:
        GammondError: An option is wrong, or gnubg is missing or ends with a fault.
        KeyboardInterrupt: Ctrl-C or SIGTERM; the matches compared by then have been reported.
    """
    _check_options(options)
    stopped = threading.Event()
    done: list[MatchComparison] = []
    tally, is_compared = MatchTally(), True
    with (
        tempfile.TemporaryDirectory(prefix="gammond-") as folder,
        call_on_interrupt(stopped.set, has_nothing=lambda: not done),
    ):
        comparer = _Comparer(options, load_net_engine(options.net), Path(folder), stopped)
        try:
            for each in list_match_inputs(options.files):
                matches = each.read(_write_message, strict=False, tally=tally)
                for match in (match for match in matches if match.games):
                    try:
                        done.append(comparer.compare(escape_unprintable(each.place.name), match))
                    except (FormatError, LimitError) as error:
                        _write_message(f"{each.name}: {error.message}")
                        is_compared = False
        except CancelledWork:
            pass
    if done:
        sys.stdout.write(_format_report(done, options, comparer))
    if stopped.is_set():
        raise end_with_partial("matches") if done else KeyboardInterrupt
    return EXIT_OK if done and is_compared and tally.is_whole else EXIT_FAULTS


def _format_report(done: Sequence[MatchComparison], options: MatchesOptions, comparer: _Comparer) -> str:
    """Return the comparisons as text, or as one JSON object."""
    if options.json:
        about = {"gammond": read_version(), "net": comparer.engine.name, "gnubg": comparer.gnubg_version}
        return f"{json.dumps({**about, **list_comparisons(done, options.errors, options.above)})}\n"
    head = f"gammond {read_version()}, net {comparer.engine.name}; {comparer.gnubg_version}\n\n"
    return head + format_comparisons(done, options.errors, options.above)


def _check_options(options: MatchesOptions) -> None:
    require_gnubg()


class _Comparer:
    """Analyses matches by both programs.

    Args:
        engine: Evaluates here.
        folder: For the files that go to gnubg and come back.
        stopped: Set when the work is to end.

    Attributes:
        engine: That one.
        gnubg_version: What gnubg calls itself, once it has analysed a match.
    """

    def __init__(
        self, options: MatchesOptions, engine: Engine, folder: Path, stopped: threading.Event
    ) -> None:
        self.engine, self.gnubg_version = engine, ""
        self._options, self._folder, self._stopped = options, folder, stopped
        self._workers = Workers(options.threads)
        self._settings = [AnalysisSettings(options.plies)]
        if options.deepen:
            self._settings.append(AnalysisSettings(options.plies, options.deepen))
        self._table = engine.table or load_default_table()
        for settings in self._settings:  # what is compiled and loaded once belongs to no match
            depth = EvalSettings(max(settings.plies, settings.deeper_plies))
            engine.rank_plays(STANDARD_RULES.starting_position, _WARM_UP_ROLL, MatchState(length=7), depth)

    def compare(self, name: str, match: RecordedMatch) -> MatchComparison:
        """Compare the analyses of a match.

        Raises:
            CancelledWork: The work is to end.
            FormatError: gnubg reads the match differently.
            LimitError: gnubg takes too long.
            UnsupportedError: gnubg ends with a fault.
        """
        recorded = ComparedMatch("the file", AnalysedMatch(name, match, "the file", self._table))
        theirs = self._ask_gnubg(name, match)
        ours = tuple(self._analyse(name, match, settings) for settings in self._settings)
        count, found = find_disagreements(ours[-1].analysed, theirs.analysed, self._options.above)
        if self._options.trials:
            roller = GnubgRoller(match, self._options.trials, self._options.seed, self._folder)
            with Progress(len(found), f"{name}, rollouts", lines_of="gammond measure") as progress:
                for number, disagreement in enumerate(found):
                    self._check_stopped()
                    try:
                        found[number] = roll_out(disagreement, roller)
                    except (FormatError, LimitError) as error:
                        _write_message(f"{name}: {error.message}")
                    progress.update(number + 1)
        has_own = bool(recorded.analysed.decisions)
        return MatchComparison(name, recorded if has_own else None, theirs, ours, count, tuple(found))

    def _ask_gnubg(self, name: str, match: RecordedMatch) -> ComparedMatch:
        self._check_stopped()
        plies = self._options.gnubg_plies
        noted, output = analyse_with_gnubg(match, plies, self._folder)
        self.gnubg_version = output.version
        by = f"gnubg, {plies}-ply"
        return ComparedMatch(by, AnalysedMatch(name, noted, by, self._table), output.processor_s)

    def _analyse(self, name: str, match: RecordedMatch, settings: AnalysisSettings) -> ComparedMatch:
        return analyse_here(self.engine, name, match, settings, self._workers, self._stopped.is_set)

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise CancelledWork("interrupted")


COMMAND = ToolCommand(MatchesOptions, run)
