"""Lines of ``.mat`` text: their match and game, and the cells of a row.

*Source:* the text files of Jellyfish, as GNU Backgammon 1.07, Backgammon Studio and Backgammon Galaxy write
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.errors import FormatError

MAX_LINE_LENGTH = 400

_RIGHT_COLUMN = 12
"""A single cell is in the right column if it begins at least this far after the row's number."""

_MAX_QUOTED_LENGTH = 60
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BLANK_CHARACTERS = " \x00\x1a\x0c"
_HEADER = re.compile(r'\s*;\s*\[([^"]*[^"\s])\s+"(.*)"\s*\]\s*')
_LENGTH = re.compile(r"\s*([0-9]{1,5})[ -]?points? match\b.*", re.IGNORECASE)
_MONEY = re.compile(r"\s*(?:money (?:session|game)|unlimited match)\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+([0-9]{1,6})\s*", re.IGNORECASE)
_SCORE = re.compile(r":\s*([0-9]{1,6})(?!\S)")
_ROW = re.compile(r"\s*[0-9]+\)(.*)")
_CELL = re.compile(
    r"(?<!\S)(?:(?P<dice>[1-6]{2})\s?:|(?P<word>doubles|beavers|takes|drops|wins|losses)\b)", re.IGNORECASE
)

NumberedLine = tuple[int, str]
"""The number of a line in its file, from 1, and its text."""


@dataclass(frozen=True)
class GameLines:
    """The lines of a game.

    Attributes:
        number: The number after the word Game.
        line_number: The number of that line.
        lines: The lines up to the next game.
    """

    number: int
    line_number: int
    lines: list[NumberedLine] = field(default_factory=list)


@dataclass
class MatchLines:
    """The lines of a match, or of a session of money games.

    Attributes:
        length: Points of the match; 0 for money, or if the file does not say.
        headers: Names and values of its comment lines.
        games: Its games in order.
        unrecognised_lines: Lines before the games that are neither headers nor the length.
    """

    length: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    games: list[GameLines] = field(default_factory=list)
    unrecognised_lines: list[NumberedLine] = field(default_factory=list)


@dataclass(frozen=True)
class MatCell:
    """One action as written.

    Attributes:
        seat: The seat of its column.
        keyword: ``doubles``, ``beavers``, ``takes``, ``drops``, ``wins`` or ``losses``; empty for a roll.
        dice: The two digits of a roll, else empty.
        argument: The text after keyword or dice: moves, the cube, points.
        text: The whole cell.
    """

    seat: int
    keyword: str
    dice: str
    argument: str
    text: str


def split_matches(text: str) -> Iterator[MatchLines]:
    """Split a text into matches with games; each begins with its headers or its length."""
    match = MatchLines()
    for number, line in _iterate_lines(text):
        header, length, game = _HEADER.fullmatch(line), _LENGTH.fullmatch(line), _GAME.fullmatch(line)
        is_money = _MONEY.fullmatch(line) is not None
        if (header or length or is_money) and match.games:
            yield match
            match = MatchLines()
        if header:
            match.headers[header[1].strip()] = header[2]
        elif length:
            match.length = int(length[1])
        elif game:
            match.games.append(GameLines(int(game[1]), number))
        elif match.games:
            match.games[-1].lines.append((number, line))
        elif not is_money:
            match.unrecognised_lines.append((number, line))
    if match.games:
        yield match


def parse_score_line(text: str) -> tuple[tuple[str, str], tuple[int, int]]:
    """Parse the line under a game's number: names and scores of seats 0 and 1.

    Raises:
        FormatError: It is another line.
    """
    scores = list(_SCORE.finditer(text))
    if scores and not text[scores[-1].end() :].strip():
        last = scores.pop()
        for first in scores:
            names = text[: first.start()].strip(), text[first.end() : last.start()].strip()
            if all(names):
                return names, (int(first[1]), int(last[1]))
    raise FormatError(f"expected 'NAME : POINTS  NAME : POINTS', got {quote_text(text)}", field="mat")


def parse_cells(text: str) -> list[MatCell]:
    """Parse a row of a game, or the line that names its winner.

    Returns:
        Up to two cells; an empty row has none.

    Raises:
        FormatError: It is another line.
    """
    row = _ROW.fullmatch(text)
    content = row[1] if row else text
    found = list(_CELL.finditer(content))
    ends = [*(each.start() for each in found[1:]), len(content)]
    first = int(len(found) == 1 and found[0].start() >= _RIGHT_COLUMN)
    cells = [
        MatCell(
            seat,
            (each["word"] or "").lower(),
            each["dice"] or "",
            content[each.end() : end].strip(),
            content[each.start() : end].strip(),
        )
        for seat, (each, end) in enumerate(zip(found, ends, strict=False), first)
    ]
    is_known = row is not None or [cell.keyword for cell in cells] in (["wins"], ["losses"])
    if not is_known or len(cells) > 2 or content[: found[0].start() if found else None].strip():
        raise FormatError(f"expected a row of one or two actions, got {quote_text(text)}", field="mat")
    return cells


def quote_text(text: str) -> str:
    """Quote text for a message, shortened."""
    return repr(" ".join(text.split())[:_MAX_QUOTED_LENGTH])


def _iterate_lines(text: str) -> Iterator[NumberedLine]:
    """Yield the lines with content, each cut at `MAX_LINE_LENGTH`, without comments other than headers."""
    for number, line in enumerate(_LINE_BREAK.split(text.removeprefix("\ufeff")), 1):
        bare = line[:MAX_LINE_LENGTH].expandtabs()[:MAX_LINE_LENGTH].rstrip(_BLANK_CHARACTERS)
        if bare.strip() and (not bare.lstrip().startswith(";") or _HEADER.fullmatch(bare)):
            yield number, bare
