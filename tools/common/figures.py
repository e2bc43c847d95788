"""Pictures in the format of their name, checked before long work; lines in panels."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Meta

from gammond.engine.errors import UnsupportedError, missing_package
from gammond.engine.runtime.files import check_output
from gammond.tools.common.command_options import written_file
from gammond.tools.common.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_FORMATS = (".png", ".svg", ".pdf")

_INCHES = (9.0, 6.5)
_DOTS_PER_INCH = 110


_MARKS = {
    ".png": b"Software\0gammond",
    ".svg": b"<dc:title>gammond</dc:title>",
    ".pdf": b"/Creator (gammond)",
}
"""What a picture that gammond drew has in it, by the ending of its name."""

_TAGS = {".png": "Software", ".svg": "Creator", ".pdf": "Creator"}
"""Where matplotlib puts that."""

_MARK_BYTES = 1 << 16
"""The mark is in so many bytes at the beginning or the end of a picture."""


def plot_option(what: str = "strength and error after each checkpoint") -> Meta:
    """Describe ``--plot``.

    Args:
        what: What is drawn; the default is for trainers.
    """
    return written_file(f"draw {what}: FILE.png, .svg or .pdf")


def check_plot_file(
    file: Path | None, *, force: bool | None = None, field: str = "plot", new_folder: Path | None = None
) -> None:
    """Check before long work that a picture can be drawn, and may be; None is no picture.

    One that gammond drew is drawn anew unasked: a run draws its own at each checkpoint, and a plot of a run
    that went on replaces the one before.

    Args:
        file: The picture.
        force: As for `gammond.engine.runtime.files.check_output`.
        field: The option that names the file.
        new_folder: A folder that is made before the picture.

    Raises:
        UnsupportedError: The package ``matplotlib`` is not installed, or the file is of another format.
        GammondError: As `gammond.engine.runtime.files.check_output`.
    """
    if file is not None:
        _check_format(file)
        check_output(file, force=force, is_own=_is_drawn_here, field=field, new_folder=new_folder)


def _check_format(file: Path) -> None:
    if file.suffix.lower() not in FIGURE_FORMATS:
        raise UnsupportedError(
            f"expected a picture file of {', '.join(FIGURE_FORMATS)}, got {file.name!r}", field="plot"
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise missing_package("pictures need", "matplotlib", "plots", field="plot")


def _is_drawn_here(file: Path) -> bool:
    """Return whether gammond drew a picture."""
    with suppress(OSError), file.open("rb") as there:
        head = there.read(_MARK_BYTES)
        there.seek(max(0, file.stat().st_size - _MARK_BYTES))
        return _MARKS[file.suffix.lower()] in head + there.read(_MARK_BYTES)
    return False


def make_figure(file: Path, inches: tuple[float, float] = _INCHES) -> Figure:
    """Start a picture.

    Args:
        file: Of the picture.
        inches: Width and height.

    Raises:
        UnsupportedError: As `check_plot_file`.
    """
    _check_format(file)
    from matplotlib.figure import Figure

    return Figure(inches, _DOTS_PER_INCH, layout="constrained")


def write_figure(figure: Figure, file: Path) -> None:
    """Write a picture in the format of its name, whole or not at all; the text of an ``.svg`` stays text.

    Raises:
        DataFileError: The file cannot be written.
    """
    from matplotlib import rc_context

    content, suffix = io.BytesIO(), file.suffix.lower()
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(content, format=suffix[1:], metadata={_TAGS[suffix]: "gammond"})
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
