"""``gammond train plot``: draw the strength and error of runs, one or several together.

Points are single measurements with their standard errors, the lines average neighbouring ones. Runs that
count different things (games of self-play, positions learned from) are drawn against hours. Of runs of
``gammond heritage mimic`` it draws the agreement with the experts against minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.wording import format_count
from gammond.tools.common.command_options import ToolCommand, option, read_file, written_file
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.opponents import RUN_PREFIX, load_opponent
from gammond.tools.common.progress import Progress
from gammond.tools.common.wings import find_wings
from gammond.tools.train.runs.curves import AXES, DEFAULT_ROLLING, draw_runs
from gammond.tools.train.runs.run_folder import list_kept_nets
from gammond.tools.train.runs.strength_games import measure_results

SUMMARY = "draw strength and error of runs against games, positions or hours"

_SEED = 1
"""Always the same dice, so that points of a curve differ by the nets alone."""


class PlotOptions(Struct, frozen=True, kw_only=True):
    """Which runs are drawn, and how.

    Raises:
        ValueRangeError: Other than two runs are to play each other.
    """

    runs: Annotated[tuple[Path, ...], read_file("folders of runs whose log has strengths", "RUN", count="+")]
    output: Annotated[Path, written_file("the picture: FILE.png, .svg or .pdf")]
    against: (
        Annotated[str, option("what runs along (default their own work, or hours)", choices=tuple(AXES))]
        | None
    ) = None
    rolling: Annotated[int, option("neighbouring measurements that a line averages", "N", ge=1)] = (
        DEFAULT_ROLLING
    )
    head_to_head: (
        Annotated[
            int,
            option(
                "also play two runs against each other, so many paired games with the nets of each "
                "checkpoint that both kept (--keep-nets)",
                "GAMES",
                ge=4,
                multiple_of=2,
            ),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        if self.head_to_head is not None and len(self.runs) != 2:
            raise ValueRangeError(
                f"--head-to-head: expected two runs, got {len(self.runs)}", field="head_to_head"
            )


def run(options: PlotOptions) -> int:
    """Draw; returns the exit status.

    Raises:
        GammondError: A run cannot be read or has no such axis, or the picture cannot be drawn.
    """
    check_plot_file(options.output, field="output")
    met = None
    if options.head_to_head is not None:
        first, second = options.runs
        met = play_head_to_head(first, second, options.head_to_head)
    drawings = (wing.find_drawing(options.runs) for wing in find_wings() if wing.find_drawing)
    if draw := next(filter(None, drawings), None):
        if options.against:
            raise UnsupportedError(
                "agreement with experts is drawn against minutes: remove --against", field="against"
            )
        draw(options.runs, options.output)
    else:
        draw_runs(options.runs, options.output, options.against, options.rolling, met)
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
            sys.stdout.write(f"{steps:>12,}  {result.score:+.3f}, {result.win_share:.1%} won{endless}\n")
            strengths[steps] = measure_results({str(second): result})
    return strengths


COMMAND = ToolCommand(PlotOptions, run)
