"""``gammond train vary``: train runs that differ in a setting or two, and compare them.

Each setting takes one value after another, all other settings are the same. With several settings there is a
run for each combination. The folder of a run is named after its values:

    gammond train vary mimic runs/mixed crossover=weights,bits --moves moves.npz
    gammond train vary classic runs/sizes hidden=10,20 outputs=1,5 --games 50000

Finished runs are left alone and the others resume, so the same command resumes after a kill; with more games
or generations than before it makes the runs longer.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Generic

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.runtime.machine import MAX_THREADS
from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.command_options import ToolCommand, argument, option, written_file
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.interrupts import GOES_ON, advise_on_interrupt
from gammond.tools.common.journal import read_records
from gammond.tools.common.wings import find_wings
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.train.runs.curves import draw_runs
from gammond.tools.train.runs.run_folder import CONFIG_FILE, LOG_FILE, check_no_run, compute_hours
from gammond.tools.train.runs.settings import check_same_or_longer, read_settings, with_value
from gammond.tools.train.runs.trainer import (
    RunSettings,
    SettingsT,
    Trainer,
    TrainingOptions,
    WorkOptions,
    WorkT,
)

SUMMARY = "train runs with settings varied, and compare them"

_MINUTES = 60

Combination = tuple[tuple[str, str], ...]
"""Settings, and the text of a value for each."""


class VaryOptions(TrainingOptions[SettingsT, WorkT], Generic[SettingsT, WorkT], frozen=True, kw_only=True):
    """Which settings vary, and how many runs are trained at once."""

    folder: Annotated[Path, written_file("where the runs go, a folder for each", "FOLDER", count="")]
    variations: Annotated[tuple[str, ...], argument("SETTING=LIST", "a setting and its values", count="+")]
    runs: Annotated[int, option("runs side by side", ge=1, le=MAX_THREADS)] = 1


def vary(name: str, options: VaryOptions[Any, Any]) -> int:
    """Complete the runs and compare them; return the exit status.

    Args:
        name: Of the trainer. Where several runs are trained side by side, each works in its process alone.
        options: What is varied.

    Raises:
        GammondError: An option is invalid, or a run that is there has other settings; no run is created.
    """
    check_plot_file(options.plot, new_folder=options.folder)
    trainer = _find_trainer(name)
    combinations = _parse_variations(options.variations)
    runs = _make_runs(options.folder, options.settings.make(), combinations)
    processes = options.work.processes if options.runs == 1 else 1
    tasks = [(name, folder, settings, options.work, processes) for folder, settings in runs.items()]
    with (
        advise_on_interrupt(lambda: GOES_ON if any(map(Path.exists, runs)) else ""),
        ProcessPool(options.runs) as trainers,
    ):
        for _ in trainers.map(_complete_run, tasks):
            pass
    if options.plot:
        (trainer.draw or draw_runs)(list(runs), options.plot)
    sys.stdout.write(compare_runs(trainer, [setting for setting, _ in combinations[0]], list(runs)))
    return 0


def compare_runs(trainer: Trainer[Any, Any], settings: Sequence[str], folders: Sequence[Path]) -> str:
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


def _find_trainer(name: str) -> Trainer[Any, Any]:
    (module,) = (wing.trainers[name] for wing in find_wings() if name in wing.trainers)
    trainer: Trainer[Any, Any] = import_module(module).TRAINER
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


def _complete_run(task: tuple[str, Path, RunSettings, WorkOptions, int]) -> None:
    """Begin or resume a run by the trainer of a name."""
    name, folder, settings, work, processes = task
    sys.stderr.write(f"{folder}:\n")
    _find_trainer(name).complete_run(folder, settings, work, processes)


def _make_command(name: str) -> ToolCommand[Any]:
    trainer, kind = _find_trainer(name), VaryOptions
    options: Any = kind[trainer.settings_type, trainer.work_type]
    return ToolCommand(options, partial(vary, name), f"vary settings of 'gammond {trainer.command}'")


COMMAND = CommandGroup(
    {name: _make_command(name) for name in sorted(name for wing in find_wings() for name in wing.trainers)},
    "TRAINER",
)
