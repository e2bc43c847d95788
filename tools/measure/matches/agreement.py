"""Measure how the engine agrees with the analysis that match files hold, by the equities of that analysis.

    gammond measure agreement match.xg --plies 1

The engine analyses each match at each depth up to --plies. The plays and cube actions that it would choose
are looked up in the file's own analysis: the share that is the best there, and what they lose on average by
its equities, in thousandths of a point with the standard error over games. Only decisions count that count
for the performance rating by eXtreme Gammon's rule. A play that the file does not list has no equity there:
it is counted apart. Below stand the ratings of both players by the file and by each depth. Matches without
an analysis are named. An interrupted run reports the matches done so far.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.analysis.engine import Engine
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import CancelledWork
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_analysis.decision_errors import Choice, CountedDecision, ScaledPoints
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_analysis.statistics import MILLIPOINTS, compute_statistics
from gammond.engine.match_files.model import RecordedMatch, find_candidate
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.threads import Workers
from gammond.engine.runtime.version import read_version
from gammond.engine.search import MAX_PLIES
from gammond.engine.statistics import ValueWithError
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.command_options import CORES, Json, Threads, ToolCommand, argument, option
from gammond.tools.common.interrupts import call_on_interrupt, end_with_partial
from gammond.tools.common.match_inputs import MatchTally, list_match_inputs
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.progress import write_message
from gammond.tools.common.reports import format_table, to_json_value
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.measure.decisions import estimate_mean_by_game
from gammond.tools.measure.matches.comparison import ComparedMatch, analyse_here, pair_decisions
from gammond.tools.measure.matches.report import format_pair

SUMMARY = "measure how the engine agrees with the analysis in match files"

_write_message = partial(write_message, "gammond measure agreement")


_Analyses = tuple[ComparedMatch, list[ComparedMatch]]
"""The analyses of a match: that of its file, and the engine's, a depth each."""


@dataclass(frozen=True)
class ChoiceTally:
    """Choices of one kind, by the equities of the files.

    Attributes:
        decisions: How many count.
        same: Those in which the choice is the best by the file too.
        lost: Mean loss by the file, in thousandths of a point; nan without a decision.
        lost_error: Its standard error over games; nan if they are of fewer than two.
    """

    decisions: int
    same: int
    lost: float
    lost_error: float


@dataclass(frozen=True)
class Agreement:
    """The choices of a depth beside the analyses of files.

    Attributes:
        by: The engine and its depth, in words.
        plays: Of plays that the files list.
        unlisted: Plays chosen that they do not list.
        cubes: Of doubles, and of answers to them.
        performance_rating: Of all these choices, by the files; None without a decision.
    """

    by: str
    plays: ChoiceTally
    unlisted: int
    cubes: ChoiceTally
    performance_rating: float | None


class AgreementOptions(Struct, frozen=True, kw_only=True):
    """Which analyses are compared, with which depths."""

    files: Annotated[tuple[str, ...], argument("FILE", "match files, or folders of them", count="+")]
    plies: Annotated[int, option("the greatest look-ahead", ge=0, le=MAX_PLIES)] = 2
    threads: Threads = CORES
    json: Json = False
    net: Net = DEFAULT_NET


def run(options: AgreementOptions) -> int:
    """Measure and report.

    Returns:
        0, or 1 where a match has no analysis, or a file could not be read whole.

    Raises:
        GammondError: An option is wrong, or a net is missing.
        KeyboardInterrupt: Ctrl-C or SIGTERM; the matches done by then have been reported.
    """
    depths = [AnalysisSettings(plies) for plies in range(options.plies + 1)]
    workers = Workers(options.threads)
    engine, stopped, tally = load_net_engine(options.net), threading.Event(), MatchTally()
    done: list[_Analyses] = []
    is_whole = True
    with call_on_interrupt(stopped.set, has_nothing=lambda: not done):
        try:
            for each in list_match_inputs(options.files):
                for match in each.read(_write_message, strict=False, tally=tally):
                    name = escape_unprintable(each.place.name)
                    recorded = _read_analysis(engine, name, match)
                    if not recorded.analysed.decisions:
                        _write_message(f"{each.name}: expected a match with an analysis in its file")
                        is_whole = False
                        continue
                    ours = [
                        analyse_here(engine, name, match, settings, workers, stopped.is_set)
                        for settings in depths
                    ]
                    done.append((recorded, ours))
        except CancelledWork:
            pass
    if done:
        sys.stdout.write(_format_report(engine, done, is_json=options.json))
    if stopped.is_set():
        raise end_with_partial("matches") if done else KeyboardInterrupt
    return EXIT_OK if done and is_whole and tally.is_whole else EXIT_FAULTS


