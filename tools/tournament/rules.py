"""What a tournament plays: games without or with the cube, matches, or games until both are home bound."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.engine.rules.match import MAX_MATCH_LENGTH
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules
from gammond.engine.rules.seeded_random import check_seed

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


class GameRules(Protocol):
    """What a tournament asks of the rules that it plays by, whatever the game."""

    @property
    def seed(self) -> int:
        """The seed of dice or openings, 0 or more."""
        ...

    @property
    def name(self) -> str:
        """The name of the games in reports."""
        ...

    @property
    def game_noun(self) -> str:
        """The word for what is counted: games or matches."""
        ...

    @property
    def score_unit(self) -> str:
        """The unit of scores."""
        ...

    @property
    def has_gammons(self) -> bool:
        """Whether games can be won as gammons."""
        ...

    @property
    def remarks(self) -> list[str]:
        """Lines for people, below the head of a report."""
        ...

    def to_record(self) -> dict[str, object]:
        """Return all fields by the names that reports and results files have for them."""
        ...

    def choose_games_per_range(self, *, is_deep: bool, is_sequential: bool) -> int:
        """Return how many games a range has.

        Args:
            is_deep: Whether a player takes its time over a play.
            is_sequential: Whether a test may stop a pair early.
        """
        ...


_Rules = TypeVar("_Rules", bound=GameRules, covariant=True)


@dataclass(frozen=True)
class PairingTask(Generic[_Rules]):
    """A range of games between two players.

    Attributes:
        rules: What they play.
        names: Of both players; the scores are the first one's.
        player_indices: Their places among all players, from 0.
        game_range: Which games.
        records: The folder for the records of the games; None for none.
        overwrites: Whether a record may replace another one.
    """

    rules: _Rules
    names: tuple[str, str]
    player_indices: tuple[int, int]
    game_range: GameRange
    records: Path | None = None
    overwrites: bool = False


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

    @property
    def game_noun(self) -> str:
        """The word for what is counted: games or matches."""
        return self.mode.game_noun

    @property
    def score_unit(self) -> str:
        """The unit of scores."""
        return self.mode.score_unit

    @property
    def has_gammons(self) -> bool:
        """Whether games can be won as gammons."""
        return self.mode.has_gammons

    @property
    def remarks(self) -> list[str]:
        """Who makes the cube decisions, where a player cannot."""
        return [f"cube decisions by {self.cube_by} for players without their own"] if self.cube_by else []

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
