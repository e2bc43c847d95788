"""Levels of play by name, and the errors of weak ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.rules import Feature, Rules
from gammond.engine.search.filters import DEFAULT_FILTER, MoveFilter, find_move_filter
from gammond.engine.search.tree import check_plies

MAX_NOISE_POINTS = 1.0

_MAX_LOSS_IN_NOISE = 4.0
"""A play that loses more than this many times the noise is never chosen."""


DEFAULT_CANDIDATES = 5
"""Plays of a list that are compared with each other, at one depth, where nobody says how many."""

MAX_CANDIDATES = 9_999
"""More than any roll has plays."""


def count_candidates(shown: int | None = None) -> int:
    """Return how many of the best plays are searched to the full depth for a list.

    Args:
        shown: How many plays are to be compared; None for `DEFAULT_CANDIDATES`. Fewer than these are not
            searched either, so that lists of all lengths show the same, but for 1: nothing is compared.
    """
    if shown is None or 1 < shown < DEFAULT_CANDIDATES:
        return DEFAULT_CANDIDATES
    return min(shown, MAX_CANDIDATES)


class StoreUse(StrEnum):
    """What the store of analyses is asked for, where an engine has one."""

    OFF = "off"
    ON = "on"
    DEEPER = "deeper"


@dataclass(frozen=True)
class EvalSettings:
    """Settings of an evaluation.

    Attributes:
        plies: Plies of look-ahead, 0 to `gammond.engine.search.MAX_PLIES`.
        filter_name: The move filter for checker plays.
        is_cubeful: Whether the cube counts. Without it, money play uses cubeless equity, and a match the
            match-winning chance at the present cube.
        store: Whether a kept answer of this depth will do, or also a deeper one, and what is searched is
            kept; or neither.
        candidates: How many of the best plays are searched to the full depth whatever the filter says: 1
            where only the best play is wanted, as many as are compared in a list (`with_list`).

    Raises:
        ValueRangeError: The plies or the candidates are out of range, or no filter has this name.
    """

    plies: int = 0
    filter_name: str = DEFAULT_FILTER
    is_cubeful: bool = True
    store: StoreUse = StoreUse.ON
    candidates: int = 1

    def __post_init__(self) -> None:
        check_plies(self.plies)
        find_move_filter(self.filter_name)
        if not 1 <= self.candidates <= MAX_CANDIDATES:
            raise ValueRangeError(
                f"expected 1 to {MAX_CANDIDATES:,} candidates, got {self.candidates}", field="candidates"
            )

    @classmethod
    def make_default(cls, rules: Rules) -> EvalSettings:
        """Return the settings of requests that give none: 0-ply, cubeful where the rules have a cube."""
        return cls(is_cubeful=rules.supports(Feature.CUBE))

    def with_plies(self, plies: int) -> EvalSettings:
        """Return the same settings for a depth."""
        return self if plies == self.plies else replace(self, plies=plies)

    def with_list(self, shown: int | None = None) -> EvalSettings:
        """Return the same settings for a list of plays, arguments as `count_candidates`."""
        return replace(self, candidates=count_candidates(shown))

    @property
    def move_filter(self) -> MoveFilter:
        """The filter of that name, which lets all candidates through."""
        found = find_move_filter(self.filter_name)
        return found if self.candidates == 1 else found.with_at_least(self.candidates)

    def check_supported(self, rules: Rules) -> None:
        """Refuse settings that plays cannot be ranked with under some rules.

        Raises:
            UnsupportedError: They look ahead or are cubeful, and the rules do not support that.
        """
        if self.plies:
            rules.check_supports(Feature.LOOK_AHEAD)
        if self.is_cubeful:
            rules.check_supports(Feature.CUBE)


@dataclass(frozen=True)
class Level:
    """A strength of play.

    Attributes:
        name: The level's name in requests.
        plies: Plies of look-ahead.
        filter_name: The move filter.
        noise_points: Size of its errors, see `choose_with_noise`; 0 plays the best.
        error_rate: Mean loss of an unforced play in thousandths of a point, measured by
            ``gammond measure levels`` with the default net: against 2-ply, or 3-ply for levels that look
            ahead (docs/guide/levels.md).
        meaning: One line of description.
    """

    name: str
    plies: int
    filter_name: str
    noise_points: float
    error_rate: float
    meaning: str


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level("beginner", 0, "normal", 0.09, 48.7, "knows the rules and the obvious"),
            Level("casual", 0, "normal", 0.055, 27.2, "plays now and then"),
            Level("intermediate", 0, "normal", 0.038, 14.7, "plays at a club"),
            Level("advanced", 0, "normal", 0.022, 6.9, "wins at a club"),
            Level("expert", 0, "normal", 0.0, 1.7, "the net alone, at 0-ply"),
            Level("world-class", 1, "normal", 0.0, 0.7, "one ply of look-ahead"),
            Level("master", 2, "narrow", 0.0, 0.3, "two plies, few candidates"),
            Level("grandmaster", 2, "large", 0.0, 0.2, "two plies, many candidates"),
        )
    }
)
"""Levels by name, weakest first; docs/guide/levels.md has the error rate of each."""

DEFAULT_LEVEL = "expert"


def find_level(name: str) -> Level:
    """Return the level of a name.

    Raises:
        ValueRangeError: No level has this name.
    """
    if name not in LEVELS:
        raise ValueRangeError(f"expected one of {'|'.join(LEVELS)}, got {name[:40]!r}", field="level")
    return LEVELS[name]


def choose_with_noise(scores: Sequence[float], noise_points: float, number: float) -> int:
    """Pick a candidate with probability proportional to exp(-loss / noise).

    Small errors are likely, blunders are not; a loss of four times the noise or more never happens.

    Args:
        scores: Scores of the candidates in points, in any order, at least one.
        noise_points: Size of the errors; 0 chooses the best, the first of equal ones.
        number: Random number, 0 to 1 (below 1), that makes the choice.

    Returns:
        The index of the choice.
    """
    best = max(scores)
    if noise_points <= 0.0:
        return scores.index(best)
    weights = [
        math.exp((score - best) / noise_points) if score > best - _MAX_LOSS_IN_NOISE * noise_points else 0.0
        for score in scores
    ]
    left = number * math.fsum(weights)
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0.0:
            return place
    return scores.index(best)
