"""Positions as people write them, ``O 24:2 13:5 8:3 6:5 X bar:1 6:5``, and as other programs read them."""

from __future__ import annotations

import re

import numpy as np

from gammond.engine.errors import FormatError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.ogid import encode_ogid
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import BAR, CHECKERS, Board, Position, fill_borne_off, swap_sides
from gammond.protocol.commands.board_drawing import CHECKER_MARKS
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.state.session import Session

_PLACE = re.compile(r"(bar|[0-9]{1,2})(?::([0-9]{1,2}))?", re.IGNORECASE)
_BOTH_SIDES = re.compile(r"(?P<first>[OX])\s+[^OX]*(?!(?P=first))[OX]\b[^OX]*", re.IGNORECASE)
_EXPECTED = "O or X, then points with their numbers of checkers such as 6:5 or bar:1"


def is_checkers(text: str) -> bool:
    """Return whether a text has the looks of the checkers of both sides."""
    return _BOTH_SIDES.fullmatch(text) is not None


def read_checkers(text: str, checkers: int = CHECKERS) -> tuple[Position, int]:
    """Read the checkers of both sides; the side that comes first is on roll.

    Args:
        text: As for `parse_checkers`.
        checkers: How many checkers each side has in the game.

    Returns:
        The position as the side on roll sees it, and its seat.

    Raises:
        GammondError: As `parse_checkers`, or the position is impossible.
    """
    seat = CHECKER_MARKS.index(text[0].upper())
    board = parse_checkers(text, np.zeros((2, 26), np.int8), checkers)
    return Position(board if seat == 0 else swap_sides(board), checkers), seat


def format_checkers(board: Board, first: int = 0) -> str:
    """Write checkers as `parse_checkers` reads them.

    Args:
        board: ``int8[2, 26]``, the checkers of O first.
        first: The seat that is written first.
    """
    sides, rows = [], board.tolist()
    for seat in (first, 1 - first):
        mark, row = CHECKER_MARKS[seat], rows[seat]
        places = [
            f"{'bar' if point == BAR else point}:{row[point]}" for point in range(BAR, 0, -1) if row[point]
        ]
        sides.append(" ".join([mark, *places]))
    return " ".join(sides)


def parse_checkers(text: str, board: Board, checkers: int = CHECKERS) -> Board:
    """Read checkers written point by point.

    Args:
        text: ``O`` or ``X``, then its points in its own numbering, each with a colon and the number of
            checkers (1 if left out); then the other side, if it changes too. What is missing is borne off.
        board: ``int8[2, 26]``, the checkers of O first, for a side that is not mentioned.
        checkers: How many checkers each side has in the game.

    Returns:
        ``int8[2, 26]``, the checkers of O first.

    Raises:
        FormatError: The text is malformed.
        PositionError: A side has more checkers.
    """
    edited, row = np.array(board), -1
    for word in text.split():
        if word.upper() in CHECKER_MARKS:
            row = CHECKER_MARKS.index(word.upper())
            edited[row] = 0
            continue
        place = _PLACE.fullmatch(word)
        point = 0 if place is None else BAR if place[1].lower() == "bar" else int(place[1])
        if row < 0 or place is None or not 1 <= point <= BAR:
            raise FormatError(f"expected {_EXPECTED}, got {word[:40]!r}", field="checkers")
        edited[row, point] += int(place[2] or 1)
    if row < 0:
        raise FormatError(f"expected {_EXPECTED}, got {text[:40]!r}", field="checkers")
    edited[:, 0] = 0
    fill_borne_off(edited, CHECKER_MARKS, checkers)
    return edited


def show_ids(session: Session) -> list[str]:
    """Return the position as other programs read it.

    Raises:
        StateError: There is no position.
    """
    ids = list_ids(session.require_position(), session.game.match)
    lines = [f"GNUbg ID: {ids['gnubgid']}:{ids['matchid']}"]
    lines += [ids["xgid"]] if "xgid" in ids else []
    lines += [f"OGID={ids['ogid']}"] if "ogid" in ids else []
    return [PreformattedLine(line) for line in lines]


def list_ids(position: Position, match: MatchState) -> dict[str, str]:
    """Return the IDs of a position by their names on the wire; XGID and OGID cannot have every offer."""
    ids = {"gnubgid": encode_position_id(position), "matchid": encode_match_id(match)}
    if not match.resigned:
        ids["xgid"] = encode_xgid(position, match)
        if not match.beavered:
            ids["ogid"] = encode_ogid(position, match)
    return ids
