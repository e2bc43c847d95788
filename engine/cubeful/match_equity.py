"""Match equity tables: match-winning chances (MWC) by score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.rules.match import MatchState

DEFAULT_TABLE_FILE = Path(__file__).parent / "data" / "Kazaross-XG2.txt"
"""The shipped table; its name is the first line, and its notice is in the file."""

_SHIPPED_POINTS = 25

MAX_TABLE_POINTS = 64
"""How far a table is extended game by game."""

POINTS_DISTRIBUTION = {1: 0.41, 4: 0.59}
"""Shares of games by points won, used beyond the table: fitted to the shipped table from 9-away on."""

GAMMON_RATE = 0.25
"""The gammon rate beyond the table where one side is 1-away."""

_MEAN_POINTS = sum(points * share for points, share in POINTS_DISTRIBUTION.items())
_SPREAD = math.sqrt(
    sum(points * points * share for points, share in POINTS_DISTRIBUTION.items()) / _MEAN_POINTS
)
_TRAILER_DECAY = 0.5876
"""Factor of the trailer's MWC for 2 more points, doubling every game: r² = ((1-g)·r + g) / 2."""


@dataclass(frozen=True, eq=False)
class MatchEquityTable:
    """Match-winning chances at the start of a game.

    Beyond the table, up to 64-away, the MWC is the mean over the results of one more game, which wins 1 point
    (41 %) or 4 (59 %) for either side; against a side that is 1-away, over the Crawford game or a game with
    an immediate double, with one gammon in four wins. Farther away it is the normal curve with the spread of
    those games. Within the shipped table the same step is accurate to 0.0008.

    Attributes:
        name: The name of the table.
        pre_crawford: ``float64[n, n]``, the MWC of a side i+1 points away against one j+1 points away; where
            one of them is 1-away, before the Crawford game.
        post_crawford: ``float64[n]``, the MWC of a side i+1 points away, after the Crawford game, against the
            other, which is 1-away.
    """

    name: str
    pre_crawford: NDArray[np.float64]
    post_crawford: NDArray[np.float64]

    @property
    def max_away(self) -> int:
        """The largest distance in the table itself, in points away."""
        return len(self.pre_crawford)

    def mwc(self, away: int, other_away: int, *, is_post_crawford: bool = False) -> float:
        """Return a side's match-winning chance before a game.

        Args:
            away: Points that it still needs; 0 or less when it has won.
            other_away: Points that the other side needs; not both have won.
            is_post_crawford: Whether the Crawford game has been played.
        """
        if away <= 0 or other_away <= 0:
            return 1.0 if away <= 0 else 0.0
        if is_post_crawford and 1 in (away, other_away):
            if other_away == 1:
                return self._compute_trailer(away)
            return 1.0 - self._compute_trailer(other_away)
        if max(away, other_away) <= self.max_away:
            return float(self.pre_crawford[away - 1, other_away - 1])
        if max(away, other_away) <= MAX_TABLE_POINTS:
            return float(self._extended_table[away, other_away])
        if 1 in (away, other_away):
            return self._compute_crawford(away, other_away)
        return self._estimate_far_away(away, other_away)

    def mwc_after(self, match: MatchState, seat: int, points: int) -> float:
        """Return a seat's match-winning chance after a game that wins it points, negative when it loses.

        Raises:
            ValueRangeError: It is money play.
        """
        if match.is_money:
            raise ValueRangeError("expected a match for a match equity, got money play", field="length")
        return self.mwc(
            match.away(seat) - max(points, 0),
            match.away(1 - seat) - max(-points, 0),
            is_post_crawford=match.crawford or match.is_post_crawford,
        )

    def equity_scale(self, match: MatchState, seat: int) -> tuple[float, float]:
        """Return a seat's value at an equity of 0, and what a point of equity adds to it at the present cube.

        They are match-winning chances; 0 and 1 in money play, where values are points.
        """
        if match.is_money:
            return 0.0, 1.0
        lost, won = (self.mwc_after(match, seat, points) for points in (-match.cube, match.cube))
        return 0.5 * (won + lost), 0.5 * (won - lost)

    def result_value(self, match: MatchState, seat: int, kind: int) -> float:
        """Return a seat's value of a result at the present cube, by the Jacoby rule where that is played.

        Args:
            match: The match state.
            seat: 0 or 1.
            kind: 1 to 3 for a single game, gammon or backgammon won; -1 to -3 for one lost.

        Returns:
            A match-winning chance; points for a cube of 1 in money play.
        """
        points = match.game_result(seat, abs(kind)).points * (1 if kind > 0 else -1)
        return points / match.cube if match.is_money else self.mwc_after(match, seat, points)

    def mwc_per_point(self, match: MatchState) -> float | None:
        """Return the match-winning chance that a point is worth at the present cube; None in money play."""
        return None if match.is_money else self.equity_scale(match, 0)[1]

    def mwc_of(self, equity_points: float, match: MatchState) -> float | None:
        """Return the match-winning chance of an equity for the seat on roll; None in money play."""
        if match.is_money:
            return None
        even, stake = self.equity_scale(match, match.on_roll)
        return even + stake * equity_points

    def _estimate_far_away(self, away: int, other_away: int) -> float:
        """Return the normal curve, never nearer to one half than the end of the extended table."""
        deviations = (other_away - away) / (_SPREAD * math.sqrt(away + other_away))
        chance = 0.5 + 0.5 * math.erf(deviations / math.sqrt(2.0))
        if away <= MAX_TABLE_POINTS:
            return max(chance, float(self._extended_table[away, MAX_TABLE_POINTS]))
        if other_away <= MAX_TABLE_POINTS:
            return min(chance, float(self._extended_table[MAX_TABLE_POINTS, other_away]))
        return chance

    @cached_property
    def _extended_table(self) -> NDArray[np.float64]:
        """MWC by points away, ``float64[65, 65]``: the table, and beyond it the mean over one more game."""
        size = MAX_TABLE_POINTS + 1
        chances = np.zeros((size, size))
        chances[0] = 1.0
        chances[1 : self.max_away + 1, 1 : self.max_away + 1] = self.pre_crawford
        for away in range(1, size):
            for other in range(1, size):
                if max(away, other) > self.max_away:
                    chances[away, other] = self._average_over_game(chances, away, other)
        return chances

    def _average_over_game(self, chances: NDArray[np.float64], away: int, other: int) -> float:
        if 1 in (away, other):
            return self._compute_crawford(away, other)
        mean = 0.0
        for points, share in POINTS_DISTRIBUTION.items():
            won, lost = chances[max(away - points, 0), other], chances[away, max(other - points, 0)]
            mean += 0.5 * share * float(won + lost)
        return mean

    def _compute_crawford(self, away: int, other: int) -> float:
        """Return the MWC before the Crawford game, beyond the table: even chances, some trailer gammons."""
        trailer = max(away, other)
        won = (1.0 - GAMMON_RATE) * self._compute_trailer(trailer - 1)
        won += GAMMON_RATE * self._compute_trailer(trailer - 2)
        return 1.0 - 0.5 * won if away == 1 else 0.5 * won

    def _compute_trailer(self, away: int) -> float:
        """Return the MWC after the Crawford game against an opponent who is 1-away."""
        if away <= MAX_TABLE_POINTS:
            return float(self._trailer_table[away])
        beyond = math.pow(_TRAILER_DECAY, (away - MAX_TABLE_POINTS) / 2)
        return float(self._trailer_table[MAX_TABLE_POINTS]) * beyond

    @cached_property
    def _trailer_table(self) -> NDArray[np.float64]:
        """MWC by points away, ``float64[65]``; beyond the table every game is doubled at once."""
        chances = np.ones(MAX_TABLE_POINTS + 1)
        chances[1 : self.max_away + 1] = self.post_crawford
        for away in range(self.max_away + 1, MAX_TABLE_POINTS + 1):
            single, gammon = chances[max(away - 2, 0)], chances[max(away - 4, 0)]
            chances[away] = 0.5 * ((1.0 - GAMMON_RATE) * single + GAMMON_RATE * gammon)
        return chances


@cache
def load_default_table() -> MatchEquityTable:
    """Load the shipped table, Kazaross-XG2 of 25 points.

    *Source:* Neil Kazaross (2011), transcribed for GNU Backgammon by Michael Petch.

    Raises:
        DataFileError: The installation is damaged.
    """
    try:
        with DEFAULT_TABLE_FILE.open(encoding="utf-8") as file:
            name, chances = file.readline().strip("# \n"), np.loadtxt(file)
        if chances.shape != (_SHIPPED_POINTS + 1, _SHIPPED_POINTS):
            raise ValueError(f"expected {_SHIPPED_POINTS + 1} rows of {_SHIPPED_POINTS}, got {chances.shape}")
    except (OSError, ValueError) as error:
        raise DataFileError(f"match equity table {DEFAULT_TABLE_FILE.name}: {error}", field="met") from error
    chances.setflags(write=False)
    return MatchEquityTable(name, chances[:-1], chances[-1])
