"""A trainer: a sub-command that makes runs, from its options to the end of the run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Meta

from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules, find_variant
from gammond.engine.runtime.machine import count_usable_cores
from gammond.tools.common.command_options import add_options
from gammond.tools.common.figures import check_plot_file, plot_option
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.opponents import collect_net_hashes, list_run_kinds
from gammond.tools.parallel.executor import Executor
from gammond.tools.parallel.options import add_cluster_option, make_executor
from gammond.tools.train.runs.curves import summarise_strength
from gammond.tools.train.runs.run import DrawFunction, Learner, Record, Run
from gammond.tools.train.runs.run_folder import (
    CONFIG_FILE,
    add_folder_arguments,
    advise_to_resume,
    begin_run,
    check_no_run,
    lengthen_run,
    load_run_settings,
)
from gammond.tools.train.runs.settings import add_setting_options, format_options

VariantOption = Annotated[str, Meta(description="the game that is played, as 'game.variant' has it")]


def find_training_rules(variant: str) -> Rules:
    """Return the rules of a variant that nets can learn.

    Raises:
        ValueRangeError: There is no such variant.
        UnsupportedError: Nets cannot learn it.
    """
    rules = Rules(find_variant(variant))
    rules.check_supports(Feature.TRAINING)
    return rules


class _PictureOptions(msgspec.Struct, frozen=True, kw_only=True):
    plot: Annotated[Path, plot_option()] | None = None


class RunSettings(msgspec.Struct, frozen=True):
    """All that decides the result of a run.

    Attributes:
        lengths: The settings that say how long a run is, of which one that is there may get more. A rate that
            falls does so by the share of the whole: a run that becomes longer goes on with the rate that one
            of the new length has there.
    """

    lengths: ClassVar[tuple[str, ...]] = ()

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the run builds on."""
        return []

    @property
    def rules(self) -> Rules:
        """The rules of the games that the run plays."""
        return STANDARD_RULES

    @property
    def task_players(self) -> Sequence[str]:
        """The players that its tasks name, and do not hold: workers of a cluster must have their nets."""
        return ()

    def check(self) -> None:
        """Check what the types and bounds of the fields do not.

        Raises:
            GammondError: A setting is out of range, or a player cannot be loaded.
        """


_Settings = TypeVar("_Settings", bound=RunSettings)


@dataclass(frozen=True)
class Resources:
    """What a run works with; the result is the same, up to rounding on another device.

    Attributes:
        processes: The worker processes.
        threads: How many threads work side by side.
        device: Where torch fits.
    """

    processes: Executor
    threads: int = 1
    device: str = "cpu"


