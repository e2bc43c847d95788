"""Evaluation of positions, depth by depth, so that a search that is stopped has an answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.errors import CancelledWork
from engine.kernels.objectives import OUTCOME_COLUMNS
from engine.rules.outcome import Outcome, cubeless_equity
from engine.rules.position import Position
from engine.search.objective import Objective, Values
from engine.search.results import Effort, PositionEvaluation
from engine.search.tree import TreeSearch
from engine.search.watch import SearchWatch


class PositionSearch:
    """Evaluates positions; safe to use from several threads.

    Args:
        objective: Evaluates the leaves, for the side on roll.
        tree: Looks ahead.
        leaf_plies: Plies of look-ahead in the objective's own values.
    """

    def __init__(self, objective: Objective, tree: TreeSearch, leaf_plies: int = 0) -> None:
        self._objective = objective
        self._tree = tree
        self._leaf_plies = leaf_plies

    def search(self, positions: Sequence[Position], plies: int, watch: SearchWatch) -> tuple[Values, Effort]:
        """Evaluate positions depth by depth, until the watch stops the search; 0-ply is always finished.

        Args:
            positions: At least one; finished positions allowed.
            plies: The greatest depth.
            watch: Counts nodes, reports each depth, stops the search.

        Returns:
            The values by the deepest depth that was finished, ``float32[n, k]``, without the option to double
            on this roll, and the effort behind all of them.
        """
        boards = np.stack([position.board for position in positions])
        values, reached = self._tree.evaluate(self._objective, boards, 0), 0
        watch.count(len(boards))
        watch.end_depth()
        for depth in range(1, plies + 1):
            watch.begin_depth(depth)
            try:
                values, reached = self._tree.evaluate(self._objective, boards, depth, watch), depth
            except CancelledWork:
                break
            watch.end_depth()
        return values, watch.effort(self._leaf_plies + reached, is_finished=reached == plies)

    def read(self, positions: Sequence[Position], values: Values, effort: Effort) -> list[PositionEvaluation]:
        """Return the evaluations of positions, given what `search` returns."""
        equities = cubeless_equity(values[:, :OUTCOME_COLUMNS])
        evaluations = []
        for position, row, equity in zip(positions, values, equities, strict=True):
            reading = self._objective.read_root(row, is_over=position.is_over)
            outcome = Outcome(*map(float, row[:OUTCOME_COLUMNS]))
            evaluations.append(PositionEvaluation(outcome, float(equity), *reading, effort))
        return evaluations
