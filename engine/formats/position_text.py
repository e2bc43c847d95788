"""Reading a position in whichever format it comes."""

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
    """Read a GNU position ID, ``position ID:match ID``, XGID or FIBS board line.

    The format is told by what precedes the text and by its colons. A board line is read in FIBS's own
    dialect. A match ID goes after a colon or a blank.

    Args:
        text: One position.

    Returns:
        The position as the player on roll sees it, and the match state if the format has one (a position ID
        alone has none).

    Raises:
        FormatError: No known format, or an error in one.
        GammondError: What the format's own reader raises.
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
    if bare.startswith("board:") or bare.count(":") > _MIN_FIBS_COLONS:
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
