"""Positions as people write and paste them for tools, with the dice behind them."""

from __future__ import annotations

import re

from gammond.engine.errors import FormatError
from gammond.engine.formats.position_text import (
    LIST_OF_FORMATS,
    describe_assumption,
    find_position,
    parse_position,
    strip_wrapping,
)
from gammond.engine.rules.dice import Roll, parse_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON, Variant
from gammond.protocol.repl.answers.checkers import is_checkers, read_checkers

EXPECTED = f"a GNUbg ID, a position ID, {LIST_OF_FORMATS}, or checkers as O 24:2 6:5 X bar:1 6:5"

_END_LENGTH = 12
_TRAILING_DICE = re.compile(r"\s\(?([0-9][\s,-]?[0-9])\)?:?$")
_DICE = re.compile(r"[^0-9A-Za-z]*([0-9])[\s,/-]*([0-9])(?![0-9])")
_NO_DICE = re.compile(r"[\s0,/\[\]()-]*|none|null|nan", re.IGNORECASE)


def parse_text(text: str, variant: Variant = BACKGAMMON) -> tuple[Position, MatchState | None]:
    """Parse a position: a form of `gammond.engine.formats.position_text`, or checkers point by point.

    Args:
        text: One position.
        variant: The game that it is of.

    Raises:
        GammondError: It is none.
    """
    if is_checkers(bare := strip_wrapping(text)):
        position, seat = read_checkers(bare, variant.checkers)
        return position, MatchState(on_roll=seat)
    try:
        return parse_position(text, variant)
    except FormatError as error:
        if find_position(text) is not None:  # it has the looks of one
            raise
        reason = "" if error.message.startswith("expected") else f": {error.message}"
        raise FormatError(
            f"expected a position ({EXPECTED}), got {text[:60]!r}{reason}", field="position"
        ) from None


def describe_reading(text: str) -> str:
    """Say what was assumed of a text that `parse_text` reads, if its form is written in more than one way."""
    return "" if is_checkers(strip_wrapping(text)) else describe_assumption(text)


def split_dice(text: str) -> tuple[str, Roll | None]:
    """Split a line into its position and the dice directly behind it.

    Words around a position with its label are left out; points of checkers are no dice.

    Raises:
        ValueRangeError: A die is not 1..6.
    """
    if " " not in text or is_checkers(text):
        return text, None
    dice = _TRAILING_DICE.search(text)
    bare = text[: dice.start()].rstrip() if dice else text
    found = find_position(bare)
    is_behind = found is None or strip_wrapping(bare).rstrip(":").endswith(found[-_END_LENGTH:])
    return found or bare, parse_roll(dice[1]) if dice and is_behind else None


def parse_dice(text: str) -> Roll | None:
    """Parse the dice of a column: ``31``, ``3-1``, ``3 1``, ``31: 8/5 6/5``; None if it has none.

    Raises:
        FormatError: It is neither.
        ValueRangeError: A die is not 1..6.
    """
    if _NO_DICE.fullmatch(text):
        return None
    if dice := _DICE.match(text):
        return parse_roll(dice[1] + dice[2])
    raise FormatError(f"expected dice such as 31 or 3-1, got {text[:40]!r}", field="dice")
