"""The cost of pruning and filters: the choices of a search compared with those of an exact one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.rules.dice import Roll
from engine.rules.position import Position
from engine.search.filters import FilterStage, MoveFilter
from engine.search.plays import PlaySearch
from engine.search.tree import MAX_PLIES

NEAR_POINTS = 0.25

NEAR_FILTER = MoveFilter("near", (FilterStage(1, 4096, NEAR_POINTS),) * MAX_PLIES)
"""All plays within `NEAR_POINTS` of the best one at the depth before."""


def measure_choice_costs(
    search: PlaySearch,
    exact: PlaySearch,
    decisions: Sequence[tuple[Position, Roll]],
    plies: int,
    move_filter: MoveFilter,
    on_decision: Callable[[], None] | None = None,
) -> NDArray[np.float64]:
    """Measure how much worse the choices of a search are, by an exact search of the same depth.

    The exact search evaluates all plays that are within `NEAR_POINTS` of the best one at one ply less, and
    the choice itself.

    Args:
        search: The one to measure.
        exact: The same evaluator with `engine.search.tree.UNPRUNED`.
        decisions: Positions and rolls.
        plies: Of both searches.
        move_filter: Of the search to measure.
        on_decision: Called after each decision.

    Returns:
        ``float64[n]``, points, 0 or more.
    """
    costs = np.zeros(len(decisions))
    for i, (position, roll) in enumerate(decisions):
        choice = search.search(position, roll, plies, move_filter).best.play
        reference = exact.search(position, roll, plies, NEAR_FILTER)
        known = {each.play: each.score for each in reference.plays if each.survived}
        equity = (
            known[choice] if choice in known else exact.evaluate_play(position, roll, choice, plies).score
        )
        costs[i] = max(reference.best.score - equity, 0.0)
        if on_decision is not None:
            on_decision()
    return costs
