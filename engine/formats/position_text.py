"""Parse a position in any supported format."""

from __future__ import annotations

import re

from engine.errors import FormatError
from engine.formats import fibs_board, ogid, xgid
from engine.formats.fibs_board import decode_fibs_board, is_fibs_board
from engine.formats.match_id import decode_match_id
from engine.formats.ogid import decode_ogid, is_ogid
from engine.formats.pasted_text import LABELLED_IDS, find_position, read_pasted, strip_wrapping
from engine.formats.position_id import ID_LENGTH, decode_position_id
from engine.formats.snowie import decode_snowie, is_snowie
from engine.formats.xgid import decode_xgid, is_xgid
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.rules.rules import BACKGAMMON, Variant

START = "startpos"
"""The word for the starting position."""

_EXPECTED = "a GNU position ID, 'position ID:match ID', an XGID, an OGID, a FIBS board or Snowie's line"
_PLAIN_ID = re.compile(f"[A-Za-z0-9+/]{{{ID_LENGTH}}}")
_PLAIN_IDS = re.compile("[A-Za-z0-9+/=]+(?:[: ][A-Za-z0-9+/]+)?")


def parse_position(text: str, variant: Variant = BACKGAMMON) -> tuple[Position, MatchState | None]:
    """Parse a position in any form in which programs print it.

    Those are: a GNU position ID, alone, with a match ID after a colon or a blank, or both behind their
    labels, ``GNUbg ID: ...`` or ``Position ID: ... Match ID: ...`` (over two lines too); an XGID; an OGID; a
    FIBS board line; Snowie's line of 40 fields. Prefix, labels, colons and semicolons show which it is. What
    stands around it is passed over as `engine.formats.pasted_text.find_position` says. `START` is the start
    of a game.

    Args:
        text: One position.
        variant: The game that it is of, which most forms do not say.

    Returns:
        The position as the player on roll sees it, and the match state if the form has one (a position ID
        alone has none).

    Raises:
        FormatError: The form is unknown, or the text breaks it.
        PositionError: The position is impossible in the variant.
        GammondError: As the parser of the form.
    """
    position, match = read_pasted(text, lambda form: _parse_form(form, variant))
    return variant.adopt_position(position), match


def describe_assumption(text: str) -> str:
    """Say what was assumed of a valid position whose form programs write in more than one way; else empty."""
    if _PLAIN_IDS.fullmatch(text):
        return ""
    bare = text if is_xgid(text) else find_position(text) or strip_wrapping(text)
    if is_xgid(bare):
        return xgid.describe_reading(bare)
    if is_ogid(bare):
        return ogid.describe_reading(bare)
    return fibs_board.describe_reading(bare) if is_fibs_board(bare) else ""


def list_unkept(text: str) -> list[str]:
    """Name what a valid position says and `parse_position` does not return: the highest cube of an XGID."""
    bare = find_position(text) or strip_wrapping(text)
    return ["highest cube"] if is_xgid(bare) and xgid.has_highest_cube(bare) else []


def _parse_form(text: str, variant: Variant) -> tuple[Position, MatchState | None]:
    """Parse a position, of 15 checkers a side if its form does not count them."""
    bare = text.strip()
    if _PLAIN_ID.fullmatch(bare):  # as most positions come; no other form looks like it
        return decode_position_id(bare), None
    if labelled := LABELLED_IDS.fullmatch(bare):
        bare = " ".join(part for part in labelled.group("position", "match") if part)
    if bare == START:
        return variant.starting_position, None
    words = bare.replace(":", " ").split()
    if not words:
        raise FormatError(f"expected {_EXPECTED}, got {bare!r}", field="position")
    if is_xgid(bare):
        return decode_xgid(bare)
    if is_ogid(bare):
        return decode_ogid(bare)
    if is_snowie(bare):
        return decode_snowie(bare)
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
