"""What a tournament plays: games without or with the cube, matches, or games until both are home bound."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.errors import UnsupportedError, ValueRangeError
from engine.rules.match import MAX_MATCH_LENGTH
from engine.rules.rules import STANDARD_RULES, Feature, Rules
from engine.rules.seeded_random import check_seed

GAMES_PER_RANGE = 4096
"""Games in a range; an interrupted run reports the ranges finished by then."""

SEQUENTIAL_GAMES_PER_RANGE = 1024
"""The same where a sequential test may stop a pair early."""

DEEP_GAMES_PER_RANGE = 16
"""The same with the cube, or where a player looks ahead or errs: it plays no faster in lockstep."""

DEFAULT_VARIANT = STANDARD_RULES.variant.name
"""The variant of records that name none."""


class GameRange(NamedTuple):
    """Consecutive games of two players.

    Attributes:
        first_game: The number of the first one, even.
        games: How many, even.
    """

    first_game: int
    games: int


class TournamentMode(StrEnum):
    """Kinds of tournaments."""

    CUBELESS = "cubeless"
    HOME_BOUND = "home-bound"
    CUBEFUL = "cubeful"
    MATCH = "match"

    @property
    def has_cube(self) -> bool:
        """Whether players need cube decisions."""
        return self in (TournamentMode.CUBEFUL, TournamentMode.MATCH)

    @property
    def has_gammons(self) -> bool:
        """Whether games can be won as gammons."""
        return self in (TournamentMode.CUBELESS, TournamentMode.CUBEFUL)

    @property
    def score_unit(self) -> str:
        """The unit of scores."""
        return _UNITS[self]

    @property
    def game_noun(self) -> str:
        """The word for what `RoundRobin.games` counts."""
        return "matches" if self is TournamentMode.MATCH else "games"


_UNITS = {
    TournamentMode.CUBELESS: "points per game",
    TournamentMode.HOME_BOUND: "pips per game",
    TournamentMode.CUBEFUL: "points per game",
    TournamentMode.MATCH: "matches won minus matches lost, per match",
}


@dataclass(frozen=True)
class TournamentRules:
    """What all pairs of players play.

    Attributes:
        mode: The kind of games.
        seed: Of the dice, 0 or more.
        length: Points of a match; 0 unless the mode is `TournamentMode.MATCH`.
        cube_by: The evaluator that makes the cube decisions of players without their own; empty for none.
        game: The rules of the games.

    Raises:
        ValueRangeError: The seed is negative, or a match is not 1 to `MAX_MATCH_LENGTH` points long.
        UnsupportedError: `cube_by` without a cube, or a cube that the rules do not support.
    """

    mode: TournamentMode = TournamentMode.CUBELESS
    seed: int = 1
    length: int = 0
    cube_by: str = ""
    game: Rules = STANDARD_RULES

    def __post_init__(self) -> None:
        check_seed(self.seed)
        is_match = self.mode is TournamentMode.MATCH
        if is_match and not 1 <= self.length <= MAX_MATCH_LENGTH:
            raise ValueRangeError(
                f"match length: expected 1 to {MAX_MATCH_LENGTH} points, got {self.length}", field="match"
            )
        if self.cube_by and not self.mode.has_cube:
            raise UnsupportedError("--cube-by needs a cube: add --cubeful or --match", field="cube_by")
        if self.mode.has_cube:
            self.game.check_supports(Feature.CUBE)

    @property
    def name(self) -> str:
        """The name in reports."""
        names = {
            TournamentMode.CUBELESS: "games",
            TournamentMode.HOME_BOUND: "games until both are home bound",
            TournamentMode.CUBEFUL: "money games with the cube",
            TournamentMode.MATCH: f"matches to {self.length}",
        }
        variant = "" if self.game == STANDARD_RULES else f" of {self.game.name}"
        return f"{names[self.mode]}{variant}"

    def to_record(self) -> dict[str, object]:
        """Return all fields by the names that reports and results files have for them.

        The variant is left out where it is `DEFAULT_VARIANT`.
        """
        variant = self.game.variant.name
        return {
            "mode": self.mode,
            "seed": self.seed,
            "length": self.length,
            "cube_by": self.cube_by,
            "doubles": self.game.doubles,
            **({} if variant == DEFAULT_VARIANT else {"variant": variant}),
        }

    def choose_games_per_range(self, *, is_deep: bool, is_sequential: bool) -> int:
        """Return how many games a range has.

        Args:
            is_deep: Whether a player takes its time over a play.
            is_sequential: Whether a test may stop a pair early.
        """
        if is_deep or self.mode.has_cube:
            return DEEP_GAMES_PER_RANGE
        return SEQUENTIAL_GAMES_PER_RANGE if is_sequential else GAMES_PER_RANGE
