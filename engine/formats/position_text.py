"""Parse a position in any supported format."""

from __future__ import annotations

from engine.errors import FormatError
from engine.formats.fibs_board import decode_fibs_board
from engine.formats.match_id import decode_match_id
from engine.formats.position_id import decode_position_id
from engine.formats.xgid import decode_xgid
from engine.rules.match import MatchState
from engine.rules.position import Position

_MIN_FIBS_COLONS = 20


def parse_position(text: str) -> tuple[Position, MatchState | None]:
    """Parse a GNU position ID, ``position ID:match ID``, XGID or FIBS board line.

    Its prefix and its colons show the format. A board line is in FIBS's own dialect. A match ID follows a
    colon or a blank.

    Args:
        text: One position.

    Returns:
        The position as the player on roll sees it, and the match state if the format has one (a position ID
        alone has none).

    Raises:
        FormatError: The format is unknown, or the text breaks it.
        GammondError: As the parser of the format.
    """
    bare = text.strip()
    words = bare.replace(":", " ").split()
    if not words:
        raise FormatError(
            f"expected a GNU position ID, 'position ID:match ID', an XGID or a FIBS board, got {bare!r}",
            field="position",
        )
    if bare[:5].upper() == "XGID=":
        return decode_xgid(bare)
    if is_fibs_board(bare):
        board = decode_fibs_board(bare)
        return board.position, board.match
    if bare.count(":") > 1:
        return decode_xgid(bare)
    if len(words) > 2:
        raise FormatError(
            f"expected a position ID and at most one match ID, got {bare[:60]!r}",
            field="position",
        )
    position = decode_position_id(words[0])
    return position, decode_match_id(words[1]) if len(words) == 2 else None


def is_fibs_board(text: str) -> bool:
    """Return whether a text that is no XGID is to be read as a FIBS board, right or wrong."""
    return text.startswith("board:") or text.count(":") > _MIN_FIBS_COLONS
