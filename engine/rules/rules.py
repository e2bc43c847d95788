"""Rules: which variant is played and how doubles are played, as one value that everything else asks.

A variant of the game begins here. Its row in `_VARIANTS` has the starting position, and with it the number of
checkers, and the features that the program has for it; `Rules.dice_of` says how a roll is played;
`Rules.supports` says which features are available.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from gammond.engine.errors import PositionError, UnsupportedError, ValueRangeError
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.position import CHECKERS, START_POINTS, Position


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
    TRAINING = "training"


ALL_FEATURES = frozenset(Feature)

_FEATURES_OF_DOUBLES: Mapping[Doubles, frozenset[Feature]] = MappingProxyType(
    {Doubles.FOUR: ALL_FEATURES, Doubles.TWO: frozenset()}
)
"""Nets, databases, cube values and ``.mat`` files assume doubles as four moves."""


@dataclass(frozen=True)
class Variant:
    """A variant of backgammon.

    Attributes:
        name: What settings, messages and match files call it.
        start_points: Points and checkers of each side in the starting position.
        features: What the program can do in it: everything, if only the starting position differs from that
            of backgammon.
        is_solved: Whether exact values of all its positions are known, which evaluate it instead of nets.

    Raises:
        ValueRangeError: A side does not start with 1 to 15 checkers.
    """

    name: str
    start_points: tuple[tuple[int, int], ...]
    features: frozenset[Feature] = ALL_FEATURES
    is_solved: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.checkers <= CHECKERS:
            raise ValueRangeError(
                f"{self.name}: expected 1 to {CHECKERS} checkers a side, got {self.checkers}", field="variant"
            )

    @cached_property
    def checkers(self) -> int:
        """The number of checkers of each side."""
        return sum(count for _, count in self.start_points)

    @cached_property
    def starting_position(self) -> Position:
        """The position in which a game starts."""
        return Position.start(self.start_points)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Allow copies, in other processes too: of a variant in the table they are the one in the table."""
        is_known = VARIANTS.get(self.name) is self
        return (find_variant, (self.name,)) if is_known else super().__reduce__()

    def adopt_position(self, position: Position) -> Position:
        """Return a position as one of this variant: checkers that are not on the board have been borne off.

        Args:
            position: From a format that does not say how many checkers there are, as with 15 a side; or from
                one that does.

        Raises:
            PositionError: It has more checkers on the board, or the format says another number.
        """
        checkers = position.checkers
        if checkers == self.checkers:
            return position
        try:
            if checkers != CHECKERS:
                raise PositionError(f"it is of a game with {checkers} checkers a side", field="position")
            return position.with_checkers(self.checkers)
        except PositionError as error:
            raise PositionError(
                f"expected a position of {self.name}, with {self.checkers} checkers a side: {error.message}",
                field="position",
            ) from None


BACKGAMMON = Variant("backgammon", START_POINTS)

NACKGAMMON = Variant("nackgammon", ((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)))
"""Backgammon with two more checkers far back, one each from the mid-point and the six point.

*Source:* Nack Ballard's game, as gnubg 1.07.001 sets it up.
"""

LONGGAMMON = Variant("longgammon", ((24, CHECKERS),))
"""Backgammon in which all checkers start on the 24 point.

*Source:* T. Keith, "LongGammon", Backgammon Galore, https://www.bkgm.com/variants/LongGammon.html.
"""

_SOLVED_FEATURES = ALL_FEATURES - {Feature.TRAINING}

HYPERGAMMON = Variant("hypergammon", ((24, 1), (23, 1), (22, 1)), _SOLVED_FEATURES, is_solved=True)
"""Three checkers a side.

*Source:* H. Sconyers, who solved it in 1991; T. Keith, "HyperBackgammon", Backgammon Galore,
https://www.bkgm.com/variants/HyperBackgammon.html.
"""

HYPERGAMMON_2 = Variant("hypergammon2", ((24, 1), (23, 1)), _SOLVED_FEATURES, is_solved=True)
"""Two checkers a side, as gnubg 1.07.001 sets it up."""

HYPERGAMMON_1 = Variant("hypergammon1", ((24, 1),), _SOLVED_FEATURES, is_solved=True)
"""One checker a side, as gnubg 1.07.001 sets it up."""

_VARIANTS = {
    variant.name: variant
    for variant in (BACKGAMMON, NACKGAMMON, LONGGAMMON, HYPERGAMMON, HYPERGAMMON_2, HYPERGAMMON_1)
}

VARIANTS: Mapping[str, Variant] = MappingProxyType(_VARIANTS)
"""All variants by name, the standard one first."""


def find_variant(name: str) -> Variant:
    """Return the variant of a name.

    Raises:
        ValueRangeError: None has it.
    """
    if name not in VARIANTS:
        raise ValueRangeError(f"expected one of {', '.join(VARIANTS)}, got {name[:40]!r}", field="variant")
    return VARIANTS[name]


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

    @cached_property
    def starting_position(self) -> Position:
        """The position in which a game starts."""
        return self.variant.starting_position

    def dice_of(self, roll: Roll) -> tuple[int, ...]:
        """Return the dice that a roll gives to play, one for each checker move."""
        return roll * 2 if roll[0] == roll[1] and self.doubles is Doubles.FOUR else roll

    @cached_property
    def features(self) -> frozenset[Feature]:
        """The features that are available."""
        return self.variant.features & _FEATURES_OF_DOUBLES[self.doubles]

    def supports(self, feature: Feature) -> bool:
        """Return whether a feature is available."""
        return feature in self.features

    def check_supports(self, feature: Feature, what: str | None = None) -> None:
        """Raise an error unless a feature is available.

        Args:
            feature: The feature.
            what: What needs it, as the subject of the message; the feature itself if None.

        Raises:
            UnsupportedError: It is not; the field is the one of the rules to set, ``variant`` or ``doubles``.
        """
        if feature in self.features:
            return
        if self.variant.is_solved and feature is Feature.TRAINING:
            raise UnsupportedError(f"{self.variant.name} is solved: no net can learn more", field="variant")
        field = "doubles" if feature in self.variant.features else "variant"
        raise UnsupportedError(
            f"{what or feature} is not supported in {self.name}: set {field} to {_STANDARD_VALUES[field]}",
            field=field,
        )


STANDARD_RULES = Rules()
"""Backgammon with doubles as four moves."""

_STANDARD_VALUES = {"variant": STANDARD_RULES.variant.name, "doubles": str(STANDARD_RULES.doubles)}
"""The value of each field with which everything is supported."""
