"""Ranking of plays by look-ahead, depth by depth, with fewer candidates at each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.errors import CancelledWork
from engine.evaluation.evaluator import Evaluator
from engine.evaluation.pruning import PlayPruner
from engine.rules.dice import Roll
from engine.rules.moves import Play, legal_plays
from engine.rules.outcome import Outcome, cubeless_equity, invert_outcomes
from engine.rules.position import Board, Position
from engine.search.cache import ValueCache
from engine.search.filters import MoveFilter
from engine.search.objective import CubelessObjective, Objective, Values
from engine.search.results import PlayEvaluation, RankedPlays
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
        plays = legal_plays(position, roll)
        return self.search_among(plays, plies, move_filter, watch, stop_when_decided)

    def search_among(
        self,
        plays: list[Play],
        plies: int,
        move_filter: MoveFilter,
        watch: SearchWatch | None = None,
        stop_when_decided: bool = False,
    ) -> RankedPlays:
        """Search among the legal plays of a roll by any rules, as `search`.

        Args:
            plays: At least one; the list is reordered.
            plies: As for `search`.
            move_filter: As for `search`.
            watch: As for `search`.
            stop_when_decided: As for `search`.

        Raises:
            ValueRangeError: The plies are out of range.
        """
        check_plies(plies)
        watch = watch or SearchWatch()
        candidates = self._rank_at_0_ply(plays, watch)
        finished = True
        for depth in range(1, plies + 1):
            survivors = move_filter.count_survivors(candidates.survivor_equities(), depth - 1)
            if survivors == 1 and stop_when_decided:
                break
            watch.begin_depth(depth)
            try:
                values = self._evaluate(candidates.stack_results(survivors), depth, watch)
            except CancelledWork:
                finished = False
                break
            candidates.update(depth, values)
            watch.end_depth(candidates.evaluate_best(self._leaf_plies))
        evaluations = candidates.evaluate_plays(self._leaf_plies)
        return RankedPlays(evaluations, watch.effort(evaluations[0].plies, is_finished=finished))

    def _rank_at_0_ply(self, plays: list[Play], watch: SearchWatch) -> _CandidateList:
        """Evaluate all plays at 0-ply, even when stopped."""
        candidates = _CandidateList(self._objective.other, plays)
        candidates.update(0, self._evaluate(candidates.stack_results(), 0, SearchWatch()))
        watch.count(len(plays))
        watch.end_depth(candidates.evaluate_best(self._leaf_plies))
        return candidates

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


class _CandidateList:
    """Ranked plays: the deepest first, those of one depth best first.

    Args:
        objective: The next mover's objective.
        plays: The plays, at least one.
    """

    def __init__(self, objective: Objective, plays: list[Play]) -> None:
        self.plays = plays
        self._objective = objective
        self._plies = [0] * len(plays)
        self._values: Values = np.empty((len(plays), objective.columns), np.float32)
        self._equities = np.zeros(len(plays))
        self._survivors = 0

    def stack_results(self, count: int | None = None) -> Board:
        """Stack the positions after the first plays, ``int8[count, 2, 26]``."""
        return np.stack([play.result.board for play in self.plays[:count]])

    def survivor_equities(self) -> list[float]:
        """Return the scores of the plays at the greatest depth, best first."""
        equities: list[float] = self._equities[: self._survivors].tolist()
        return equities

    def update(self, plies: int, values: Values) -> None:
        """Store the values of the first plays at a greater depth, and rank these anew."""
        count = len(values)
        equities = -self._objective.equities(values)
        cubeless = cubeless_equity(values[:, : len(Outcome._fields)])
        order = np.lexsort((cubeless, -equities))
        self.plays[:count] = [self.plays[i] for i in order]
        self._values[:count] = values[order]
        self._equities[:count] = equities[order]
        self._plies[:count] = [plies] * count
        self._survivors = count

    def evaluate_plays(self, leaf_plies: int) -> tuple[PlayEvaluation, ...]:
        """Return the evaluations of all plays."""
        return tuple(self._evaluate_first(len(self.plays), leaf_plies))

    def evaluate_best(self, leaf_plies: int) -> PlayEvaluation:
        """Return the evaluation of the best play."""
        return next(self._evaluate_first(1, leaf_plies))

    def _evaluate_first(self, count: int, leaf_plies: int) -> Iterator[PlayEvaluation]:
        """Read the values of the first plays, which are the next mover's."""
        objective, values = self._objective, self._values[:count]
        opponent_mwc = objective.match_winning_chances(values)
        for place, outcome in enumerate(invert_outcomes(values[:, : len(Outcome._fields)])):
            score = float(self._equities[place])
            yield PlayEvaluation(
                play=self.plays[place],
                outcome=Outcome(*map(float, outcome)),
                plies=leaf_plies + self._plies[place],
                score=score,
                cubeful=score if objective.is_cubeful else None,
                mwc=None if opponent_mwc is None else 1.0 - float(opponent_mwc[place]),
                survived=place < self._survivors,
            )


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
