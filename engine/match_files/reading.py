"""Read match files of any format, which their content shows: the name of a file counts for nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammond.engine.errors import DataFileError, FormatError, GammondError, LimitError
from gammond.engine.formats.position_text import find_position, parse_position, split_lines
from gammond.engine.match_files.conventions import quote_text
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_match
from gammond.engine.match_files.model import (
    MATCH_ADVICE,
    ONE_POSITION_ADVICE,
    RecordedMatch,
    RecordedPosition,
)
from gammond.engine.match_files.ogxm.codec import MAGIC as OGXM_MAGIC
from gammond.engine.match_files.ogxm.codec import load_ogxm
from gammond.engine.match_files.ogxm.reader import parse_ogxm
from gammond.engine.match_files.ogxm.writer import format_ogxm
from gammond.engine.match_files.position_report import (
    MAX_REPORT_POSITIONS,
    has_drawn_boards,
    is_position_report,
    parse_position_reports,
)
from gammond.engine.match_files.sgf.reader import SGF_SIGN, is_sgf_position, parse_sgf, parse_sgf_positions
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.match_files.sites.fibs import FIBS_SIGN, parse_oldmoves
from gammond.engine.match_files.sites.gam import EMPIRE_SIGN, PARTY_SIGN, parse_empire, parse_party
from gammond.engine.match_files.sites.servers import SGG_SIGN, TMG_SIGN, parse_sgg, parse_tmg
from gammond.engine.match_files.xg.container import MAGIC as XG_MAGIC
from gammond.engine.match_files.xg.reader import parse_xg, parse_xgp
from gammond.engine.rules.match import MatchState
from gammond.engine.wording import escape_unprintable

MAX_FILE_BYTES = 20_000_000
"""Larger files are no match files: a long analysed match has some 2 MB."""

_HEAD_BYTES = 1 << 16
_QUOTE_MARKS = re.compile(r"^(?:> ?)+", re.MULTILINE)
_QUOTED_GAME = re.compile(r"^(?:> ?)+[ \t]*Game[ \t]+[0-9]", re.MULTILINE | re.IGNORECASE)
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_ZIP = "a .zip archive or a document packed as one: unpack it, or download it again if it does not open"
_SIGNATURES = (
    (b"PK\x03\x04", _ZIP),
    (b"PK\x05\x06", _ZIP),
    *(
        (sign, "a packed file: unpack it")
        for sign in (b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ")
    ),
    *((sign, "a picture") for sign in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8")),
    (b"%PDF", "a PDF document"),
)
_PAGE_SIGNS = "<!doctype html", "<html"
_SHOWN_CHARS = 1024
_BLANKS = " \t\n\x00\x1a\ufeff"


@dataclass(frozen=True)
class MatchFormat:
    """A format of match files.

    Attributes:
        name: Its name in messages and in `RecordedMatch.format`; files that are written end in it.
        sign: What is found in every text of this format, and in none of those after it in `FORMATS`; of files
            that are no text the first bytes.
        parser: Reads the matches of a text, or of a file that is no text.
        max_bytes: The largest file; those with an analysis of each move are larger.
        writer: Writes a match; None for a format that is only read.
        media_type: Of its files.
        has_analysis: Whether it has a place for analyses.
        check: Checks that it can be written here; else an `UnsupportedError`.
    """

    name: str
    sign: re.Pattern[str] | bytes
    parser: Callable[[Any], tuple[RecordedMatch, ...]]
    max_bytes: int = 4_000_000
    writer: Callable[[RecordedMatch], str | bytes] | None = None
    media_type: str = ""
    has_analysis: bool = True
    check: Callable[[], object] = lambda: None

    def parse(self, content: bytes) -> tuple[RecordedMatch, ...]:
        """Read the matches of a file; text is UTF-8 with line feeds."""
        return self.parser(content if isinstance(self.sign, bytes) else content.decode())

    def write(self, match: RecordedMatch) -> bytes:
        """Write a match."""
        assert self.writer is not None
        written = self.writer(match)
        return written if isinstance(written, bytes) else written.encode()


_GAME_SIGN = re.compile(r"^[ \t]*Game[ \t]+[0-9]", re.MULTILINE | re.IGNORECASE)
_PLAIN, _SGF, _BYTES = (
    "text/plain; charset=utf-8",
    "application/x-go-sgf; charset=utf-8",
    "application/octet-stream",
)

FORMATS = (
    MatchFormat("sgf", SGF_SIGN, parse_sgf, MAX_FILE_BYTES, format_sgf, _SGF),
    MatchFormat("oldmoves", FIBS_SIGN, parse_oldmoves),
    MatchFormat("sgg", SGG_SIGN, parse_sgg),
    MatchFormat("tmg", TMG_SIGN, parse_tmg),
    MatchFormat("party", PARTY_SIGN, parse_party),
    MatchFormat("mat", _GAME_SIGN, parse_mat, writer=format_match, media_type=_PLAIN, has_analysis=False),
    MatchFormat("empire", EMPIRE_SIGN, parse_empire),
    MatchFormat("xg", XG_MAGIC, parse_xg, MAX_FILE_BYTES),
    MatchFormat("ogxm", OGXM_MAGIC, parse_ogxm, MAX_FILE_BYTES, format_ogxm, _BYTES, check=load_ogxm),
)
"""In the order in which texts are tried."""


def read_matches(
    source: bytes | str | os.PathLike[str], *, name: str | None = None, strict: bool = False
) -> tuple[RecordedMatch, ...]:
    """Read all matches of a file.

    What breaks the rules or cannot be read ends its game, and is an issue of its match; all before it stays,
    and the next game is read.

    Args:
        source: The content, or the path of the file.
        name: What messages call it; None for the path.
        strict: Whether the first issue raises an error.

    Returns:
        At least one match.

    Raises:
        DataFileError: The file cannot be opened.
        LimitError: It is larger than `MAX_FILE_BYTES`, packed or unpacked.
        FormatError: It is in no known format, or holds no game; or, if strict, it has a fault: the message
            says in which line, game and move.
    """
    shown, content = _load(source, name)
    with _name_source(shown):
        matches = _parse(content)
    for issue in (issue for match in matches for issue in match.issues if strict):
        raise FormatError(f"{shown}: {issue}", field="match")
    return matches


def read_positions(
    source: bytes | str | os.PathLike[str], *, name: str | None = None
) -> tuple[RecordedPosition, ...]:
    """Read the positions of a file.

    It is an ``.xgp`` file, an ``.sgf`` file in which nothing is done, a text of eXtreme Gammon or BGBlitz, or
    any other text that has them in lines of their own, in a form of `gammond.engine.formats.position_text`.

    Args:
        source: The content, or the path of the file.
        name: What messages call it; None for the path.

    Returns:
        At least one position, with the evaluations beside it.

    Raises:
        DataFileError: The file cannot be opened.
        LimitError: It is larger than `MAX_FILE_BYTES`.
        FormatError: It holds a match, or neither.
        GammondError: A position is impossible.
    """
    shown, content = _load(source, name)
    with _name_source(shown):
        return _parse_positions(content)


def decode_text(content: bytes) -> str:
    """Decode text by its byte order mark; without one it is UTF-8, or else Windows Latin-1."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_head(path: str | os.PathLike[str], most: int = _HEAD_BYTES) -> bytes:
    """Read as much of a file as shows its format, or another number of bytes at most.

    Raises:
        DataFileError: It cannot be opened.
    """
    return _read_file(path, escape_unprintable(os.fspath(path)), most)


