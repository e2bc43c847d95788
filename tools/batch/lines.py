"""The positions that `gammond batch` reads, a block at a time: from lines of text to arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

from gammond.engine.errors import GammondError, LimitError
from gammond.engine.formats.position_batch import ParsedPositions, parse_positions
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON, Variant
from gammond.protocol.repl.answers.checkers import is_checkers
from gammond.tools.common.position_texts import parse_dice, parse_text, split_dice

MAX_LINE_BYTES = 4096
"""The longest line; a file without line ends must not fill the memory."""

PLAIN_COLUMNS = ("id",)
"""The columns of a file that has a position on each line and nothing else."""

_MATCH_LINE = re.compile(rb"\s*Match\s*ID\s*[:=]", re.IGNORECASE)
_POSITION_LINE = re.compile(r"Position\s*ID\s*[:=]", re.IGNORECASE)
_DRAWN_LINE = re.compile(r"[v^<>]?\s*\||[v^<>]?\s*\+-*\d+(?:-+\d+){5}|Pip counts?\b")
"""A line of a board as GNU Backgammon draws it, without the blanks before it."""

_COMMENT = re.compile(r"(^|\s)#.*")
_COUNT_CHUNK_BYTES = 1 << 20


class LineStream(Protocol):
    """A stream of bytes that is read by lines."""

    def readline(self, limit: int, /) -> bytes:
        """Read a line, or as much of it as the limit allows; empty at the end."""
        ...


class PositionLine(NamedTuple):
    """A line with a position.

    Attributes:
        number: Its number in the input, from 1, including comments and blank lines.
        text: The position, without comment and surrounding blanks; the beginning only where it is too long.
        cells: What of the line is carried over to its row: the text, or the cells of a table.
        dice: The dice that stand in a column of their own.
        error: Why it was refused unread.
        comment: What its file says about the position.
        unkept: What else it says that no form of a position has a place for, the comment with it, in words.
    """

    number: int
    text: str
    cells: tuple[object, ...]
    dice: str = ""
    error: GammondError | None = None
    comment: str = ""
    unkept: tuple[str, ...] = ()


def read_lines(stream: LineStream) -> Iterator[PositionLine]:
    """Read the lines that are neither blank nor a comment.

    A comment begins with ``#`` at the start of the line or after a blank. Bytes that are not UTF-8 become the
    replacement character, which no position has. A line ``Match ID: ...`` belongs to the position ID of the
    line before it, as GNU Backgammon prints them; the board that it draws below them is left out.

    Args:
        stream: UTF-8 text, with or without byte order mark; it is read as far as the iterator is.
    """
    number, ahead, may_be_drawn = 0, b"", False
    while raw := ahead or stream.readline(MAX_LINE_BYTES + 1):
        number, ahead = number + 1, b""
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            error = LimitError(f"a line has at most {MAX_LINE_BYTES} bytes, this one more", field="position")
            yield PositionLine(number, text.strip(), (text.strip(),), error=error)
            continue
        if "#" in text:
            text = _COMMENT.sub("", text)
        text = text.strip()
        if not text or (may_be_drawn and _DRAWN_LINE.match(text)):
            continue
        may_be_drawn = ":" in text and _POSITION_LINE.search(text) is not None
        if may_be_drawn:
            ahead = stream.readline(MAX_LINE_BYTES + 1)
            if _MATCH_LINE.match(ahead):
                text += f" {ahead.decode('utf-8', 'replace').strip()}"
                yield PositionLine(number, text, (text,))
                number, ahead = number + 1, b""
                continue
        yield PositionLine(number, text, (text,))


def count_lines(path: Path) -> int:
    """Count the lines of a file, including a last one without line end."""
    count, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(_COUNT_CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def decode_lines(
    lines: Sequence[PositionLine],
    check: Callable[[MatchState], None] = lambda match: None,
    *,
    needs_dice: bool = False,
    variant: Variant = BACKGAMMON,
) -> ParsedPositions:
    """Decode lines, those refused unread included.

    Dice come from a column of their own, else from behind the position, else from the position itself.

    Args:
        lines: n lines.
        check: Raises a GammondError for a match state that is refused.
        needs_dice: Whether dice are of use, so that those that cannot be read are an error.
        variant: The game that they are of.
    """
    texts, behind, refused = [line.text for line in lines], {}, {}
    for place, text in enumerate(texts):
        if " " not in text:
            continue
        try:
            bare, dice = split_dice(text)
            texts[place] = _write_as_xgid(bare, variant)
            if dice:
                behind[place] = dice
        except GammondError as error:
            refused[place] = error
    found = parse_positions(texts, check, variant)
    for place, reason in (found.errors | refused).items():
        found.errors[place] = lines[place].error or _explain_error(texts[place], reason)
        found.is_good[place] = False
    if not needs_dice:
        return replace(found, rolls={})
    found.rolls.update(behind)
    for place, line in enumerate(lines):
        if line.dice and place not in found.errors:
            try:
                if roll := parse_dice(line.dice):
                    found.rolls[place] = roll
            except GammondError as error:
                found.errors[place] = error
                found.is_good[place] = False
    return found


def decode_line(line: PositionLine, variant: Variant = BACKGAMMON) -> tuple[Position, MatchState]:
    """Decode one line as `decode_lines` does, with the offers of its match state.

    Args:
        line: The line.
        variant: The game that its position is of.

    Raises:
        GammondError: It holds no position, or was refused unread.
    """
    if line.error is not None:
        raise line.error
    text, dice = split_dice(line.text)
    position, match = parse_text(text, variant)
    match, dice = match or MatchState(), parse_dice(line.dice) if line.dice else dice
    return position, match.with_roll(dice) if dice else match


def _write_as_xgid(text: str, variant: Variant) -> str:
    """Write checkers point by point as an XGID; all other forms are left as they are."""
    if not is_checkers(text):
        return text
    try:
        position, match = parse_text(text, variant)
    except GammondError:
        return text
    return encode_xgid(position, match or MatchState())


def _explain_error(text: str, error: GammondError) -> GammondError:
    """Explain an error further, where the text of the line allows."""
    if "\ufffd" not in text:
        return error
    return type(error)(f"{error.message}; \ufffd stands for bytes that are not UTF-8", field=error.field)
