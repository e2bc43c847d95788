"""Evaluation of positions, depth by depth, so that a search that is stopped has an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.evaluator import Evaluator, ExactEvaluator
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.evaluation.results import Effort, Evaluation
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.outcome import Outcome, Outcomes, cubeless_equity
from gammond.engine.rules.position import Board, Position
from gammond.engine.search.cache import ValueCache
from gammond.engine.search.tree import DEFAULT_PRUNING, Objective, Pruning, TreeSearch, Values, check_plies
from gammond.engine.search.watch import SearchWatch


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

    def read(self, positions: Sequence[Position], values: Values, effort: Effort) -> list[Evaluation]:
        """Return the evaluations of positions, given what `search` returns."""
        game, cubeless = self._objective.game, cubeless_equity(values[:, :OUTCOME_COLUMNS]).tolist()
        evaluations = []
        for position, row, equity in zip(positions, values, cubeless, strict=True):
            outcome, states = Outcome(*map(float, row[:OUTCOME_COLUMNS])), row[OUTCOME_COLUMNS:]
            decision = game.decide(states) if game.is_cubeful else None
            if decision is not None:
                best = decision.no_double if position.is_over else decision.best
            elif game.states:
                best = Evaluation(float(game.to_equities(states[0])), mwc=float(states[0]))
            else:
                best = Evaluation(equity)
            evaluations.append(
                best._replace(
                    outcome=outcome,
                    cubeless_equity=equity,
                    mwc_per_point=game.mwc_per_point,
                    is_cubeful=game.is_cubeful,
                    plies=effort.plies,
                    decision=None if position.is_over else decision,
                    effort=effort,
                )
            )
        return evaluations


class NPlyEvaluator:
    """Evaluates cubeless outcomes at n-ply; `gammond.engine.search.tree` defines the average.

    Args:
        evaluator: Evaluates the leaves.
        pruner: Keeps the promising replies; None for all legal plays.
        plies: 0 to `gammond.engine.search.tree.MAX_PLIES`, on top of the evaluator's own.
        pruning: Which replies the search considers.
        cache: Keeps values between calls; may be shared with other searches.
        threads: How many threads work on one call.
        exact: Evaluators of positions under best play, from which nothing is looked ahead.
        cancelled: Asked between blocks of work; when it returns true, `evaluate` raises CancelledWork.

    Raises:
        ValueRangeError: Plies or threads are out of range.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        pruner: PlayPruner | None,
        plies: int,
        pruning: Pruning = DEFAULT_PRUNING,
        cache: ValueCache | None = None,
        threads: int = 1,
        exact: tuple[ExactEvaluator, ...] = (),
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._cancelled = cancelled
        self._search_plies = check_plies(plies)
        self._objective = Objective(evaluator, exact=exact)
        self._tree = TreeSearch(pruner, pruning, cache, threads)

    @property
    def name(self) -> str:
        """The name of the evaluator of the leaves."""
        return self._objective.evaluator.name

    @property
    def plies(self) -> int:
        """Plies of look-ahead, the inner evaluator's own included."""
        return self._objective.evaluator.plies + self._search_plies

    def evaluate(self, boards: Board, watch: SearchWatch | None = None) -> Outcomes:
        """Evaluate positions, as `gammond.engine.evaluation.evaluator.Evaluator.evaluate`.

        Args:
            boards: ``int8[n, 2, 26]``.
            watch: Counts nodes and stops the work, in place of ``cancelled``.

        Raises:
            CancelledWork: The watch stopped it, or ``cancelled`` did.
        """
        watch = watch or SearchWatch(self._cancelled)
        return self._tree.evaluate(self._objective, boards, self._search_plies, watch)
