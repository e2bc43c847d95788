"""Choosing a play by looking ahead, depth by depth, fewer candidates at each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.errors import CancelledWork
from engine.evaluation.evaluator import Evaluator
from engine.evaluation.pruning import PlayPruner
from engine.rules.dice import Roll
from engine.rules.moves import Play, legal_plays
from engine.rules.outcome import Outcome, Outcomes, cubeless_equity, invert_outcomes
from engine.rules.position import Board, Position
from engine.search.cache import ValueCache
from engine.search.filters import MoveFilter
from engine.search.objective import CubelessObjective, Objective, Values
from engine.search.results import CandidatePlay
from engine.search.tree import DEFAULT_PRUNING, Pruning, TreeSearch, check_plies
from engine.search.watch import SearchWatch


@dataclass(frozen=True)
class SearchedPlay(CandidatePlay):
    """A candidate at the depth it got to.

    Attributes:
        survived: Whether it got to the greatest depth of the search: only these compete for the choice.
        values: All columns of the judgement, for the *next* mover, before the roll.
    """

    survived: bool
    values: tuple[float, ...]


@dataclass(frozen=True)
class PlaySearchResult:
    """What a search for plays came to.

    Attributes:
        candidates: All legal plays. Those that survived the last filter come first, marked, best first; then
            the others, the deeper ones first, and those of one depth best first. Equities of different depths
            say nothing about each other.
        plies: The depth of the survivors.
        is_finished: Whether that is the depth asked for, or the search was stopped before.
        nodes: Positions valued without look-ahead.
        elapsed_s: How long it took.
    """

    candidates: tuple[SearchedPlay, ...]
    plies: int
    is_finished: bool
    nodes: int
    elapsed_s: float

    @property
    def best(self) -> SearchedPlay:
        """The choice."""
        return self.candidates[0]


class PlaySearch:
    """Searches for plays; safe to use from several threads.

    Args:
        objective: Values the leaves, for the side that moves.
        tree: Looks ahead from the candidates.
        leaf_plies: Plies of look-ahead in the judgement's own values.
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
    ) -> PlaySearchResult:
        """Search to a depth, or as far as the watch lets it.

        All legal plays are valued at 0 plies, without asking the watch; then those that each stage of the
        filter lets through, one ply deeper each time. A depth counts when all its candidates are valued: a
        search that is stopped returns what the last finished depth found.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            plies: 0 to `engine.search.tree.MAX_PLIES`.
            move_filter: Which candidates go deeper.
            watch: Counts nodes, reports progress, stops the search.
            stop_when_decided: Whether to stop as soon as a single candidate is left; its plies are then less.

        Returns:
            All legal plays with what is known of each.

        Raises:
            ValueRangeError: The plies are out of range, or a die is.
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
    ) -> PlaySearchResult:
        """Search among the legal plays of a roll, by whatever rules, as `search`.

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
        ladder = self._rank_at_0_ply(plays, watch)
        finished = True
        for depth in range(1, plies + 1):
            survivors = move_filter.count_survivors(ladder.survivor_equities(), depth - 1)
            if survivors == 1 and stop_when_decided:
                break
            watch.begin_depth(depth)
            try:
                values = self._evaluate(ladder.stack_results(survivors), depth, watch)
            except CancelledWork:
                finished = False
                break
            ladder.update(depth, values)
            watch.end_depth(ladder.make_best(self._leaf_plies))
        candidates = ladder.make_candidates(self._leaf_plies)
        return PlaySearchResult(candidates, candidates[0].plies, finished, watch.nodes, watch.elapsed_s)

    def _rank_at_0_ply(self, plays: list[Play], watch: SearchWatch) -> _CandidateList:
        """Value all plays at 0 plies, without asking the watch."""
        ladder = _CandidateList(self._objective.other, plays)
        ladder.update(0, self._evaluate(ladder.stack_results(), 0, SearchWatch()))
        watch.count(len(plays))
        watch.end_depth(ladder.make_best(self._leaf_plies))
        return ladder

    def evaluate_play(self, play: Play, plies: int) -> float:
        """Value a single play.

        Args:
            play: What was played.
            plies: 0 to `engine.search.tree.MAX_PLIES`.

        Returns:
            Its equity for the player who made it, in points, as a candidate of this depth has it.

        Raises:
            ValueRangeError: The plies are out of range.
        """
        values = self._evaluate(play.result.board[None], plies, SearchWatch())
        return -float(self._objective.other.equities(values)[0])

    def _evaluate(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Value positions after plays, for the next mover and what it does before it rolls."""
        judgement = self._objective.other
        return judgement.apply_double_option(self._tree.evaluate(judgement, boards, plies, watch))


class _CandidateList:
    """Plays in the order of what is known of them: the deepest first, those of one depth best first.

    Args:
        objective: For the next mover.
        plays: What to order.
    """

    def __init__(self, objective: Objective, plays: list[Play]) -> None:
        self.plays = plays
        self._objective = objective
        self._plies = [0] * len(plays)
        self._values: Values = np.empty((len(plays), objective.columns), np.float32)
        self._equities = np.zeros(len(plays))
        self._survivors = 0

    def stack_results(self, count: int | None = None) -> Board:
        """The positions after the first plays, ``int8[count, 2, 26]``."""
        return np.stack([play.result.board for play in self.plays[:count]])

    def survivor_equities(self) -> list[float]:
        """Equities of the plays at the greatest depth, for the player who made them, best first."""
        equities: list[float] = self._equities[: self._survivors].tolist()
        return equities

    def update(self, plies: int, values: Values) -> None:
        """Note the values of the first plays at a greater depth than before, and order these anew."""
        count = len(values)
        equities = -self._objective.equities(values)
        cubeless = cubeless_equity(values[:, : len(Outcome._fields)])
        order = np.lexsort((cubeless, -equities))
        self.plays[:count] = [self.plays[i] for i in order]
        self._values[:count] = values[order]
        self._equities[:count] = equities[order]
        self._plies[:count] = [plies] * count
        self._survivors = count

    def make_candidates(self, leaf_plies: int) -> tuple[SearchedPlay, ...]:
        """All plays with what is known of them."""
        outcomes = invert_outcomes(self._values[:, : len(Outcome._fields)])
        return tuple(self._make_candidate(i, outcome, leaf_plies) for i, outcome in enumerate(outcomes))

    def make_best(self, leaf_plies: int) -> SearchedPlay:
        """The first of the candidates."""
        return self._make_candidate(
            0, invert_outcomes(self._values[:1, : len(Outcome._fields)])[0], leaf_plies
        )

    def _make_candidate(self, place: int, outcome: Outcomes, leaf_plies: int) -> SearchedPlay:
        return SearchedPlay(
            play=self.plays[place],
            outcome=Outcome(*map(float, outcome)),
            equity=float(self._equities[place]),
            plies=leaf_plies + self._plies[place],
            survived=place < self._survivors,
            values=tuple(map(float, self._values[place])),
        )


def make_cubeless_search(
    evaluator: Evaluator,
    pruner: PlayPruner | None,
    pruning: Pruning = DEFAULT_PRUNING,
    cache: ValueCache | None = None,
    threads: int = 1,
) -> PlaySearch:
    """Make a search for plays by cubeless money equity.

    Args:
        evaluator: The judge of the leaves.
        pruner: Names the promising replies; None to look at all legal plays.
        pruning: Which replies are looked at.
        cache: Where values are kept between searches.
        threads: How many threads work on one search.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """
    tree = TreeSearch(pruner, pruning, cache, threads)
    return PlaySearch(CubelessObjective(evaluator), tree, evaluator.plies)
