"""The report of `gammond measure cube`."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CubeEfficiencies
from gammond.tools.measure.cube.fit import (
    DECISIONS,
    EFFICIENCY_NAMES,
    EFFICIENCY_TARGETS,
    FIT_TARGETS,
    EfficiencyFit,
    FloatArray,
    average_efficiencies,
    compute_decision_costs,
    compute_held_out_costs,
    fit_efficiencies,
    fit_single_efficiency,
)
from gammond.tools.measure.cube.positions import ENDING, KINDS
from gammond.tools.measure.cube.values import CubeValues
from gammond.tools.tournament.statistics.scores import compute_standard_error

_MILLIPOINTS = 1000

MIN_POSITIONS = 4
"""The fewest positions of a kind for a report on it."""


@dataclass(frozen=True)
class EfficiencyEstimate:
    """A measured efficiency; None where it is unknown.

    Attributes:
        efficiency: The least-squares fit.
        error: Its standard error.
    """

    efficiency: float | None
    error: float | None

    @classmethod
    def from_fit(cls, fit: EfficiencyFit, index: int = 0) -> EfficiencyEstimate:
        """Take one of the numbers of a fit."""
        number, error = float(fit.coefficients[index]), float(fit.errors[index])
        return cls(
            round(number, 4) if math.isfinite(number) else None,
            round(error, 4) if math.isfinite(error) else None,
        )

    def __str__(self) -> str:
        if self.efficiency is None:
            return "-"
        return f"{self.efficiency:.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


@dataclass(frozen=True)
class Saving:
    """What measured efficiencies save per decision, in thousandths of a point at the present cube.

    Attributes:
        mean: The loss by the default efficiencies minus that by the measured ones; noise does not bias it.
        error: Its standard error.
        changed: The share of decisions whose loss differs.
    """

    mean: float
    error: float
    changed: float

    @classmethod
    def from_costs(cls, default_costs: FloatArray, measured_costs: FloatArray) -> Saving:
        """Compare costs in points, ``float64[n]``, n 2 or more."""
        saved = _MILLIPOINTS * (default_costs - measured_costs)
        error = compute_standard_error(saved)
        return cls(round(float(saved.mean()), 3), round(error, 3), round(float((saved != 0).mean()), 4))

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


@dataclass(frozen=True)
class DecisionReport:
    """The losses of one kind of decision.

    Attributes:
        decision: Of `DECISIONS`.
        cost: By the default efficiencies, in thousandths of a point; biased upwards by rollout noise.
        savings: By measured efficiencies, for each fit target.
    """

    decision: str
    cost: float
    savings: dict[str, Saving]


@dataclass(frozen=True)
class KindReport:
    """The measurements of a kind of position.

    Attributes:
        kind: Of `KINDS`.
        positions: How many.
        efficiencies: A single efficiency for all of them, for each fit target.
        decisions: Their losses; None for endings, whose cube decisions need no model in money play.
    """

    kind: str
    positions: int
    efficiencies: dict[str, EfficiencyEstimate]
    decisions: list[DecisionReport] | None


@dataclass(frozen=True)
class CubeEfficiencyReport:
    """All measurements.

    Attributes:
        version: Of the program.
        net: The evaluator for cube decisions.
        play_net: The evaluator for plays.
        decided_by: The efficiency for cube decisions in rollouts; None for the default ones.
        trials: Of each rollout.
        seed: Of positions and dice.
        seconds: How long it took.
        efficiencies: By fit target and name of `EFFICIENCY_NAMES`.
        in_use: The averages of the default efficiencies in these positions by name; None where no position
            has a weight.
        kinds: The measurements of each kind.
    """

    version: str
    net: str
    play_net: str
    decided_by: float | None
    trials: int
    seed: int
    seconds: float
    efficiencies: dict[str, dict[str, EfficiencyEstimate]]
    in_use: dict[str, float | None]
    kinds: list[KindReport]

    def as_json(self) -> str:
        """Format it as one line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    def as_text(self) -> str:
        """Format it for people: efficiencies, kinds by cube state, decisions."""
        players = self.net if self.net == self.play_net else f"{self.net} (plays by {self.play_net})"
        decided = "" if self.decided_by is None else f", doubles by efficiency {self.decided_by}"
        count = sum(kind.positions for kind in self.kinds)
        lines = [
            f"gammond {self.version}, {players}, seed {self.seed}: {count:,} positions near the doubling "
            f"window, {self.trials:,} trials each{decided}, {self.seconds:.0f} s",
            f"{'efficiency':<18}{'in use':>8}"
            + "".join(f"{f'to {what}':>17}" for what in EFFICIENCY_TARGETS),
        ]
        for place in EFFICIENCY_NAMES:
            measured = [self.efficiencies[what][place] for what in EFFICIENCY_TARGETS]
            if measured[0].efficiency is not None:
                cells = "".join(f"{each!s:>17}" for each in measured)
                lines.append(f"{place:<18}{self.in_use[place]:>8.3f}{cells}")
        lines += [
            "",
            f"{'one for all':<12}{'positions':>10}" + "".join(f"{name:>17}" for name in FIT_TARGETS),
        ]
        for kind in self.kinds:
            cells = "".join(f"{kind.efficiencies[name]!s:>17}" for name in FIT_TARGETS)
            lines.append(f"{kind.kind:<12}{kind.positions:>10,}{cells}")
        return "\n".join([*lines, *self._decisions_as_text()]) + "\n"

    def _decisions_as_text(self) -> list[str]:
        rows = [
            f"{kind.kind if not i else '':<12}{each.decision:>10}{each.cost:>14.1f}"
            + "".join(
                f"{each.savings[what]!s:>20}{100 * each.savings[what].changed:>8.1f} %"
                for what in EFFICIENCY_TARGETS
            )
            for kind in self.kinds
            for i, each in enumerate(kind.decisions or [])
        ]
        savings = "".join(f"{f'saved, to {what}':>20}{'changed':>10}" for what in EFFICIENCY_TARGETS)
        head = f"{'millipoints':<12}{'decision':>10}{'lost, in use':>14}{savings}"
        return ["", head, *rows] if rows else []


