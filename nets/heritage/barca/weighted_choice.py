"""Players that choose among their few best plays by chance, the better ones more often."""

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
"""Plays that the choice is made among unless someone says otherwise."""

_MIN_WEIGHT = 0.01
"""What each play counts besides its merit, as a share of what the best is ahead of the last."""


def compute_choice_weights(
    values: Sequence[float] | NDArray[np.float64], *, is_cumulative: bool = True
) -> NDArray[np.float64]:
    """Weigh plays by their merit.

    The merit of a play is what it is ahead of the last one, and a hundredth of what the best is ahead of
    that, so that all merits are positive. With rising weights the plays are lined up from the last to the
    best and each counts its own merit and those of all before it: the better the play, the more incentive
    there is beyond its merit. Without, weights are proportional to merit.

    *Source:* the technology page of the Barca project, section "Move Randomization": five plays, made all
    positive, sorted in ascending order ("giving additional incentives to the best moves"), then each
    probability "is incremented by the board evaluation". It does not say by what they are made positive.

    Args:
        values: ``float64[k]``, best first.
        is_cumulative: Whether better plays get more than their merit.

    Returns:
        ``float64[k]``, their sum is 1.
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
    """Draws by chance that depends on position, roll and seed alone, and the weights to draw by.

    Args:
        candidates: How many of the best plays the choice is made among.
        is_cumulative: As `compute_choice_weights` has it.
        seed: Of the chance.

    Raises:
        ValueRangeError: There is no play to choose among, or the seed is negative.
    """

    def __init__(self, candidates: int, is_cumulative: bool, seed: int) -> None:
        if candidates < 1:
            raise ValueRangeError(f"the choice is made among 1 play or more, not {candidates}", field="among")
        self.candidates = candidates
        self._is_cumulative = is_cumulative
        self._chance = BoardHasher(seed)

    def draw_numbers(self, boards: Board, dice: NDArray[np.int8]) -> NDArray[np.float64]:
        """One number for each position and roll, whichever die is named first; ``float64[n]``, below 1."""
        return to_unit_floats(self._chance.hash_rolls(boards, np.sort(dice, axis=1)))

    def choose_place(self, values: NDArray[np.float64], number: float) -> int:
        """The place of the play that a number chooses, among values that are best first."""
        shares = compute_choice_weights(values[: self.candidates], is_cumulative=self._is_cumulative)
        return min(int(np.searchsorted(np.cumsum(shares), number, side="right")), len(shares) - 1)


class WeightedChoicePlayer(Player):
    """Plays one of the few plays that are best at one look, by merit; see `compute_choice_weights`.

    Args:
        name: What results call it.
        leaf_evaluator: Judges the positions after the plays.
        candidates: How many plays the choice is made among, 1 or more; fewer where the roll has no more.
        is_cumulative: As `compute_choice_weights` has it.
        seed: Of the choices, 0 or more; equal positions and rolls get equal plays.

    Raises:
        ValueRangeError: There is no play to choose among, or the seed is negative.
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
        """Choose among given plays, as `Player.pick`; the first of equal ones counts as better."""
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
    """A play that a look-ahead found.

    Attributes:
        value: What it is worth to the player who makes it, in the unit of the judge.
        result: ``int8[2, 26]``, the position after it as the next mover sees it.
    """

    value: float
    result: Board


class LookAhead(Protocol):
    """Finds the few best plays of a roll."""

    def find_best_plays(
        self, position: Position, roll: Roll, count: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Find them, best first.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            count: How many are wanted, 1 or more; there are fewer where the roll has no more.
            watch: Counts nodes; stops the search: what was found before stands.

        Raises:
            GammondError: As `engine.rules.moves.legal_plays`.
        """
        ...


class ExactLookAhead:
    """The few best plays by the full average over rolls and all replies.

    Args:
        search: Looks ahead with cut-offs.
        plies: How far.
    """

    def __init__(self, search: StarSearch, plies: int) -> None:
        self._search = search
        self._plies = plies

    def find_best_plays(
        self, position: Position, roll: Roll, count: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Find them, as `LookAhead.find_best_plays`; a single play costs no look-ahead."""
        at_one_look = self._search.search(position, roll, 0)
        if at_one_look.play_count == 1:
            return [ValuedPlay(play.value, play.result) for play in at_one_look.best]
        found = self._search.search(position, roll, self._plies, watch, count=count)
        return [ValuedPlay(play.value, play.result) for play in found.best]


class PrunedLookAhead:
    """The few plays that are best at one look, lined up by the engine's own look-ahead.

    Args:
        search: Looks ahead, at promising replies alone.
        plies: How far.
    """

    def __init__(self, search: PlaySearch, plies: int) -> None:
        self._search = search
        self._plies = plies

    def find_best_plays(
        self, position: Position, roll: Roll, count: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Find them, as `LookAhead.find_best_plays`; a single play costs no look-ahead."""
        the_few = MoveFilter("few", (FilterStage(count, 0, 0.0),) * MAX_PLIES)
        found = self._search.search(position, roll, self._plies, the_few, watch, stop_when_decided=True)
        return [ValuedPlay(each.score, each.play.result.board) for each in found.plays[:count]]


class DeepWeightedChoicePlayer(Player):
    """Plays one of the few plays that are best by look-ahead, by merit; see `compute_choice_weights`.

    Args:
        name: What results call it.
        look_ahead: Finds them.
        candidates: As `WeightedChoicePlayer` has it; 1 plays the best.
        is_cumulative: As `compute_choice_weights` has it.
        seed: As `WeightedChoicePlayer` has it.

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
