"""`gammond tournament`: measure the strength of players in paired games.

Every pair of players plays the same number of games (round robin), in pairs of games with the same dice and
the seats exchanged: cubeless money games, to the end or until both sides are home bound, money games with the
cube, or matches. Points, shares of wins, gammons and backgammons, and Elo come with standard errors; --sprt
stops a pair of players as soon as a sequential test has a verdict.
"""

from __future__ import annotations

import sys
import time

from gammond.engine.errors import FormatError, LimitError, UnsupportedError, ValueRangeError
from gammond.engine.options import format_value
from gammond.engine.play.lockstep import MAX_TURNS
from gammond.engine.runtime.files import begins_with, check_output, check_output_folder
from gammond.tools.common.command_options import ToolCommand
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.files import write_atomically
from gammond.tools.common.interrupts import GOES_ON, end_with_partial
from gammond.tools.tournament.backgammon import read_rules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import GameRules
from gammond.tools.tournament.options import RulesReader, TournamentOptions, find_other_games
from gammond.tools.tournament.plot import draw_cross_table
from gammond.tools.tournament.report import CSV_HEAD, make_report
from gammond.tools.tournament.results_file import ResultsFile
from gammond.tools.tournament.round_robin import PairState, RoundRobin
from gammond.tools.tournament.statistics.sprt import SequentialTest
from gammond.tools.tournament.text import format_report

SUMMARY = "play players against each other: points per game and Elo"


def run(options: TournamentOptions) -> int:
    """Play and report.

    Returns:
        0.

    Raises:
        FormatError: The options of a player, or the bounds of a test, cannot be read.
        ValueRangeError: An unknown player, one player alone or twice.
        UnsupportedError: A package is missing, a player has no cube decisions, or games have no records.
        StateError: The results file is of another tournament, or another process writes it.
        DataFileError: A net or database is missing or faulty, or a file cannot be read or written.
        LimitError: No pair of games ended.
        KeyboardInterrupt: Ctrl-C or SIGTERM ended it early; the games finished by then are reported.
    """
    rules, test = load_rules_reader(options.variant)(options), _read_sequential_test(options)
    _check_outputs(options)
    if options.cluster and options.records is not None:
        raise UnsupportedError(
            "--records writes the games on the machine that plays them: leave out --cluster, or --records",
            field="records",
        )
    entrants = rules.load_entrants(options.players)
    anchor = _find_anchor(options.anchor, entrants)
    started_s = time.monotonic()
    helpers = rules.load_helpers(options.players)
    with ResultsFile(options.keep, rules, [*entrants, *helpers]) as results_file:
        table = RoundRobin(
            entrants,
            rules,
            options.games,
            options.threads,
            options.cluster,
            test,
            options.records,
            options.force,
            helpers,
        )
        pairs, is_complete = table.play(results_file)
    if not any(pair.scores.counted.games for pair in pairs):
        if is_complete:
            raise LimitError(f"no game ended within {MAX_TURNS:,} turns: there is nothing to report")
        raise KeyboardInterrupt("no games to report")
    _write_report(options, entrants, rules, pairs, anchor, test, time.monotonic() - started_s)
    if not is_complete:
        raise end_with_partial("games", GOES_ON if options.keep else "")
    return 0


def load_rules_reader(name: str) -> RulesReader:
    """Load what reads the rules of a game, one of `list_games`."""
    load = find_other_games().get(name)
    return load() if load else read_rules


def _check_outputs(options: TournamentOptions) -> None:
    """Check before the games that all can be written; what a tournament that goes on has written is its own.

    Raises:
        GammondError: As `gammond.engine.runtime.files.check_output`.
    """
    goes_on = options.keep is not None and options.keep.is_file() and options.keep.stat().st_size > 0
    check_plot_file(options.plot, force=options.force)
    if options.csv is not None:
        is_own = begins_with(CSV_HEAD) if goes_on else None
        check_output(options.csv, force=options.force, is_own=is_own, field="csv")
    if options.records is not None:
        check_output_folder(options.records, force=options.force or goes_on, field="records")


def _read_sequential_test(options: TournamentOptions) -> SequentialTest | None:
    """Read the bounds of a sequential test."""
    bounds = options.sprt or options.sprt_points
    if bounds is None:
        return None
    if len(bounds) != 2:
        name = "--sprt" if options.sprt else "--sprt-points"
        raise FormatError(f"{name}: expected LOW,HIGH as in 0,5, got {format_value(bounds)}", field="sprt")
    return SequentialTest(*bounds, bool(options.sprt), options.alpha, options.beta)


def _find_anchor(anchor: str | None, entrants: list[Entrant]) -> int:
    names = [entrant.name for entrant in entrants]
    if anchor is not None and anchor not in names:
        raise ValueRangeError(
            f"--anchor: expected one of the players, {', '.join(names)}, got {anchor[:80]!r}", field="anchor"
        )
    return 0 if anchor is None else names.index(anchor)


def _write_report(
    options: TournamentOptions,
    entrants: list[Entrant],
    rules: GameRules,
    pairs: list[PairState],
    anchor: int,
    test: SequentialTest | None,
    seconds: float,
) -> None:
    """Write the report, the CSV file and the picture."""
    report = make_report(
        entrants, rules, options.games, pairs, anchor=anchor, test=test, seconds=round(seconds, 3)
    )
    sys.stdout.write(report.as_json() if options.json else format_report(report))
    if options.csv is not None:
        write_atomically(options.csv, report.as_csv().encode())
    if options.plot is not None:
        draw_cross_table(report, options.plot)


COMMAND = ToolCommand(TournamentOptions, run)
