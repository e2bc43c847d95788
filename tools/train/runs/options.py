"""Options that trainers share: the folder of the run, its settings, worker processes and threads."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from gammond.engine.runtime.machine import count_usable_cores
from gammond.tools.common.output_options import written_path
from gammond.tools.parallel.options import add_cluster_option
from gammond.tools.train.runs.run_folder import CONFIG_FILE
from gammond.tools.train.runs.settings import read_settings, settings_from_args, settings_to_resume

_Settings = TypeVar("_Settings", bound=msgspec.Struct)


def add_run_options(
    parser: argparse.ArgumentParser,
    files: str,
    *,
    resume_point: str = "checkpoint",
    lengths: Sequence[str] = (),
    is_optional: bool = False,
) -> None:
    """Add the folder of the run, and ``--resume``.

    Args:
        parser: Of the command.
        files: What the folder holds.
        resume_point: What a run goes on from.
        lengths: The settings that say how long a run is.
        is_optional: Whether the command does something without a run.
    """
    help_text = f"folder of the run: {files}"
    if is_optional:
        parser.add_argument("run", type=written_path, nargs="?", help=help_text)
    else:
        parser.add_argument("run", type=written_path, help=help_text)
    longer = f"; a larger {' or '.join(f'--{name}' for name in lengths)} makes it longer" if lengths else ""
    parser.add_argument(
        "--resume", action="store_true", help=f"resume from the run's last {resume_point}{longer}"
    )


def load_run_settings(
    folder: Path,
    args: argparse.Namespace,
    kind: type[_Settings],
    lengths: Sequence[str] = (),
) -> _Settings:
    """Read the settings of a run: its own with ``--resume``, of which options may raise the length alone.

    Args:
        folder: Of the run.
        args: Of the command, with what `gammond.tools.train.runs.settings.add_setting_options` adds, and
            ``resume``.
        kind: The settings of the command.
        lengths: The settings that say how long a run is.

    Raises:
        DataFileError: There is no run to go on with; or a file is missing, no TOML, or has unknown fields.
        ValueRangeError: A value is of another kind or outside its limits.
        StateError: With ``--resume`` an option differs from what the run has, and makes it no longer.
    """
    if not args.resume:
        return settings_from_args(args, kind)
    settings = read_settings(folder / CONFIG_FILE, kind)
    return settings_to_resume(args, settings, lengths)


def add_workers_option(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """Add ``--threads`` as `args.workers`, and ``--cluster``: who works does not change the result."""
    shown = "one for each core" if default is None else default
    parser.add_argument(
        "--threads",
        dest="workers",
        type=int,
        default=count_usable_cores() if default is None else default,
        help=f"processes that share the work; the result is the same (default {shown})",
    )
    add_cluster_option(parser)


def add_threads_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, which does not change the result."""
    parser.add_argument(
        "--threads",
        type=int,
        default=count_usable_cores(),
        help="threads; the result is the same (default one for each core)",
    )
