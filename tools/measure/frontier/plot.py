"""The picture of `gammond measure frontier`: points per game against evaluations per second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gammond.tools.common.figures import make_figure, write_figure
from gammond.tools.measure.frontier.points import BATCH_SIZE, FrontierPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INCHES = (9.0, 6.0)


def draw_frontier(points: Sequence[FrontierPoint], opponent: str, file: Path) -> None:
    """Draw players with their standard errors, and a line through those on the frontier.

    Args:
        points: The fastest first.
        opponent: The opponent of all.
        file: The picture; it appears whole or not at all.

    Raises:
        UnsupportedError: As `make_figure`.
        DataFileError: The file cannot be written.
    """
    figure = make_figure(file, _INCHES)
    _draw(figure.subplots(), points, opponent)
    write_figure(figure, file)


def _draw(axes: Axes, points: Sequence[FrontierPoint], opponent: str) -> None:
    best = [point for point in points if point.is_on_frontier]
    axes.plot(
        [point.evaluations_per_s for point in best],
        [point.points_per_game for point in best],
        color="C0",
        alpha=0.5,
        label="no other is as fast and as strong",
    )
    for point in points:
        at = point.evaluations_per_s, point.points_per_game
        colour = "C0" if point.is_on_frontier else "C7"
        axes.errorbar(*at, point.standard_error, fmt="o", color=colour, capsize=3)
        axes.annotate(point.title, at, xytext=(6, 6), textcoords="offset points", fontsize="small")
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.1)
    axes.set_xlabel(f"evaluations per second and core, in batches of {BATCH_SIZE:,}")
    axes.set_ylabel(f"points per game against {opponent}")
    axes.grid(which="both", alpha=0.3)
    axes.legend(fontsize="small")
