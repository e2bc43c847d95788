"""How far a solver of hypergammon is: what it computes, the step, the largest change, a share of the work."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

TOLERANCE = 1e-8
"""The best plays may change no value by more."""

PASS_TOLERANCE = TOLERANCE / 4
"""A pass under given plays may change no value by more."""


@dataclass(frozen=True)
class Headway:
    """How far a solver is.

    Attributes:
        name: What it computes, and which of how many such phases that is.
        step: Choices of plays and passes over all positions in this phase, with the one under way; 0 if the
            phase has none.
        change: The largest change in the step before; infinite in the first.
        goal: The phase ends when no value changes by more.
        share: About which share of the whole work is done, 0 to 1.
    """

    name: str
    step: int
    change: float
    goal: float
    share: float


Report = Callable[[Headway], None]
"""Called many times a second."""

WRITING = Headway("writing the file", 0, math.inf, 0.0, 0.99)


@dataclass(frozen=True)
class _Phase:
    """A part of the work.

    Attributes:
        name: What is computed.
        work: Its share of the whole time with three checkers.
        goal: As `Headway`.
        power: The share of the phase that is done is that of the goal's digits, to this power. Policy
            iteration gains digits ever faster, passes under the same plays as many in each.
    """

    name: str
    work: float
    goal: float = TOLERANCE
    power: float = 0.5


_PHASES = {
    "cubeless": _Phase("equity", 0.17),
    "advantages": _Phase("wins", 0.14, PASS_TOLERANCE, 1.0),
    "sums": _Phase("gammons", 0.20, PASS_TOLERANCE, 1.0),
    "owned": _Phase("owned cube", 0.30),
    "centred": _Phase("centred cube", 0.10),
    "centred_jacoby": _Phase("Jacoby rule", 0.09),
}


class PhaseTracker:
    """Says how far a solver is, to whom it may concern.

    Args:
        report: Is told; None for nobody.
    """

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._phase = _PHASES["cubeless"]
        self._now = WRITING

    def enter(self, phase: str) -> None:
        """Begin a phase, by the name of its solution."""
        number = list(_PHASES).index(phase) + 1
        self._phase = _PHASES[phase]
        self._done = sum(each.work for each in list(_PHASES.values())[: number - 1])
        name = f"{number} of {len(_PHASES)} {self._phase.name}"
        self._now = Headway(name, 1, math.inf, self._phase.goal, self._done)

    def end_step(self, change: float) -> None:
        """Note the largest change of a step, after which another begins."""
        phase, now = self._phase, self._now
        digits = math.log(change) / math.log(phase.goal) if phase.goal < change < 1.0 else float(change < 1.0)
        share = max(now.share, self._done + phase.work * digits**phase.power)
        self._now = Headway(now.name, now.step + 1, change, now.goal, share)

    def report(self) -> None:
        """Say it again."""
        if self._report is not None:
            self._report(self._now)
