"""Match equity tables: match-winning chances (MWC) by score, from GNU Backgammon's ``.xml`` files."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError, UnsupportedError, ValueRangeError
from engine.rules.match import MatchState
from engine.runtime.regular_files import read_regular

if TYPE_CHECKING:
    from xml.etree import ElementTree

DEFAULT_TABLE_FILE = Path(__file__).parent / "data" / "Kazaross-XG2.xml"
"""The shipped table; its notice is in the file."""

MAX_FILE_BYTES = 1_000_000
"""The largest file that is read; a table of 25 points has about 20 kB."""

MAX_TABLE_POINTS = 64
"""The largest table, and how far a smaller one is extended game by game."""

POINTS_DISTRIBUTION = {1: 0.41, 4: 0.59}
"""Shares of games by points won, used beyond the table: fitted to the shipped table from 9-away on."""

GAMMON_RATE = 0.25
"""The gammon rate beyond the table where one side is 1-away."""

_PLAIN_DOCTYPE = re.compile(r'<!DOCTYPE\s+met(\s+(PUBLIC\s+"[^"]*"|SYSTEM)\s+"[^"]*")?\s*>')
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
        description: Its origin.
        pre_crawford: ``float64[n, n]``, the MWC of seat 0, i+1 points away, against seat 1, j+1 points away;
            where one of them is 1-away, before the Crawford game.
        post_crawford: ``float64[2, n]``, the MWC of each seat i+1 points away, after the Crawford game,
            against the other, which is 1-away.
    """

    name: str
    description: str
    pre_crawford: NDArray[np.float64]
    post_crawford: NDArray[np.float64]

    @property
    def max_away(self) -> int:
        """The largest distance in the table itself, in points away."""
        return len(self.pre_crawford)

    def mwc(self, away: int, other_away: int, *, is_post_crawford: bool = False, seat: int = 0) -> float:
        """Return a seat's match-winning chance before a game.

        Args:
            away: Points the seat still needs; 0 or less when it has won.
            other_away: Points the other seat needs; not both have won.
            is_post_crawford: Whether the Crawford game has been played.
            seat: The seat; matters only for tables of unequal players.

        Returns:
            0 to 1.
        """
        if away <= 0 or other_away <= 0:
            return 1.0 if away <= 0 else 0.0
        if seat:
            return 1.0 - self.mwc(other_away, away, is_post_crawford=is_post_crawford)
        if is_post_crawford and 1 in (away, other_away):
            if other_away == 1:
                return self._compute_trailer(away, 0)
            return 1.0 - self._compute_trailer(other_away, 1)
        if max(away, other_away) <= self.max_away:
            return float(self.pre_crawford[away - 1, other_away - 1])
        if max(away, other_away) <= MAX_TABLE_POINTS:
            return float(self._extended_table[away, other_away])
        if 1 in (away, other_away):
            return self._compute_crawford(away, other_away)
        return self._estimate_far_away(away, other_away)

    def mwc_after(self, match: MatchState, seat: int, points: int) -> float:
        """Return a seat's match-winning chance after the present game.

        Args:
            match: The match state of the present game.
            seat: 0 or 1.
            points: Points that the seat wins by the game, cube included; negative when it loses.

        Returns:
            0 to 1.

        Raises:
            ValueRangeError: It is money play.
        """
        if match.is_money:
            raise ValueRangeError("expected a match for a match equity, got money play", field="length")
        return self.mwc(
            match.away(seat) - max(points, 0),
            match.away(1 - seat) - max(-points, 0),
            is_post_crawford=match.crawford or match.is_post_crawford,
            seat=seat,
        )

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
        trailer, seat = (other, 1) if away == 1 else (away, 0)
        won = (1.0 - GAMMON_RATE) * self._compute_trailer(trailer - 1, seat)
        won += GAMMON_RATE * self._compute_trailer(trailer - 2, seat)
        return 1.0 - 0.5 * won if seat else 0.5 * won

    def _compute_trailer(self, away: int, seat: int) -> float:
        """Return a seat's MWC after the Crawford game against an opponent who is 1-away."""
        if away <= MAX_TABLE_POINTS:
            return float(self._trailer_table[seat, away])
        beyond = math.pow(_TRAILER_DECAY, (away - MAX_TABLE_POINTS) / 2)
        return float(self._trailer_table[seat, MAX_TABLE_POINTS]) * beyond

    @cached_property
    def _trailer_table(self) -> NDArray[np.float64]:
        """MWC by points away, ``float64[2, 65]``; beyond the table every game is doubled at once."""
        chances = np.ones((2, MAX_TABLE_POINTS + 1))
        chances[:, 1 : self.max_away + 1] = self.post_crawford
        for away in range(self.max_away + 1, MAX_TABLE_POINTS + 1):
            for seat in (0, 1):
                chances[seat, away] = _compute_trailer_mwc(chances[seat].tolist(), away)
        return chances


