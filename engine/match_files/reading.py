"""Read match files of any format, which their content shows: the name of a file counts for nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DataFileError, FormatError, GammondError, LimitError
from engine.formats.pasted_text import find_position, split_lines
from engine.formats.position_text import parse_position
from engine.formats.xgid import encode_xgid
from engine.match_files.mat.reader import parse_mat
from engine.match_files.model import MATCH_ADVICE, ONE_POSITION_ADVICE, RecordedMatch, RecordedPosition
from engine.match_files.ogxm.codec import MAGIC as OGXM_MAGIC
from engine.match_files.ogxm.reader import parse_ogxm
from engine.match_files.position_report import (
    MAX_REPORT_POSITIONS,
    is_position_report,
    list_report_xgids,
    parse_position_reports,
)
from engine.match_files.sgf.reader import SGF_SIGN, is_sgf_position, parse_sgf, parse_sgf_positions
from engine.match_files.sites.fibs import FIBS_SIGN, parse_oldmoves
from engine.match_files.sites.gamesgrid import SGG_SIGN, parse_sgg
from engine.match_files.sites.gammon_empire import EMPIRE_SIGN, parse_empire
from engine.match_files.sites.party_gammon import PARTY_SIGN, parse_party
from engine.match_files.sites.truemoney import TMG_SIGN, parse_tmg
from engine.match_files.xg.container import MAGIC as XG_MAGIC
from engine.match_files.xg.position_reader import parse_xgp
from engine.match_files.xg.reader import parse_xg
from engine.rules.match import MatchState
from engine.wording import escape_unprintable

MAX_FILE_BYTES = 20_000_000
"""Larger files are no match files: a long analysed match has some 2 MB."""

_HEAD_BYTES = 1 << 16
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True)
class TextFormat:
    """A format of match files that are text.

    Attributes:
        name: Its name in messages and in `RecordedMatch.format`.
        sign: What is found in every text of this format, and in none of those after it in `TEXT_FORMATS`.
        parse: Reads the matches of a text.
        max_bytes: The largest file; those with an analysis of each move are larger.
    """

    name: str
    sign: re.Pattern[str]
    parse: Callable[[str], tuple[RecordedMatch, ...]]
    max_bytes: int = 4_000_000


TEXT_FORMATS = (
    TextFormat("sgf", SGF_SIGN, parse_sgf, MAX_FILE_BYTES),
    TextFormat("oldmoves", FIBS_SIGN, parse_oldmoves),
    TextFormat("sgg", SGG_SIGN, parse_sgg),
    TextFormat("tmg", TMG_SIGN, parse_tmg),
    TextFormat("party", PARTY_SIGN, parse_party),
    TextFormat("mat", re.compile(r"^[ \t]*Game[ \t]+[0-9]", re.MULTILINE | re.IGNORECASE), parse_mat),
    TextFormat("empire", EMPIRE_SIGN, parse_empire),
)
"""In the order in which they are tried."""


@dataclass(frozen=True)
class BinaryFormat:
    """A format of match files that are no text.

    Attributes:
        name: As `TextFormat.name`.
        signature: The first bytes.
        parse: Reads the matches of a file.
    """

    name: str
    signature: bytes
    parse: Callable[[bytes], tuple[RecordedMatch, ...]]


BINARY_FORMATS = (BinaryFormat("xg", XG_MAGIC, parse_xg), BinaryFormat("ogxm", OGXM_MAGIC, parse_ogxm))


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
    any other text that has them in lines of their own, in a form of `engine.formats.position_text`.

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
    return content.startswith(XG_MAGIC) or is_sgf_position(text) or is_position_report(text)


def list_xgids(content: bytes, found: Sequence[RecordedPosition]) -> list[str]:
    """Return the XGIDs of the positions that `read_positions` found in a content, as it writes them."""
    text = _decode_lines(content)
    written = list_report_xgids(text) if is_position_report(text) else []
    return written or [encode_xgid(each.position, each.match) for each in found]


def recognise_format(content: bytes) -> str | None:
    """Return the name of the format of match files that a content shows; None if it shows none."""
    known = _find_binary_format(content) or _find_text_format(_decode_lines(content))
    return None if known is None else known.name


def _find_binary_format(content: bytes) -> BinaryFormat | None:
    return next((each for each in BINARY_FORMATS if content.startswith(each.signature)), None)


def _find_text_format(text: str) -> TextFormat | None:
    return next((each for each in TEXT_FORMATS if each.sign.search(text)), None)


def _decode_lines(content: bytes) -> str:
    return decode_text(content).replace("\r\n", "\n").replace("\r", "\n")


def _parse(content: bytes) -> tuple[RecordedMatch, ...]:
    if (binary := _find_binary_format(content)) is not None:
        return binary.parse(content)
    text = _decode_lines(content)
    if (known := _find_text_format(text)) is not None and not is_sgf_position(text):
        if len(content) > known.max_bytes:
            raise LimitError(
                f"expected at most {known.max_bytes:,} bytes of {known.name}, got {len(content):,}",
                field="file",
            )
        return known.parse(text)
    names = ", ".join([*(each.name for each in TEXT_FORMATS), *(each.name for each in BINARY_FORMATS)])
    got = f"a position: {ONE_POSITION_ADVICE}" if holds_positions(content) else repr(text[:40])
    raise FormatError(f"expected a match file ({names}), got {got}", field="match")


def _parse_positions(content: bytes) -> tuple[RecordedPosition, ...]:
    if content.startswith(XG_MAGIC):
        return (parse_xgp(content),)
    text = _decode_lines(content)
    if is_sgf_position(text):
        return parse_sgf_positions(text)
    if is_position_report(text):
        return parse_position_reports(text)
    if (known := _find_text_format(text)) is not None:
        raise FormatError(
            f"expected a position, got a match file ({known.name}): {MATCH_ADVICE}", field="position"
        )
    found = [position for line in split_lines(text, lambda _: False) if (position := find_position(line))]
    if not found:
        raise FormatError(
            f"expected a line with an XGID or another form of a position, got {text.strip()[:40]!r}",
            field="position",
        )
    parsed = (parse_position(each) for each in found[:MAX_REPORT_POSITIONS])
    return tuple(RecordedPosition(position, match or MatchState()) for position, match in parsed)


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
