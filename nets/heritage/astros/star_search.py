"""Choice of plays by expectiminimax with cut-offs: exact values of the best, bounds of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import CancelledWork, StateError, ValueRangeError
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.evaluation.results import Effort
from gammond.engine.rules.dice import Roll, validate_roll
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board, Position
from gammond.engine.search.watch import SearchWatch
from gammond.nets.heritage.astros.leaf_evaluators import LeafEvaluator
from gammond.nets.heritage.astros.star_evaluator import MAX_STAR_PLIES, Cutoffs, Intervals, StarEvaluator

_PLAYS_PER_BATCH = (0, 1024, 1)
"""Plays searched together at 1 and 2 plies, with the bound from the plays before them."""


@dataclass(frozen=True)
class StarPlay:
    """One of the best plays.

    Attributes:
        place: Its place among the legal plays.
        value: Its value for the player who makes it, in the unit of the leaves.
        result: ``int8[2, 26]``, the position after it as the next mover sees it.
    """

    place: int
    value: float
    result: Board


@dataclass(frozen=True)
class StarSearchResult:
    """The result of a search.

    Attributes:
        best: The best plays with their exact values, best first; equals in the order of the legal plays.
        play_count: The number of legal plays.
        effort: The effort behind them; its nodes are leaves.
    """

    best: tuple[StarPlay, ...]
    play_count: int
    effort: Effort


class StarSearch:
    """Searches for plays; safe to use from several threads.

    Args:
        leaf_evaluator: Evaluates the leaves.
        pruner: Names the reply to a roll that is searched first; None for the first legal one. It changes how
            much is cut off, not the result.
        cutoffs: The kind of cut-offs; they do not change the result either.
        is_deepening: Whether to search depth by depth, each ordering the plays for the next. Otherwise plays
            are searched in the order of their 0-ply values.
    """

    def __init__(
        self,
        leaf_evaluator: LeafEvaluator,
        pruner: PlayPruner | None = None,
        cutoffs: Cutoffs = Cutoffs.STAR2,
        *,
        is_deepening: bool = False,
    ) -> None:
        self._leaf_evaluator = leaf_evaluator
        self._pruner = pruner
        self._cutoffs = cutoffs
        self._is_deepening = is_deepening

    def search(
        self, position: Position, roll: Roll, plies: int, watch: SearchWatch | None = None, count: int = 1
    ) -> StarSearchResult:
        """Find the best plays of a roll.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice, in any order.
            plies: 0 to `MAX_STAR_PLIES`.
            watch: Counts leaves, stops the search; the result is then that of the last finished depth.
            count: The number of best plays with exact values, 1 or more.

        Raises:
            ValueRangeError: The plies, a die or the number of plays is out of range.
            StateError: The game is over.
        """
        if not 0 <= plies <= MAX_STAR_PLIES:
            raise ValueRangeError(f"expected 0 to {MAX_STAR_PLIES} plies, got {plies}", field="plies")
        if count < 1:
            raise ValueRangeError(f"expected 1 play or more, got {count}", field="wanted")
        if position.is_over:
            raise StateError(
                "there are no plays once a side has borne off all its checkers", field="position"
            )
        children, _, _ = expand_rolls(position.board[None], np.array([validate_roll(*roll)], np.int8))
        watch = watch or SearchWatch()
        leaves = StarEvaluator(self._leaf_evaluator, None, Cutoffs.NONE, SearchWatch())
        values = -leaves.evaluate_leaves(children)
        is_exact, finished_plies = np.ones(len(children), np.bool_), 0
        watch.count(len(children))
        nodes = StarEvaluator(self._leaf_evaluator, self._pruner, self._cutoffs, watch)
        depths = range(1, plies + 1) if self._is_deepening else range(plies, plies + 1) if plies else ()
        for depth in depths:
            try:
                values, is_exact = _search_plays(
                    nodes, children, _order_plays(values, is_exact), depth, count
                )
            except CancelledWork:
                break
            finished_plies = depth
        order = _order_plays(values, is_exact)
        exact = order[is_exact[order]][:count].tolist()
        best = tuple(StarPlay(place, float(values[place]), children[place]) for place in exact)
        effort = watch.effort(finished_plies, is_finished=finished_plies == plies)
        return StarSearchResult(best, len(children), effort)


def _order_plays(values: NDArray[np.float64], is_exact: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the places of plays, the best first, of equal ones those with exact values first."""
    order: NDArray[np.int64] = np.lexsort((~is_exact, -values))
    return order


def _search_plays(
    evaluator: StarEvaluator, children: Board, order: NDArray[np.int64], plies: int, exact_count: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Search plays at a depth in a given order.

    Nothing is cut off until enough plays have exact values; from then on every play worse than the last of
    these.

    Returns:
        Their values for the player who makes them, and whether each is exact, not an upper bound.
    """
    count = len(order)
    values, is_exact = np.full(count, -np.inf), np.zeros(count, np.bool_)
    start = 0
    while start < count:
        known = np.sort(values[is_exact])
        is_bound = len(known) >= exact_count
        end = start + (_PLAYS_PER_BATCH[plies] if is_bound else exact_count - len(known))
        places = order[start:end]
        window = Intervals.make_unbounded(len(places))
        if is_bound:
            window.high[:] = -known[-exact_count]
        found = evaluator.evaluate(children[places], plies, window)
        values[places] = -found.low
        is_exact[places] = found.low == found.high
        start = end
    return values, is_exact