@cache
def load_default_table() -> MatchEquityTable:
    """Load the shipped table, Kazaross-XG2 of 25 points.

    *Source:* Neil Kazaross (2011), transcribed for GNU Backgammon by Michael Petch.

    Raises:
        DataFileError: The installation is damaged.
    """
    return read_match_equity_table(DEFAULT_TABLE_FILE)


def read_match_equity_table(path: Path) -> MatchEquityTable:
    """Read a table in GNU Backgammon's ``.xml`` format.

    Args:
        path: The file; it must list all equities, not just the parameters of a formula.

    Raises:
        DataFileError: The file is missing, too large, not XML, has entities, or is not a proper table.
        UnsupportedError: The table is a formula.
    """
    root = _parse_xml(path)
    if root.tag != "met":
        raise _make_error(path, f"expected <met>, got <{root.tag}>")
    tables = root.findall("pre-crawford-table"), root.findall("post-crawford-table")
    for element in (*tables[0], *tables[1]):
        if element.get("type", "explicit") != "explicit":
            raise UnsupportedError(
                f"match equity table {path.name}: expected a table that lists all equities, got the formula "
                f"'{element.get('type')}'",
                field="met",
            )
    if len(tables[0]) != 1:
        raise _make_error(path, f"expected one <pre-crawford-table>, got {len(tables[0])}")
    pre_crawford = _read_square(path, tables[0][0])
    post_crawford = _read_post_crawford(path, tables[1], len(pre_crawford))
    _check_monotone(path, pre_crawford, post_crawford)
    name = (root.findtext("info/name") or path.stem).strip()
    description = (root.findtext("info/description") or "").strip()
    pre_crawford.setflags(write=False)
    post_crawford.setflags(write=False)
    return MatchEquityTable(name, description, pre_crawford, post_crawford)


def _parse_xml(path: Path) -> ElementTree.Element:
    """Return the root element; entities and declarations, which could make a parser grow, are refused."""
    from xml.etree import ElementTree  # money games start without it

    try:
        content = read_regular(path, MAX_FILE_BYTES)
    except OSError as error:
        raise _make_error(path, f"cannot be read: {error.strerror}") from error
    try:
        text = _PLAIN_DOCTYPE.sub("", content.decode("utf-8-sig"), count=1)
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise _make_error(path, "expected a plain document type, got declarations")
        return ElementTree.fromstring(text)
    except UnicodeDecodeError as error:
        raise _make_error(path, "expected text in UTF-8") from error
    except (ElementTree.ParseError, ValueError) as error:
        raise _make_error(path, f"expected XML: {error}") from error


def _read_square(path: Path, element: ElementTree.Element) -> NDArray[np.float64]:
    rows = [_read_row(path, row) for row in element.findall("row")]
    if not 2 <= len(rows) <= MAX_TABLE_POINTS:
        raise _make_error(
            path, f"expected 2 to {MAX_TABLE_POINTS} rows before the Crawford game, got {len(rows)}"
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows):
            raise _make_error(path, f"expected {len(rows)} numbers in row {number}, got {len(row)}")
    return np.array(rows)


def _read_post_crawford(path: Path, elements: list[ElementTree.Element], points: int) -> NDArray[np.float64]:
    """Read ``float64[2, n]`` from one row for both seats or one each; the last number may be missing."""
    chances = np.full((2, points), np.nan)
    for element in elements:
        row = _read_row(path, element.find("row"))
        if len(row) == points - 1:
            row.append(_compute_trailer_mwc([1.0, *row], points))
        if len(row) < points:
            raise _make_error(
                path, f"expected {points} numbers in a row after the Crawford game, got {len(row)}"
            )
        player = element.get("player", "both")
        if player not in ("both", "0", "1"):
            raise _make_error(path, f"expected a table for player 0, 1 or both, got '{player}'")
        chances[slice(None) if player == "both" else int(player)] = row[:points]
    if np.isnan(chances).any():
        raise _make_error(path, "expected a table after the Crawford game for each player")
    return chances


def _compute_trailer_mwc(chances: list[float], away: int) -> float:
    """Return the MWC after the Crawford game from those nearer the end: a game for 2 points, or 4."""
    single, gammon = chances[max(away - 2, 0)], chances[max(away - 4, 0)]
    return 0.5 * ((1.0 - GAMMON_RATE) * single + GAMMON_RATE * gammon)


def _read_row(path: Path, element: ElementTree.Element | None) -> list[float]:
    numbers = []
    for cell in [] if element is None else element.findall("me"):
        try:
            number = float(cell.text or "")
        except ValueError:
            number = math.nan
        if not 0.0 <= number <= 1.0:
            raise _make_error(path, f"expected match equities of 0 to 1, got '{cell.text}'")
        numbers.append(number)
    return numbers


def _check_monotone(path: Path, before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
    """Check that equities never grow with the points that a seat still needs, as take points require."""
    if (
        (np.diff(before, axis=0) > 0).any()
        or (np.diff(before, axis=1) < 0).any()
        or (np.diff(after) > 0).any()
    ):
        raise _make_error(path, "expected equities that fall with the points still needed")


def _make_error(path: Path, what: str) -> DataFileError:
    return DataFileError(f"match equity table {path.name}: {what}", field="met")
