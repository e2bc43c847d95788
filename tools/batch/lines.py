"""The input of `gammond batch`: lines of text to positions, a block at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from engine.errors import GammondError, LimitError
from engine.formats.position_batch import ParsedPositions, parse_positions
from engine.rules.match import MatchState

MAX_LINE_BYTES = 4096
"""The longest line; a file without line ends must not fill the memory."""

_TRAILING_DICE = re.compile(r"\s[1-6][\s,-]?[1-6]$")
_COMMENT = re.compile(r"(^|\s)#.*")
_COUNT_CHUNK_BYTES = 1 << 20


class PositionLine(NamedTuple):
    """A line with a position.

    Attributes:
        number: Its number in the input, from 1, including comments and blank lines.
        text: Without comment and surrounding blanks; the beginning only where the line is too long.
        error: Why it was refused unread.
    """

    number: int
    text: str
    error: GammondError | None = None


def read_lines(stream: BinaryIO) -> Iterator[PositionLine]:
    """Read the lines that are neither blank nor a comment.

    A comment begins with ``#`` at the start of the line or after a blank. Bytes that are not UTF-8 become the
    replacement character, which no position has.

    Args:
        stream: UTF-8 text, with or without byte order mark; it is read as far as the iterator is.
    """
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            error = LimitError(f"a line has at most {MAX_LINE_BYTES} bytes, this one more", field="position")
            yield PositionLine(number, text.strip(), error)
            continue
        if "#" in text:
            text = _COMMENT.sub("", text)
        text = text.strip()
        if text:
            yield PositionLine(number, text)


def count_lines(path: Path) -> int:
    """Count the lines of a file, including a last one without line end."""
    count, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(_COUNT_CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def decode_lines(
    lines: Sequence[PositionLine], check: Callable[[MatchState], None] = lambda match: None
) -> ParsedPositions:
    """Decode lines, those refused unread included.

    Args:
        lines: n lines.
        check: Raises a GammondError for a match state that is refused.
    """
    found = parse_positions([line.text for line in lines], check)
    for i, error in list(found.errors.items()):
        found.errors[i] = lines[i].error or _explain_error(lines[i].text, error)
    return found


def _explain_error(text: str, error: GammondError) -> GammondError:
    """Explain an error further, where the text of the line allows."""
    if "\ufffd" in text:
        reason = "\ufffd stands for bytes that are not UTF-8"
    elif _TRAILING_DICE.search(text):
        reason = "dice do not belong behind the position"
    else:
        return error
    return type(error)(f"{error.message}; {reason}", field=error.field)
