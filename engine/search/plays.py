"""Choosing a play by looking ahead, depth by depth, fewer candidates at each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.dice import Roll
from engine.errors import CancelledWork
from engine.evaluator import Evaluator
from engine.judged import RankedPlay
from engine.moves import Play, legal_plays
from engine.outcome import Outcome, Outcomes, cubeless_equity, turned_outcomes
from engine.position import Board, Position
from engine.replies import ReplyFinder
from engine.search.cache import ValueCache
from engine.search.filters import MoveFilter
from engine.search.judgement import CubelessJudgement, Judgement, Values
from engine.search.tree import USUAL_PRUNING, Pruning, TreeSearch, check_plies
from engine.search.watch import SearchWatch


@dataclass(frozen=True)
class SearchedPlay(RankedPlay):
    """A candidate at the depth it got to.

    Attributes:
        survived: Whether it got to the greatest depth of the search: only these compete for the choice.
        values: All columns of the judgement, for the *next* mover, before the roll.
    """

    survived: bool
    values: tuple[float, ...]


@dataclass(frozen=True)
class PlaysFound:
    """What a search for plays came to.

    Attributes:
        candidates: All legal plays. Those that survived the last filter come first, marked, best first; then
            the others, the deeper ones first, and those of one depth best first. Equities of different depths
            say nothing about each other.
        plies: The depth of the survivors.
        finished: Whether that is the depth asked for, or the search was stopped before.
        nodes: Positions valued without look-ahead.
        elapsed_s: How long it took.
    """

    candidates: tuple[SearchedPlay, ...]
    plies: int
    finished: bool
    nodes: int
    elapsed_s: float

    @property
    def best(self) -> SearchedPlay:
        """The choice."""
        return self.candidates[0]


class MoveSearch:
    """Searches for plays; safe to use from several threads.

    Args:
        judgement: Values the leaves, for the side that moves.
        tree: Looks ahead from the candidates.
        inner_plies: Plies of look-ahead in the judgement's own values.
    """

    def __init__(self, judgement: Judgement, tree: TreeSearch, inner_plies: int = 0) -> None:
        self._judgement = judgement
        self._tree = tree
        self._inner_plies = inner_plies

    def search(
        self,
        position: Position,
        roll: Roll,
        plies: int,
        chosen_filter: MoveFilter,
        watch: SearchWatch | None = None,
        stop_when_decided: bool = False,
    ) -> PlaysFound:
        """Search to a depth, or as far as the watch lets it.

        All legal plays are valued at 0 plies, without asking the watch; then those that each stage of the
        filter lets through, one ply deeper each time. A depth counts when all its candidates are valued: a
        search that is stopped returns what the last finished depth found.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            plies: 0 to `engine.search.tree.MAX_PLIES`.
            chosen_filter: Which candidates go deeper.
            watch: Counts nodes, reports progress, stops the search.
            stop_when_decided: Whether to stop as soon as a single candidate is left; its plies are then less.

        Returns:
            All legal plays with what is known of each.

        Raises:
            ValueRangeError: The plies are out of range, or a die is.
            StateError: The game is over.
        """
        check_plies(plies)
        watch = watch or SearchWatch()
        ladder = self._entered(legal_plays(position, roll), watch)
        finished = True
        for depth in range(1, plies + 1):
            survivors = chosen_filter.survivors(ladder.equities_of_survivors(), depth - 1)
            if survivors == 1 and stop_when_decided:
                break
            watch.begin_depth(depth)
            try:
                values = self._values(ladder.boards(survivors), depth, watch)
            except CancelledWork:
                finished = False
                break
            ladder.enter(depth, values)
            watch.end_depth(ladder.best(self._inner_plies))
        candidates = ladder.candidates(self._inner_plies)
        return PlaysFound(candidates, candidates[0].plies, finished, watch.nodes, watch.elapsed_s)

    def rank(self, plays: list[Play], watch: SearchWatch | None = None) -> PlaysFound:
        """Rank plays of one roll, by whatever rules, at 0 plies.

        Args:
            plays: At least one.
            watch: Counts nodes, reports progress.
        """
        watch = watch or SearchWatch()
        candidates = self._entered(plays, watch).candidates(self._inner_plies)
        return PlaysFound(candidates, self._inner_plies, True, watch.nodes, watch.elapsed_s)

    def _entered(self, plays: list[Play], watch: SearchWatch) -> _Ladder:
        """Value all plays at 0 plies, without asking the watch."""
        ladder = _Ladder(self._judgement.other, plays)
        ladder.enter(0, self._values(ladder.boards(), 0, SearchWatch()))
        watch.count(len(plays))
        watch.end_depth(ladder.best(self._inner_plies))
        return ladder

    def equity_after(self, play: Play, plies: int) -> float:
        """Value a single play.

        Args:
            play: What was played.
            plies: 0 to `engine.search.tree.MAX_PLIES`.

        Returns:
            Its equity for the player who made it, in points, as a candidate of this depth has it.

        Raises:
            ValueRangeError: The plies are out of range.
        """
        values = self._values(play.result.board[None], plies, SearchWatch())
        return -float(self._judgement.other.equities(values)[0])

    def _values(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Value positions after plays, for the next mover and what it does before it rolls."""
        judgement = self._judgement.other
        return judgement.carried(self._tree.values(judgement, boards, plies, watch))