@dataclass(frozen=True)
class Trainer(Generic[_Settings]):
    """A sub-command that makes runs.

    Attributes:
        command: Such as ``train td``; its last word is the kind of its runs.
        settings_type: The type of its settings.
        make_learner: Makes a new learner for a folder; raises `GammondError` where the settings do not allow
            one, before the run begins.
        files: The files of a run, for the help.
        resource_options: Add the options of `Resources` that the trainer has.
        draw: Draws runs; by default their strength and error.
        summarise: Summarises the log of a finished run, for a table: column and text.
        comparisons: Commands that compare runs, with ``{players}`` or ``{folders}`` for their names.
        player: The name by which a run plays, with ``{folder}`` for its folder.
        describe_plan: Tells, before a run begins or is resumed, what it will take; lines for people.
    """

    command: str
    settings_type: type[_Settings]
    make_learner: Callable[[Path, _Settings, Resources], Learner]
    files: str = "run.toml, checkpoint.npz, best.npz, log.jsonl"
    resource_options: Sequence[Callable[[argparse.ArgumentParser], None]] = ()
    draw: DrawFunction | None = None
    summarise: Callable[[Sequence[Record]], dict[str, str]] = summarise_strength
    comparisons: Sequence[str] = ("gammond tournament {players} random pubeval --games 20000",)
    player: str = "run:{folder}"
    describe_plan: Callable[[Path, _Settings], Iterable[str]] | None = None

    def add_arguments(
        self, parser: argparse.ArgumentParser, *, resume_point: str = "checkpoint", is_optional: bool = False
    ) -> None:
        """Add the folder of the run, ``--resume``, and what `add_settings` adds."""
        lengths = " or ".join(f"--{name}" for name in self.settings_type.lengths)
        longer = f"; a larger {lengths} makes it longer" if lengths else ""
        add_folder_arguments(
            parser,
            "run",
            f"folder of the run: {self.files}",
            f"resume from the run's last {resume_point}{longer}",
            is_optional=is_optional,
        )
        self.add_settings(parser)

    def add_settings(self, parser: argparse.ArgumentParser) -> None:
        """Add an option for each setting and resource, and ``--plot``."""
        add_setting_options(parser, self.settings_type)
        for add_option in self.resource_options:
            add_option(parser)
        add_options(parser, _PictureOptions)
        if self._kind in list_run_kinds():
            parser.add_argument(
                "--keep-nets",
                action="store_true",
                help="keep the nets of each checkpoint (nets-000100000.npz) for 'train plot --head-to-head'",
            )

    @property
    def _kind(self) -> str:
        return self.command.split()[-1]

    def main(self, args: argparse.Namespace) -> int:
        """Begin or resume a run, and do what is left of it; return the exit status.

        Raises:
            GammondError: An option is invalid (no run is created), the folder already holds a run, or with
                ``--resume`` holds none.
        """
        check_plot_file(args.plot, new_folder=args.run)
        settings = load_run_settings(args.run, args, self.settings_type, self.settings_type.lengths)
        if not args.resume:
            check_no_run(args.run)
        with advise_to_resume(args.run):
            if self.describe_plan is not None:
                settings.check()
                for line in self.describe_plan(args.run, settings):
                    sys.stderr.write(f"{line}\n")
                    sys.stderr.flush()
            sys.stdout.write(self.complete_run(args.run, settings, args, args.plot))
        return 0

    def complete_run(
        self,
        folder: Path,
        settings: _Settings,
        args: argparse.Namespace,
        plot: Path | None = None,
        workers: int | None = None,
    ) -> str:
        """Begin a run, or resume the one that is there, which may become longer; return its report.

        Args:
            folder: Of the run.
            settings: Of the run.
            args: What it works with; options that the trainer does not have keep their defaults.
            plot: Where to draw the run; None for nowhere.
            workers: Processes that share the work; as many as the options say unless given.

        Raises:
            GammondError: The settings are invalid (no run is created), or the run cannot be resumed.
        """
        asked = getattr(args, "workers", 1)
        with make_run_executor(args, settings, asked if workers is None else workers) as processes:
            threads, device = getattr(args, "threads", asked), getattr(args, "device", "cpu")
            settings.check()
            with hold_lock(folder, "run"):
                learner = self.make_learner(folder, settings, Resources(processes, threads, device))
                keeps_nets = getattr(args, "keep_nets", False)
                run = Run(folder, self._kind, learner, plot, self.draw, keeps_nets=keeps_nets)
                self._write_settings(folder, settings, learner)
                return run.run()

    def _write_settings(self, folder: Path, settings: _Settings, learner: Learner) -> None:
        """Write the settings of a new run, or of one that becomes longer; say so where it does not."""
        if not (folder / CONFIG_FILE).exists():
            begin_run(folder, self.command, settings, settings.origins)
            return
        lengthen_run(folder, self.command, settings)
        if learner.steps_done >= learner.total_steps:
            done = format_options({name: getattr(settings, name) for name in settings.lengths}, {})
            sys.stderr.write(f"{folder} is done, with{done}; --resume with more makes it longer\n")


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


def make_run_executor(args: argparse.Namespace, settings: RunSettings, processes: int) -> Executor:
    """Make the executor of a run, to be used as a context manager.

    Args:
        args: Have ``cluster``, where the trainer has that option.
        settings: Of the run.
        processes: How many processes of this machine share the work where there is no cluster.

    Raises:
        GammondError: The number or the address is out of range, a package is missing, or a player cannot be
            loaded.
    """
    cluster = getattr(args, "cluster", "")
    nets = {name: collect_net_hashes(name) for name in settings.task_players} if cluster else {}
    return make_executor(processes, cluster, nets)
