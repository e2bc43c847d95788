"""What choices cost: those of a search compared with those of an exact one, and the mean of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.dice import Roll
from gammond.engine.rules.position import Position
from gammond.engine.search.filters import FilterStage, MoveFilter
from gammond.engine.search.iterative import IterativeSearch
from gammond.engine.search.tree import MAX_PLIES
from gammond.tools.tournament.statistics.scores import estimate_group_mean

NEAR_POINTS = 0.25

NEAR_FILTER = MoveFilter("near", (FilterStage(1, 4096, NEAR_POINTS),) * MAX_PLIES)
"""All plays within `NEAR_POINTS` of the best one at the depth before."""


def estimate_mean_by_game(costs: NDArray[np.float64], games: NDArray[np.int64]) -> tuple[float, float | None]:
    """Return the mean of costs and its standard error: those of one game depend on each other.

    Args:
        costs: ``float64[n]``, 1 or more.
        games: ``int64[n]``, the number of the game of each.

    Returns:
        Both; None in place of an error if all are of one game.
    """
    _, place = np.unique(games, return_inverse=True)
    mean, error = estimate_group_mean(np.bincount(place, costs), np.bincount(place))
    return mean, None if np.isnan(error) else error


def measure_choice_costs(
    search: IterativeSearch,
    exact: IterativeSearch,
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
        exact: The same evaluator with `gammond.engine.search.tree.UNPRUNED`.
        decisions: Positions and rolls.
        plies: Of both searches.
        move_filter: Of the search to measure.
        on_decision: Called after each decision.

    Returns:
        ``float64[n]``, points, 0 or more.
    """
    costs = np.zeros(len(decisions))
    for i, (position, roll) in enumerate(decisions):
        choice = search.rank(position, roll, plies, move_filter).best.play
        reference = exact.rank(position, roll, plies, NEAR_FILTER)
        known = {each.play: each.evaluation.equity for each in reference if each.survived}
        equity = known.get(choice)
        if equity is None:
            equity = exact.evaluate_play(position, roll, choice, plies).evaluation.equity
        costs[i] = max(reference.best.evaluation.equity - equity, 0.0)
        if on_decision is not None:
            on_decision()
    return costs
