"""What is played in a tournament: games without the cube, with it, matches, or races to be home bound."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.chance import check_seed
from engine.doubles import Doubles
from engine.errors import UnsupportedError, ValueRangeError
from engine.match import MAX_LENGTH

STRETCH_GAMES = 4096
"""Games between two looks at the result; an interrupted run reports the stretches that were finished."""

SEQUENTIAL_STRETCH_GAMES = 1024
"""The same where a sequential test may end a pair of players early."""

DEEP_STRETCH_GAMES = 16
"""The same where a player looks ahead, or errs: it takes its time, and plays no faster in lockstep; and where
the cube is in play."""


class Mode(StrEnum):
    """Kinds of tournaments."""

    CUBELESS = "cubeless"
    HOME_BOUND = "home-bound"
    CUBEFUL = "cubeful"
    MATCH = "match"

    @property
    def has_cube(self) -> bool:
        """Whether players need cube decisions."""
        return self in (Mode.CUBEFUL, Mode.MATCH)

    @property
    def has_gammons(self) -> bool:
        """Whether what is counted can be won as a gammon."""
        return self in (Mode.CUBELESS, Mode.CUBEFUL)

    @property
    def unit(self) -> str:
        """What the score of a player counts."""
        return _UNITS[self]

    @property
    def games(self) -> str:
        """What is counted as a game."""
        return "matches" if self is Mode.MATCH else "games"


_UNITS = {
    Mode.CUBELESS: "points per game",
    Mode.HOME_BOUND: "pips per game",
    Mode.CUBEFUL: "points per game",
    Mode.MATCH: "matches won less matches lost, per match",
}


@dataclass(frozen=True)
class Rules:
    """What all pairs of players play.

    Attributes:
        mode: The kind of games.
        seed: Of the dice, 0 or more.
        length: Points of a match; 0 unless the mode is `Mode.MATCH`.
        cube_by: The evaluator that handles the cube for players who have no cube decisions; empty for none.
        doubles: How many checker moves they are.

    Raises:
        ValueRangeError: The seed is negative, or a match is not 1 to `MAX_LENGTH` points long.
        UnsupportedError: There is no cube to be handled, or there is one in games with doubles as two moves.
    """

    mode: Mode = Mode.CUBELESS
    seed: int = 1
    length: int = 0
    cube_by: str = ""
    doubles: Doubles = Doubles.FOUR

    def __post_init__(self) -> None:
        check_seed(self.seed)
        is_match = self.mode is Mode.MATCH
        if is_match and not 1 <= self.length <= MAX_LENGTH:
            raise ValueRangeError(f"a match has 1 to {MAX_LENGTH} points, not {self.length}", field="match")
        if self.cube_by and not self.mode.has_cube:
            raise UnsupportedError("there is no cube to be handled in games without it", field="cube_by")
        if self.mode.has_cube and self.doubles is not Doubles.FOUR:
            raise UnsupportedError(
                "with the cube in play doubles are four moves: its values are known for these alone",
                field="doubles",
            )

    @property
    def name(self) -> str:
        """What reports call it."""
        names = {
            Mode.CUBELESS: "games",
            Mode.HOME_BOUND: "games until both are home bound",
            Mode.CUBEFUL: "money games with the cube",
            Mode.MATCH: f"matches to {self.length}",
        }
        variant = ", doubles as two moves" if self.doubles is Doubles.TWO else ""
        return f"{names[self.mode]}{variant}"

    def stretch_games(self, *, is_deep: bool, is_sequential: bool) -> int:
        """How many games a stretch has.

        Args:
            is_deep: Whether a player takes its time.
            is_sequential: Whether a test may end a pair early.
        """
        if is_deep or self.mode.has_cube:
            return DEEP_STRETCH_GAMES
        return SEQUENTIAL_STRETCH_GAMES if is_sequential else STRETCH_GAMES
