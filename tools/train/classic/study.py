"""``gammond train classic-study``: what makes nets of the first years learn, one table for each question.

A study that trains keeps a run of ``gammond train classic`` in a folder for each line of its table; given
the same folder again it goes on where it was, and prints the table at once when all runs are through:

    gammond train classic-study symmetry runs/symmetry

Two studies train nothing: ``start`` compares what players say of the opening position with a reference,
``tables`` the sizes of bearoff databases:

    gammond train classic-study start default run:runs/symmetry/normal
    gammond train classic-study tables
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from engine.errors import StateError, UnsupportedError, ValueRangeError
from nets.loading import DEFAULT
from tools.train.classic.findings import found
from tools.train.classic.learner import first_nets, resumed
from tools.train.classic.opening import opening_report
from tools.train.classic.settings import ClassicSettings
from tools.train.classic.studies import STUDIES, Runs, Study
from tools.train.classic.table_sizes import size_report
from tools.train.learning_run import CHECKPOINT, LearningRun
from tools.train.measuring import check_measurement
from tools.train.plots import add_plot_option, check_plot, draw_runs
from tools.train.processes import Processes
from tools.train.settings import read_settings
from tools.train.stage import CONFIG, begin

SUMMARY = "answer a question about nets of the first years of TD-Gammon with a table of runs"

_START, _TABLES = "start", "tables"


@dataclass(frozen=True)
class _Task:
    """A run of a study."""

    folder: Path
    settings: ClassicSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train classic-study``."""
    questions = "; ".join(f"{name}: {study.question}" for name, study in STUDIES.items())
    parser.add_argument(
        "study",
        choices=[*STUDIES, _START, _TABLES],
        metavar="STUDY",
        help=f"{questions}; start: what players say of the opening position; tables: sizes of bearoff tables",
    )
    parser.add_argument(
        "subjects",
        nargs="*",
        metavar="FOLDER|PLAYER",
        help="the folder of a study that trains; the players of 'start' (default 'default')",
    )
    parser.add_argument("--games", type=int, help="games of each run (default: the study's own)")
    parser.add_argument("--checkpoint-every", type=int, help="games between measurements")
    parser.add_argument("--benchmark-games", type=int, help="paired games of a measurement")
    parser.add_argument(
        "--final-games",
        type=int,
        default=10_000,
        help="paired games with other dice that the best nets play at the end (default 10000)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all runs (default 1)")
    parser.add_argument("--workers", type=int, default=1, help="runs side by side (default 1)")
    add_plot_option(parser)


def main(args: argparse.Namespace) -> int:
    """Run a study and print its table; returns the exit status.

    Raises:
        GammondError: An option or a player cannot be, or a folder holds other runs.
    """
    if args.study == _TABLES:
        sys.stdout.write(size_report())
    elif args.study == _START:
        sys.stdout.write(opening_report(args.subjects or [DEFAULT]))
    else:
        if len(args.subjects) != 1:
            raise UnsupportedError(
                f"{args.study} trains: expected one folder for its runs, got {len(args.subjects)}",
                field="subjects",
            )
        _check_numbers(args)
        study, folder = STUDIES[args.study], Path(args.subjects[0])
        runs = study.settings(args.games, args.checkpoint_every, args.benchmark_games, args.seed)
        folders = _train(folder, runs, args.workers)
        if args.plot:
            draw_runs(folders, args.plot, rolling=10)
        sys.stdout.write(_head(args.study, study, runs) + found(study, folders, args.final_games))
    return 0


def _check_numbers(args: argparse.Namespace) -> None:
    """Check what the settings of a run do not."""
    check_plot(args.plot)
    check_measurement((), args.final_games)
    for name, least in (("games", 1), ("checkpoint_every", 1), ("benchmark_games", 0), ("seed", 0)):
        value = getattr(args, name)
        if value is not None and value < least:
            raise ValueRangeError(f"{name} is {least} or more, not {value}", field=name)


def _train(folder: Path, runs: Runs, workers: int) -> list[Path]:
    """Train what is not trained yet, parents first; returns the folders of the runs."""
    tasks = [
        _Task(
            folder / name,
            replace(run, parent=str(folder / run.parent)) if run.parent else run,
        )
        for name, run in runs.items()
    ]
    for task in tasks:
        _check(task)
    with Processes(workers) as processes:
        for is_child in (False, True):
            for _ in processes.map(
                _train_one, [task for task in tasks if bool(task.settings.parent) == is_child]
            ):
                pass
    return [task.folder for task in tasks]


def _check(task: _Task) -> None:
    """Refuse settings that cannot be, and a folder with a run of other settings."""
    task.settings.check()
    config = task.folder / CONFIG
    if config.exists() and read_settings(config, ClassicSettings) != task.settings:
        raise StateError(
            f"{task.folder} holds a run with other settings; choose another folder, or its options"
        )


def _train_one(task: _Task) -> None:
    """Begin a run, or go on with it."""
    if not (task.folder / CONFIG).exists():
        first_nets(task.settings)
        begin(task.folder, "classic", task.settings, ())
    learner = resumed(task.folder / CHECKPOINT, task.settings)
    if learner.games_done < task.settings.games:
        LearningRun(task.folder, task.settings, learner, None).run()


def _head(name: str, study: Study, runs: Runs) -> str:
    one = next(iter(runs.values()))
    return (
        f"{name}: {study.question}\n{one.games:,} games each, measured every {one.checkpoint_every:,} with "
        f"{one.benchmark_games:,} paired games against {', '.join(one.opponents)}, seed {one.seed}\n\n"
    )