def holds_positions(content: bytes) -> bool:
    """Return whether a file, or its beginning, has positions and is no list of them: an ``.xg`` file may."""
    text = _decode_lines(content)
    is_drawn = has_drawn_boards(text)
    return content.startswith(XG_MAGIC) or is_sgf_position(text) or is_position_report(text) or is_drawn


def recognise_format(content: bytes) -> str | None:
    """Return the name of the format of match files that a content shows; None if it shows none."""
    known, _ = _recognise(content)
    return None if known is None else known.name


def _recognise(content: bytes) -> tuple[MatchFormat | None, str]:
    """Return the format of a content, None for what is packed; and its text, empty where it is none."""
    for each in FORMATS:
        if isinstance(each.sign, bytes) and content.startswith(each.sign):
            return each, ""
    text = _decode_lines(content)
    if _name_packed_file(content) is not None:
        return None, text
    signs = ((each, each.sign) for each in FORMATS)
    return next(
        (each for each, sign in signs if isinstance(sign, re.Pattern) and sign.search(text)), None
    ), text


def _decode_lines(content: bytes) -> str:
    """Decode text with line feeds, and without the marks of a match that was quoted in a mail."""
    text = decode_text(content).replace("\r\n", "\n").replace("\r", "\n")
    return _QUOTE_MARKS.sub("", text) if _QUOTED_GAME.search(text) else text


