"""``gammond train plot``: draw the strength and error of runs, one or several together.

Points are single measurements with their standard errors, the lines average neighbouring ones. Runs that
count different things (games of self-play, positions learned from) are drawn against hours. Of runs of
``gammond heritage mimic`` it draws the agreement with the experts against minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.output_options import written_path
from gammond.tools.common.wings import find_wings
from gammond.tools.train.runs.curves import AXES
from gammond.tools.train.runs.head_to_head import play_head_to_head
from gammond.tools.train.runs.pictures import DEFAULT_ROLLING, draw_runs
from gammond.tools.train.runs.strength_games import check_benchmark

SUMMARY = "draw strength and error of runs against games, positions or hours"


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