def make_kind_reports(
    measured: CubeValues, kinds: NDArray[np.int8], defaults: CubeEfficiencies
) -> list[KindReport]:
    """Make a report for each kind with enough positions.

    Args:
        measured: The positions.
        kinds: ``int8[n]``, places in `KINDS`.
        defaults: The default efficiencies.
    """
    costs = compute_decision_costs(measured, defaults)
    held_out = {what: compute_held_out_costs(measured, kinds, defaults, what) for what in EFFICIENCY_TARGETS}
    reports = []
    for number, kind in enumerate(KINDS):
        rows = kinds == number
        if rows.sum() < MIN_POSITIONS:
            continue
        efficiencies = {
            name: EfficiencyEstimate.from_fit(fit_single_efficiency(measured[rows], name))
            for name in FIT_TARGETS
        }
        decisions = [
            DecisionReport(
                decision,
                round(_MILLIPOINTS * float(costs[rows, i].mean()), 3),
                {
                    what: Saving.from_costs(costs[rows, i], held_out[what][rows, i])
                    for what in EFFICIENCY_TARGETS
                },
            )
            for i, decision in enumerate(DECISIONS)
        ]
        reports.append(KindReport(kind, int(rows.sum()), efficiencies, None if kind == ENDING else decisions))
    return reports


def estimate_efficiencies(measured: CubeValues) -> dict[str, dict[str, EfficiencyEstimate]]:
    """Fit the efficiencies; the result is by fit target and name of `EFFICIENCY_NAMES`."""
    fits = {what: fit_efficiencies(measured, what) for what in EFFICIENCY_TARGETS}
    return {
        what: {name: EfficiencyEstimate.from_fit(fit, place) for place, name in enumerate(EFFICIENCY_NAMES)}
        for what, fit in fits.items()
    }


def name_averages(measured: CubeValues, efficiencies: CubeEfficiencies) -> dict[str, float | None]:
    """Average efficiencies over positions, by the names of `EFFICIENCY_NAMES`."""
    averages = average_efficiencies(efficiencies, measured.boards, measured.net_outcomes)
    named = zip(EFFICIENCY_NAMES, averages.tolist(), strict=True)
    return {name: round(value, 4) if math.isfinite(value) else None for name, value in named}
