"""The router: sends each position to the judge of its phase."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.kernels import outcomes as kernel_outcomes
from engine.rules.outcome import Outcomes, evaluate_finished, sanitise_outcomes
from engine.rules.position import Board, Phase, classify_phases
from nets.row_groups import gather_boards, group_rows


class Router:
    """An evaluator made of several: over, exact judges in their order, race net, crashed net, contact net.

    Args:
        name: What replies call it.
        contact: The judge of contact, and of every phase that has none of its own.
        race: The judge of races that no exact judge covers.
        crashed: The judge of crashed positions.
        exact: Judges of some races, the first that covers a position being asked.
    """

    plies = 0

    def __init__(
        self,
        name: str,
        contact: Evaluator,
        race: Evaluator | None = None,
        crashed: Evaluator | None = None,
        exact: Sequence[ExactEvaluator] = (),
    ) -> None:
        self.name = name
        self._exact = tuple(exact)
        self._nets = (  # numpy compares with plain integers ten times as fast as with members of an enum
            (int(Phase.CONTACT), contact),
            (int(Phase.CRASHED), crashed or contact),
            (int(Phase.RACE), race or contact),
        )

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `engine.evaluation.evaluator.Evaluator.evaluate`."""
        boards = np.require(boards, np.int8, ["C", "W"])  # keeps the kernels at one compiled signature
        outcomes = np.empty((len(boards), 5), np.float32)
        rows_of_phase = group_rows(classify_phases(boards), len(Phase))
        over = rows_of_phase[Phase.OVER]
        if len(over):
            outcomes[over] = evaluate_finished(boards[over])
        rows_of: dict[int, tuple[Evaluator, list[NDArray[np.int64]]]] = {}
        for phase, net in self._nets:
            rows = rows_of_phase[phase]
            if phase == Phase.RACE and len(rows):
                rows = self._evaluate_exact(boards, rows, outcomes)
            if len(rows):
                rows_of.setdefault(id(net), (net, []))[1].append(rows)
        for net, parts in rows_of.values():
            rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
            if len(rows) == len(boards) and len(parts) == 1:
                return sanitise_outcomes(net.evaluate(boards), boards)
            judged = gather_boards(boards, rows)
            kernel_outcomes.scatter_outcomes(sanitise_outcomes(net.evaluate(judged), judged), rows, outcomes)
        return outcomes

    def _evaluate_exact(
        self, boards: Board, rows: NDArray[np.int64], outcomes: Outcomes
    ) -> NDArray[np.int64]:
        """Write the outcomes of the races that exact judges know, and return the rows of the others."""
        for judge in self._exact:
            if not len(rows):
                break
            covered = judge.covers(gather_boards(boards, rows))
            known = rows[covered]
            if len(known):
                kernel_outcomes.scatter_outcomes(
                    judge.evaluate(gather_boards(boards, known)), known, outcomes
                )
                rows = rows[~covered]
        return rows
