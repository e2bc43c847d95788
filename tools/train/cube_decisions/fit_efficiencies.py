"""``gammond train cube-efficiencies``: fit cube efficiencies to what a net finds with look-ahead.

Draws cube decisions of all classes of positions and all kinds of match states, asks a teacher for their
values, by default the net itself with two plies of look-ahead, and fits the formulas of
`gammond.engine.cubeful.CubeEfficiencies` so that the net's values at 0-ply come nearest, by linear least
squares. What it writes belongs to the net's entry in a manifest: of a net of one's own, append it to
nets/NAME/manifest.toml in the data folder. A tenth of the decisions is left out of the fit, to tell what
doubling and taking lose with it, by the teacher's values.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies
from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.statistics import mean_with_error
from gammond.nets.catalogue import load_pruner
from gammond.tools.common.command_options import Json, ToolCommand, argument, option, read_file
from gammond.tools.common.opponents import load_net_evaluator
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report
from gammond.tools.train.cube_decisions.build_set import DEFAULT_CLASSES, name_player
from gammond.tools.train.cube_decisions.deciders import DECIDER_HELP, ask_decider
from gammond.tools.train.cube_decisions.decision_file import read_decisions
from gammond.tools.train.cube_decisions.drawing import ENDING, draw_decisions
from gammond.tools.train.cube_decisions.efficiency_models import (
    ModelInputs,
    decide_by_formulas,
    fit_formulas,
)
from gammond.tools.train.cube_decisions.losses import compute_losses
from gammond.tools.train.labels.sampling import make_sampler
from gammond.tools.train.weights.net_set import load_net_set

SUMMARY = "fit cube efficiencies to a net's own look-ahead"

_SHARES = {**DEFAULT_CLASSES, ENDING: 200}
_ASIDE = 10
"""One decision in so many is left out of the fit."""

_NEAR = 0.4
"""The share of decisions near the doubling window: the formulas are for all positions of a search."""


class FitEfficienciesOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Whose efficiencies are fitted, and to what."""

    net: Annotated[str, argument("NET", "an evaluator, or the folder of a run")]
    teacher: (
        Annotated[str, option(f"whose values: {DECIDER_HELP} (default NET:plies=2)", "PLAYER")] | None
    ) = None
    decisions: Annotated[int, option("how many decisions to draw", ge=len(_SHARES))] = 17_600
    lessons: Annotated[Path, read_file("decisions of 'cube-set' in place of drawn ones")] | None = None
    seed: Annotated[int, option("seed of the decisions", ge=0, le=MAX_SEED)] = 1
    json: Json = False


def run(options: FitEfficienciesOptions) -> int:
    """Fit and report; returns the exit status.

    Raises:
        GammondError: A net or the decisions cannot be read.
    """
    net = name_player(options.net)
    evaluator = load_net_evaluator(net)
    with Progress(3, "steps") as bar:
        if options.lessons is None:
            total = sum(_SHARES.values())
            counts = {name: max(1, options.decisions * share // total) for name, share in _SHARES.items()}
            sampler = make_sampler(load_net_set(options.net), load_pruner())
            decisions = draw_decisions(counts, _NEAR, sampler, evaluator, options.seed)
        else:
            decisions = read_decisions(options.lessons)
        bar.update(1, "decisions")
        end = len(decisions) - max(1, len(decisions) // _ASIDE)
        if not end:
            raise ValueRangeError(
                f"expected two decisions or more to learn from, got {len(decisions)}", field="lessons"
            )
        teacher = options.teacher or f"{net}:plies=2"
        names = tuple(sorted({each.name for each in decisions}))
        taught, others = (
            ModelInputs.from_teacher(part, evaluator, ask_decider(teacher, part), names)
            for part in (decisions[:end], decisions[end:])
        )
        bar.update(2, "values of the teacher")
        found = fit_formulas(taught)
        lost, lost_usually = (
            compute_losses(others.decisions, others.values, decide_by_formulas(others, each))
            for each in (found, DEFAULT_EFFICIENCIES)
        )
        bar.update(3, "fit")
    loss, gain = (mean_with_error(np.nansum(each, axis=1)) for each in (lost, lost_usually - lost))
    if options.json:
        document = {"net": options.net, "decisions": end, "aside": len(lost)}
        values = {"loss": asdict(loss), "gain": asdict(gain), "cube": msgspec.to_builtins(found)}
        sys.stdout.write(format_json_report(**document, **values))
    else:
        sys.stdout.write(
            f"# Fitted to {end:,} decisions by {teacher}; on {len(lost):,} others, by its values,\n"
            f"# {options.net} at 0-ply loses {loss.scale(1000):.1f} thousandths a decision by doubling and\n"
            f"# taking, {gain.scale(1000):.1f} less than with the usual efficiencies.\n\n"
        )
        sys.stdout.write(_format_entry(found))
    return 0


def _format_entry(efficiencies: CubeEfficiencies) -> str:
    """Format efficiencies as the part of an evaluator's entry in a manifest."""
    parts = []
    for state, formula in msgspec.to_builtins(efficiencies).items():
        lines = [
            f"{name} = {list(value) if isinstance(value, tuple) else value}\n"
            for name, value in formula.items()
        ]
        parts.append(f"[evaluator.cube.{state}]\n{''.join(lines)}")
    return "\n".join(parts)


COMMAND = ToolCommand(FitEfficienciesOptions, run)
