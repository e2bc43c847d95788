"""How SGF for backgammon (GM[6]) names points and plays, in GNU Backgammon's form.

White is seat 0, Black seat 1. Points are letters in White's numbering, ``a`` White's ace point, ``x`` its 24
point; ``y`` is the bar and ``z`` off, for both.

*Source:* files that gnubg 1.07.001 and 1.08.003 wrote.
"""

from __future__ import annotations

import re

import numpy as np

from gammond.engine.match_files.model import ANNOTATOR
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import CheckerMove
from gammond.engine.rules.position import (
    BAR,
    CHECKERS,
    OFF,
    Board,
    Position,
    count_checkers,
    fill_borne_off,
    swap_sides,
)

HEADERS = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "AN": ANNOTATOR,
    "US": "Transcriber",
    "DT": "EventDate",
}
"""The name of a header by its property."""

COLOURS = ("W", "B")
"""The letter of each seat."""

PLAY_MARKS = {"very bad": ("BM", "2"), "bad": ("BM", "1"), "doubtful": ("DO", "")}
CUBE_MARKS = {"very bad": ("BC", "2"), "bad": ("BC", "1"), "doubtful": ("DC", "")}
"""Property and value of each mark of a play, and of a cube action."""

MORE_RULES, MORE_HEADERS, REJECTED_RESIGNATION, UNPLAYED_ROLL, BY_RESULT = "XR", "XH", "XJ", "XU", "XE"
"""Private properties for what GNU Backgammon's have no place for: ``NoBeavers:CubeLimit1024``; a header as
``Match ID=77`` in each value; ``W2`` for White's offer of a gammon that Black rejected; ``1`` beside dice
with which nothing could be moved, and which were not played either; ``1`` in a game of which only the result
tells how it ended."""

NO_BEAVERS, RACCOONS, AUTOMATIC_DOUBLES, CUBE_LIMIT = "NoBeavers", "Raccoons", "AutomaticDoubles", "CubeLimit"

_BAR, _OFF = "y", "z"
_PLAY = re.compile(r"([1-6])([1-6])((?:[a-z][a-z]){0,4})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,9})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?")
_POINTS = re.compile(r"([a-y])(?::([a-y]))?")


def parse_written_play(text: str, seat: int) -> tuple[Roll, list[CheckerMove]] | None:
    """Parse dice and checker moves: ``31hefe``; None if it is none."""
    found = _PLAY.fullmatch(text.strip())
    if found is None:
        return None
    return (int(found[1]), int(found[2])), parse_moves(found[3], seat)


def parse_moves(letters: str, seat: int) -> list[CheckerMove]:
    """Parse pairs of letters a to z as sources and targets in the mover's numbering."""
    places = [_to_point(letter, seat) for letter in letters]
    return list(zip(places[::2], places[1::2], strict=True))


def format_moves(moves: tuple[CheckerMove, ...], seat: int) -> str:
    """Format checker moves as pairs of letters."""
    return "".join(_to_letter(place, seat) for move in moves for place in move)


def parse_points(values: list[str]) -> list[str]:
    """Parse points, and rectangles of them (``a:y``), as letters; those that are none are left out."""
    letters: list[str] = []
    for value in values:
        if found := _POINTS.fullmatch(value.strip()):
            letters += map(chr, range(ord(found[1]), ord(found[2] or found[1]) + 1))
    return letters


def read_checkers(board: Board, clear: list[str], white: list[str], black: list[str]) -> Board:
    """Change the checkers on a board.

    Args:
        board: ``int8[2, 26]``, White first, each side in its own numbering.
        clear: Points that are cleared first, as letters.
        white: A point for each White checker that is added.
        black: The same of Black.

    Raises:
        PositionError: A side has more checkers than it can have.
    """
    checkers = count_checkers(board[None])
    changed = board.astype(np.int64)
    for letter in clear:
        for seat in (0, 1):
            changed[seat, _to_point(letter, seat)] = 0
    for seat, letters in enumerate((white, black)):
        for letter in letters:
            changed[seat, _to_point(letter, seat)] += 1
    cut: Board = np.minimum(changed, CHECKERS + 1).astype(np.int8)
    fill_borne_off(cut, ("White", "Black"), checkers)
    return cut


def list_checkers(position: Position, on_roll: int) -> tuple[list[str], list[str]]:
    """Return the point of each checker on the board, White's and Black's."""
    board = position.board if on_roll == 0 else swap_sides(position.board)
    return tuple(  # type: ignore[return-value]
        sorted(_to_letter(point, seat) for point in range(1, BAR + 1) for _ in range(int(board[seat, point])))
        for seat in (0, 1)
    )


def parse_numbers(words: list[str]) -> list[float] | None:
    """Parse finite numbers; None if one is none."""
    return [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else None


def _to_point(letter: str, seat: int) -> int:
    if letter in (_BAR, _OFF):
        return BAR if letter == _BAR else OFF
    number = ord(letter) - ord("a") + 1
    return number if seat == 0 else BAR - number


def _to_letter(point: int, seat: int) -> str:
    if point in (BAR, OFF):
        return _BAR if point == BAR else _OFF
    return chr(ord("a") - 1 + (point if seat == 0 else BAR - point))
