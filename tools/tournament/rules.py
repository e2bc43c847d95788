"""What is played in a tournament: games without the cube, with it, matches, or races to be home bound."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.errors import UnsupportedError, ValueRangeError
from engine.rules.match import MAX_MATCH_LENGTH
from engine.rules.rules import STANDARD_RULES, Feature, Rules
from engine.rules.seeded_random import check_seed

GAMES_PER_RANGE = 4096
"""Games between two looks at the result; an interrupted run reports the stretches that were finished."""

SEQUENTIAL_GAMES_PER_RANGE = 1024
"""The same where a sequential test may end a pair of players early."""

DEEP_GAMES_PER_RANGE = 16
"""The same where a player looks ahead, or errs: it takes its time, and plays no faster in lockstep; and where
the cube is in play."""


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
        """Whether what is counted can be won as a gammon."""
        return self in (TournamentMode.CUBELESS, TournamentMode.CUBEFUL)

    @property
    def score_unit(self) -> str:
        """What the score of a player counts."""
        return _UNITS[self]

    @property
    def game_noun(self) -> str:
        """What is counted as a game."""
        return "matches" if self is TournamentMode.MATCH else "games"


_UNITS = {
    TournamentMode.CUBELESS: "points per game",
    TournamentMode.HOME_BOUND: "pips per game",
    TournamentMode.CUBEFUL: "points per game",
    TournamentMode.MATCH: "matches won less matches lost, per match",
}


@dataclass(frozen=True)
class TournamentRules:
    """What all pairs of players play.

    Attributes:
        mode: The kind of games.
        seed: Of the dice, 0 or more.
        length: Points of a match; 0 unless the mode is `TournamentMode.MATCH`.
        cube_by: The evaluator that handles the cube for players who have no cube decisions; empty for none.
        game: The rules of the games.

    Raises:
        ValueRangeError: The seed is negative, or a match is not 1 to `MAX_MATCH_LENGTH` points long.
        UnsupportedError: There is no cube to be handled, or there is one and the rules do not support it.
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
                f"a match has 1 to {MAX_MATCH_LENGTH} points, not {self.length}", field="match"
            )
        if self.cube_by and not self.mode.has_cube:
            raise UnsupportedError("there is no cube to be handled in games without it", field="cube_by")
        if self.mode.has_cube:
            self.game.check_supports(Feature.CUBE)

    @property
    def name(self) -> str:
        """What reports call it."""
        names = {
            TournamentMode.CUBELESS: "games",
            TournamentMode.HOME_BOUND: "games until both are home bound",
            TournamentMode.CUBEFUL: "money games with the cube",
            TournamentMode.MATCH: f"matches to {self.length}",
        }
        variant = "" if self.game == STANDARD_RULES else f" of {self.game.name}"
        return f"{names[self.mode]}{variant}"

    def to_record(self) -> dict[str, object]:
        """Return all fields by the names that reports and results files have for them."""
        return {
            "mode": self.mode,
            "seed": self.seed,
            "length": self.length,
            "cube_by": self.cube_by,
            "doubles": self.game.doubles,
        }

    def choose_games_per_range(self, *, is_deep: bool, is_sequential: bool) -> int:
        """How many games a stretch has.

        Args:
            is_deep: Whether a player takes its time.
            is_sequential: Whether a test may end a pair early.
        """
        if is_deep or self.mode.has_cube:
            return DEEP_GAMES_PER_RANGE
        return SEQUENTIAL_GAMES_PER_RANGE if is_sequential else GAMES_PER_RANGE
