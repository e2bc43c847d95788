"""Lines of ``.mat`` text: their match and game, and the cells of a row.

*Source:* the text files of Jellyfish, as GNU Backgammon 1.07, eXtreme Gammon, Backgammon Studio, Backgammon
Galaxy and GridGammon write them; GNU Backgammon 1.07 shows by its import what ``Set Pos`` and illegal plays
mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import Score
from gammond.engine.match_files.conventions import (
    KEYWORDS,
    NumberedLine,
    find_number,
    iterate_lines,
    quote_text,
)
from gammond.engine.rules.dice import Roll

MAX_LINE_LENGTH = 400

_RIGHT_COLUMN = 12
"""A single cell is in the right column if it begins at least this far after the row's number."""

_HEADER = re.compile(r'\s*[;#]\s*\[([^"]*[^"\s])\s+"(.*)"\s*\]\s*')
_REMARK = re.compile(r"\s*[;#]\s*(.*)")
_SET_POSITION = re.compile(r"Set Pos=([A-Za-z-]{26})/([+-]?[0-9]{1,2})", re.IGNORECASE)
_LENGTH = re.compile(r"\s*([0-9]{1,9})[ -]?points? match\b.*", re.IGNORECASE)
_OTHER_LENGTH = re.compile(
    r"(?=.*\b(?:match|length|points?|pts?)\b)[^0-9;#]*\b([0-9]{1,9})(?:points?|pts?)?\b[^0-9]*", re.IGNORECASE
)
"""Any line before the first game with a single number and a word for what it counts."""

