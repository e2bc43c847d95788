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
from gammond.nets.heritage.astros.chance_nodes import Intervals
from gammond.nets.heritage.astros.leaf_evaluators import LeafEvaluator
from gammond.nets.heritage.astros.star_evaluator import MAX_STAR_PLIES, Cutoffs, StarEvaluator

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
        nodes = StarEvaluator(self._leaf_evaluator, self._pruner, self._cutoffs, watch)
        ranking = _Ranking(
            children,
            -StarEvaluator(self._leaf_evaluator, None, Cutoffs.NONE, SearchWatch()).evaluate_leaves(children),
        )
        watch.count(len(children))
        depths = range(1, plies + 1) if self._is_deepening else range(plies, plies + 1) if plies else ()
        for depth in depths:
            try:
                ranking = _rank_plays(nodes, ranking, depth, count)
            except CancelledWork:
                break
        effort = watch.effort(ranking.plies, is_finished=ranking.plies == plies)
        return StarSearchResult(ranking.best(count), len(children), effort)


class _Ranking:
    """All plays of a roll with their values or bounds at one depth.

    Args:
        children: ``int8[m, 2, 26]``, in the order of the legal plays.
        values: ``float64[m]``, for the player who makes them.
        is_exact: ``bool[m]``, whether the value is exact, not an upper bound; None if all are.
        plies: The depth.
    """

    def __init__(
        self,
        children: Board,
        values: NDArray[np.float64],
        is_exact: NDArray[np.bool_] | None = None,
        plies: int = 0,
    ) -> None:
        self.children = children
        self.plies = plies
        self.is_exact = np.ones(len(values), np.bool_) if is_exact is None else is_exact
        self.order = np.lexsort((~self.is_exact, -values))
        self._values = values

    def best(self, count: int) -> tuple[StarPlay, ...]:
        """Return the best plays with exact values."""
        exact = self.order[self.is_exact[self.order]][:count]
        return tuple(StarPlay(int(i), float(self._values[i]), self.children[i]) for i in exact)


def _rank_plays(evaluator: StarEvaluator, previous: _Ranking, plies: int, exact_count: int) -> _Ranking:
    """Rank plays at a depth, the best so far first.

    Nothing is cut off until enough plays have exact values; from then on every play worse than the last of
    these.
    """
    count = len(previous.order)
    values, is_exact = np.full(count, -np.inf), np.zeros(count, np.bool_)
    start = 0
    while start < count:
        known = np.sort(values[is_exact])
        is_bound = len(known) >= exact_count
        end = start + (_PLAYS_PER_BATCH[plies] if is_bound else exact_count - len(known))
        places = previous.order[start:end]
        window = Intervals.make_unbounded(len(places))
        if is_bound:
            window.high[:] = -known[-exact_count]
        found = evaluator.evaluate(previous.children[places], plies, window)
        values[places] = -found.low
        is_exact[places] = found.low == found.high
        start = end
    return _Ranking(previous.children, values, is_exact, plies)
