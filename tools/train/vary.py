"""``gammond train vary``: train runs that differ in a setting or two, and compare them.

Each setting takes one value after another, all other settings are the same. With several settings there is a
run for each combination. The folder of a run is named after its values:

    gammond train vary mimic runs/mixed crossover=weights,bits --moves moves.npz
    gammond train vary classic runs/sizes hidden=10,20 outputs=1,5 --games 50000

Finished runs are left alone and the others resume, so the same command resumes after a kill; with more games
or generations than before it makes the runs longer.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from gammond.engine.errors import StateError, ValueRangeError
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.files import read_records
from gammond.tools.common.interrupts import GOES_ON, advise_on_interrupt
from gammond.tools.common.options import written_path
from gammond.tools.common.tool_parser import ToolParser
from gammond.tools.common.wings import find_wings
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.train.runs.curves import draw_runs
from gammond.tools.train.runs.run_folder import CONFIG_FILE, LOG_FILE, check_no_run, compute_hours
from gammond.tools.train.runs.settings import (
    check_same_or_longer,
    read_settings,
    settings_from_args,
    with_value,
)
from gammond.tools.train.runs.trainer import RunSettings, Trainer

SUMMARY = "train runs with settings varied, and compare them"

_MINUTES = 60

Combination = tuple[tuple[str, str], ...]
"""Settings, and the text of a value for each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a sub-parser for each trainer."""
    subparsers = parser.add_subparsers(
        dest="trainer", metavar="TRAINER", required=True, parser_class=ToolParser
    )
    for name in sorted(trainer for wing in find_wings() for trainer in wing.trainers):
        trainer = _find_trainer(name)
        of_trainer = subparsers.add_parser(name, help=f"vary settings of 'gammond {trainer.command}'")
        of_trainer.add_argument("folder", type=written_path, help="where the runs go, a folder for each")
        of_trainer.add_argument(
            "variations",
            nargs="+",
            metavar="SETTING=LIST",
            help="a setting and its values",
        )
        of_trainer.add_argument("--runs", type=int, default=1, help="runs side by side (default 1)")
        trainer.add_settings(of_trainer)


def main(args: argparse.Namespace) -> int:
    """Complete the runs and compare them; return the exit status.

    Raises:
        GammondError: An option is invalid, or a run that is there has other settings; no run is created.
    """
    check_plot_file(args.plot, new_folder=args.folder)
    trainer = _find_trainer(args.trainer)
    combinations = _parse_variations(args.variations)
    runs = _make_runs(args.folder, settings_from_args(args, trainer.settings_type), combinations)
    tasks = [(args, folder, settings) for folder, settings in runs.items()]
    with (
        advise_on_interrupt(lambda: GOES_ON if any(map(Path.exists, runs)) else ""),
        ProcessPool(args.runs) as processes,
    ):
        for _ in processes.map(_complete_run, tasks):
            pass
    if args.plot:
        (trainer.draw or draw_runs)(list(runs), args.plot)
    sys.stdout.write(compare_runs(trainer, [name for name, _ in combinations[0]], list(runs)))
    return 0


def compare_runs(trainer: Trainer[Any], settings: Sequence[str], folders: Sequence[Path]) -> str:
    """Tabulate finished runs, and tell the commands that play them against each other.

    Args:
        trainer: Of the runs.
        settings: In which they differ.
        folders: Of the runs, each called after its values.
    """
    summaries, firsts = [], []
    for folder in folders:
        records = read_records(folder / LOG_FILE)
        firsts.append([folder.name, f"{_MINUTES * compute_hours(records)[-1]:.1f}"])
        summaries.append(trainer.summarise(records))
    columns = list(dict.fromkeys(column for summary in summaries for column in summary))
    lines = [
        _format_row([", ".join(settings), "minutes", *columns]),
        f"|{'---|' * (2 + len(columns))}",
        *(
            _format_row([*first, *(summary.get(column, "") for column in columns)])
            for first, summary in zip(firsts, summaries, strict=True)
        ),
    ]
    players = " ".join(trainer.player.format(folder=folder) for folder in reversed(folders))
    paths = " ".join(map(str, folders))
    comparisons = [command.format(players=players, folders=paths) for command in trainer.comparisons]
    lines += ["", *comparisons, ""]
    return "\n".join(lines)


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _find_trainer(name: str) -> Trainer[Any]:
    (module,) = (wing.trainers[name] for wing in find_wings() if name in wing.trainers)
    trainer: Trainer[Any] = import_module(module).TRAINER
    return trainer


def _parse_variations(texts: Sequence[str]) -> list[Combination]:
    """Parse ``SETTING=VALUE,VALUE`` of each setting into all combinations.

    Raises:
        ValueRangeError: A text has another form, or a setting is there twice.
    """
    varied: dict[str, list[tuple[str, str]]] = {}
    for text in texts:
        name, _, listed = text.partition("=")
        name = name.strip().replace("-", "_")
        values = [value.strip() for value in listed.split(",")]
        if not name or not all(values) or name in varied:
            raise ValueRangeError(
                f"expected settings and their values, as in hidden=10,20, got {text[:40]!r}",
                field="variations",
            )
        varied[name] = [(name, value) for value in values]
    return list(itertools.product(*varied.values()))


def _make_runs(
    folder: Path, settings: RunSettings, combinations: Sequence[Combination]
) -> Mapping[Path, RunSettings]:
    """Make the settings of each run, by its folder.

    Raises:
        GammondError: A value is invalid.
        ValueRangeError: Values cannot name a folder, or name one twice.
        StateError: A folder holds a run with other settings.
    """
    runs: dict[Path, RunSettings] = {}
    for combination in combinations:
        run = settings
        for name, value in combination:
            run = with_value(run, name, value)
        run.check()
        called = "-".join(str(getattr(run, name)) for name, _ in combination)
        if not re.fullmatch(r"\w[\w.-]*", called) or folder / called in runs:
            raise ValueRangeError(
                f"expected different words or numbers as values (they name folders), got {called[:40]!r}",
                field="variations",
            )
        runs[folder / called] = run
    for each, run in runs.items():
        if not (each / CONFIG_FILE).exists():
            check_no_run(each)
            continue
        try:
            check_same_or_longer(read_settings(each / CONFIG_FILE, type(run)), run, run.lengths)
        except StateError as error:
            raise StateError(f"{each}: {error.message}", field="folder") from None
    return runs


def _complete_run(task: tuple[argparse.Namespace, Path, RunSettings]) -> None:
    """Begin or resume a run; it works in this process alone where others are trained beside it."""
    args, folder, settings = task
    sys.stderr.write(f"{folder}:\n")
    workers = 1 if args.runs > 1 else None
    _find_trainer(args.trainer).complete_run(folder, settings, args, workers=workers)
