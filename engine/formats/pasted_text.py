"""What people paste: positions in any form, and several lines at once."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.formats.ogid import is_ogid
from engine.formats.position_text import LABELLED_IDS, is_fibs_board
from engine.formats.snowie import is_snowie

_QUOTES = "\"'`"
_MATCH_LABEL = re.compile(r"Match\s*ID\s*[:=]\s*(\S+)", re.IGNORECASE)
_PREFIXED = re.compile(r"(?:XGID|OGID)=\S+", re.IGNORECASE)
_BARE_XGID = re.compile(r"[-A-Oa-o]{26}:\S*")
_BARE_ID = re.compile(
    r"[A-Za-z0-9+/]{14}(?:==)?(?:[:\s]\s*[A-Za-z0-9+/]{12})?"
    r"|[A-Za-z0-9+/]{12,16}(?:==)?:\s*[A-Za-z0-9+/]{8,16}"  # a character too few or too many is an error
    r"|(?=\S*[A-Z])(?=\S*[0-9+/])[A-Za-z0-9+/]{12,16}(?:==)?"  # the same; neither word nor play looks so
)


def find_position(text: str) -> str | None:
    """Return the position that a line holds, for `engine.formats.position_text.parse_position`.

    A position may have words around it if it carries its label (``XGID=``, ``Position ID:``); without one it
    is the whole line. Right or wrong: the parser says what is wrong with it.

    Args:
        text: One line.
    """
    for pattern in (_PREFIXED, LABELLED_IDS):
        if found := pattern.search(text):
            return found[0].rstrip(_QUOTES + ".,;")
    bare = text.strip().strip(_QUOTES)
    if text.startswith("board:") or (text[:1].isdigit() and is_fibs_board(bare)):
        return bare
    is_bare = _BARE_XGID.fullmatch(bare) or _BARE_ID.fullmatch(bare) or is_ogid(bare) or is_snowie(bare)
    return bare if is_bare else None


def find_match_id(text: str) -> str | None:
    """Return the match ID of a line that has its label and no position: ``Match ID   : cAkAAAAAAAAA``."""
    found = _MATCH_LABEL.search(text)
    return found[1] if found and find_position(text) is None else None


def split_lines(text: str, is_command: Callable[[str], bool]) -> list[str]:
    """Split what was pasted into lines to be answered one by one.

    Where a position comes with the text around it (a drawn board, an analysis), lines that are neither
    positions nor commands are left out; a match ID joins the position ID before it.

    Args:
        text: What was entered, with line ends.
        is_command: Whether a line is a command or a play.

    Returns:
        Lines without line ends; a text of one line is given back as it is.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return [text]
    if not any(map(find_position, lines)):
        return lines
    found: list[str] = []
    for line in lines:
        match_id, position = find_match_id(line), find_position(line)
        if match_id and found and (before := find_position(found[-1])) and LABELLED_IDS.fullmatch(before):
            found[-1] = f"{before} Match ID: {match_id}"
        elif position or match_id or is_command(line):
            found.append(position or line)
    return found