def _read_analysis(engine: Engine, name: str, match: RecordedMatch) -> ComparedMatch:
    table = engine.table or load_default_table()
    return ComparedMatch("the file", AnalysedMatch(name, match, "the file", table))


def compute_agreement(recorded: Sequence[ComparedMatch], ours: Sequence[ComparedMatch]) -> Agreement:
    """Look up the choices of one depth in the analyses of files.

    Args:
        recorded: Matches with the analyses of their files, one or more.
        ours: The same matches as the engine sees them.
    """
    rows: list[tuple[CountedDecision, int]] = []
    games: dict[tuple[int, int], int] = {}
    unlisted = 0
    for number, (theirs, own) in enumerate(zip(recorded, ours, strict=True)):
        for mine, known in pair_decisions(own.analysed, theirs.analysed):
            if not known.counts_for_xg:
                continue
            found = _look_up(mine, known)
            if found is None:
                unlisted += 1
            elif found.loss.points is not None:
                rows.append((found, games.setdefault((number, known.game), len(games))))
    plays = _tally([row for row in rows if row[0].choice is Choice.PLAY])
    cubes = _tally([row for row in rows if row[0].choice is not Choice.PLAY])
    rating = compute_statistics(0, [decision for decision, _ in rows]).performance_rating
    return Agreement(ours[0].by, plays, unlisted, cubes, rating)


def _look_up(mine: AnalysedDecision, known: AnalysedDecision) -> CountedDecision | None:
    """Return what the engine would choose, as a decision of seat 0, with its loss by the file.

    None is what the file has no equity of.
    """
    choice, cube, theirs = mine.choice, mine.notes.cube, known.notes.cube
    if choice is Choice.PLAY:
        candidates, own = known.notes.candidates, mine.notes.candidates
        made = find_candidate(candidates, own[0].play) if own else None
        if made is None:
            return None
        lost = max(0.0, candidates[0].evaluation.equity - made.evaluation.equity)
    elif cube is None or theirs is None:
        return None
    elif choice in (Choice.TAKE, Choice.PASS):
        choice = Choice.TAKE if cube.should_take else Choice.PASS
        lost = theirs.find_response_error(is_take=cube.should_take)
    else:
        choice = Choice.DOUBLE if cube.should_double else Choice.NO_DOUBLE
        lost = theirs.find_doubling_error(is_double=cube.should_double)
    loss = ScaledPoints(lost, known.loss.mwc_per_point)
    return CountedDecision(0, choice, loss, known.counts_for_xg, known.counts_for_gnubg, True, known.phase)


def _tally(rows: Sequence[tuple[CountedDecision, int]]) -> ChoiceTally:
    """Count choices, each with the number of its game."""
    losses = MILLIPOINTS * np.array([decision.loss.equity for decision, _ in rows])
    lost = estimate_mean_by_game(losses, np.array([game for _, game in rows], np.int64))
    return ChoiceTally(len(losses), int((losses == 0.0).sum()), lost.value, lost.error)


def _format_report(engine: Engine, done: Sequence[_Analyses], *, is_json: bool) -> str:
    """Return what was measured as text, or as one JSON object."""
    recorded = [theirs for theirs, _ in done]
    depths = [list(ours) for ours in zip(*(ours for _, ours in done), strict=True)]
    agreements = [compute_agreement(recorded, ours) for ours in depths]
    if is_json:
        about = {"gammond": read_version(), "net": engine.name}
        matches = [
            {
                "match": theirs.analysed.name,
                "performance_ratings": {each.by: each.ratings for each in (theirs, *ours)},
            }
            for theirs, ours in done
        ]
        found = [asdict(each) for each in agreements]
        return f"{json.dumps(to_json_value({**about, 'agreements': found, 'matches': matches}))}\n"
    head = ("analysis", "plays", "same", "lost", "not listed", "cubes", "same", "lost", "PR")
    rows = [
        (
            each.by,
            *_list_tally(each.plays),
            str(each.unlisted),
            *_list_tally(each.cubes),
            "-" if each.performance_rating is None else f"{each.performance_rating:.2f}",
        )
        for each in agreements
    ]
    ratings = [
        (theirs.analysed.name, *(format_pair(each.ratings, 2) for each in (theirs, *ours)))
        for theirs, ours in done
    ]
    names = ("PR by", *(each.by for each in (done[0][0], *done[0][1])))
    return (
        f"gammond {read_version()}, net {engine.name}; lost in thousandths of a point\n\n"
        f"{format_table(head, rows)}\n{format_table(names, ratings)}"
    )


def _list_tally(tally: ChoiceTally) -> tuple[str, str, str]:
    same = f"{tally.same / tally.decisions:.1%}" if tally.decisions else "-"
    return f"{tally.decisions:,}", same, f"{ValueWithError(tally.lost, tally.lost_error):.2f}"


COMMAND = ToolCommand(AgreementOptions, run)
