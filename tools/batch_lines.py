"""The lines that `gammond batch` reads: positions out of text, a block at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import GammondError, LimitError
from engine.formats.position_id import decode_position_ids
from engine.formats.reading import read_position
from engine.formats.xgid import decode_xgids
from engine.position import Board

MAX_LINE_BYTES = 4096
"""Longer lines are refused, so that a file without line ends does not fill the memory."""

_COMMENT = re.compile(r"(^|\s)#.*")
_COUNT_CHUNK_BYTES = 1 << 20


class Line(NamedTuple):
    """A line that should hold a position.

    Attributes:
        number: Its number in the input, from 1, comments and blank lines counted.
        text: Without comment and surrounding blanks; the beginning only where the line is too long.
        error: Why it was refused unread.
    """

    number: int
    text: str
    error: GammondError | None = None


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """Read the lines that are neither blank nor comment.

    A comment begins with ``#`` at the start of the line or after a blank. Bytes that are not UTF-8 become the
    replacement character, and so an unreadable position.

    Args:
        stream: UTF-8 text, with or without byte order mark; it is read as far as the iterator is.
    """
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            _skip_line(stream)
            error = LimitError(f"a line has at most {MAX_LINE_BYTES} bytes, this one more", field="position")
            yield Line(number, text.strip(), error)
            continue
        if "#" in text:
            text = _COMMENT.sub("", text)
        text = text.strip()
        if text:
            yield Line(number, text)


def _skip_line(stream: BinaryIO) -> None:
    while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass


def count_lines(path: Path) -> int:
    """Count the lines of a file, a last one without line end included."""
    count, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(_COUNT_CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def decode_lines(lines: Sequence[Line]) -> tuple[Board, NDArray[np.bool_], dict[int, GammondError]]:
    """Turn lines into positions: position IDs all at once, then XGIDs, everything else one by one.

    Args:
        lines: n lines.

    Returns:
        ``int8[n, 2, 26]``, which of them are positions (``bool[n]``), and the error of each other one by its
        place.
    """
    boards, is_good = decode_position_ids([line.text for line in lines])
    others = np.flatnonzero(~is_good)
    if others.size:
        boards[others], is_good[others] = decode_xgids([lines[i].text for i in others.tolist()])
    errors: dict[int, GammondError] = {}
    for i in np.flatnonzero(~is_good).tolist():
        refusal = lines[i].error
        if refusal is not None:
            errors[i] = refusal
            continue
        try:
            boards[i] = read_position(lines[i].text)[0].board
            is_good[i] = True
        except GammondError as error:
            errors[i] = error
    return boards, is_good, errors
