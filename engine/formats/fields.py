"""Lines of fields: numbers, dice and points of both sides, and errors that say which field is wrong.

Errors count the fields from 1 and have their names: ``XGID field 2 (cube) is 0 to 12, not 13``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import FormatError, GammondError, UnsupportedError, ValueRangeError
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import BAR, Board

_NUMBER = re.compile("[+-]?[0-9]{1,6}")
_OFFERS = {"resigned": "resignation", "beavered": "beaver", "doubled": "double"}


class Fields(NamedTuple):
    """The fields of a line.

    Attributes:
        form: What errors call the line.
        names: The names of the fields, which are the input fields of errors too.
        texts: The fields; there may be fewer than names.
    """

    form: str
    names: Sequence[str]
    texts: Sequence[str]

    def error(self, place: int, expected: str, kind: type[GammondError] = FormatError) -> GammondError:
        """Return the error for a field, from 0, which ``is`` something else than its text."""
        return self._make_error(place, f"{expected}, not {self.texts[place][:40]!r}", kind)

    def parse_number(self, place: int, lowest: int | None = None, highest: int | None = None) -> int:
        """Parse a number of at most six digits.

        Raises:
            FormatError: It is none.
            ValueRangeError: It is outside the limits.
        """
        if not _NUMBER.fullmatch(self.texts[place]):
            raise self.error(place, "is a number")
        value = int(self.texts[place])
        if (lowest is not None and value < lowest) or (highest is not None and value > highest):
            limits = f"{lowest} or more" if highest is None else f"{lowest} to {highest}"
            raise self._make_error(place, f"is {limits}, not {value}", ValueRangeError)
        return value

    def check_choice(self, place: int, number: int, choices: tuple[int, int]) -> None:
        """Check that a number is one of two.

        Raises:
            ValueRangeError: It is neither.
        """
        if number not in choices:
            expected = f"is {choices[0]} or {choices[1]}, not {number}"
            raise self._make_error(place, expected, ValueRangeError)

    def parse_roll(self, place: int, expected: str) -> Roll:
        """Parse two digits.

        Raises:
            FormatError: It is something else than what is ``expected``.
            ValueRangeError: A die is not 1..6.
        """
        text = self.texts[place]
        if not re.fullmatch("[1-6][1-6]", text):
            raise self.error(
                place, expected, ValueRangeError if re.fullmatch("[0-9]{2}", text) else FormatError
            )
        return int(text[0]), int(text[1])

    def _make_error(self, place: int, expected: str, kind: type[GammondError]) -> GammondError:
        name = self.names[place]
        return kind(f"{self.form} field {place + 1} ({name}) {expected}", field=name)


def read_roll(numbers: Sequence[int], place: int, form: str) -> Roll | None:
    """Return the dice in two fields, which are both 0 before the roll.

    Raises:
        ValueRangeError: A die is not 1..6.
    """
    one, two = numbers[place : place + 2]
    if (one, two) == (0, 0):
        return None
    if not (1 <= one <= 6 and 1 <= two <= 6):
        raise ValueRangeError(
            f"{form} fields {place + 1} and {place + 2} (dice) are 1 to 6 or both 0, not {one} and {two}",
            field="dice",
        )
    return one, two


def list_points(board: Board) -> list[int]:
    """Return 26 points as one side sees them, whose checkers count positive: the other's bar first.

    Args:
        board: ``int8[2, 26]``, that side in row 0.
    """
    points = board[0].astype(np.int64)
    points[1:BAR] -= board[1, BAR - 1 : 0 : -1]
    points[0] = -int(board[1, BAR])
    return [int(count) for count in points]


def place_checkers(points: Sequence[int] | NDArray[np.int64]) -> Board:
    """Return the board of points as `list_points` lists them, without the checkers borne off."""
    counts = np.asarray(points)
    return np.stack([counts.clip(0), (-counts[::-1]).clip(0)]).astype(np.int8)


def check_no_offer(match: MatchState, names: Sequence[str], problem: str) -> None:
    """Check that none of some offers is pending, for which a form has no place.

    Args:
        match: The match state.
        names: Its attributes of the offers.
        problem: The message, with ``{}`` for the offer.

    Raises:
        UnsupportedError: One of them is.
    """
    for name in names:
        if getattr(match, name):
            raise UnsupportedError(problem.format(_OFFERS[name]), field=name)
