"""Players that choose among their few best plays at random, the better ones more often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.play.player import Player
from engine.rules.dice import Roll
from engine.rules.position import Board, Position
from engine.rules.seeded_random import BoardHasher, to_unit_floats
from engine.search import MAX_PLIES, MoveFilter, PlaySearch, SearchWatch
from engine.search.filters import FilterStage
from nets.heritage.barca.star import LeafEvaluator, StarSearch

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

    *Source:* the technology page of the Barca project, section "Move Randomization": five plays, made all
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


class _WeightedDraw:
    """Draws plays by weight; the random numbers depend on position, roll and seed alone.

    Args:
        candidates: The number of best plays to choose among.
        is_cumulative: As in `compute_choice_weights`.
        seed: Seed of the random numbers.

    Raises:
        ValueRangeError: There are no candidates, or the seed is negative.
    """

    def __init__(self, candidates: int, is_cumulative: bool, seed: int) -> None:
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
    """Plays one of the few best plays at 0-ply by `compute_choice_weights`.

    Args:
        name: Its name in results.
        leaf_evaluator: Evaluates the positions after the plays.
        candidates: The number of plays to choose among, 1 or more; fewer if the roll has fewer.
        is_cumulative: As in `compute_choice_weights`.
        seed: Seed of the choices, 0 or more; equal positions and rolls get equal plays.

    Raises:
        ValueRangeError: There are no candidates, or the seed is negative.
    """

    def __init__(
        self,
        name: str,
        leaf_evaluator: LeafEvaluator,
        candidates: int = DEFAULT_CANDIDATES,
        *,
        is_cumulative: bool = True,
        seed: int = 0,
    ) -> None:
        self.name = name
        self._leaf_evaluator = leaf_evaluator
        self._draw = _WeightedDraw(candidates, is_cumulative, seed)

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


@dataclass(frozen=True)
class ValuedPlay:
    """A play valued by look-ahead.

    Attributes:
        value: Its value for the player who makes it, in the unit of the evaluator.
        result: ``int8[2, 26]``, the position after it as the next mover sees it.
    """

    value: float
    result: Board


class LookAhead(Protocol):
    """Finds the few best plays of a roll."""

    def find_best_plays(
        self, position: Position, roll: Roll, count: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Return the best plays, best first.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice.
            count: The number wanted, 1 or more; fewer if the roll has fewer.
            watch: Counts nodes; stops the search, which then returns its best plays so far.

        Raises:
            GammondError: As `engine.rules.moves.legal_plays`.
        """
        ...


class ExactLookAhead:
    """Finds the few best plays by the full average over rolls and all replies.

    Args:
        search: The search with cut-offs.
        plies: The depth.
    """

    def __init__(self, search: StarSearch, plies: int) -> None:
        self._search = search
        self._plies = plies

    def find_best_plays(
        self, position: Position, roll: Roll, count: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Return the best plays, as `LookAhead.find_best_plays`; a forced play is not searched."""
        unsearched = self._search.search(position, roll, 0)
        if unsearched.play_count == 1:
            return [ValuedPlay(play.value, play.result) for play in unsearched.best]
        found = self._search.search(position, roll, self._plies, watch, count=count)
        return [ValuedPlay(play.value, play.result) for play in found.best]


class PrunedLookAhead:
    """Ranks the few best plays at 0-ply by the engine's own search.

    Args:
        search: The search, of promising replies alone.
        plies: The depth.
    """

    def __init__(self, search: PlaySearch, plies: int) -> None:
        self._search = search
        self._plies = plies

    def find_best_plays(
        self, position: Position, roll: Roll, count: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Return the best plays, as `LookAhead.find_best_plays`; a forced play is not searched."""
        few = MoveFilter("few", (FilterStage(count, 0, 0.0),) * MAX_PLIES)
        found = self._search.search(position, roll, self._plies, few, watch, stop_when_decided=True)
        return [ValuedPlay(each.score, each.play.result.board) for each in found.plays[:count]]


class DeepWeightedChoicePlayer(Player):
    """Plays one of the few best plays by look-ahead by `compute_choice_weights`.

    Args:
        name: Its name in results.
        look_ahead: Finds the best plays.
        candidates: As in `WeightedChoicePlayer`; 1 always plays the best.
        is_cumulative: As in `compute_choice_weights`.
        seed: As in `WeightedChoicePlayer`.

    Raises:
        ValueRangeError: As `WeightedChoicePlayer`.
    """

    is_deep = True

    def __init__(
        self,
        name: str,
        look_ahead: LookAhead,
        candidates: int = DEFAULT_CANDIDATES,
        *,
        is_cumulative: bool = True,
        seed: int = 0,
    ) -> None:
        self.name = name
        self._look_ahead = look_ahead
        self._draw = _WeightedDraw(candidates, is_cumulative, seed)

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.play.player.Player.choose`."""
        chosen = np.empty_like(boards)
        for i, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            chosen[i] = self.choose_one(Position(board), (die, other))
        return chosen

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position, as `engine.play.player.Player.choose_one`."""
        best = self._look_ahead.find_best_plays(position, roll, self._draw.candidates, watch)
        number = self._draw.draw_numbers(position.board[None], np.array([roll], np.int8))
        place = self._draw.choose_place(np.array([play.value for play in best]), float(number[0]))
        return best[place].result
