"""``gammond train plot``: draw the strength and error of runs, one or several together.

Points are single measurements with their standard errors, the lines average neighbouring ones. Runs that
count different things (games of self-play, positions learned from) are drawn against hours. Of runs of
``gammond heritage mimic`` it draws the agreement with the experts against minutes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.wording import format_count
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.opponents import RUN_PREFIX, load_opponent
from gammond.tools.common.options import written_path
from gammond.tools.common.progress import Progress
from gammond.tools.common.wings import find_wings
from gammond.tools.train.runs.curves import AXES, DEFAULT_ROLLING, draw_runs
from gammond.tools.train.runs.run_folder import list_kept_nets
from gammond.tools.train.runs.strength_games import check_benchmark, measure_results

SUMMARY = "draw strength and error of runs against games, positions or hours"

_SEED = 1
"""Always the same dice, so that points of a curve differ by the nets alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train plot``."""
    parser.add_argument(
        "runs", type=Path, nargs="+", metavar="RUN", help="folders of runs whose log has strengths"
    )
    parser.add_argument(
        "--output",
        type=written_path,
        required=True,
        metavar="FILE",
        help="the picture: FILE.png, .svg or .pdf",
    )
    parser.add_argument(
        "--against", choices=list(AXES), help="what runs along (default their own work, or hours)"
    )
    parser.add_argument(
        "--rolling",
        type=int,
        default=DEFAULT_ROLLING,
        metavar="N",
        help=f"neighbouring measurements that a line averages (default {DEFAULT_ROLLING})",
    )
    parser.add_argument(
        "--head-to-head",
        type=int,
        metavar="GAMES",
        help="also play two runs against each other, so many paired games with the nets of each checkpoint "
        "that both kept (--keep-nets)",
    )


def main(args: argparse.Namespace) -> int:
    """Draw; returns the exit status.

    Raises:
        GammondError: A run cannot be read or has no such axis, or the picture cannot be drawn.
    """
    if args.rolling < 1:
        raise ValueRangeError(
            f"--rolling: expected 1 measurement or more, got {args.rolling}", field="rolling"
        )
    check_plot_file(args.output, field="output")
    met = None
    if args.head_to_head is not None:
        if len(args.runs) != 2 or not args.head_to_head:
            raise ValueRangeError(
                f"--head-to-head: expected two runs, and games, got {len(args.runs)} and {args.head_to_head}",
                field="head_to_head",
            )
        check_benchmark((), args.head_to_head)
        first, second = args.runs
        met = play_head_to_head(first, second, args.head_to_head)
    drawings = (wing.find_drawing(args.runs) for wing in find_wings() if wing.find_drawing)
    if draw := next(filter(None, drawings), None):
        if args.against:
            raise UnsupportedError(
                "agreement with experts is drawn against minutes: remove --against", field="against"
            )
        draw(args.runs, args.output)
    else:
        draw_runs(args.runs, args.output, args.against, args.rolling, met)
    return 0


def play_head_to_head(first: Path, second: Path, games: int) -> dict[int, dict[str, Any]]:
    """Play the nets of two runs against each other, and print a line for each measurement.

    Args:
        first: The folder of the run whose points count.
        second: That of the other.
        games: Paired games of each measurement.

    Returns:
        The strength of the first run against the second, as `measure_results`, by what both counted when they
        kept their nets.

    Raises:
        ValueRangeError: The number of games is odd.
        DataFileError: They kept no nets at the same points, or these cannot be read.
    """
    kept = list_kept_nets(first), list_kept_nets(second)
    common = sorted(kept[0].keys() & kept[1].keys())
    if not common:
        raise DataFileError(
            f"{first} and {second} kept no nets after as many games or steps: train them with --keep-nets "
            "and the same checkpoints",
            field="head_to_head",
        )
    strengths = {}
    with Progress(games * len(common), f"{first.name} against {second.name}") as bar:
        for number, steps in enumerate(common):
            own, other = (load_opponent(f"{RUN_PREFIX}{files[steps]}") for files in kept)
            result = play_games(
                own,
                other,
                games,
                _SEED,
                may_be_endless=True,
                progress=lambda done, before=number * games: bar.update(before + done),  # type: ignore[misc]
            )
            left = result.endless
            endless = f", {format_count(left, 'game')} did not end" if left else ""
            sys.stdout.write(
                f"{steps:>12,}  {result.mean:+.3f} ± {result.standard_error:.3f}, "
                f"{result.win_share:.1%} won{endless}\n"
            )
            strengths[steps] = measure_results({str(second): result})
    return strengths