def _parse(content: bytes) -> tuple[RecordedMatch, ...]:
    known, text = _recognise(content)
    if known is not None and not is_sgf_position(text):
        if len(content) > known.max_bytes:
            raise LimitError(
                f"expected at most {known.max_bytes:,} bytes of {known.name}, got {len(content):,}",
                field="file",
            )
        return known.parser(content if isinstance(known.sign, bytes) else text)
    names = ", ".join(each.name for each in FORMATS)
    is_position = holds_positions(content)
    got = f"a position: {ONE_POSITION_ADVICE}" if is_position else _name_other_file(content, text)
    raise FormatError(f"expected a match file ({names}), got {got}", field="match")


def _parse_positions(content: bytes) -> tuple[RecordedPosition, ...]:
    if content.startswith(XG_MAGIC):
        return (parse_xgp(content),)
    known, text = _recognise(content)
    if is_sgf_position(text):
        return parse_sgf_positions(text)
    if is_position_report(text):
        return parse_position_reports(text)
    if known is not None:
        raise FormatError(
            f"expected a position, got a match file ({known.name}): {MATCH_ADVICE}", field="position"
        )
    found = [position for line in split_lines(text, lambda _: False) if (position := find_position(line))]
    if not found:
        got = _name_other_file(content, text)
        raise FormatError(
            f"expected a line with an XGID or another form of a position, got {got}", field="position"
        )
    parsed = (parse_position(each) for each in found[:MAX_REPORT_POSITIONS])
    return tuple(RecordedPosition(position, match or MatchState()) for position, match in parsed)


def _name_packed_file(content: bytes) -> str | None:
    """Return what a file is called whose first bytes show that it is no text; None for others."""
    return next((name for sign, name in _SIGNATURES if content.startswith(sign)), None)


def _name_other_file(content: bytes, text: str) -> str:
    """Return what a file is called in which nothing is found, from its content and this decoded."""
    if (packed := _name_packed_file(content)) is not None:
        return packed
    head = text[:_SHOWN_CHARS].strip(_BLANKS)
    if not head:
        return "an empty file"
    if head.lower().startswith(_PAGE_SIGNS):
        return "a web page, which may stand for a file that needs a login"
    if "\0" in head:
        return "a file that is no text"
    return quote_text(head[:40])


def _load(source: bytes | str | os.PathLike[str], name: str | None) -> tuple[str, bytes]:
    """Return what messages call a source, and its content."""
    shown = escape_unprintable(name or ("the match" if isinstance(source, bytes) else os.fspath(source)))
    content = source if isinstance(source, bytes) else _read_file(source, shown, MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise LimitError(
            f"{shown}: expected at most {MAX_FILE_BYTES:,} bytes, got {len(content):,}", field="file"
        )
    return shown, content


@contextmanager
def _name_source(shown: str) -> Iterator[None]:
    """Begin the messages of errors with what the source is called."""
    try:
        yield
    except GammondError as error:
        raise type(error)(f"{shown}: {escape_unprintable(error.message)}", field=error.field) from None


def _read_file(path: str | os.PathLike[str], shown: str, most: int) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataFileError(f"{shown} cannot be read: {reason}", field="file") from error
