"""Moves of Barca as text."""

from __future__ import annotations

import re

from engine.barca.board import format_square, parse_square
from engine.barca.moves import Move
from engine.errors import FormatError

_MOVE = re.compile(r"([a-j](?:10|[1-9]))[- ]?([a-j](?:10|[1-9]))", re.IGNORECASE | re.ASCII)
_SQUARE = re.compile(r"[a-j](?:10|[1-9])", re.IGNORECASE | re.ASCII)
_LIKE_A_MOVE = re.compile(r"([a-z][0-9]{1,3})[- ]?([a-z][0-9]{1,3})", re.IGNORECASE | re.ASCII)
_SHOWN_CHARACTERS = 40


def format_move(move: Move) -> str:
    """Return a move as text: the square it leaves and the square it goes to, as ``e2-e5``."""
    return f"{format_square(move.origin)}-{format_square(move.target)}"


def parse_move(text: str) -> Move:
    """Read a move: two squares, with a hyphen, a blank or nothing between them, in small or capital letters.

    Whether it is legal is not asked.

    Raises:
        FormatError: The text is no move.
    """
    match = _MOVE.fullmatch(text.strip())
    if not match:
        if like := _LIKE_A_MOVE.fullmatch(text.strip()):
            outside = next(square for square in like.groups() if not _SQUARE.fullmatch(square))
            raise FormatError(
                f"there is no square {outside}: files are a to j, ranks 1 to 10, as in e2-e5", field="move"
            )
        raise FormatError(
            f"expected the squares that an animal leaves and goes to, as in e2-e5, "
            f"got {text[:_SHOWN_CHARACTERS]!r}",
            field="move",
        )
    return Move(parse_square(match[1]), parse_square(match[2]))
