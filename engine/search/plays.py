"""Ranking of plays by look-ahead, depth by depth, with fewer candidates at each."""

from __future__ import annotations

from engine.errors import CancelledWork
from engine.evaluation.evaluator import Evaluator
from engine.evaluation.pruning import PlayPruner
from engine.rules.dice import Roll
from engine.rules.moves import LegalPlays, Play, generate_plays
from engine.rules.position import Board, Position
from engine.search.cache import ValueCache
from engine.search.filters import MoveFilter
from engine.search.objective import CubelessObjective, Objective, Values
from engine.search.ranked_list import RankedList
from engine.search.results import RankedPlays
from engine.search.tree import DEFAULT_PRUNING, Pruning, TreeSearch, check_plies
from engine.search.watch import SearchWatch


class PlaySearch:
    """Ranks plays; safe to use from several threads.

    Args:
        objective: Evaluates the leaves, for the side that moves.
        tree: Looks ahead from the candidates.
        leaf_plies: Plies of look-ahead in the objective's own values.
    """

    def __init__(self, objective: Objective, tree: TreeSearch, leaf_plies: int = 0) -> None:
        self._objective = objective
        self._tree = tree
        self._leaf_plies = leaf_plies

    def search(
        self,
        position: Position,
        roll: Roll,
        plies: int,
        move_filter: MoveFilter,
        watch: SearchWatch | None = None,
        stop_when_decided: bool = False,
    ) -> RankedPlays:
        """Search to a depth, or until the watch stops the search.

        All legal plays are evaluated at 0-ply, even when stopped; then those that pass each stage of the
        filter, one ply deeper each time. A depth counts once all its candidates are evaluated: a search that
        is stopped returns the ranking of the last finished depth.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice, in any order.
            plies: 0 to `engine.search.tree.MAX_PLIES`.
            move_filter: Chooses the candidates that go deeper.
            watch: Counts nodes, reports progress, stops the search.
            stop_when_decided: Whether to stop once a single candidate is left, at fewer plies.

        Raises:
            ValueRangeError: The plies or a die are out of range.
            StateError: The game is over.
        """
        plays = generate_plays(position, roll)
        return self.search_among(plays, plies, move_filter, watch, stop_when_decided)

    def search_among(
        self,
        plays: LegalPlays,
        plies: int,
        move_filter: MoveFilter,
        watch: SearchWatch | None = None,
        stop_when_decided: bool = False,
    ) -> RankedPlays:
        """Search among the legal plays of a roll by any rules, as `search`.

        Args:
            plays: The plays.
            plies: As for `search`.
            move_filter: As for `search`.
            watch: As for `search`.
            stop_when_decided: As for `search`.

        Raises:
            ValueRangeError: The plies are out of range.
        """
        check_plies(plies)
        watch = watch or SearchWatch()
        ranked = self._rank_at_0_ply(plays, watch)
        is_finished = True
        for depth in range(1, plies + 1):
            survivors = move_filter.count_survivors(ranked.survivor_scores(), depth - 1)
            if survivors == 1 and stop_when_decided:
                break
            watch.begin_depth(depth)
            try:
                values = self._evaluate(ranked.stack_results(survivors), depth, watch)
            except CancelledWork:
                is_finished = False
                break
            ranked = ranked.rank_first(values, self._leaf_plies + depth)
            watch.end_depth(ranked)
        return RankedPlays(ranked, watch.effort(ranked.plies, is_finished=is_finished))

    def _rank_at_0_ply(self, plays: LegalPlays, watch: SearchWatch) -> RankedList:
        """Rank all plays at 0-ply, even when stopped; they are all different."""
        objective = self._objective.other
        values = objective.apply_double_option(objective.evaluate(plays.boards))
        ranked = RankedList.rank(plays, objective, values, self._leaf_plies)
        watch.count(len(plays))
        watch.end_depth(ranked)
        return ranked

    def evaluate_play(self, play: Play, plies: int) -> float:
        """Evaluate a single play.

        Args:
            play: The play.
            plies: 0 to `engine.search.tree.MAX_PLIES`.

        Returns:
            Its score as a candidate of this depth: equity for the player who makes it, in points.

        Raises:
            ValueRangeError: The plies are out of range.
        """
        values = self._evaluate(play.result.board[None], plies, SearchWatch())
        return -float(self._objective.other.equities(values)[0])

    def _evaluate(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Evaluate positions after plays, for the next mover with its option to double."""
        objective = self._objective.other
        return objective.apply_double_option(self._tree.evaluate(objective, boards, plies, watch))


def make_cubeless_search(
    evaluator: Evaluator,
    pruner: PlayPruner | None,
    pruning: Pruning = DEFAULT_PRUNING,
    cache: ValueCache | None = None,
    threads: int = 1,
) -> PlaySearch:
    """Make a search that ranks plays by cubeless money equity.

    Args:
        evaluator: Evaluates the leaves.
        pruner: Keeps the promising replies; None for all legal plays.
        pruning: Which replies the search considers.
        cache: Keeps values between searches.
        threads: Number of threads that work on one search.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """
    tree = TreeSearch(pruner, pruning, cache, threads)
    return PlaySearch(CubelessObjective(evaluator), tree, evaluator.plies)
