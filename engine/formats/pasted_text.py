"""What people paste: a position with whatever stands around it, and several lines at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import unquote

from engine.errors import FormatError, GammondError
from engine.formats.fibs_board import is_fibs_board
from engine.formats.ogid import is_ogid
from engine.formats.snowie import is_snowie

Found = TypeVar("Found")

_QUOTES = "\"'`\u00b4\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
_BRACKETS = "()[]{}<>"
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
_WRAPPING = _QUOTES + _BRACKETS + _INVISIBLE + ".,;!?*\\| \t\r\n\v\f\u00a0\u2003\u2009\u202f"
_WORD = rf"[^\s&#?,;!*|\\{re.escape(_QUOTES + _BRACKETS + _INVISIBLE)}]+"
"""What an ID consists of, right or wrong: up to a blank, or a sign that no ID has."""

_MAX_SEARCHED_CHARS = 10_000
"""Of a text that is no position as a whole, one is looked for in the beginning."""

_MAX_ID_CHARS = 80

_PERCENT_ENCODED = re.compile("%(?:25)?[23][0-9A-Fa-f]")
_MATCH_LABEL = re.compile(rf"Match[\s_-]?ID\s*[:=]\s*({_WORD})", re.IGNORECASE)
_PREFIXED = re.compile(
    rf"(?:XGID\s*=\s*(?=XGID\s*=))?(?P<label>XGID|OGID)\s*[:=]\s*(?P<text>{_WORD})", re.IGNORECASE
)
"""A label may stand twice, as where a link has the ID with its own label as its parameter ``xgid``."""

LABELLED_IDS = re.compile(
    rf"(?:GNU[\s_-]?bg[\s_-]?ID|Position[\s_-]?ID)\s*[:=]\s*(?P<position>{_WORD})"
    rf"(?:[\s,;&]+Match[\s_-]?ID\s*[:=]\s*(?P<match>{_WORD}))?",
    re.IGNORECASE,
)
"""A position ID behind its label, with a match ID behind its own if there is one."""

_BARE_XGID = re.compile(r"[-A-Oa-o]{26}:\S*")
_EMBEDDED_XGID = re.compile(r"(?<![-A-Oa-o])[-A-Oa-o]{26}(?::-?[0-9A-Za-z]{1,6}){8,9}")
_BARE_ID = re.compile(
    r"[A-Za-z0-9+/]{14}(?:==)?(?:[:\s]\s*[A-Za-z0-9+/]{12})?"
    r"|[A-Za-z0-9+/]{12,16}(?:==)?:\s*[A-Za-z0-9+/]{8,16}"  # a character too few or too many is an error
    r"|(?=\S*[A-Z])(?=\S*[0-9+/])[A-Za-z0-9+/]{12,16}(?:==)?"  # the same; neither word nor play looks so
)


def strip_wrapping(text: str) -> str:
    """Return a text, percent-encoding decoded, without quotes, brackets, full stops and blanks around it."""
    if "%" in text:
        for _ in range(2):  # a link in a link is encoded twice
            text = unquote(text) if _PERCENT_ENCODED.search(text) else text
    return text.strip(_WRAPPING)


def find_position(text: str) -> str | None:
    """Return the position that a text holds, for `engine.formats.position_text.parse_position`.

    A position may have anything around it, words or a link, if it carries its label (``XGID=``,
    ``Position ID:``), and an XGID without one too; others are the whole text but for quotes, brackets and
    full stops. Right or wrong: the parser says what is wrong with it.

    Args:
        text: One line, or several with one position; of several the first is returned.
    """
    return next(iter(_list_positions(text)), None)


def read_pasted(text: str, parse: Callable[[str], Found]) -> Found:
    """Parse a text, or else the one position in it.

    Args:
        text: As for `find_position`.
        parse: Parses a form of a position.

    Raises:
        FormatError: The text holds several positions.
        GammondError: As `parse`.
    """
    try:
        return parse(text)
    except GammondError:
        found = list(dict.fromkeys(_list_positions(text[:_MAX_SEARCHED_CHARS])))
        if not found or found[0] == text:
            raise
    if len(found) > 1:
        raise FormatError(
            f"expected one position, got {len(found)}: {' and '.join(found[:2])}", field="position"
        )
    return parse(found[0])


def _list_positions(text: str) -> list[str]:
    bare = strip_wrapping(text)
    if (
        ":" not in bare and "=" not in bare and ";" not in bare
    ):  # as in no label and no form but a position ID
        return [bare] if len(bare) <= _MAX_ID_CHARS and _BARE_ID.fullmatch(bare) else []
    if found := list(_PREFIXED.finditer(bare)):
        return [f"{each['label']}={_strip_end(each['text'])}" for each in found]
    if found := list(LABELLED_IDS.finditer(bare)):
        return [_strip_end(each[0]) for each in found]
    is_board = bare.startswith("board:") or (bare[:1].isdigit() and is_fibs_board(bare))
    if is_board or is_ogid(bare) or is_snowie(bare):
        return [bare]
    if _BARE_XGID.fullmatch(bare) or _BARE_ID.fullmatch(bare):
        return [bare]
    return _EMBEDDED_XGID.findall(bare)


def _strip_end(text: str) -> str:
    """Return a text without the full stops and colons of the sentence that it ends."""
    return text.rstrip(".:")


def find_match_id(text: str) -> str | None:
    """Return the match ID of a line that has its label and no position: ``Match ID   : cAkAAAAAAAAA``."""
    found = _MATCH_LABEL.search(text)
    return _strip_end(found[1]) if found and find_position(text) is None else None


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
