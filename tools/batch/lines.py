"""The input of `gammond batch`: lines of text to positions, a block at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import GammondError, LimitError
from engine.formats.position_id import decode_position_ids
from engine.formats.position_text import parse_position
from engine.formats.xgid import decode_xgid, decode_xgids, encode_xgid
from engine.rules.match import MatchState
from engine.rules.position import Board
from engine.rules.rules import STANDARD_RULES

MAX_LINE_BYTES = 4096
"""The longest line; a file without line ends must not fill the memory."""

_TRAILING_DICE = re.compile(r"\s[1-6][\s,-]?[1-6]$")
_COMMENT = re.compile(r"(^|\s)#.*")
_START_XGID_POSITION = encode_xgid(STANDARD_RULES.starting_position, MatchState()).partition(":")[0]
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


@dataclass(frozen=True, eq=False)
class DecodedLines:
    """The positions of a block of n lines.

    Attributes:
        boards: ``int8[n, 2, 26]``.
        is_good: Which lines are positions, ``bool[n]``.
        errors: The error of each other one by its place.
        matches: The different match states, before the roll and without offers; first that of a position ID
            alone: money play, the cube in the middle.
        match_indices: ``int64[n]``: which of them each line has.
    """

    boards: Board
    is_good: NDArray[np.bool_]
    errors: dict[int, GammondError]
    matches: tuple[MatchState, ...]
    match_indices: NDArray[np.int64]


def decode_lines(
    lines: Sequence[PositionLine], check: Callable[[MatchState], None] = lambda match: None
) -> DecodedLines:
    """Decode lines: position IDs all at once, then XGIDs, everything else one by one.

    Args:
        lines: n lines.
        check: Raises a GammondError for a match state that is refused.
    """
    boards, is_good = decode_position_ids([line.text for line in lines])
    known = _MatchTable(check, len(lines))
    others = np.flatnonzero(~is_good)
    if others.size:
        boards[others], is_good[others] = decode_xgids([lines[i].text for i in others.tolist()])
    errors: dict[int, GammondError] = {}
    for i in others.tolist():
        line = lines[i]
        try:
            if line.error is not None:
                raise line.error
            if is_good[i]:
                known.add(i, _decode_xgid_match(line.text.partition(":")[2]))
                continue
            position, match = parse_position(line.text)
            boards[i] = position.board
            if match is not None:
                known.add(i, match)
            is_good[i] = True
        except GammondError as error:
            errors[i] = _explain_error(line.text, error)
            is_good[i] = False
    return DecodedLines(boards, is_good, errors, tuple(known.indices), known.match_indices)


def _explain_error(text: str, error: GammondError) -> GammondError:
    """Explain an error further, where the text of the line allows."""
    if "\ufffd" in text:
        reason = "\ufffd stands for bytes that are not UTF-8"
    elif _TRAILING_DICE.search(text):
        reason = "dice do not belong behind the position"
    else:
        return error
    return type(error)(f"{error.message}; {reason}", field=error.field)


class _MatchTable:
    """The match states of a block: each once, and the index of each line's."""

    def __init__(self, check: Callable[[MatchState], None], lines: int) -> None:
        self._check = check
        self.indices: dict[MatchState, int] = {MatchState(): 0}
        self.match_indices = np.zeros(lines, np.int64)

    def add(self, line: int, match: MatchState) -> None:
        """Add the match state of a line.

        Raises:
            GammondError: It is refused.
        """
        match = _before_roll(match)
        if match not in self.indices:
            self._check(match)
            self.indices[match] = len(self.indices)
        self.match_indices[line] = self.indices[match]


_before_roll = lru_cache(maxsize=4096)(MatchState.before_roll)


@lru_cache(maxsize=4096)
def _decode_xgid_match(tail: str) -> MatchState:
    """Parse all fields of a valid XGID except the first."""
    return decode_xgid(f"{_START_XGID_POSITION}:{tail}")[1]
