"""Rules: which variant is played and how doubles are played, as one value that everything else asks.

A variant of the game begins here. Its row in `VARIANTS` has the starting position; `Rules.dice_of` and
`Rules.expand_kernel` say how a roll is played; `Rules.supports` says what the program can do under it. A game
with another number of checkers also needs that number in `engine.rules.position`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnsupportedError
from engine.kernels import moves as kernel_moves
from engine.kernels import two_moves as kernel_two_moves
from engine.rules.dice import Roll
from engine.rules.position import START_POINTS, Board, Position


class Doubles(StrEnum):
    """How many checker moves a double gives.

    *Source:* two is the variant that K. Ekman measures in "Backgammon Artificial Intelligence", CodeProject,
    2021: it makes dice count for less.
    """

    FOUR = "four"
    TWO = "two"


class Feature(StrEnum):
    """What may be unavailable under some rules; the values name it in error messages."""

    EVALUATION = "evaluation"
    LOOK_AHEAD = "look-ahead"
    CUBE = "the cube"
    RESIGNATION = "resigning"
    RECORDS = "recording games"


@dataclass(frozen=True)
class Variant:
    """A variant of backgammon.

    Attributes:
        name: What settings and messages call it.
        start_points: Points and checkers of each side in the starting position.
    """

    name: str
    start_points: tuple[tuple[int, int], ...]


BACKGAMMON = Variant("backgammon", START_POINTS)

VARIANTS: Mapping[str, Variant] = MappingProxyType({variant.name: variant for variant in (BACKGAMMON,)})
"""All variants by name."""


class ExpandKernel(Protocol):
    """A kernel that lists plays, as `engine.kernels.moves.expand` does."""

    def __call__(
        self,
        boards: Board,
        dice: NDArray[np.int8],
        start: int,
        children: Board,
        moves: NDArray[np.int8],
        offsets: NDArray[np.int64],
    ) -> int:
        """Write the results of one roll for each of many positions, from position `start` on."""
        ...


@dataclass(frozen=True)
class Rules:
    """The rules of a game, beside its match state.

    Attributes:
        variant: Which game is played.
        doubles: How many checker moves a double gives.
    """

    variant: Variant = BACKGAMMON
    doubles: Doubles = Doubles.FOUR

    @property
    def name(self) -> str:
        """The rules in words: ``backgammon``, ``backgammon with doubles as two moves``."""
        return self.variant.name + (" with doubles as two moves" if self.doubles is Doubles.TWO else "")

    @property
    def starting_position(self) -> Position:
        """The position in which a game starts."""
        return Position.start(self.variant.start_points)

    def dice_of(self, roll: Roll) -> tuple[int, ...]:
        """Return the dice that a roll gives to play, one for each checker move."""
        return roll * 2 if roll[0] == roll[1] and self.doubles is Doubles.FOUR else roll

    @property
    def expand_kernel(self) -> ExpandKernel:
        """The kernel that lists the plays of a roll."""
        return kernel_moves.expand if self.doubles is Doubles.FOUR else kernel_two_moves.expand

    def supports(self, feature: Feature) -> bool:
        """Return whether a feature is available: nets, databases and cube values need standard doubles."""
        return self.doubles is Doubles.FOUR

    def check_supports(self, feature: Feature) -> None:
        """Raise an error unless a feature is available.

        Raises:
            UnsupportedError: It is not.
        """
        if not self.supports(feature):
            raise self.make_unsupported_error(feature)

    def make_unsupported_error(self, what: str) -> UnsupportedError:
        """Return the error for anything that is not available under these rules.

        Args:
            what: What was asked for, as the subject of a sentence.
        """
        return UnsupportedError(
            f"{what} is not supported in {self.name}: set doubles to four", field="doubles"
        )


STANDARD_RULES = Rules()
"""Backgammon with doubles as four moves."""
