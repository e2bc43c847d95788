"""A trainer: a sub-command that makes runs, from its options to the end of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from msgspec import Struct

from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules, find_variant
from gammond.tools.common.command_options import CORES, ToolCommand, option, threads_option, written_file
from gammond.tools.common.figures import check_plot_file, plot_option
from gammond.tools.common.journal import Record
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.opponents import collect_net_hashes
from gammond.tools.parallel.executor import Executor
from gammond.tools.parallel.options import Cluster, make_executor
from gammond.tools.train.runs.curves import summarise_strength
from gammond.tools.train.runs.run import DrawFunction, Learner, Run
from gammond.tools.train.runs.run_folder import (
    CONFIG_FILE,
    advise_to_resume,
    begin_run,
    check_no_run,
    lengthen_run,
    load_run_settings,
)
from gammond.tools.train.runs.settings import SettingOptions, format_options

_PROCESSES = "processes that share the work; the result is the same"

Resume = Annotated[
    bool,
    option(
        "resume from the run's last checkpoint; with more games or generations than it had the run becomes "
        "longer"
    ),
]
"""``--resume`` of a trainer."""

VariantOption = Annotated[str, option("the game that is played, as 'game.variant' has it")]


def find_training_rules(variant: str) -> Rules:
    """Return the rules of a variant that nets can learn.

    Raises:
        ValueRangeError: There is no such variant.
        UnsupportedError: Nets cannot learn it.
    """
    rules = Rules(find_variant(variant))
    rules.check_supports(Feature.TRAINING)
    return rules


class RunSettings(Struct, frozen=True):
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


class WorkOptions(Struct, frozen=True, kw_only=True):
    """How a run works, which does not change its result: in this process, unless it has more options."""

    @property
    def processes(self) -> int:
        """How many processes share the work where there is no cluster."""
        return 1

    @property
    def cluster(self) -> str:
        """The address of a cluster whose workers share it; empty for none."""
        return ""

    @property
    def keep_nets(self) -> bool:
        """Whether the nets of each checkpoint are kept."""
        return False


KeepNets = Annotated[
    bool,
    option("keep the nets of each checkpoint (nets-000100000.npz) for 'train plot --head-to-head'"),
]
"""``--keep-nets``, of trainers whose nets play."""


class KeepingWork(WorkOptions, frozen=True, kw_only=True):
    """Whether a run keeps its nets."""

    keep_nets: KeepNets = False


class ThreadedWork(WorkOptions, frozen=True, kw_only=True):
    """How many threads of this process a run has."""

    threads: Annotated[int, threads_option("threads; the result is the same")] = CORES


class ProcessWork(WorkOptions, frozen=True, kw_only=True):
    """Which processes or workers share the work of a run, or of another stage."""

    threads: Annotated[int, threads_option(_PROCESSES)] = CORES
    cluster: Cluster = ""

    @property
    def processes(self) -> int:
        """As many as there are threads."""
        return self.threads


class OneProcessWork(ProcessWork, frozen=True, kw_only=True):
    """Which processes or workers share the work of a run: by default none."""

    threads: Annotated[int, threads_option(_PROCESSES, shown=None)] = 1


SettingsT = TypeVar("SettingsT", bound=RunSettings)
WorkT = TypeVar("WorkT", bound=WorkOptions)


class TrainingOptions(Struct, Generic[SettingsT, WorkT], frozen=True, kw_only=True):
    """With what settings runs are trained, how they work, and where they are drawn."""

    settings: SettingOptions[SettingsT]
    work: WorkT
    plot: Annotated[Path, plot_option()] | None = None


class RunOptions(TrainingOptions[SettingsT, WorkT], Generic[SettingsT, WorkT], frozen=True, kw_only=True):
    """Which run is begun or resumed."""

    run: Annotated[Path, written_file("folder of the run", "RUN", count="")]
    resume: Resume = False


@dataclass(frozen=True)
class Trainer(Generic[SettingsT, WorkT]):
    """A sub-command that makes runs.

    Attributes:
        command: Such as ``train td``; its last word is the kind of its runs.
        settings_type: The type of its settings.
        work_type: The type of its options of work.
        make_learner: Makes a new learner for a folder; raises `GammondError` where the settings do not allow
            one, before the run begins.
        draw: Draws runs; by default their strength and error.
        summarise: Summarises the log of a finished run, for a table: column and text.
        comparisons: Commands that compare runs, with ``{players}`` or ``{folders}`` for their names.
        player: The name by which a run plays, with ``{folder}`` for its folder.
        describe_plan: Tells, before a run begins or is resumed, what it will take; lines for people.
    """

    command: str
    settings_type: type[SettingsT]
    work_type: type[WorkT]
    make_learner: Callable[[Path, SettingsT, WorkT, Executor], Learner]
    draw: DrawFunction | None = None
    summarise: Callable[[Sequence[Record]], dict[str, str]] = summarise_strength
    comparisons: Sequence[str] = ("gammond tournament {players} random pubeval --games 20000",)
    player: str = "run:{folder}"
    describe_plan: Callable[[Path, SettingsT], Iterable[str]] | None = None

    def make_command(self) -> ToolCommand[RunOptions[SettingsT, WorkT]]:
        """Make the command that begins and resumes runs."""
        kind: Any = RunOptions
        return ToolCommand(kind[self.settings_type, self.work_type], self.run)

    def run(self, options: RunOptions[SettingsT, WorkT]) -> int:
        """Begin or resume a run, and do what is left of it; return the exit status.

        Raises:
            GammondError: An option is invalid (no run is created), the folder already holds a run, or with
                ``--resume`` holds none.
        """
        folder = options.run
        check_plot_file(options.plot, new_folder=folder)
        lengths = self.settings_type.lengths
        settings = load_run_settings(folder, options.settings, lengths, resume=options.resume)
        if not options.resume:
            check_no_run(folder)
        with advise_to_resume(folder):
            if self.describe_plan is not None:
                settings.check()
                for line in self.describe_plan(folder, settings):
                    sys.stderr.write(f"{line}\n")
                    sys.stderr.flush()
            processes = options.work.processes
            sys.stdout.write(self.complete_run(folder, settings, options.work, processes, options.plot))
        return 0

    def complete_run(
        self, folder: Path, settings: SettingsT, work: WorkT, processes: int, plot: Path | None = None
    ) -> str:
        """Begin a run, or resume the one that is there, which may become longer; return its report.

        Args:
            folder: Of the run.
            settings: Of the run.
            work: How it works.
            processes: Those that share the work where there is no cluster.
            plot: Where to draw the run; None for nowhere.

        Raises:
            GammondError: The settings are invalid (no run is created), or the run cannot be resumed.
        """
        with make_run_executor(work.cluster, settings, processes) as executor:
            settings.check()
            with hold_lock(folder, "run"):
                learner = self.make_learner(folder, settings, work, executor)
                kind = self.command.split()[-1]
                run = Run(folder, kind, learner, plot, self.draw, keeps_nets=work.keep_nets)
                self._write_settings(folder, settings, learner)
                return run.run()

    def _write_settings(self, folder: Path, settings: SettingsT, learner: Learner) -> None:
        """Write the settings of a new run, or of one that becomes longer; say so where it does not."""
        if not (folder / CONFIG_FILE).exists():
            begin_run(folder, self.command, settings, settings.origins)
            return
        lengthen_run(folder, self.command, settings)
        if learner.steps_done >= learner.total_steps:
            done = format_options({name: getattr(settings, name) for name in settings.lengths}, {})
            sys.stderr.write(f"{folder} is done, with{done}; --resume with more makes it longer\n")


def make_run_executor(cluster: str, settings: RunSettings, processes: int) -> Executor:
    """Make the executor of a run, to be used as a context manager.

    Args:
        cluster: The value of ``--cluster``, empty for none.
        settings: Of the run.
        processes: How many processes of this machine share the work where there is no cluster.

    Raises:
        GammondError: The number or the address is out of range, a package is missing, or a player cannot be
            loaded.
    """
    nets = {name: collect_net_hashes(name) for name in settings.task_players} if cluster else {}
    return make_executor(processes, cluster, nets)
