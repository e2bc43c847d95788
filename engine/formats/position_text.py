"""Positions in any form in which programs print them and people paste them, with whatever stands around."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import unquote

from gammond.engine.errors import FormatError, GammondError
from gammond.engine.formats import fibs_board, ogid, snowie, xgid
from gammond.engine.formats.match_id import decode_match_id
from gammond.engine.formats.position_id import ID_LENGTH, decode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import BACKGAMMON, Variant

START = "startpos"
"""The word for the starting position."""

_Found = TypeVar("_Found")


class PositionFormat(NamedTuple):
    """A form of a position and its match state that shows which it is.

    Attributes:
        title: What messages call one, with its article.
        is_written: Whether a text is to be read as one, right or wrong.
        decode: Parses one.
        encode: Writes one.
        describe_reading: Says what was assumed of a valid one that programs write in more than one way; empty
            where nothing was.
        decode_many: Parses many at once: boards ``int8[n, 2, 26]`` and match states, None for a bad one; None
            for a form that is parsed one by one.
    """

    title: str
    is_written: Callable[[str], bool]
    decode: Callable[[str], tuple[Position, MatchState]]
    encode: Callable[[Position, MatchState], str]
    describe_reading: Callable[[str], str] = lambda text: ""
    decode_many: Callable[[Sequence[str]], tuple[Board, list[MatchState | None]]] | None = None


def _decode_fibs(text: str) -> tuple[Position, MatchState]:
    return fibs_board.decode_fibs_board(text)[:2]


FORMATS = {
    "xgid": PositionFormat(
        *("an XGID", xgid.is_xgid, xgid.decode_xgid, xgid.encode_xgid, xgid.describe_reading),
        xgid.decode_xgids,
    ),
    "ogid": PositionFormat(
        "an OGID", ogid.is_ogid, ogid.decode_ogid, ogid.encode_ogid, ogid.describe_reading
    ),
    "fibs": PositionFormat(
        "a FIBS board",
        fibs_board.is_fibs_board,
        _decode_fibs,
        fibs_board.encode_fibs_board,
        fibs_board.describe_reading,
        fibs_board.decode_fibs_boards,
    ),
    "snowie": PositionFormat("Snowie's line", snowie.is_snowie, snowie.decode_snowie, snowie.encode_snowie),
}
"""The forms by their names in commands, each asked before the next; all other texts are read as GNU IDs."""

*_OTHER_TITLES, _LAST_TITLE = (form.title for form in FORMATS.values())
LIST_OF_FORMATS = f"{', '.join(_OTHER_TITLES)} or {_LAST_TITLE}"
"""The forms of `FORMATS` in words."""

_EXPECTED = f"a GNU position ID, 'position ID:match ID', {LIST_OF_FORMATS}"
_PLAIN_ID = re.compile(f"[A-Za-z0-9+/]{{{ID_LENGTH}}}")
_PLAIN_IDS = re.compile("[A-Za-z0-9+/=]+(?:[: ][A-Za-z0-9+/]+)?")
_QUOTES = "\"'`\u00b4\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
_BRACKETS = "()[]{}<>"
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
_WRAPPING = _QUOTES + _BRACKETS + _INVISIBLE + ".,;!?*\\| \t\r\n\v\f\u00a0\u2003\u2009\u202f"
_WORD = rf"[^\s&#?,;!*|\\{re.escape(_QUOTES + _BRACKETS + _INVISIBLE)}]+"
"""What an ID consists of, right or wrong: up to a blank, or a sign that no ID has."""

_MAX_SEARCHED_CHARS = 10_000
"""Of a text that is no position as a whole, one is looked for in the beginning."""

_MAX_ID_CHARS = 80

_SEPARATOR = re.compile("[:=;]")

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


def parse_position(text: str, variant: Variant = BACKGAMMON) -> tuple[Position, MatchState | None]:
    """Parse a position in any form in which programs print it.

    Those are: a GNU position ID, alone, with a match ID after a colon or a blank, or both behind their
    labels, ``GNUbg ID: ...`` or ``Position ID: ... Match ID: ...`` (over two lines too); and `FORMATS`. What
    stands around it is passed over as `find_position` says. `START` is the start
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
    bare = text if xgid.is_xgid(text) else find_position(text) or strip_wrapping(text)
    form = _find_format(bare)
    return form.describe_reading(bare) if form else ""


def list_unkept(text: str) -> list[str]:
    """Name what a valid position says and `parse_position` does not return: the highest cube of an XGID."""
    bare = find_position(text) or strip_wrapping(text)
    return ["highest cube"] if xgid.is_xgid(bare) and xgid.has_highest_cube(bare) else []


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
    if form := _find_format(bare):
        return form.decode(bare)
    if bare.count(":") > 1 and len(bare.split()) == 1:
        return xgid.decode_xgid(bare)
    if len(words) > 2:
        raise FormatError(f"expected {_EXPECTED}, got {bare[:60]!r}", field="position")
    position = decode_position_id(words[0])
    return position, decode_match_id(words[1]) if len(words) == 2 else None


def _find_format(text: str) -> PositionFormat | None:
    name = name_format(text)
    return None if name is None else FORMATS[name]


def name_format(text: str) -> str | None:
    """Return the name of the format of `FORMATS` that a text without anything around it has; None for IDs."""
    return next((name for name, form in FORMATS.items() if form.is_written(text)), None)


def strip_wrapping(text: str) -> str:
    """Return a text, percent-encoding decoded, without quotes, brackets, full stops and blanks around it."""
    if "%" in text:
        for _ in range(2):  # a link in a link is encoded twice
            text = unquote(text) if _PERCENT_ENCODED.search(text) else text
    return text.strip(_WRAPPING)


def find_position(text: str) -> str | None:
    """Return the position that a text holds, for `parse_position`.

    A position may have anything around it, words or a link, if it carries its label (``XGID=``,
    ``Position ID:``), and an XGID without one too; others are the whole text but for quotes, brackets and
    full stops. Right or wrong: the parser says what is wrong with it.

    Args:
        text: One line, or several with one position; of several the first is returned.
    """
    return next(iter(_list_positions(text)), None)


def read_pasted(text: str, parse: Callable[[str], _Found]) -> _Found:
    """Parse a text, or else the one position in it, as `find_position` finds it.

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
    if not _SEPARATOR.search(bare):  # as in no label and no form but a position ID
        return [bare] if len(bare) <= _MAX_ID_CHARS and _BARE_ID.fullmatch(bare) else []
    if found := list(_PREFIXED.finditer(bare)):
        return [f"{each['label']}={_strip_end(each['text'])}" for each in found]
    if found := list(LABELLED_IDS.finditer(bare)):
        return [_strip_end(each[0]) for each in found]
    written = {name for name, form in FORMATS.items() if form.is_written(bare)}
    if not bare.startswith("board:") and not bare[:1].isdigit():  # colons of a sentence
        written.discard("fibs")
    if written - {"xgid"}:
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