_MONEY = re.compile(r"\s*(?:money (?:session|game)|unlimited match)\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+([0-9]{1,6})\s*", re.IGNORECASE)
_SCORE = re.compile(r":\s*([0-9]{1,6})(?!\S)")
_ROW = re.compile(r"\s*([0-9]{1,6})[).](.*)")
_NAMED_RATING = re.compile(r"(.*\S)\s*,\s*([0-9]{3,4}(?:\.[0-9]{1,4})?)")
_CELL = re.compile(
    r"(?<!\S)(?:(?P<dice>[0-9][- ]?[0-9])(?:\s?:|(?=\s+(?:bar|[0-9]{1,2})/))"
    r"(?:\s*illegal play \((?P<position>[^)]*)\))?"
    rf"|(?P<word>{'|'.join(KEYWORDS)})\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Heading:
    """The line under a game's number; all in the order of the columns.

    Attributes:
        names: Of the players; they may be empty.
        ratings: Of the players; None where there is none.
        score: Their points.
    """

    names: tuple[str, str]
    ratings: tuple[float | None, float | None]
    score: Score

    def swaps(self, names: tuple[str, str]) -> bool:
        """Return whether it has the players of a match the other way round."""
        left, right = (name.casefold() for name in names)
        own_left, own_right = (name.casefold() for name in self.names)
        return own_left == right != left == own_right and bool(left and right)

    def score_of(self, names: tuple[str, str]) -> Score:
        """Return the score in the order of a match's names."""
        return self.score[::-1] if self.swaps(names) else self.score


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

    @property
    def heading_line(self) -> NumberedLine:
        """The line under its number; empty, at that of its number, if it has but comments."""
        own = (line for line in self.lines if parse_remark(line[1]) is None)
        return next(own, (self.line_number, ""))


@dataclass
class MatchLines:
    """The lines of a match, or of a session of money games.

    Attributes:
        length: Points of the match; 0 for money, None if the file does not say.
        headers: Names and values of its comment lines.
        games: Its games in order.
        remarks: Comment lines before the games that are no headers.
        unrecognised_lines: Lines before the games that are none of these.
    """

    length: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    games: list[GameLines] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unrecognised_lines: list[NumberedLine] = field(default_factory=list)


@dataclass(frozen=True)
class MatRow:
    """A row of a game, or the line that names its winner.

    Attributes:
        number: The number in front of it, as written; empty where there is none.
        cells: Up to two.
        blanks: Blanks in front of each cell; empty where a name says whose the only one is.
    """

    number: str
    cells: tuple[MatCell, ...]
    blanks: tuple[int, ...] = ()


@dataclass(frozen=True)
class MatCell:
    """One action as written.

    Attributes:
        seat: The seat of its column, or of the name in front of it.
        keyword: ``doubles`` (beavers too), ``takes``, ``drops``, ``wins``, ``losses`` or ``resigns``; empty
            for a roll.
        dice: The two digits of a roll, ``00`` for none, else empty.
        argument: The text after keyword or dice: moves, the cube, points.
        illegal_result: The position after an illegal play, in the format of Snowie; else empty.
    """

    seat: int
    keyword: str
    dice: str
    argument: str
    illegal_result: str = ""

    @property
    def is_play(self) -> bool:
        """Whether it is a roll with what was played."""
        return bool(self.dice and self.argument) and not self.illegal_result and "?" not in self.argument

    @property
    def roll(self) -> Roll:
        """The dice of a roll."""
        return int(self.dice[0]), int(self.dice[1])

    @property
    def points(self) -> int | None:
        """The number behind a keyword; None if there is none."""
        return find_number(self.argument)


def split_matches(text: str) -> Iterator[MatchLines]:
    """Split a text into matches with games; each begins with its headers or its length."""
    match = MatchLines()
    for number, tabbed in iterate_lines(text, MAX_LINE_LENGTH):
        line = tabbed.expandtabs()[:MAX_LINE_LENGTH]
        header, length, game = _HEADER.fullmatch(line), _LENGTH.fullmatch(line), _GAME.fullmatch(line)
        if length is None and not match.games and match.length is None:
            length = _OTHER_LENGTH.fullmatch(line)
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
        elif (remark := parse_remark(line)) is not None:
            match.remarks.append(remark)
        elif is_money:
            match.length = 0
        else:
            match.unrecognised_lines.append((number, line))
    if match.games:
        yield match


def parse_remark(text: str) -> str | None:
    """Return the text of a comment line; None for other lines."""
    found = _REMARK.fullmatch(text)
    return found[1].strip() if found else None


def parse_set_position(remark: str) -> tuple[str, int] | None:
    """Parse a comment that sets the position before a game.

    Returns:
        The first field of an XGID, seen by seat 0; and the power of two of the cube, owned by seat 1 where it
        is positive and by seat 0 where it is negative. None for other comments.
    """
    found = _SET_POSITION.match(remark)
    return (found[1], int(found[2])) if found else None


def parse_heading(text: str) -> Heading:
    """Parse the line under a game's number.

    Raises:
        FormatError: It is another line.
    """
    scores = list(_SCORE.finditer(text))
    if scores and not text[scores[-1].end() :].strip():
        last = scores.pop()
        for is_named in (True, False):
            for first in scores:
                names = text[: first.start()].strip(), text[first.end() : last.start()].strip()
                if all(names) or not is_named:
                    (left, one), (right, other) = map(_split_rating, names)
                    return Heading((left, right), (one, other), (int(first[1]), int(last[1])))
    raise FormatError(f"expected 'NAME : POINTS  NAME : POINTS', got {quote_text(text)}", field="mat")


def _split_rating(name: str) -> tuple[str, float | None]:
    """Split a rating from a name, as in ``name, 1234.5``."""
    found = _NAMED_RATING.fullmatch(name)
    return (found[1], float(found[2])) if found else (name, None)


def parse_row(text: str, names: tuple[str, str] = ("", "")) -> MatRow:
    """Parse a row of a game, with its number or without, or the line that names its winner.

    Args:
        text: The line.
        names: Of the players, one of which may stand in front of what the line says.

    Raises:
        FormatError: It is another line.
    """
    row = _ROW.fullmatch(text)
    number, content = (row[1], row[2]) if row else ("", text)
    found = list(_CELL.finditer(content))
    ends = [*(each.start() for each in found[1:]), len(content)]
    first = int(len(found) == 1 and found[0].start() >= _RIGHT_COLUMN)
    before, is_named = content[: found[0].start() if found else None].strip(), False
    if before and len(found) == 1 and before in names:
        first, before, is_named = names.index(before), "", True
    elif found and not re.search(r"\w", before):
        before = ""
    if before or len(found) > 2 or not (found or row):
        raise FormatError(f"expected a row of one or two actions, got {quote_text(text)}", field="mat")
    cells = (
        MatCell(
            seat,
            KEYWORDS[each["word"].lower()] if each["word"] else "",
            "".join(each["dice"].split()).replace("-", "") if each["dice"] else "",
            content[each.end() : end].strip(),
            each["position"] or "",
        )
        for seat, (each, end) in enumerate(zip(found, ends, strict=False), first)
    )
    fronts = () if is_named else (content[: each.start()] for each in found)
    return MatRow(number, tuple(cells), tuple(len(front) - len(front.rstrip()) for front in fronts))
