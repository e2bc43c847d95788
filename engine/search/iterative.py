"""Searches depth by depth, so that one that is stopped has an answer; evaluators that look ahead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.evaluator import Evaluator, ExactEvaluator
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.evaluation.results import Effort, Evaluation, RankedPlay
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import Play, generate_plays
from gammond.engine.rules.outcome import Outcome, Outcomes, cubeless_equity
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.search.cache import ValueCache
from gammond.engine.search.filters import MoveFilter
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.engine.search.tree import DEFAULT_PRUNING, Objective, Pruning, TreeSearch, Values, check_plies
from gammond.engine.search.watch import SearchWatch


@dataclass(eq=False)
class IterativeSearch:
    """Evaluates positions, or ranks plays, one ply deeper each time; safe to use from several threads.

    Attributes:
        objective: Evaluates the leaves, for the side on roll.
        tree: Looks ahead.
    """

    objective: Objective
    tree: TreeSearch

    def evaluate(
        self, positions: Sequence[Position], plies: int, watch: SearchWatch
    ) -> tuple[Values, Effort]:
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
        values, reached = self.tree.evaluate(self.objective, boards, 0), 0
        watch.count(len(boards))
        watch.end_depth()
        for depth in range(1, plies + 1):
            watch.begin_depth(depth)
            try:
                values, reached = self.tree.evaluate(self.objective, boards, depth, watch), depth
            except CancelledWork:
                break
            watch.end_depth()
        return values, self._measure(watch, reached, is_finished=reached == plies)

    def read(self, positions: Sequence[Position], values: Values, effort: Effort) -> list[Evaluation]:
        """Return the evaluations of positions, given what `evaluate` returns."""
        game, cubeless = self.objective.game, cubeless_equity(values[:, :OUTCOME_COLUMNS]).tolist()
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

    def rank(
        self,
        position: Position,
        roll: Roll,
        plies: int,
        move_filter: MoveFilter,
        watch: SearchWatch | None = None,
        stop_when_decided: bool = False,
        rules: Rules = STANDARD_RULES,
    ) -> RankedPlays:
        """Rank the plays of a roll by a search to a depth, or until the watch stops it.

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
        objective, is_finished = self.objective.other, True
        values = objective.game.with_double(objective.evaluate(plays.boards))
        watch.count(len(plays))
        ranked = RankedPlays.rank(plays, objective, values, self._measure(watch, 0))
        watch.end_depth(ranked)
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
            ranked = ranked.rank_first(values, self._measure(watch, depth))
            watch.end_depth(ranked)
        return replace(ranked, effort=watch.effort(ranked.plies, is_finished=is_finished))

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
        return RankedPlays.rank(alone, self.objective.other, values, self._measure(watch, plies)).best

    def _evaluate(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Evaluate positions after plays, for the next mover with its option to double."""
        objective = self.objective.other
        return objective.game.with_double(self.tree.evaluate(objective, boards, plies, watch))

    def _measure(self, watch: SearchWatch, plies: int, *, is_finished: bool = True) -> Effort:
        """Return the effort behind values so many plies above the leaves, which may look ahead themselves."""
        return watch.effort(self.objective.evaluator.plies + plies, is_finished=is_finished)


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
