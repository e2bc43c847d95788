"""Players that choose among their few best plays by chance, the better ones more often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.chance import Chance, fractions
from engine.dice import Roll
from engine.errors import ValueRangeError
from engine.players import picked
from engine.position import Board, Position
from engine.search import MAX_PLIES, MoveFilter, MoveSearch, SearchWatch
from engine.search.filters import FilterStage
from engine.search.star import Leaves, StarSearch

USUAL_FEW = 5
"""Plays that the choice is made among unless someone says otherwise."""

_LEAST = 0.01
"""What each play counts besides its merit, as a share of what the best is ahead of the last."""


def merit_weights(
    values: Sequence[float] | NDArray[np.float64], *, is_rising: bool = True
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
        is_rising: Whether better plays get more than their merit.

    Returns:
        ``float64[k]``, their sum is 1.
    """
    points = np.asarray(values, np.float64)
    spread = points[0] - points[-1]
    if not spread > 0.0:
        return np.full(len(points), 1.0 / len(points))
    merits = points - points[-1] + _LEAST * spread
    weights = np.cumsum(merits[::-1])[::-1] if is_rising else merits
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


class _Lot:
    """Draws by chance that depends on position, roll and seed alone, and the weights to draw by.

    Args:
        few: How many of the best plays the choice is made among.
        is_rising: As `merit_weights` has it.
        seed: Of the chance.

    Raises:
        ValueRangeError: There is no play to choose among, or the seed is negative.
    """

    def __init__(self, few: int, is_rising: bool, seed: int) -> None:
        if few < 1:
            raise ValueRangeError(f"the choice is made among 1 play or more, not {few}", field="among")
        self.few = few
        self._is_rising = is_rising
        self._chance = Chance(seed)

    def numbers(self, boards: Board, dice: NDArray[np.int8]) -> NDArray[np.float64]:
        """One number for each position and roll, whichever die is named first; ``float64[n]``, below 1."""
        return fractions(self._chance.of_rolls(boards, np.sort(dice, axis=1)))

    def drawn(self, values: NDArray[np.float64], number: float) -> int:
        """The place of the play that a number chooses, among values that are best first."""
        shares = merit_weights(values[: self.few], is_rising=self._is_rising)
        return min(int(np.searchsorted(np.cumsum(shares), number, side="right")), len(shares) - 1)


class MeritPlayer:
    """Plays one of the few plays that are best at one look, by merit; see `merit_weights`.

    Args:
        name: What results call it.
        leaves: Judges the positions after the plays.
        few: How many plays the choice is made among, 1 or more; fewer where the roll has no more.
        is_rising: As `merit_weights` has it.
        seed: Of the choices, 0 or more; equal positions and rolls get equal plays.

    Raises:
        ValueRangeError: There is no play to choose among, or the seed is negative.
    """

    def __init__(
        self, name: str, leaves: Leaves, few: int = USUAL_FEW, *, is_rising: bool = True, seed: int = 0
    ) -> None:
        self.name = name
        self._leaves = leaves
        self._lot = _Lot(few, is_rising, seed)

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.players.Player.choose`."""
        return picked(self, boards, dice)

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among plays, as `engine.players.PlayPicker.pick`; of equals the first counts as better."""
        values = -self._leaves.values(children)
        order = np.lexsort((-values, np.repeat(np.arange(len(boards)), np.diff(offsets))))
        numbers = self._lot.numbers(boards, dice)
        chosen = np.empty(len(boards), np.int64)
        for i, (start, end) in enumerate(pairwise(offsets.tolist())):
            best = order[start : min(end, start + self._lot.few)]
            chosen[i] = best[self._lot.drawn(values[best], float(numbers[i]))]
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

    def best_plays(
        self, position: Position, roll: Roll, few: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Find them, best first.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            few: How many are wanted, 1 or more; there are fewer where the roll has no more.
            watch: Counts nodes; stops the search: what was found before stands.

        Raises:
            GammondError: As `engine.moves.legal_plays`.
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

    def best_plays(
        self, position: Position, roll: Roll, few: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Find them, as `LookAhead.best_plays`; a single play costs no look-ahead."""
        at_one_look = self._search.search(position, roll, 0)
        if at_one_look.plays == 1:
            return [ValuedPlay(play.value, play.result) for play in at_one_look.best]
        found = self._search.search(position, roll, self._plies, watch, wanted=few)
        return [ValuedPlay(play.value, play.result) for play in found.best]


class UsualLookAhead:
    """The few plays that are best at one look, lined up by the engine's own look-ahead.

    Args:
        search: Looks ahead, at promising replies alone.
        plies: How far.
    """

    def __init__(self, search: MoveSearch, plies: int) -> None:
        self._search = search
        self._plies = plies

    def best_plays(
        self, position: Position, roll: Roll, few: int, watch: SearchWatch | None = None
    ) -> list[ValuedPlay]:
        """Find them, as `LookAhead.best_plays`; a single play costs no look-ahead."""
        the_few = MoveFilter("few", (FilterStage(few, 0, 0.0),) * MAX_PLIES)
        found = self._search.search(position, roll, self._plies, the_few, watch, stop_when_decided=True)
        return [ValuedPlay(play.equity, play.play.result.board) for play in found.candidates[:few]]


class DeepMeritPlayer:
    """Plays one of the few plays that are best by look-ahead, by merit; see `merit_weights`.

    Args:
        name: What results call it.
        look_ahead: Finds them.
        few: As `MeritPlayer` has it; 1 plays the best.
        is_rising: As `merit_weights` has it.
        seed: As `MeritPlayer` has it.

    Raises:
        ValueRangeError: As `MeritPlayer`.
    """

    is_deep = True

    def __init__(
        self,
        name: str,
        look_ahead: LookAhead,
        few: int = USUAL_FEW,
        *,
        is_rising: bool = True,
        seed: int = 0,
    ) -> None:
        self.name = name
        self._look_ahead = look_ahead
        self._lot = _Lot(few, is_rising, seed)

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.players.Player.choose`."""
        chosen = np.empty_like(boards)
        for i, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            chosen[i] = self.choose_one(Position(board), (die, other))
        return chosen

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position, as `engine.search_player.LookingPlayer.choose_one`."""
        best = self._look_ahead.best_plays(position, roll, self._lot.few, watch)
        number = self._lot.numbers(position.board[None], np.array([roll], np.int8))
        place = self._lot.drawn(np.array([play.value for play in best]), float(number[0]))
        return best[place].result
