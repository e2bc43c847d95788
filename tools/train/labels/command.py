"""``gammond train label``: positions worth learning from, labelled with exact backups or rollouts.

A label is the mean over all 21 rolls of the value of the best reply at 0-ply, or with --plies 2 at 1-ply: one
ply deeper than the net's own evaluation; or with --trials the mean of games that the net plays. The folder
fills with shards of some thousand positions; a killed run resumes with --resume and loses only the shards in
progress. The same settings give the same labels, whatever the number of workers.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.common.command_options import ToolCommand, option, written_file
from gammond.tools.common.journal import read_records
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.progress import format_short_number
from gammond.tools.parallel.options import make_executor
from gammond.tools.train.labels.label_tasks import (
    LabelBearoffOption,
    LabelPlan,
    LabelPlaysOption,
    LabelPliesOption,
    LabelPrunerOption,
    LabelSourcesOption,
    LabelTraceOption,
    LabelTrialsOption,
    LabelTruncationOption,
    label_shard,
)
from gammond.tools.train.labels.sampling import DEFAULT_SOURCES, parse_sources
from gammond.tools.train.runs.run_folder import (
    LOG_FILE,
    advise_to_resume,
    begin_run,
    lengthen_run,
    load_run_settings,
)
from gammond.tools.train.runs.settings import SettingOptions
from gammond.tools.train.runs.shard_loop import make_missing_shards
from gammond.tools.train.runs.trainer import ProcessWork, VariantOption, find_training_rules
from gammond.tools.train.weights.net_set import NetSet, load_net_set

SUMMARY = "label positions with the mean over all rolls of the best reply, or with rollouts"


class LabelSettings(msgspec.Struct, frozen=True):
    """All that decides which labels come out; each field says what it is."""

    net: Annotated[
        str, Meta(description="the nets that play and evaluate: an evaluator, or the folder of a run")
    ] = "default"
    variant: VariantOption = STANDARD_RULES.variant.name
    positions: Annotated[int, Meta(ge=1, description="how many positions to label")] = 200_000
    plies: LabelPliesOption = 1
    phase: Annotated[
        Literal["contact", "crashed", "race"],
        Meta(description="which positions: contact (crashed ones too), crashed or race"),
    ] = "contact"
    sources: LabelSourcesOption = DEFAULT_SOURCES
    finder: LabelPrunerOption = ""
    plays: LabelPlaysOption = 0
    trace: LabelTraceOption = 0.0
    trials: LabelTrialsOption = 0
    truncate: LabelTruncationOption = 0
    bearoff: LabelBearoffOption = ""
    seed: Annotated[int, Meta(ge=0, description="seed of dice and draws")] = 1

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the labels come from."""
        return list(dict.fromkeys(each for each in (self.net, self.finder) if each))


class LabelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which labels are made, with what settings, and who works; or what is measured instead."""

    out: (
        Annotated[
            Path,
            written_file(
                "folder of the labels: run.toml, log.jsonl, labels-000000.npz, ...", "FOLDER", count="?"
            ),
        ]
        | None
    ) = None
    resume: Annotated[bool, option("go on with the run in this folder; more --positions make it longer")] = (
        False
    )
    bench: Annotated[bool, option("only measure labels a second; nothing is kept")] = False
    settings: SettingOptions[LabelSettings]
    work: ProcessWork = ProcessWork()


def run(options: LabelOptions) -> int:
    """Label; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    if options.bench:
        return _run_bench(options.settings.make(), options.work)
    if options.out is None:
        raise UnsupportedError("expected a folder for the labels, or --bench", field="out")
    settings = load_run_settings(options.out, options.settings, ("positions",), resume=options.resume)
    plan = _make_plan(settings)
    if not options.resume:
        begin_run(options.out, "train label", settings, settings.origins)
    _check_nets(options.out, plan.nets)
    with (
        advise_to_resume(options.out),
        hold_lock(options.out, "out"),
        make_executor(options.work.processes, options.work.cluster, {}) as executor,
    ):
        lengthen_run(options.out, "train label", settings)
        make_missing_shards(
            label_shard,
            plan.make_tasks(options.out, settings.positions),
            executor,
            "labels",
            log=options.out / LOG_FILE,
            describe=lambda records, _: f"correction {records[-1]['correction']:.4f}",
        )
    return 0


def _make_plan(settings: LabelSettings) -> LabelPlan:
    """Read what is wanted.

    Raises:
        GammondError: Nets cannot be loaded, or sources not be read.
    """
    sources, rules = parse_sources(settings.sources), find_training_rules(settings.variant)
    nets = load_net_set(settings.net)
    finder = load_net_set(settings.finder) if settings.finder else None
    how = settings.phase, settings.plies, settings.seed, finder, settings.trace
    games = settings.trials, settings.truncate
    return LabelPlan(nets, sources, *how, rules, *games, settings.bearoff, settings.plays)


def _check_nets(folder: Path, nets: NetSet) -> None:
    """Refuse to go on with other nets than those that began."""
    for record in read_records(folder / LOG_FILE)[:1]:
        if record.get("nets") != nets.digest:
            raise StateError(
                f"{folder} was started with other nets than {nets.name} has now: choose another folder",
                field="net",
            )


def _run_bench(settings: LabelSettings, work: ProcessWork) -> int:
    """Measure labels a second, sampling included, after a start that compiles and loads."""
    plan = _make_plan(settings)
    with (
        tempfile.TemporaryDirectory() as name,
        make_executor(work.processes, work.cluster, {}) as executor,
    ):
        first = plan.make_tasks_of(Path(name) / "first", dict.fromkeys(range(work.processes), 64))
        deque(executor.map(label_shard, first), maxlen=0)
        started_s = time.monotonic()
        make_missing_shards(label_shard, plan.make_tasks(Path(name), settings.positions), executor, "labels")
        elapsed_s = time.monotonic() - started_s
    kind = f"{settings.trials}-trial" if settings.trials else f"{settings.plies}-ply"
    sys.stdout.write(
        f"{kind} labels by {plan.nets.name}: "
        f"{format_short_number(settings.positions / elapsed_s)}/s "
        f"({settings.positions} in {elapsed_s:.1f} s, {work.processes} workers)\n"
    )
    return 0


COMMAND = ToolCommand(LabelOptions, run)
