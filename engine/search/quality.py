"""What pruning and filters cost: choices of a search against those of an exact one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.dice import Roll
from engine.position import Position
from engine.search.filters import FilterStage, MoveFilter
from engine.search.plays import MoveSearch
from engine.search.tree import MAX_PLIES

NEAR_POINTS = 0.25

NEAR_FILTER = MoveFilter("near", (FilterStage(1, 4096, NEAR_POINTS),) * MAX_PLIES)
"""Everything within `NEAR_POINTS` of the best play at the depth before."""


def choice_costs(
    search: MoveSearch,
    exact: MoveSearch,
    decisions: Sequence[tuple[Position, Roll]],
    plies: int,
    chosen_filter: MoveFilter,
    each: Callable[[], None] | None = None,
) -> NDArray[np.float64]:
    """Measure how much worse the choices of a search are, judged by an exact one of the same depth.

    The exact search looks at all plays that it values within `NEAR_POINTS` of the best one ply less deep, and
    at the choice itself whatever it thinks of it.

    Args:
        search: The one to measure.
        exact: The same evaluator with `engine.search.tree.UNPRUNED`.
        decisions: Positions and rolls.
        plies: Of both searches.
        chosen_filter: Of the search to measure.
        each: Called after each decision.

    Returns:
        ``float64[n]``, points, 0 or more.
    """
    costs = np.zeros(len(decisions))
    for i, (position, roll) in enumerate(decisions):
        choice = search.search(position, roll, plies, chosen_filter).best.play
        reference = exact.search(position, roll, plies, NEAR_FILTER)
        known = {candidate.play: candidate.equity for candidate in reference.candidates if candidate.survived}
        equity = known[choice] if choice in known else exact.equity_after(choice, plies)
        costs[i] = max(reference.best.equity - equity, 0.0)
        if each is not None:
            each()
    return costs
