"""An evaluator that looks ahead with another one at the leaves."""

from __future__ import annotations

from collections.abc import Callable

from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner
from engine.rules.outcome import Outcomes
from engine.rules.position import Board
from engine.search.cache import ValueCache
from engine.search.objective import Objective
from engine.search.tree import DEFAULT_PRUNING, Pruning, TreeSearch, check_plies
from engine.search.watch import SearchWatch


class NPlyEvaluator:
    """Evaluates cubeless outcomes at n-ply; `engine.search.tree` defines the average.

    Args:
        evaluator: Evaluates the leaves.
        pruner: Keeps the promising replies; None for all legal plays.
        plies: 0 to `engine.search.tree.MAX_PLIES`, on top of the evaluator's own.
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
        """Evaluate positions, as `engine.evaluation.evaluator.Evaluator.evaluate`.

        Args:
            boards: ``int8[n, 2, 26]``.
            watch: Counts nodes and stops the work, in place of ``cancelled``.

        Raises:
            CancelledWork: The watch stopped it, or ``cancelled`` did.
        """
        watch = watch or SearchWatch(self._cancelled)
        return self._tree.evaluate(self._objective, boards, self._search_plies, watch)
