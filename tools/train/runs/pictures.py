"""Pictures of training runs: strength against the work done, and the error below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammond.tools.common.figures import make_figure, write_figure
from gammond.tools.train.runs.curves import AXES, RunCurves, choose_axis, read_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_ROLLING = 5
"""Neighbouring measurements that the strength line averages by default."""

_MARKERS = "osD^vP*X"
_LEGEND_ROWS = 8


def draw_runs(
    folders: Sequence[Path],
    file: Path,
    axis: str | None = None,
    rolling: int = DEFAULT_ROLLING,
    met: Mapping[int, Mapping[str, Any]] | None = None,
) -> None:
    """Draw the strength of runs with error bars and, below it, their error where they tell one.

    Args:
        folders: Of the runs.
        file: Where to; appears whole or not at all.
        axis: A key of `AXES`; unless given the games or positions of the runs, hours where they differ.
        rolling: Neighbouring measurements that the line through the strength averages.
        met: More strengths of the first run, as `read_curves` takes them.

    Raises:
        UnsupportedError: As `check_plot_file`; or a run has no such axis.
        DataFileError: A log cannot be read, or the file cannot be written.
    """
    figure = make_figure(file)
    from matplotlib.ticker import EngFormatter

    chosen = axis or choose_axis(folders)
    first, *others = folders
    runs = [read_curves(first, chosen, met), *(read_curves(folder, chosen) for folder in others)]
    heights = (2, 1) if any(run.error.x for run in runs) else (1,)
    panels = figure.subplots(len(heights), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    _draw_strengths(panels[0], runs, rolling)
    if len(panels) > 1:
        _draw_errors(panels[1], runs)
    panels[-1].set_xlabel(AXES[chosen])
    if chosen != "hours":
        panels[-1].xaxis.set_major_formatter(EngFormatter(sep=""))
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
