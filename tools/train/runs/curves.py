"""Curves from the logs of training runs, and pictures of them: strength and error against the work done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammond.engine.errors import DataFileError, UnsupportedError
from gammond.tools.common.figures import make_figure, write_figure
from gammond.tools.common.journal import read_records
from gammond.tools.train.runs.run_folder import CONFIG_FILE, LOG_FILE, compute_hours
from gammond.tools.train.runs.settings import read_settings_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES = {"games": "games of self-play", "positions": "positions learned from", "hours": "hours"}
"""What curves run along, with what it is called."""

DEFAULT_ROLLING = 5
"""Neighbouring measurements that the strength line averages by default."""

_MARKERS = "osD^vP*X"
_LEGEND_ROWS = 8

_ERROR_FIELDS = ("error_points", "fresh_points", "averaged_points")
"""Fields of records, of self-play, refining and fitting, that hold an RMS error in points of equity."""


@dataclass(frozen=True)
class Curve:
    """Values against the work done.

    Attributes:
        x: The work done, in the unit of the axis.
        values: As many.
        errors: Standard errors of the values, as many; none where they have none.
    """

    x: tuple[float, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...] = ()

    def rolling_mean(self, count: int) -> Curve:
        """Average each value with its neighbours, a number of values in all, fewer near the ends."""
        half, last = count // 2, len(self.values) - 1
        means = []
        for place in range(len(self.values)):
            reach = min(half, place, last - place)
            near = self.values[place - reach : place + reach + 1]
            means.append(sum(near) / len(near))
        return Curve(self.x, tuple(means))


@dataclass(frozen=True)
class RunCurves:
    """The curves of a run.

    Attributes:
        name: The folder of the run.
        strengths: Points per game, by opponent.
        error: RMS error in points of equity: of the steps of self-play; in refining, of the net on fresh
            labels; in fitting, of the averaged net on labels set aside.
    """

    name: str
    strengths: Mapping[str, Curve]
    error: Curve


def choose_axis(folders: Sequence[Path]) -> str:
    """What the runs are drawn against unless someone chooses: their own work if it is alike, else hours.

    Raises:
        DataFileError: A log cannot be read, or is empty.
    """
    own = {_find_own_axis(_read_log(folder)) for folder in folders}
    return own.pop() if len(own) == 1 else "hours"


def read_curves(folder: Path, axis: str, met: Mapping[int, Mapping[str, Any]] | None = None) -> RunCurves:
    """Read the curves of a run from its log.

    Args:
        folder: Of the run.
        axis: A key of `AXES`.
        met: Measurements that its log does not have, as it would have them, by the steps that the run counts.

    Raises:
        UnsupportedError: The run has no such axis.
        DataFileError: The log cannot be read, is empty, or a record is not as it should be.
    """
    records, at = _read_along(folder, axis)
    try:
        strengths = _make_strength_curves(records, at)
        if met:
            steps = [next(iter(record.values())) for record in records]
            places = [place for step, place in zip(steps, at, strict=True) if step in met]
            strengths |= _make_strength_curves([met[step] for step in steps if step in met], places)
        return RunCurves(str(folder), strengths, _make_error_curve(records, at))
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"{folder / LOG_FILE} has a malformed record: {error!r}") from error


def find_best_strength(records: Sequence[Mapping[str, Any]]) -> float:
    """Find the best strength of a log: points per game, mean over the opponents; -inf where there is none."""
    return max(_list_mean_strengths(records), default=float("-inf"))


def format_run_strength(records: Sequence[Mapping[str, Any]]) -> str:
    """Format the last and the best strength for a progress line; empty where nothing was measured."""
    means = _list_mean_strengths(records)
    return f", strength {means[-1]:+.3f} (best {max(means):+.3f})" if means else ""


def summarise_strength(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Summarise a log for a table: the last and the best strength; empty where none was measured."""
    means = _list_mean_strengths(records)
    return {"last, ppg": f"{means[-1]:+.3f}", "best, ppg": f"{max(means):+.3f}"} if means else {}


def _list_mean_strengths(records: Sequence[Mapping[str, Any]]) -> list[float]:
    """List the measurements of a log: of each the mean over the opponents."""
    measured = ((record, *record.get("others", ())) for record in records if "ppg" in record)
    return [sum(float(each["ppg"]) for each in players) / len(players) for players in measured]


def _read_along(folder: Path, axis: str) -> tuple[list[dict[str, Any]], list[float]]:
    """Read the log of a run, and where each record is along an axis."""
    records = _read_log(folder)
    own = _find_own_axis(records)
    if axis not in (own, "hours"):
        expected = "hours" if own == "hours" else f"{own} or hours"
        raise UnsupportedError(f"expected {expected} as the axis of {folder}, got {axis}", field="against")
    try:
        at = compute_hours(records) if axis == "hours" else _compute_work(records, folder)
        return records, _move_to_best_epoch(records, at)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise DataFileError(f"{folder / LOG_FILE} has a malformed record: {error!r}") from error


def _read_log(folder: Path) -> list[dict[str, Any]]:
    if not (records := read_records(folder / LOG_FILE)):
        raise DataFileError(f"{folder / LOG_FILE} has no record: nothing was trained yet")
    return records


def _find_own_axis(records: Sequence[Mapping[str, Any]]) -> str:
    """Find what a run counts itself; hours where it counts nothing else."""
    return "games" if "games" in records[0] else "positions" if "learned" in records[0] else "hours"


def _compute_work(records: Sequence[Mapping[str, Any]], folder: Path) -> list[float]:
    """Games, or positions learned from, up to each record."""
    if _find_own_axis(records) == "games":
        return [float(record["games"]) for record in records]
    # A generation goes through its window as often as the run says, an epoch once.
    times = float(read_settings_file(folder / CONFIG_FILE)["epochs"]) if "generation" in records[0] else 1.0
    return list(
        accumulate(0.0 if "best_epoch" in record else times * record["learned"] for record in records)
    )


def _move_to_best_epoch(records: Sequence[Mapping[str, Any]], at: Sequence[float]) -> list[float]:
    """Move what was measured at the end of a fit to the epoch whose net it was."""
    epochs = {record.get("epoch"): place for record, place in zip(records, at, strict=True)}
    return [
        epochs[record["best_epoch"]] if "best_epoch" in record else place
        for record, place in zip(records, at, strict=True)
    ]


def _make_strength_curves(records: Sequence[Mapping[str, Any]], at: Sequence[float]) -> dict[str, Curve]:
    measured: dict[str, list[tuple[float, float, float]]] = {}
    for record, place in zip(records, at, strict=True):
        for each in (record, *record.get("others", ())) if "ppg" in record else ():
            point = (place, float(each["ppg"]), float(each["ppg_error"]))
            measured.setdefault(str(each["opponent"]), []).append(point)
    return {opponent: Curve(*zip(*points, strict=True)) for opponent, points in measured.items()}


def _make_error_curve(records: Sequence[Mapping[str, Any]], at: Sequence[float]) -> Curve:
    points = [
        (place, float(record[field]))
        for record, place in zip(records, at, strict=True)
        for field in _ERROR_FIELDS
        if record.get(field) is not None
    ]
    return Curve(tuple(place for place, _ in points), tuple(value for _, value in points))


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
