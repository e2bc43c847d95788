"""`gammond tournament`: measure the strength of players in paired games.

Every pair of players plays the same number of games (round robin), in pairs of games with the same dice and
the seats exchanged: cubeless money games, to the end or until both sides are home bound, money games with the
cube, or matches. Points, shares of wins, gammons and backgammons, and Elo come with standard errors; --sprt
stops a pair of players as soon as a sequential test has a verdict.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from gammond.engine.errors import FormatError, LimitError, UnsupportedError, ValueRangeError
from gammond.engine.play.lockstep import MAX_TURNS
from gammond.engine.rules.rules import VARIANTS, Doubles
from gammond.engine.runtime.files import begins_with, check_output, check_output_folder
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.tools.common.figures import add_plot_option, check_plot_file
from gammond.tools.common.files import write_atomically
from gammond.tools.common.interrupts import GOES_ON, end_with_partial
from gammond.tools.common.opponents import PLAYER_HELP
from gammond.tools.common.options import add_force_option, check_number, written_path
from gammond.tools.common.wings import find_wings
from gammond.tools.parallel.options import add_cluster_option
from gammond.tools.tournament.backgammon import DEFAULT_VARIANT, read_rules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import GameRules, RulesReader
from gammond.tools.tournament.plot import draw_cross_table
from gammond.tools.tournament.report import CSV_HEAD, make_report
from gammond.tools.tournament.results_file import ResultsFile
from gammond.tools.tournament.round_robin import PairState, RoundRobin
from gammond.tools.tournament.statistics.sprt import SequentialTest
from gammond.tools.tournament.text import format_report

SUMMARY = "play players against each other: points per game and Elo"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("players", nargs="+", metavar="PLAYER", help=f"two or more: {PLAYER_HELP}")
    parser.add_argument(
        "--games",
        type=int,
        default=10_000,
        help="games of each pair of players, or matches; even (default 10000)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice, 0 or more (default 1)")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument(
        "--home-bound",
        action="store_true",
        help="stop games once contact is over and count the pips ahead, plus 8.166 for the side to roll",
    )
    kinds.add_argument("--cubeful", action="store_true", help="money games with the cube, one at a time")
    kinds.add_argument("--match", type=int, metavar="N", help="matches to N points, with the cube")
    parser.add_argument(
        "--cube-by",
        default="",
        metavar="NET",
        help="evaluator that makes the cube decisions for players without their own",
    )
    parser.add_argument(
        "--variant",
        choices=list_games(),
        metavar="GAME",
        default=DEFAULT_VARIANT,
        help=f"the game that is played: {', '.join(list_games())} (default %(default)s)",
    )
    parser.add_argument(
        "--doubles",
        choices=[each.value for each in Doubles],
        default=Doubles.FOUR.value,
        help="checker moves for doubles (default %(default)s); two only for players without look-ahead",
    )
    _add_test_arguments(parser)
    parser.add_argument("--anchor", metavar="PLAYER", help="player whose Elo is 0 (default the first)")
    parser.add_argument(
        "--threads",
        type=int,
        default=count_usable_cores(),
        help="processes that share the games; their number changes no result (default one for each core)",
    )
    add_cluster_option(parser)
    parser.add_argument(
        "--keep",
        type=written_path,
        metavar="FILE",
        help="write results here as games finish, and resume from them",
    )
    parser.add_argument(
        "--records", type=written_path, metavar="FOLDER", help="write the games here as .mat files"
    )
    parser.add_argument(
        "--csv", type=written_path, metavar="FILE", help="write a row for each pair of players"
    )
    add_plot_option(parser, "the table")
    add_force_option(parser)
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")


def _add_test_arguments(parser: argparse.ArgumentParser) -> None:
    bounds = parser.add_mutually_exclusive_group()
    bounds.add_argument(
        "--sprt",
        metavar="LOW,HIGH",
        help="stop a pair when the SPRT accepts elo1=HIGH or elo0=LOW for the first player relative to the "
        "second; --sprt=LOW,HIGH where LOW is negative",
    )
    bounds.add_argument(
        "--sprt-points", metavar="LOW,HIGH", help="the same for the score, such as points per game"
    )
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        help="probability of accepting HIGH where LOW is true (default %(default)s)",
    )
    parser.add_argument(
        "--beta",
        type=float,
        default=0.05,
        help="probability of rejecting HIGH where it is true (default %(default)s)",
    )


def main(args: argparse.Namespace) -> int:
    """Play and report.

    Args:
        args: As `add_arguments` declares them.

    Returns:
        0.

    Raises:
        FormatError: The options of a player, or the bounds of a test, cannot be read.
        ValueRangeError: An unknown player, one player alone or twice, an option out of range, an odd number
            of games or fewer than four, a negative seed, an impossible number of threads.
        UnsupportedError: A package is missing, a player has no cube decisions, or games have no records.
        StateError: The results file is of another tournament, or another process writes it.
        DataFileError: A net or database is missing or faulty, or a file cannot be read or written.
        LimitError: No pair of games ended.
        KeyboardInterrupt: Ctrl-C or SIGTERM ended it early; the games finished by then are reported.
    """
    check_game_options(args.games, args.threads)
    rules, test = load_rules_reader(args.variant)(args), _read_sequential_test(args)
    _check_outputs(args)
    if args.cluster and args.records is not None:
        raise UnsupportedError(
            "--records writes the games on the machine that plays them: leave out --cluster, or --records",
            field="records",
        )
    entrants = rules.load_entrants(args.players)
    anchor = _find_anchor(args.anchor, entrants)
    started_s = time.monotonic()
    helpers = rules.load_helpers(args.players)
    with ResultsFile(args.keep, rules, [*entrants, *helpers]) as results_file:
        table = RoundRobin(
            entrants,
            rules,
            args.games,
            args.threads,
            args.cluster,
            test,
            args.records,
            args.force,
            helpers,
        )
        pairs, is_complete = table.play(results_file)
    if not any(pair.scores.counted.games for pair in pairs):
        if is_complete:
            raise LimitError(f"no game ended within {MAX_TURNS:,} turns: there is nothing to report")
        raise KeyboardInterrupt("no games to report")
    _write_report(args, entrants, rules, pairs, anchor, test, time.monotonic() - started_s)
    if not is_complete:
        raise end_with_partial("games", GOES_ON if args.keep else "")
    return 0


def list_games() -> list[str]:
    """Return the names of all games and variants."""
    return [*VARIANTS, *_find_others()]


def load_rules_reader(name: str) -> RulesReader:
    """Load what reads the rules of a game, one of `list_games`."""
    load = _find_others().get(name)
    return load() if load else read_rules


def _find_others() -> dict[str, Callable[[], RulesReader]]:
    return {name: load for wing in find_wings() for name, load in wing.tournaments.items()}


def _check_outputs(args: argparse.Namespace) -> None:
    """Check before the games that all can be written; what a tournament that goes on has written is its own.

    Raises:
        GammondError: As `gammond.engine.runtime.files.check_output`.
    """
    goes_on = args.keep is not None and args.keep.is_file() and args.keep.stat().st_size > 0
    check_plot_file(args.plot, force=args.force)
    if args.csv is not None:
        is_own = begins_with(CSV_HEAD) if goes_on else None
        check_output(args.csv, force=args.force, is_own=is_own, field="csv")
    if args.records is not None:
        check_output_folder(args.records, force=args.force or goes_on, field="records")


def check_game_options(games: int, threads: int) -> None:
    """Check the numbers of a tournament.

    Raises:
        ValueRangeError: An odd number of games or fewer than four, or an impossible number of threads.
    """
    if games < 4 or games % 2:
        raise ValueRangeError(f"--games: expected an even number of 4 or more, got {games}", field="games")
    check_number("threads", threads, 1, MAX_THREADS)


def _read_sequential_test(args: argparse.Namespace) -> SequentialTest | None:
    """Read the bounds of a sequential test."""
    text = args.sprt or args.sprt_points
    if text is None:
        return None
    option = "--sprt" if args.sprt else "--sprt-points"
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise FormatError(f"{option}: expected LOW,HIGH as in 0,5, got {text[:40]!r}", field="sprt") from None
    return SequentialTest(low, high, bool(args.sprt), args.alpha, args.beta)


def _find_anchor(anchor: str | None, entrants: list[Entrant]) -> int:
    names = [entrant.name for entrant in entrants]
    if anchor is not None and anchor not in names:
        raise ValueRangeError(
            f"--anchor: expected one of the players, {', '.join(names)}, got {anchor[:80]!r}", field="anchor"
        )
    return 0 if anchor is None else names.index(anchor)


def _write_report(
    args: argparse.Namespace,
    entrants: list[Entrant],
    rules: GameRules,
    pairs: list[PairState],
    anchor: int,
    test: SequentialTest | None,
    seconds: float,
) -> None:
    """Write the report, the CSV file and the picture."""
    report = make_report(
        entrants, rules, args.games, pairs, anchor=anchor, test=test, seconds=round(seconds, 3)
    )
    sys.stdout.write(report.as_json() if args.json else format_report(report))
    if args.csv is not None:
        write_atomically(args.csv, report.as_csv().encode())
    if args.plot is not None:
        draw_cross_table(report, args.plot)
