"""``gammond train validate-cube``: what players lose on rolled-out cube decisions.

The decisions are those of `gammond train cube-set`, which may still be at work, or of a file of their lines.
Tables have a row for each class of positions and each kind of match states: what doubling or not loses, and
what taking or passing loses, in thousandths of a point at the present cube, a decision; and the root mean
square errors of the equities of no double and double/take, less those of the rollouts. All with standard
errors. The noise of rollouts makes losses a little too large, for all players alike; `against` is both losses
together less those of the first player.

--models fits cube efficiencies to half of the decisions and measures them on the others, at 0-ply, by the
first player's net; another table has those by phase and pips alone, fitted to all decisions. With --teacher
it fits them to the values that a player finds for the decisions of --lessons, measures them on all of the
set. `gammond train cube-efficiencies` fits the formulas that the engine has.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.errors import ValueRangeError
from gammond.engine.runtime.files import check_output, identify_files
from gammond.engine.runtime.version import read_version
from gammond.engine.statistics import ValueWithError
from gammond.tools.common.command_options import (
    Force,
    Json,
    ToolCommand,
    argument,
    option,
    read_file,
    written_file,
)
from gammond.tools.common.opponents import load_net_evaluator
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report, format_table
from gammond.tools.train.cube_decisions.deciders import DECIDER_HELP, CubeOpinions, ask_decider
from gammond.tools.train.cube_decisions.decision_file import RatedDecision, read_decisions, write_decisions
from gammond.tools.train.cube_decisions.efficiency_models import (
    TARGETS,
    FittedEfficiency,
    ModelInputs,
    fit_phases,
    measure_models,
)
from gammond.tools.train.cube_decisions.losses import CubeErrorStats, DecisionGroup, compare_players

SUMMARY = "compare players with rolled-out cube decisions"

_TABLES: dict[str, tuple[str, Callable[[CubeErrorStats], ValueWithError]]] = {
    "doubling": ("lost by doubling or not, thousandths", lambda found: found.double_loss),
    "taking": ("lost by taking or passing, thousandths", lambda found: found.take_loss),
    "against": ("both losses less those of the first", lambda found: found.extra_loss),
    "no double": ("RMS error of no double, thousandths", lambda found: found.no_double_rmse),
    "take": ("RMS error of double/take, thousandths", lambda found: found.take_rmse),
}
"""Tables by name: their titles and columns."""


class ValidateCubeOptions(Struct, frozen=True, kw_only=True):
    """Which players are compared, with which decisions.

    Raises:
        ValueRangeError: A player is named twice, or options do not fit.
    """

    set: Annotated[Path, read_file("folder of a set, or a file of its lines", "SET", count="")]
    players: Annotated[tuple[str, ...], argument("PLAYER", DECIDER_HELP, count="+")]
    models: Annotated[bool, option("fit and measure models of cube efficiency")] = False
    teacher: Annotated[str, option("fit models to this player's values instead", "PLAYER")] | None = None
    lessons: (
        Annotated[
            Path,
            read_file("decisions for the teacher, rolled out or not; those of the set are left out"),
        ]
        | None
    ) = None
    output: Annotated[Path, written_file("write the decisions into one file besides")] | None = None
    force: Force = False
    json: Json = False

    def __post_init__(self) -> None:
        if len({*self.players}) < len(self.players):
            raise ValueRangeError("a player is named twice", field="player")
        if (self.teacher is None) != (self.lessons is None) or (self.teacher and not self.models):
            raise ValueRangeError("--teacher, --lessons and --models go together", field="teacher")


def run(options: ValidateCubeOptions) -> int:
    """Compare and report; returns the exit status.

    Raises:
        GammondError: The set or a player cannot be read.
    """
    decisions = read_decisions(options.set)
    if options.output is not None:
        check_output(options.output, identify_files([options.set, options.lessons]), force=options.force)
        write_decisions(options.output, decisions)
    opinions: dict[str, CubeOpinions] = {}
    with Progress(len(options.players), "players") as bar:
        for done, name in enumerate(options.players, 1):
            opinions[name] = ask_decider(name, decisions)
            bar.update(done, name)
    groups = compare_players(decisions, opinions)
    models = _Models()
    if options.models:
        models = _measure_models(options.players[0], decisions, options.teacher, options.lessons)
    if options.json:
        sys.stdout.write(
            format_json_report(
                set=str(options.set),
                groups=[asdict(each) for each in groups],
                models={
                    name: {"numbers": size, **asdict(found)}
                    for name, (size, found) in models.measured.items()
                },
                phases={name: asdict(each) for name, each in models.phases.items()},
            )
        )
    else:
        sys.stdout.write(_format_tables(options.set, groups, models))
    return 0


@dataclass(frozen=True)
class _Models:
    """Models of cube efficiency.

    Attributes:
        measured: By name, how many numbers each has, and its errors.
        phases: Efficiencies by phase and pips.
    """

    measured: dict[str, tuple[int, CubeErrorStats]] = field(default_factory=dict)
    phases: dict[str, FittedEfficiency] = field(default_factory=dict)


def _measure_models(
    player: str, decisions: Sequence[RatedDecision], teacher: str | None, lessons: Path | None
) -> _Models:
    """Measure models, fitted to halves of the decisions or to a teacher."""
    evaluator = load_net_evaluator(player.partition(":plies=")[0])
    others: list[RatedDecision] = []
    if lessons is not None:
        known = {(each.position, each.match) for each in decisions}
        others = [each for each in read_decisions(lessons) if (each.position, each.match) not in known]
    names = tuple(sorted({each.name for each in (*decisions, *others)}))
    inputs = ModelInputs.from_rollouts(decisions, evaluator, names)
    if teacher is None:
        return _Models(measure_models(inputs), fit_phases(inputs))
    if not others:
        raise ValueRangeError("expected decisions outside the set for the teacher, got none", field="lessons")
    taught = ModelInputs.from_teacher(others, evaluator, ask_decider(teacher, others), names)
    return _Models(measure_models(inputs, taught), fit_phases(taught))


def _format_tables(source: Path, groups: Sequence[DecisionGroup], models: _Models) -> str:
    """Write a comparison as tables, a row for each group."""
    names = list(groups[-1].players)
    parts = [
        f"gammond {read_version()}, {source}: {groups[-1].decisions:,} cube decisions, "
        f"equities within {groups[-1].value_error:.4f}\n"
    ]
    for title, read in _TABLES.values():
        rows = [
            [
                each.name,
                f"{each.decisions:,}",
                *(f"{read(each.players[name]).scale(1000):.1f}" for name in names),
            ]
            for each in groups
        ]
        parts.append(format_table([title, "decisions", *names], rows))
    if models.measured:
        head = ["efficiencies, fitted elsewhere", "numbers", *_TABLES]
        rows = [
            [name, str(size), *(f"{read(found).scale(1000):.1f}" for _, read in _TABLES.values())]
            for name, (size, found) in models.measured.items()
        ]
        parts.append(format_table(head, rows))
        rows = [
            [name, _format_number(each.in_use), *(f"{each.fitted[target]:.3f}" for target in TARGETS)]
            for name, each in models.phases.items()
        ]
        head = ["efficiencies by phase", "in use", *(f"to {target}" for target in TARGETS)]
        parts.append(format_table(head, rows))
    return "\n".join(parts)


def _format_number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


COMMAND = ToolCommand(ValidateCubeOptions, run)
