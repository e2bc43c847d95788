"""``gammond heritage mimic-study``: what a setting is worth to a 52-26-1 net that mimics experts.

One setting takes a value after the other, by default the expert moves that are learned from the sizes of the
document. For each value there is a run of `gammond heritage mimic` in a folder of its name, with the same
unseen matches, seed and generations:

    gammond heritage mimic-study runs/crossovers --moves moves.npz --vary crossover=weights,bits,alternating

Runs that are done are left alone, the others go on from their checkpoints, so the same command goes on
after a kill. At the end stand the agreement of each with the experts of unseen matches, and the commands that
play the nets against each other. Fitness compares runs of one fitness function alone.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from engine.errors import StateError, ValueRangeError
from tools.figures import check_plot_file
from tools.files import read_records
from tools.heritage.gengammon.command import TRAINER
from tools.heritage.gengammon.curves import draw_agreement
from tools.heritage.gengammon.settings import MimicSettings
from tools.parallel import ProcessPool
from tools.train.runs.options import add_threads_option
from tools.train.runs.run_folder import CONFIG_FILE, LOG_FILE, compute_hours
from tools.train.runs.settings import (
    add_setting_options,
    format_command_options,
    read_settings,
    settings_from_args,
    with_value,
)
from tools.train.runs.trainer import Resources

SUMMARY = "teach nets to mimic experts with one setting varied, and compare them"

DEFAULT_VARIATION = "learned=1500,30000,45000"
"""The expert moves that nets learn from, of the document's table."""

_MINUTES = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond heritage mimic-study``."""
    parser.add_argument("folder", type=Path, help="where the runs go, a folder for each value")
    parser.add_argument(
        "--vary",
        default=DEFAULT_VARIATION,
        metavar="SETTING=LIST",
        help="a setting of 'gammond heritage mimic' and its values (default %(default)s)",
    )
    add_setting_options(parser, MimicSettings)
    add_threads_option(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the agreement of all: FILE.png, .svg or .pdf"
    )


def main(args: argparse.Namespace) -> int:
    """Make the runs and compare them; returns the exit status.

    Raises:
        GammondError: An option cannot be, or a run that is there has other settings.
    """
    check_plot_file(args.plot)
    field, values = _parse_variation(args.vary)
    runs = _make_runs(args.folder, settings_from_args(args, MimicSettings), field, values)
    for folder, settings in runs.items():
        _complete_run(folder, settings, args.threads)
    if args.plot:
        draw_agreement(list(runs), args.plot)
    sys.stdout.write(compare_runs(field, list(runs)))
    return 0


def compare_runs(field: str, folders: list[Path]) -> str:
    """Tell how the nets of finished runs agree with experts, and how to play them against each other.

    Args:
        field: The setting in which they differ.
        folders: Of the runs, each called as its value.
    """
    lines = [
        f"| {field} | minutes | fitness | ranked first | unseen: fitness | ranked first |",
        "|---|---|---|---|---|---|",
        *map(_format_row, folders),
    ]
    players = " ".join(f"run:{folder}" for folder in reversed(folders))
    lines += ["", f"gammond tournament {players} random --games 50000 --home-bound"]
    lines += [f"gammond tournament {players} random pubeval --games 20000", ""]
    return "\n".join(lines)


def _format_row(folder: Path) -> str:
    records = read_records(folder / LOG_FILE)
    last = records[-1]
    minutes = _MINUTES * compute_hours(records)[-1]
    cells = [folder.name, f"{minutes:.1f}", f"{last['fitness']:.4f}", f"{last['first']:.1%}"]
    cells += [_format_cell(last, "unseen_fitness", ".4f"), _format_cell(last, "unseen_first", ".1%")]
    return f"| {' | '.join(cells)} |"


def _format_cell(record: dict[str, Any], field: str, form: str) -> str:
    """A number of a log; nothing where there are no unseen matches."""
    return format(record[field], form) if field in record else ""


def _parse_variation(text: str) -> tuple[str, list[str]]:
    """Read ``SETTING=VALUE,VALUE``."""
    field, _, listed = text.partition("=")
    values = [value.strip() for value in listed.split(",")]
    if not field or not all(values):
        raise ValueRangeError(
            f"--vary takes a setting and its values, as in {DEFAULT_VARIATION}, not {text[:40]!r}",
            field="vary",
        )
    return field.strip().replace("-", "_"), values


def _make_runs(
    folder: Path, settings: MimicSettings, field: str, values: list[str]
) -> dict[Path, MimicSettings]:
    """The settings of each run by its folder.

    Raises:
        ValueRangeError: A value cannot be, cannot name a folder, or is there twice.
        StateError: A folder holds a run with other settings.
    """
    runs: dict[Path, MimicSettings] = {}
    for value in values:
        run = with_value(settings, field, value)
        run.check()
        name = str(getattr(run, field))
        if not re.fullmatch(r"\w[\w.-]*", name) or folder / name in runs:
            raise ValueRangeError(
                f"values name folders, so they are words or numbers that differ, not {value[:40]!r}",
                field="vary",
            )
        runs[folder / name] = run
    for each, run in runs.items():
        if (each / CONFIG_FILE).exists() and read_settings(each / CONFIG_FILE, MimicSettings) != run:
            raise StateError(
                f"{each} holds a run with other settings than{format_command_options(run)}", field="folder"
            )
    return runs


def _complete_run(folder: Path, settings: MimicSettings, threads: int) -> None:
    """Begin a run, or go on with it."""
    sys.stderr.write(f"{folder}:\n")
    TRAINER.complete_run(folder, settings, Resources(ProcessPool(1), threads))
