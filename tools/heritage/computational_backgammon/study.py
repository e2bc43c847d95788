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
from nets.catalogue import DEFAULT_EVALUATOR
from tools.figures import add_plot_option, check_plot_file
from tools.heritage.computational_backgammon.command import TRAINER
from tools.heritage.computational_backgammon.opening import make_opening_report
from tools.heritage.computational_backgammon.report import tabulate_runs
from tools.heritage.computational_backgammon.settings import ClassicSettings
from tools.heritage.computational_backgammon.study_runs import STUDIES, ClassicStudy, StudyRuns
from tools.heritage.computational_backgammon.table_sizes import make_size_report
from tools.parallel import ProcessPool
from tools.train.runs.pictures import draw_runs
from tools.train.runs.run_folder import CONFIG_FILE
from tools.train.runs.settings import read_settings
from tools.train.runs.strength_games import check_benchmark
from tools.train.runs.trainer import Resources

SUMMARY = "answer a question about nets of the first years of TD-Gammon with a table of runs"

_START, _TABLES = "start", "tables"


@dataclass(frozen=True)
class _StudyRun:
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
        sys.stdout.write(make_size_report())
    elif args.study == _START:
        sys.stdout.write(make_opening_report(args.subjects or [DEFAULT_EVALUATOR]))
    else:
        if len(args.subjects) != 1:
            raise UnsupportedError(
                f"{args.study} trains: expected one folder for its runs, got {len(args.subjects)}",
                field="subjects",
            )
        _check_options(args)
        study, folder = STUDIES[args.study], Path(args.subjects[0])
        runs = study.make_runs(args.games, args.checkpoint_every, args.benchmark_games, args.seed)
        folders = _train_runs(folder, runs, args.workers)
        if args.plot:
            draw_runs(folders, args.plot, rolling=10)
        sys.stdout.write(
            _format_head(args.study, study, runs) + tabulate_runs(study, folders, args.final_games)
        )
    return 0


def _check_options(args: argparse.Namespace) -> None:
    """Check what the settings of a run do not."""
    check_plot_file(args.plot)
    check_benchmark((), args.final_games)
    for name, least in (("games", 1), ("checkpoint_every", 1), ("benchmark_games", 0), ("seed", 0)):
        value = getattr(args, name)
        if value is not None and value < least:
            raise ValueRangeError(f"{name} is {least} or more, not {value}", field=name)


def _train_runs(folder: Path, settings: StudyRuns, workers: int) -> list[Path]:
    """Train what is not trained yet, parents first; returns the folders of the runs."""
    tasks = [
        _StudyRun(
            folder / name,
            replace(run, parent=str(folder / run.parent)) if run.parent else run,
        )
        for name, run in settings.items()
    ]
    for task in tasks:
        _check_run(task)
    with ProcessPool(workers) as processes:
        for is_child in (False, True):
            for _ in processes.map(
                _train_run, [task for task in tasks if bool(task.settings.parent) == is_child]
            ):
                pass
    return [task.folder for task in tasks]


def _check_run(run: _StudyRun) -> None:
    """Refuse settings that cannot be, and a folder with a run of other settings."""
    run.settings.check()
    config = run.folder / CONFIG_FILE
    if config.exists() and read_settings(config, ClassicSettings) != run.settings:
        raise StateError(
            f"{run.folder} holds a run with other settings; choose another folder, or its options"
        )


def _train_run(run: _StudyRun) -> None:
    """Begin a run, or go on with it."""
    TRAINER.complete_run(run.folder, run.settings, Resources(ProcessPool(1)))


def _format_head(name: str, study: ClassicStudy, runs: StudyRuns) -> str:
    one = next(iter(runs.values()))
    return (
        f"{name}: {study.question}\n{one.games:,} games each, measured every {one.checkpoint_every:,} with "
        f"{one.benchmark_games:,} paired games against {', '.join(one.opponents)}, seed {one.seed}\n\n"
    )
