"""Ranking of plays by look-ahead, depth by depth, with fewer candidates at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from engine.errors import CancelledWork
from engine.evaluation.evaluator import Evaluator
from engine.evaluation.pruning import PlayPruner
from engine.kernels import as_kernel_array
from engine.kernels import outcomes as kernel_outcomes
from engine.kernels.objectives import OUTCOME_COLUMNS
from engine.rules.dice import Roll
from engine.rules.moves import LegalPlays, Play, generate_plays
from engine.rules.outcome import Outcome, Outcomes, invert_outcomes
from engine.rules.position import Board, Position
from engine.rules.rules import STANDARD_RULES, Rules
from engine.search.cache import ValueCache
from engine.search.filters import MoveFilter
from engine.search.objective import Objective, Values
from engine.search.results import BoardEvaluations, PlayEvaluation, PlaySequence, PlayTable, RankedPlays
from engine.search.tree import DEFAULT_PRUNING, Pruning, TreeSearch, check_plies
from engine.search.watch import SearchWatch


@dataclass(frozen=True, eq=False)
class RankedList(PlaySequence):
    """Ranked plays: the deepest first, those of one depth best first.

    Attributes:
        legal_plays: The plays in any order, at least one.
        objective: The next mover's objective.
        order: ``int64[n]``, the places of the ranked plays among them.
        values: ``float32[n, k]``, the next mover's values, in the order of the ranking.
        scores: ``float64[n]``, equities for the player who moves, in the order of the ranking.
        depths: ``int8[n]``, plies of look-ahead behind them, in the order of the ranking.
        survivors: The number of plays that reached the greatest depth.
    """

    legal_plays: LegalPlays
    objective: Objective
    order: NDArray[np.int64]
    values: Values
    scores: NDArray[np.float64]
    depths: NDArray[np.int8]
    survivors: int

    @classmethod
    def rank(cls, plays: LegalPlays, objective: Objective, values: Values, plies: int) -> RankedList:
        """Rank plays by the next mover's values, at a number of plies."""
        order, scores = _rank_values(objective, values)
        depths = np.full(len(order), plies, np.int8)
        return cls(plays, objective, order, values[order], scores, depths, len(order))

    @classmethod
    def restore(
        cls,
        plays: LegalPlays,
        objective: Objective,
        order: NDArray[np.int64],
        values: Values,
        depths: NDArray[np.int8],
        survivors: int,
    ) -> RankedList:
        """Make a list again of what is kept of it; the arguments are its attributes."""
        return cls(plays, objective, order, values, -objective.equities(values), depths, survivors)

    def rank_first(self, values: Values, plies: int) -> RankedList:
        """Return the list with the first plays ranked anew, by their values at more plies."""
        count = len(values)
        order, scores = _rank_values(self.objective, values)
        return RankedList(
            self.legal_plays,
            self.objective,
            np.concatenate([self.order[:count][order], self.order[count:]]),
            np.concatenate([values[order], self.values[count:]]),
            np.concatenate([scores, self.scores[count:]]),
            np.concatenate([np.full(count, plies, np.int8), self.depths[count:]]),
            count,
        )

    @property
    def plies(self) -> int:
        """Plies of look-ahead behind the best play."""
        return int(self.depths[0])

    def stack_results(self, count: int) -> Board:
        """Return the positions after the first plays, ``int8[count, 2, 26]``, as the next mover sees them."""
        return self.legal_plays.boards[self.order[:count]]

    def find_place(self, board: Board) -> int | None:
        """Return the place of the play that leads to a position, ``int8[2, 26]``; None if none does."""
        found = np.flatnonzero((self.legal_plays.boards[self.order] == board).all(axis=(1, 2)))
        return int(found[0]) if found.size else None

    def tabulate(self, block: slice) -> PlayTable:
        """Return some of the plays without making objects of them."""
        scores = self.scores[block]
        evaluations = BoardEvaluations(
            self._outcomes[block].astype(np.float64),
            scores if self.objective.is_cubeful else None,
            None if self._chances is None else self._chances[block].astype(np.float64),
        )
        survived = np.arange(len(self))[block] < self.survivors
        return PlayTable(self.legal_plays.take(self.order[block]), evaluations, self.depths[block], survived)

    def survivor_scores(self) -> list[float]:
        """Return the scores of the plays at the greatest depth, best first."""
        scores: list[float] = self.scores[: self.survivors].tolist()
        return scores

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> PlayEvaluation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PlayEvaluation, ...]: ...
    def __getitem__(self, index: int | slice) -> PlayEvaluation | tuple[PlayEvaluation, ...]:
        if isinstance(index, slice):
            return tuple([self[place] for place in range(*index.indices(len(self)))])
        place = range(len(self))[index]
        score = float(self.scores[place])
        return PlayEvaluation(
            self.legal_plays[int(self.order[place])],
            Outcome._make(self._outcomes[place].tolist()),
            int(self.depths[place]),
            score,
            score if self.objective.is_cubeful else None,
            None if self._chances is None else float(self._chances[place]),
            place < self.survivors,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _outcomes(self) -> Outcomes:
        return invert_outcomes(self.values[:, :OUTCOME_COLUMNS])

    @cached_property
    def _chances(self) -> NDArray[np.floating] | None:
        """Match-winning chances of the player who moves; None for money."""
        opponent_chances = self.objective.match_winning_chances(self.values)
        return None if opponent_chances is None else 1.0 - opponent_chances


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
            plies: 0 to `engine.search.tree.MAX_PLIES`.
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
        values = objective.add_double_option(objective.evaluate(plays.boards))
        ranked = RankedList.rank(plays, objective, values, self._leaf_plies)
        watch.count(len(plays))
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
    ) -> PlayEvaluation:
        """Evaluate a single play as a candidate of one depth, whatever filters say of it.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice, in any order.
            play: One of the legal plays.
            plies: 0 to `engine.search.tree.MAX_PLIES`.
            watch: Counts nodes and stops the search.
            rules: What the legal plays are.

        Raises:
            ValueRangeError: The plies are out of range.
            CancelledWork: The watch stopped it.
        """
        check_plies(plies)
        plays = generate_plays(position, roll, rules)
        alone = plays.take(np.flatnonzero((plays.boards == play.result.board).all(axis=(1, 2))))
        values = self._evaluate(alone.boards, plies, watch or SearchWatch())
        return RankedList.rank(alone, self._objective.other, values, self._leaf_plies + plies)[0]

    def _evaluate(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Evaluate positions after plays, for the next mover with its option to double."""
        objective = self._objective.other
        return objective.add_double_option(self._tree.evaluate(objective, boards, plies, watch))


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


def _rank_values(objective: Objective, values: Values) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the places of plays, best first, by the next mover's values, and their scores in that order."""
    equities, cubeless = objective.equities(values), np.empty(len(values), np.float32)
    kernel_outcomes.compute_equities(as_kernel_array(values, np.float32), cubeless)
    order = np.lexsort((cubeless, equities))
    return order, -equities[order]
