"""Choosing plays by expectiminimax with cut-offs: the best ones exactly, the others as no better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import CancelledWork, StateError, ValueRangeError
from engine.evaluation.pruning import PlayPruner
from engine.rules.dice import Roll, validate_roll
from engine.rules.moves import expand_rolls
from engine.rules.position import Board, Position
from engine.search.watch import SearchWatch
from nets.heritage.barca.star.chance_nodes import Window
from nets.heritage.barca.star.leaf_evaluators import LeafEvaluator
from nets.heritage.barca.star.star_evaluator import MAX_STAR_PLIES, Cutoffs, StarEvaluator

_PLAYS_PER_BATCH = (0, 1024, 1)
"""Plays at 1 and 2 plies that are looked at together, with the bound that those before them gave."""


@dataclass(frozen=True)
class StarPlay:
    """One of the best plays.

    Attributes:
        place: Among the legal plays, in their order.
        value: What it is worth to the player who makes it, in the unit of the leaves.
        result: ``int8[2, 26]``, the position after it as the next mover sees it.
    """

    place: int
    value: float
    result: Board


@dataclass(frozen=True)
class StarSearchResult:
    """What a search came to.

    Attributes:
        best: The best plays with their exact values, best first; equals in the order of the legal plays.
        play_count: How many legal plays there are.
        plies: The depth of the values.
        is_finished: Whether that is the depth asked for, or the search was stopped before.
        leaf_count: Positions that were judged without look-ahead.
        elapsed_s: How long it took.
    """

    best: tuple[StarPlay, ...]
    play_count: int
    plies: int
    is_finished: bool
    leaf_count: int
    elapsed_s: float


class StarSearch:
    """Searches for plays; safe to use from several threads.

    Args:
        leaf_evaluator: Judges the leaves.
        pruner: Names the reply to a roll that is looked at first; None for the first legal one. What is found
            does not depend on it, how much is cut off does.
        cutoffs: What is cut off; what is found does not depend on it either.
        is_deepening: Whether depth follows depth, each one ordering the plays for the next. Without it the
            plays are in the order that the leaves' judge gives them at one look.
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

    @property
    def name(self) -> str:
        """The name of the judge of the leaves."""
        return self._leaf_evaluator.name

    def search(
        self, position: Position, roll: Roll, plies: int, watch: SearchWatch | None = None, count: int = 1
    ) -> StarSearchResult:
        """Find the best plays of a roll.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            plies: 0 to `MAX_STAR_PLIES`.
            watch: Counts leaves, stops the search; then it has what the last finished depth found.
            count: How many of the best plays have to be known exactly, 1 or more.

        Raises:
            ValueRangeError: The plies, a die or the number of plays is out of range.
            StateError: The game is over.
        """
        if not 0 <= plies <= MAX_STAR_PLIES:
            raise ValueRangeError(f"expected 0 to {MAX_STAR_PLIES} plies, got {plies}", field="plies")
        if count < 1:
            raise ValueRangeError(f"1 play or more is wanted, not {count}", field="wanted")
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
        return StarSearchResult(
            ranking.best(count),
            len(children),
            ranking.plies,
            ranking.plies == plies,
            watch.nodes,
            watch.elapsed_s,
        )


class _Ranking:
    """All plays of a roll with what is known of them at one depth.

    Args:
        children: ``int8[m, 2, 26]``, in the order of the legal plays.
        values: ``float64[m]``, for the player who makes them.
        is_exact: ``bool[m]``: of the others the values are what they are at most; None where all are exact.
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
        """The best plays that are known exactly."""
        exact = self.order[self.is_exact[self.order]][:count]
        return tuple(StarPlay(int(i), float(self._values[i]), self.children[i]) for i in exact)


def _rank_plays(evaluator: StarEvaluator, previous: _Ranking, plies: int, exact_count: int) -> _Ranking:
    """Rank plays at a depth, the best so far first.

    Until as many as are wanted are exactly known nothing is cut off; from then on whatever is worse than the
    last of these.
    """
    count = len(previous.order)
    values, is_exact = np.full(count, -np.inf), np.zeros(count, np.bool_)
    start = 0
    while start < count:
        known = np.sort(values[is_exact])
        is_bound = len(known) >= exact_count
        end = start + (_PLAYS_PER_BATCH[plies] if is_bound else exact_count - len(known))
        places = previous.order[start:end]
        window = Window.make_unbounded(len(places))
        if is_bound:
            window.beta[:] = -known[-exact_count]
        found = evaluator.evaluate(previous.children[places], plies, window)
        values[places] = -found.low
        is_exact[places] = found.low == found.high
        start = end
    return _Ranking(previous.children, values, is_exact, plies)
