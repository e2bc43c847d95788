"""An evaluator that looks ahead around another one."""

from __future__ import annotations

from collections.abc import Callable

from engine.evaluator import Evaluator, ExactJudge
from engine.outcome import Outcomes
from engine.position import Board
from engine.replies import ReplyFinder
from engine.search.cache import ValueCache
from engine.search.judgement import CubelessJudgement
from engine.search.tree import USUAL_PRUNING, Pruning, TreeSearch, check_plies
from engine.search.watch import SearchWatch


class NPlyEvaluator:
    """Cubeless outcomes some plies deep; `engine.search.tree` says what is averaged.

    Args:
        evaluator: The judge of the leaves.
        finder: Names the promising replies; None to look at all legal plays.
        plies: 0 to `engine.search.tree.MAX_PLIES`, on top of the evaluator's own.
        pruning: Which replies are looked at.
        cache: Where values are kept between calls; may be shared with other searches.
        threads: How many threads work on one call.
        exact: Judges that know their positions under best play, which are not looked ahead from.
        cancelled: Asked between blocks of work; when it says yes, `evaluate` raises CancelledWork.

    Raises:
        ValueRangeError: Plies or threads are out of range.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        finder: ReplyFinder | None,
        plies: int,
        pruning: Pruning = USUAL_PRUNING,
        cache: ValueCache | None = None,
        threads: int = 1,
        exact: tuple[ExactJudge, ...] = (),
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._cancelled = cancelled
        self._depth = check_plies(plies)
        self._judgement = CubelessJudgement(evaluator, exact)
        self._tree = TreeSearch(finder, pruning, cache, threads)

    @property
    def name(self) -> str:
        """The name of the judge of the leaves."""
        return self._judgement.evaluator.name

    @property
    def plies(self) -> int:
        """Plies of look-ahead, the inner evaluator's own included."""
        return self._judgement.evaluator.plies + self._depth

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `engine.evaluator.Evaluator.evaluate`."""
        return self.evaluate_watched(boards, SearchWatch(self._cancelled))

    def evaluate_watched(self, boards: Board, watch: SearchWatch) -> Outcomes:
        """Evaluate positions, counting nodes and stopping when told to.

        Args:
            boards: ``int8[n, 2, 26]``.
            watch: Asked between blocks of work.

        Returns:
            ``float32[n, 5]``.

        Raises:
            CancelledWork: The watch stopped it.
        """
        return self._tree.values(self._judgement, boards, self._depth, watch)
