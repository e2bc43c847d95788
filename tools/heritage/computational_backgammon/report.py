"""``gammond heritage classic-report``: results of classic nets, as tables.

``runs`` tabulates runs of ``gammond heritage classic``: the course of each, the strength of its best nets
with other dice, and the evaluations of decided endgames by its last nets; two runs also play each other.
``start`` compares evaluations of the opening position with a reference, ``tables`` bearoff databases:

    gammond heritage classic-report runs runs/normal runs/symmetric
    gammond heritage classic-report start default run:runs/normal
    gammond heritage classic-report tables
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Struct

from gammond.engine.bearoff.two_sided import make_two_sided_numbering
from gammond.engine.errors import DataFileError, UnsupportedError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.outcome import LOSE_G, WIN, WIN_G
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.wording import format_count
from gammond.nets.catalogue import DEFAULT_EVALUATOR
from gammond.tools.common.command_options import ToolCommand, argument, option
from gammond.tools.common.journal import read_records
from gammond.tools.common.opponents import RUN_PREFIX, load_opponent
from gammond.tools.common.reports import format_table
from gammond.tools.heritage.computational_backgammon.endgames import measure_endgame_errors
from gammond.tools.train.runs.run import CHECKPOINT_FILE
from gammond.tools.train.runs.run_folder import LOG_FILE
from gammond.tools.train.runs.strength_games import check_benchmark, strengths_from_record
from gammond.tools.train.weights.net_set import load_named_evaluator

SUMMARY = "compare runs of classic nets, openings and bearoff tables"

LAST_MEASUREMENTS = 10
"""Measurements at the end of a run that are averaged."""

REFERENCE_CHANCES = (0.519, 0.151, 0.136)
"""GNU Backgammon's chances of winning, and of winning and losing a gammon, for the side on roll at the start.

Source: the blog Computational Backgammon, 2 September 2011.
"""

_SEED = 2
"""Seed of dice other than those that chose the best nets."""


class ClassicReportOptions(Struct, frozen=True, kw_only=True):
    """Which report, and of what."""

    report: Annotated[str, argument("REPORT", "runs, start or tables", choices=("runs", "start", "tables"))]
    subjects: Annotated[
        tuple[str, ...],
        argument("FOLDER|PLAYER", "folders of runs; or players, for 'start' (default 'default')", count="*"),
    ] = ()
    final_games: Annotated[
        int, option("paired games with other dice that the best nets play; 0 for none", ge=0, multiple_of=2)
    ] = 10_000


def run(options: ClassicReportOptions) -> int:
    """Print a report; return the exit status.

    Raises:
        GammondError: A run or a player cannot be loaded, or the number of games is out of range.
    """
    if options.report == "tables":
        sys.stdout.write(make_size_report())
    elif options.report == "start":
        sys.stdout.write(tabulate_openings(options.subjects or [DEFAULT_EVALUATOR]))
    else:
        if not options.subjects:
            raise UnsupportedError("expected the folders of runs, got none", field="subjects")
        check_benchmark((), options.final_games)
        sys.stdout.write(tabulate_runs([Path(each) for each in options.subjects], options.final_games))
    return 0


def tabulate_runs(folders: Sequence[Path], final_games: int) -> str:
    """Tabulate the course of runs, the strength of their best nets, and decided endgames.

    Args:
        folders: Of the runs; two also play each other.
        final_games: Paired games of the best nets; 0 for none.

    Raises:
        GammondError: A run cannot be loaded.
    """
    logs = {folder: read_records(folder / LOG_FILE) for folder in folders}
    if empty := [str(folder) for folder, records in logs.items() if not records]:
        raise DataFileError(f"expected runs of gammond heritage classic, got nothing in {', '.join(empty)}")
    text = format_table(
        _COURSE_HEAD, [_make_course_row(folder, records, final_games) for folder, records in logs.items()]
    )
    text += "\n" + format_table(
        _EVALUATION_HEAD, [_make_evaluation_row(folder, log) for folder, log in logs.items()]
    )
    if len(folders) == 2 and final_games:
        first, second = (load_opponent(f"{RUN_PREFIX}{folder}") for folder in folders)
        result = play_games(first, second, final_games, _SEED, may_be_endless=True)
        text += f"\nbest nets, {folders[0].name} against {folders[1].name}: {_format_score(result)}\n"
    return text


_COURSE_HEAD = [
    "run",
    "games/s",
    f"last {LAST_MEASUREMENTS}",
    "won %",
    "spread",
    "best, ppg",
    "at games",
    "went back",
    "other dice, ppg",
    "won %",
]


def _make_course_row(folder: Path, records: Sequence[Mapping[str, Any]], final_games: int) -> list[str]:
    """Return the row on the course of a run, and on its best nets with other dice."""
    measured = [record for record in records if "ppg" in record]
    speed = f"{np.median([record['games_per_s'] for record in records]):.0f}"
    if not measured:
        return [folder.name, speed, *["-"] * (len(_COURSE_HEAD) - 2)]
    points = np.array([record["ppg"] for record in measured])
    best = int(points.argmax())
    last = points[-LAST_MEASUREMENTS:]
    won = np.mean([record["won"] for record in measured[-LAST_MEASUREMENTS:]])
    final = ["-", "-"]
    if final_games:
        opponent = load_opponent(str(measured[0]["opponent"]))
        result = play_games(
            load_opponent(f"{RUN_PREFIX}{folder}"), opponent, final_games, _SEED, may_be_endless=True
        )
        final = [f"{result.score:+.3f}", _format_win_share(result)]
    return [
        folder.name,
        speed,
        f"{last.mean():+.3f}",
        f"{100 * won:.1f}",
        f"{last.std():.3f}",
        f"{strengths_from_record(measured[best])[0].points:+.3f}",
        f"{measured[best]['games']:,}",
        str(sum("back_to" in record for record in records)),
        *final,
    ]


_EVALUATION_HEAD = [
    "last nets: chances in %",
    "start: win",
    "gammon",
    "lose gammon",
    "sure win",
    "sure loss",
    "all sure wins",
    "all sure losses",
    "RMS error of bearoffs",
]


def _make_evaluation_row(folder: Path, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the row on the evaluations of the start and of endgames by the last nets of a run."""
    last = records[-1]
    player = load_opponent(f"{RUN_PREFIX}{folder / CHECKPOINT_FILE}")
    assert player.evaluator is not None
    errors = measure_endgame_errors(player.evaluator)
    chances = [*last["start"], last["sure_win"], last["sure_loss"], *errors]
    return [folder.name, *(f"{100 * chance:.1f}" for chance in chances)]


