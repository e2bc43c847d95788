"""Pictures of training runs: strength against the work done, and the error below it."""

from __future__ import annotations

import argparse
import importlib.util
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UnsupportedError, missing_package
from tools.files import write_atomically
from tools.train.runs.curves import AXES, RunCurves, choose_axis, read_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURE_FORMATS = (".png", ".svg", ".pdf")

DEFAULT_ROLLING = 5
"""Neighbouring measurements that the line of strength averages unless someone chooses."""

_INCHES = (9.0, 6.5)
_DOTS_PER_INCH = 110
_MARKERS = "osD^vP*X"
_LEGEND_ROWS = 8


def add_plot_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--plot`` to a command that trains."""
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw strength and error after each checkpoint: FILE.png, .svg or .pdf",
    )


def check_plot_file(file: Path | None) -> None:
    """Check before long work begins that a picture can be drawn; None is no picture.

    Raises:
        UnsupportedError: The package ``matplotlib`` is not installed, or the file is of another format.
    """
    if file is None:
        return
    if file.suffix.lower() not in FIGURE_FORMATS:
        raise UnsupportedError(
            f"pictures are files of {', '.join(FIGURE_FORMATS)}, not {file.name!r}", field="plot"
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise missing_package("pictures need", "matplotlib", "plots", field="plot")


def draw_runs(
    folders: Sequence[Path], file: Path, axis: str | None = None, rolling: int = DEFAULT_ROLLING
) -> None:
    """Draw the strength of runs with error bars and, below it, their error where they tell one.

    Args:
        folders: Of the runs.
        file: Where to; appears whole or not at all.
        axis: A key of `AXES`; unless given the games or positions of the runs, hours where they differ.
        rolling: Neighbouring measurements that the line through the strength averages.

    Raises:
        UnsupportedError: As `check_plot_file`; or a run has no such axis.
        DataFileError: A log cannot be read, or the file cannot be written.
    """
    figure = make_figure(file)
    from matplotlib.ticker import EngFormatter

    chosen = axis or choose_axis(folders)
    runs = [read_curves(folder, chosen) for folder in folders]
    heights = (2, 1) if any(run.error.x for run in runs) else (1,)
    panels = figure.subplots(len(heights), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    _draw_strengths(panels[0], runs, rolling)
    if len(panels) > 1:
        _draw_errors(panels[1], runs)
    panels[-1].set_xlabel(AXES[chosen])
    if chosen != "hours":
        panels[-1].xaxis.set_major_formatter(EngFormatter(sep=""))
    write_figure(figure, file)


def make_figure(file: Path, inches: tuple[float, float] = _INCHES) -> Figure:
    """Begin a picture.

    Args:
        file: Where to it will be written.
        inches: Width and height.

    Raises:
        UnsupportedError: As `check_plot_file`.
    """
    check_plot_file(file)
    from matplotlib.figure import Figure

    return Figure(inches, _DOTS_PER_INCH, layout="constrained")


def write_figure(figure: Figure, file: Path) -> None:
    """Write a picture in the format of its name, whole or not at all; the text of an ``.svg`` stays text.

    Raises:
        DataFileError: The file cannot be written.
    """
    from matplotlib import rc_context

    content = io.BytesIO()
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(content, format=file.suffix[1:].lower())
    write_atomically(file, content.getvalue())


@dataclass(frozen=True)
class PlotLine:
    """Values to be drawn against others.

    Attributes:
        label: What it is.
        x: Where.
        values: As many.
        is_faint: Whether it stands behind another one, in the colour of that.
    """

    label: str
    x: Sequence[float]
    values: Sequence[float]
    is_faint: bool = False


def draw_lines(panels: Sequence[tuple[str, Sequence[PlotLine]]], x_label: str, file: Path) -> None:
    """Draw lines in panels, one above the other.

    Args:
        panels: What the values of each panel are called, and its lines.
        x_label: What they run along.
        file: Where to; appears whole or not at all.

    Raises:
        UnsupportedError: As `check_plot_file`.
        DataFileError: The file cannot be written.
    """
    figure = make_figure(file)
    for axes, (name, lines) in zip(
        figure.subplots(len(panels), sharex=True, squeeze=False)[:, 0], panels, strict=True
    ):
        colour = -1
        for line in lines:
            colour += not line.is_faint or colour < 0
            style = "--" if line.is_faint else "-"
            single = "." if len(line.x) == 1 else None  # a line of one point cannot be seen
            axes.plot(line.x, line.values, style, marker=single, color=f"C{colour % 10}", label=line.label)
        axes.set_ylabel(name)
        axes.grid(alpha=0.3)
        if lines:
            axes.legend(fontsize="small")
    axes.set_xlabel(x_label)
    write_figure(figure, file)


def _draw_strengths(axes: Axes, runs: Sequence[RunCurves], rolling: int) -> None:
    """Draw a colour for each run, or for each opponent of a single run, and a marker for each opponent."""
    opponents = list(dict.fromkeys(name for run in runs for name in run.strengths))
    for number, run in enumerate(runs):
        for opponent, curve in run.strengths.items():
            place = opponents.index(opponent)
            colour = f"C{(number if len(runs) > 1 else place) % 10}"
            marker = _MARKERS[place % len(_MARKERS)]
            axes.errorbar(
                curve.x,
                curve.values,
                curve.errors,
                fmt=marker,
                color=colour,
                markersize=4,
                capsize=2,
                alpha=0.45,
            )
            means = curve.rolling_mean(rolling).values
            label = f"{run.name} against {opponent}"
            axes.plot(curve.x, means, marker=marker, markevery=[-1], color=colour, label=label)
    axes.set_ylabel("points per game")
    axes.grid(alpha=0.3)
    if opponents:
        _add_legend(axes)
    else:
        axes.text(0.5, 0.5, "no strength was measured", ha="center", transform=axes.transAxes)


def _draw_errors(axes: Axes, runs: Sequence[RunCurves]) -> None:
    for number, run in enumerate(runs):
        axes.plot(run.error.x, run.error.values, color=f"C{number % 10}", label=run.name)
    axes.set_ylabel("error, points (RMS)")
    axes.grid(alpha=0.3)
    if 1 < len(runs) <= _LEGEND_ROWS:  # more are named above, in the same colours
        _add_legend(axes)


def _add_legend(axes: Axes) -> None:
    """Add a legend; many lines stand in columns, in small print."""
    columns = -(-len(axes.get_legend_handles_labels()[1]) // _LEGEND_ROWS)
    axes.legend(fontsize="small" if columns == 1 else "xx-small", ncols=columns)
