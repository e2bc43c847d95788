"""The agreement with experts against time, from the logs of runs of ``gammond heritage mimic``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.tools.common.figures import PlotLine, draw_lines
from gammond.tools.common.files import read_records
from gammond.tools.train.runs.run_folder import LOG_FILE

_SHARES = {"unseen_first": "ranked first, unseen matches", "first": "ranked first, learned moves"}
_FITNESSES = {"unseen_fitness": "fitness, unseen matches", "fitness": "fitness, learned moves"}


def has_agreement(folder: Path) -> bool:
    """Return whether a run's log has the agreement with experts.

    Raises:
        DataFileError: The log cannot be read.
    """
    return any("unseen_first" in record for record in read_records(folder / LOG_FILE))


def draw_agreement(folders: Sequence[Path], file: Path) -> None:
    """Draw the share of experts' plays that are ranked first, and the fitness below it, against minutes.

    Args:
        folders: Of runs.
        file: The picture; it appears whole or not at all.

    Raises:
        DataFileError: A log cannot be read or is empty, or the picture cannot be written.
        UnsupportedError: The package ``matplotlib`` is not installed, or the file is of another format.
    """
    above = [line for folder in folders for line in _make_lines(folder, _SHARES)]
    below = [line for folder in folders for line in _make_lines(folder, _FITNESSES)]
    draw_lines([("share of experts' plays", above), ("fitness", below)], "minutes", file)


def _make_lines(folder: Path, fields: dict[str, str]) -> list[PlotLine]:
    records = read_records(folder / LOG_FILE)
    if not records:
        raise DataFileError(f"{folder / LOG_FILE} has no record: nothing was learned yet")
    minutes = [seconds / 60 for seconds in accumulate(float(record["seconds"]) for record in records)]
    lines = []
    for field, meaning in fields.items():
        points = [
            (at, float(record[field])) for at, record in zip(minutes, records, strict=True) if field in record
        ]
        if points:
            at, values = zip(*points, strict=True)
            lines.append(PlotLine(f"{folder.name}: {meaning}", at, values, is_faint="unseen" not in field))
    return lines
