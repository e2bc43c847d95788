"""Pictures in the format of their name, checked before long work; lines in panels."""

from __future__ import annotations

import argparse
import importlib.util
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UnsupportedError, missing_package
from tools.common.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_FORMATS = (".png", ".svg", ".pdf")

_INCHES = (9.0, 6.5)
_DOTS_PER_INCH = 110


def add_plot_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--plot`` to a command that trains."""
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw strength and error after each checkpoint: FILE.png, .svg or .pdf",
    )


def check_plot_file(file: Path | None) -> None:
    """Check before long work that a picture can be drawn; None is no picture.

    Raises:
        UnsupportedError: The package ``matplotlib`` is not installed, or the file is of another format.
    """
    if file is None:
        return
    if file.suffix.lower() not in FIGURE_FORMATS:
        raise UnsupportedError(
            f"expected a picture file of {', '.join(FIGURE_FORMATS)}, got {file.name!r}", field="plot"
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise missing_package("pictures need", "matplotlib", "plots", field="plot")


def make_figure(file: Path, inches: tuple[float, float] = _INCHES) -> Figure:
    """Start a picture.

    Args:
        file: Of the picture.
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
    """A line of values against others.

    Attributes:
        label: For the legend.
        x: Where.
        values: As many.
        is_faint: Whether it is drawn behind another one, in its colour.
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
