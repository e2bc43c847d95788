"""Ranking of plays by look-ahead, depth by depth, with fewer candidates at each."""

from __future__ import annotations

import numpy as np

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.evaluation.results import RankedPlay
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import LegalPlays, Play, generate_plays
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.search.cache import ValueCache
from gammond.engine.search.filters import MoveFilter
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.engine.search.tree import DEFAULT_PRUNING, Objective, Pruning, TreeSearch, Values, check_plies
from gammond.engine.search.watch import SearchWatch


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
        rules: Rules = STANDARD_RULES,
    ) -> RankedPlays:
        """Search to a depth, or until the watch stops the search.

        All legal plays are evaluated at 0-ply, even when stopped; then those that pass each stage of the
        filter, one ply deeper each time. A depth counts once all its candidates are evaluated: a search that
        is stopped returns the ranking of the last finished depth.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice, in any order.
            plies: 0 to `gammond.engine.search.tree.MAX_PLIES`.
            move_filter: Chooses the candidates that go deeper.
            watch: Counts nodes, reports progress, stops the search.
            stop_when_decided: Whether to stop once a single candidate is left, at fewer plies.
            rules: What the legal plays are.

        Raises:
            ValueRangeError: The plies or a die are out of range.
            StateError: The game is over.
        """
        check_plies(plies)
        plays = generate_plays(position, roll, rules)
        watch = watch or SearchWatch()
        ranked = self._rank_at_0_ply(plays, watch)
        is_finished = True
        for depth in range(1, plies + 1):
            survivors = move_filter.count_survivors(ranked.survivor_equities(), depth - 1)
            if survivors == 1 and stop_when_decided:
                break
            watch.begin_depth(depth)
            try:
                values = self._evaluate(ranked.stack_results(survivors), depth, watch)
            except CancelledWork:
                is_finished = False
                break
            ranked = ranked.rank_first(values, watch.effort(self._leaf_plies + depth, is_finished=True))
            watch.end_depth(ranked)
        return ranked.with_effort(watch.effort(ranked.plies, is_finished=is_finished))

    def _rank_at_0_ply(self, plays: LegalPlays, watch: SearchWatch) -> RankedPlays:
        """Rank all plays at 0-ply, even when stopped; they are all different."""
        objective = self._objective.other
        values = objective.game.with_double(objective.evaluate(plays.boards))
        watch.count(len(plays))
        ranked = RankedPlays.rank(plays, objective, values, watch.effort(self._leaf_plies, is_finished=True))
        watch.end_depth(ranked)
        return ranked

    def evaluate_play(
        self,
        position: Position,
        roll: Roll,
        play: Play,
        plies: int,
        watch: SearchWatch | None = None,
        rules: Rules = STANDARD_RULES,
    ) -> RankedPlay:
        """Evaluate a single play as a candidate of one depth, whatever filters say of it.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice, in any order.
            play: One of the legal plays.
            plies: 0 to `gammond.engine.search.tree.MAX_PLIES`.
            watch: Counts nodes and stops the search.
            rules: What the legal plays are.

        Raises:
            ValueRangeError: The plies are out of range.
            CancelledWork: The watch stopped it.
        """
        check_plies(plies)
        plays = generate_plays(position, roll, rules)
        alone = plays.take(np.flatnonzero((plays.boards == play.result.board).all(axis=(1, 2))))
        watch = watch or SearchWatch()
        values = self._evaluate(alone.boards, plies, watch)
        effort = watch.effort(self._leaf_plies + plies, is_finished=True)
        return RankedPlays.rank(alone, self._objective.other, values, effort).best

    def _evaluate(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Evaluate positions after plays, for the next mover with its option to double."""
        objective = self._objective.other
        return objective.game.with_double(self._tree.evaluate(objective, boards, plies, watch))


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
    return PlaySearch(Objective(evaluator), tree, evaluator.plies)
