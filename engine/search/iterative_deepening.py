"""Values of positions depth by depth, so that a search that is stopped has an answer."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import CancelledWork
from engine.rules.position import Board
from engine.search.objective import Objective, Values
from engine.search.results import Effort
from engine.search.tree import TreeSearch
from engine.search.watch import SearchWatch


@dataclass(frozen=True, eq=False)
class DeepeningResult:
    """Values at the deepest depth that was finished.

    Attributes:
        values: ``float32[n, columns]``.
        effort: The effort; its plies leave out those of the evaluator of the leaves.
    """

    values: Values
    effort: Effort


def run_iterative_deepening(
    tree: TreeSearch, objective: Objective, boards: Board, plies: int, watch: SearchWatch
) -> DeepeningResult:
    """Value positions depth by depth until the watch stops it; 0 plies are always finished.

    Args:
        tree: Looks ahead.
        objective: Values the leaves, for the side on roll at the root.
        boards: ``int8[n, 2, 26]``, finished positions allowed.
        plies: The greatest depth.
        watch: Counts nodes, is told of each depth, stops the work.
    """
    values, reached = tree.evaluate(objective, boards, 0, SearchWatch()), 0
    watch.count(len(boards))
    watch.end_depth()
    for depth in range(1, plies + 1):
        watch.begin_depth(depth)
        try:
            values, reached = tree.evaluate(objective, boards, depth, watch), depth
        except CancelledWork:
            break
        watch.end_depth()
    return DeepeningResult(values, watch.effort(reached, is_finished=reached == plies))