def tabulate_openings(names: Sequence[str]) -> str:
    """Tabulate players' evaluations of the opening position for the side on roll, beside the reference.

    Args:
        names: As `gammond.tools.train.weights.net_set.load_named_evaluator` takes them.

    Raises:
        ValueRangeError: A player is unknown, or has no evaluator.
        GammondError: A player cannot be loaded.
    """
    rows = [_make_opening_row("reference of the blog", REFERENCE_CHANCES)]
    for name in names:
        outcome = load_named_evaluator(name).evaluate(STANDARD_RULES.starting_position.board[None])[0]
        chances = (float(outcome[WIN]), float(outcome[WIN_G]), float(outcome[LOSE_G]))
        rows.append(_make_opening_row(name, chances))
    head = ["per cent, for the side on roll", "win", "win gammon", "lose gammon", "farthest from it"]
    return format_table(head, rows)


def _make_opening_row(name: str, chances: Sequence[float]) -> list[str]:
    farthest = max(abs(chance - known) for chance, known in zip(chances, REFERENCE_CHANCES, strict=True))
    return [name, *(f"{100 * chance:.1f}" for chance in (*chances, farthest))]


def _format_score(result: PairedScores) -> str:
    endless = f", {format_count(result.endless, 'game')} did not end" if result.endless else ""
    return f"{result.score:+.3f} points per game, {_format_win_share(result)} % won{endless}"


def _format_win_share(result: PairedScores) -> str:
    return f"{100 * result.win_share:.1f}"


PUBLISHED_SIZES = {
    (3, 3): "361",
    (3, 10): "81,225",
    (3, 15): "664,225",
    (4, 3): "1,156",
    (4, 10): "1,000,000",
    (6, 3): "6,889",
    (6, 9): "25M",
    (6, 10): "64.1M",
    (6, 15): "2.9B",
    (24, 15): "6.3e20",
}
"""Number of layouts by points and checkers. Source: the blog Computational Backgammon, October 2011."""

CHECKERS = 15
POINTS = 24


def count_layouts(points: int, checkers: int) -> int:
    """Count pairs of sides with 1 checker up to a number."""
    return (comb(points + checkers, checkers) - 1) ** 2


def count_positions(points: int = POINTS, checkers: int = CHECKERS) -> int:
    """Count the positions of backgammon: no point has checkers of both sides, and not both have borne off.

    Checkers are on points, on the bar or off; both sides may be on the bar at once.
    """
    total = 0
    for taken in range(points + 1):
        # One side has checkers on exactly this many points, the rest on its bar or off.
        own = comb(checkers + 1, taken + 1)
        total += comb(points, taken) * own * comb(points - taken + 1 + checkers, checkers)
    return total - 1


def make_size_report() -> str:
    """Compare the sizes that the blog gives with the formula and with the databases of `gammond bearoff`."""
    rows = []
    for (points, checkers), given in PUBLISHED_SIZES.items():
        built = points <= 12 and checkers < CHECKERS
        records = make_two_sided_numbering(points, checkers).side_count ** 2 if built else 0
        rows.append(
            [
                f"{points} x {checkers}",
                given,
                f"{count_layouts(points, checkers):,}",
                f"{records:,}" if built else "-",
                f"{4 * records / 1e6:,.1f} MB" if built else "-",
            ]
        )
    head = ["points x checkers", "the blog", "(C(n+m, m) - 1)^2", "our records", "chances alone"]
    return (
        format_table(head, rows)
        + f"\nAll positions of backgammon: {count_positions():,}; the blog: of the order of 1e20.\n"
    )


COMMAND = ToolCommand(ClassicReportOptions, run)
