"""Players that choose among their few best plays at random, the better ones more often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.player import Player
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.seeded_random import BoardHasher, to_unit_floats
from gammond.engine.search import MAX_PLIES, IterativeSearch, MoveFilter, SearchWatch
from gammond.engine.search.filters import FilterStage
from gammond.nets.heritage.astros.leaf_evaluators import LeafEvaluator
from gammond.nets.heritage.astros.star_search import StarSearch

DEFAULT_CANDIDATES = 5
"""The default number of plays to choose among."""

_MIN_WEIGHT = 0.01
"""Added to the merit of each play, as a share of the lead of the best over the last."""


def compute_choice_weights(
    values: Sequence[float] | NDArray[np.float64], *, is_cumulative: bool = True
) -> NDArray[np.float64]:
    """Compute the weights of plays by their merit.

    The merit of a play is its lead over the last one, plus a hundredth of the lead of the best, so that all
    merits are positive. Cumulative weights add to the merit of a play those of all worse plays, so that
    better plays weigh more than their merit. Otherwise weights are proportional to merit.

    *Source:* the technology page of Astros, section "Move Randomization": five plays, made all
    positive, sorted in ascending order ("giving additional incentives to the best moves"), then each
    probability "is incremented by the board evaluation". It does not say how they are made positive.

    Args:
        values: ``float64[k]``, best first.
        is_cumulative: Whether better plays weigh more than their merit.

    Returns:
        ``float64[k]``, which sum to 1.
    """
    points = np.asarray(values, np.float64)
    spread = points[0] - points[-1]
    if not spread > 0.0:
        return np.full(len(points), 1.0 / len(points))
    merits = points - points[-1] + _MIN_WEIGHT * spread
    weights = np.cumsum(merits[::-1])[::-1] if is_cumulative else merits
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


class WeightedDraw:
    """Draws plays by weight; the random numbers depend on position, roll and seed alone.

    Args:
        candidates: The number of best plays to choose among, 1 or more; fewer if the roll has fewer.
        is_cumulative: As in `compute_choice_weights`.
        seed: Seed of the random numbers, 0 or more.

    Raises:
        ValueRangeError: There are no candidates, or the seed is negative.
    """

    def __init__(
        self, candidates: int = DEFAULT_CANDIDATES, *, is_cumulative: bool = True, seed: int = 0
    ) -> None:
        if candidates < 1:
            raise ValueRangeError(f"expected 1 candidate or more, got {candidates}", field="among")
        self.candidates = candidates
        self._is_cumulative = is_cumulative
        self._chance = BoardHasher(seed)

    def draw_numbers(self, boards: Board, dice: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return ``float64[n]`` in 0..1, one for each position and roll, whatever the order of the dice."""
        return to_unit_floats(self._chance.hash_rolls(boards, np.sort(dice, axis=1)))

    def choose_place(self, values: NDArray[np.float64], number: float) -> int:
        """Return the place of the play that a number in 0..1 chooses, among values best first."""
        shares = compute_choice_weights(values[: self.candidates], is_cumulative=self._is_cumulative)
        return min(int(np.searchsorted(np.cumsum(shares), number, side="right")), len(shares) - 1)


class WeightedChoicePlayer(Player):
    """Plays one of the few best plays at 0-ply; equal positions and rolls get equal plays.

    Args:
        name: Its name in results.
        leaf_evaluator: Evaluates the positions after the plays.
        draw: Draws one of them.
    """

    def __init__(self, name: str, leaf_evaluator: LeafEvaluator, draw: WeightedDraw) -> None:
        self.name = name
        self._leaf_evaluator = leaf_evaluator
        self._draw = draw

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `Player.pick`; of equal plays the first counts as better."""
        values = -self._leaf_evaluator.evaluate(children)
        order = np.lexsort((-values, np.repeat(np.arange(len(boards)), np.diff(offsets))))
        numbers = self._draw.draw_numbers(boards, dice)
        chosen = np.empty(len(boards), np.int64)
        for i, (start, end) in enumerate(pairwise(offsets.tolist())):
            best = order[start : min(end, start + self._draw.candidates)]
            chosen[i] = best[self._draw.choose_place(values[best], float(numbers[i]))]
        return chosen


LookAhead = Callable[[Position, Roll, int, SearchWatch | None], list[tuple[float, Board]]]
"""Finds so many best plays of a roll, best first, unless the watch stops it before; fewer if it has fewer.

Each has its value for the player who makes it, in the unit of the evaluator, and ``int8[2, 26]``, the
position after it as the next mover sees it. A forced play is not searched.
"""


def average_exactly(search: StarSearch, plies: int) -> LookAhead:
    """Find plays by the full average over rolls and all replies."""

    def find(
        position: Position, roll: Roll, count: int, watch: SearchWatch | None
    ) -> list[tuple[float, Board]]:
        found = search.search(position, roll, 0)
        if found.play_count > 1:
            found = search.search(position, roll, plies, watch, count=count)
        return [(play.value, play.result) for play in found.best]

    return find


def rank_few(search: IterativeSearch, plies: int) -> LookAhead:
    """Rank the few best plays at 0-ply by the engine's own search, of promising replies alone."""

    def find(
        position: Position, roll: Roll, count: int, watch: SearchWatch | None
    ) -> list[tuple[float, Board]]:
        few = MoveFilter("few", (FilterStage(count, 0, 0.0),) * MAX_PLIES)
        found = search.rank(position, roll, plies, few, watch, stop_when_decided=True)
        return [(each.evaluation.equity, each.play.result.board) for each in found[:count]]

    return find


class DeepWeightedChoicePlayer(Player):
    """Plays one of the few best plays by look-ahead; of one candidate, always the best.

    Args:
        name: Its name in results.
        look_ahead: Finds the best plays.
        draw: Draws one of them.
    """

    is_deep = True

    def __init__(self, name: str, look_ahead: LookAhead, draw: WeightedDraw) -> None:
        self.name = name
        self._look_ahead = look_ahead
        self._draw = draw

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `gammond.engine.play.player.Player.choose`."""
        chosen = np.empty_like(boards)
        for i, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            chosen[i] = self.choose_one(Position(board), (die, other))
        return chosen

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position, as `gammond.engine.play.player.Player.choose_one`."""
        best = self._look_ahead(position, roll, self._draw.candidates, watch)
        number = self._draw.draw_numbers(position.board[None], np.array([roll], np.int8))
        return best[self._draw.choose_place(np.array([value for value, _ in best]), float(number[0]))][1]