class _Ladder:
    """Plays in the order of what is known of them: the deepest first, those of one depth best first.

    Args:
        judgement: For the next mover.
        plays: What to order.
    """

    def __init__(self, judgement: Judgement, plays: list[Play]) -> None:
        self.plays = plays
        self._judgement = judgement
        self._depths = [0] * len(plays)
        self._values: Values = np.empty((len(plays), judgement.columns), np.float32)
        self._equities = np.zeros(len(plays))
        self._survivors = 0

    def boards(self, count: int | None = None) -> Board:
        """The positions after the first plays, ``int8[count, 2, 26]``."""
        return np.stack([play.result.board for play in self.plays[:count]])

    def equities_of_survivors(self) -> list[float]:
        """Equities of the plays at the greatest depth, for the player who made them, best first."""
        equities: list[float] = self._equities[: self._survivors].tolist()
        return equities

    def enter(self, depth: int, values: Values) -> None:
        """Note the values of the first plays at a greater depth than before, and order these anew."""
        count = len(values)
        equities = -self._judgement.equities(values)
        cubeless = cubeless_equity(values[:, : len(Outcome._fields)])
        order = np.lexsort((cubeless, -equities))
        self.plays[:count] = [self.plays[i] for i in order]
        self._values[:count] = values[order]
        self._equities[:count] = equities[order]
        self._depths[:count] = [depth] * count
        self._survivors = count

    def candidates(self, inner_plies: int) -> tuple[SearchedPlay, ...]:
        """All plays with what is known of them."""
        outcomes = turned_outcomes(self._values[:, : len(Outcome._fields)])
        return tuple(self._candidate(i, outcome, inner_plies) for i, outcome in enumerate(outcomes))

    def best(self, inner_plies: int) -> SearchedPlay:
        """The first of the candidates."""
        return self._candidate(0, turned_outcomes(self._values[:1, : len(Outcome._fields)])[0], inner_plies)

    def _candidate(self, place: int, outcome: Outcomes, inner_plies: int) -> SearchedPlay:
        return SearchedPlay(
            play=self.plays[place],
            outcome=Outcome(*map(float, outcome)),
            equity=float(self._equities[place]),
            plies=inner_plies + self._depths[place],
            survived=place < self._survivors,
            values=tuple(map(float, self._values[place])),
        )


def cubeless_search(
    evaluator: Evaluator,
    finder: ReplyFinder | None,
    pruning: Pruning = USUAL_PRUNING,
    cache: ValueCache | None = None,
    threads: int = 1,
) -> MoveSearch:
    """Make a search for plays by cubeless money equity.

    Args:
        evaluator: The judge of the leaves.
        finder: Names the promising replies; None to look at all legal plays.
        pruning: Which replies are looked at.
        cache: Where values are kept between searches.
        threads: How many threads work on one search.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """
    tree = TreeSearch(finder, pruning, cache, threads)
    return MoveSearch(CubelessJudgement(evaluator), tree, evaluator.plies)
