"""``edit``: a position written point by point, ``edit O 24:2 13:5 8:3 6:5 X bar:1 6:5``."""

from __future__ import annotations

import re

import numpy as np

from engine.errors import FormatError
from engine.formats.position_id import encode_position_id
from engine.rules.position import BAR, Board, Position, fill_borne_off, swap_sides
from protocol.commands.board_drawing import CHECKER_MARKS
from protocol.core.requests import WorkControl
from protocol.repl.game import ReplGame
from protocol.repl.replies import send_command
from protocol.repl.sentences import describe_position

_PLACE = re.compile(r"(bar|[0-9]{1,2})(?::([0-9]{1,2}))?", re.IGNORECASE)
_EXPECTED = "O or X, then points with their numbers of checkers such as 6:5 or bar:1"


def edit_position(game: ReplGame, text: str | None, control: WorkControl) -> list[str]:
    """Set up the checkers, or offer those on the table to be changed.

    Args:
        game: The table; a game that is on is set aside.
        text: The checkers, as `parse_checkers` reads them; None to put them into the next prompt.
        control: Stops and watches work.

    Raises:
        GammondError: The text is malformed, or the position impossible; the table is as it was.
    """
    session = game.session
    match = session.game.match
    position = session.game.position or session.game.rules.starting_position
    board = position.board if match.on_roll == 0 else swap_sides(position.board)
    if text is None:
        game.draft = f"edit {format_checkers(board)}"
        return ["Change the line and press Enter; each side counts from its own home:", game.draft]
    edited = parse_checkers(text, board)
    aside = game.describe_running()
    seen = Position(edited if match.on_roll == 0 else swap_sides(edited))
    send_command(session, f"position gnubgid {encode_position_id(seen)}", control)
    lines = [
        describe_position(session.game),
        "'dice A B' sets a roll, 'set game.turn p0' or 'p1' gives the turn to O or X.",
    ]
    return lines if aside is None else [*lines, *game.leave(aside)]


def format_checkers(board: Board) -> str:
    """Write checkers as `parse_checkers` reads them.

    Args:
        board: ``int8[2, 26]``, the checkers of O first.
    """
    sides = []
    for mark, row in zip(CHECKER_MARKS, board.tolist(), strict=True):
        places = [
            f"{'bar' if point == BAR else point}:{row[point]}" for point in range(BAR, 0, -1) if row[point]
        ]
        sides.append(" ".join([mark, *places]))
    return " ".join(sides)


def parse_checkers(text: str, board: Board) -> Board:
    """Read checkers written point by point.

    Args:
        text: ``O`` or ``X``, then its points in its own numbering, each with a colon and the number of
            checkers (1 if left out); then the other side, if it changes too. What is missing is borne off.
        board: ``int8[2, 26]``, the checkers of O first, for a side that is not mentioned.

    Returns:
        ``int8[2, 26]``, the checkers of O first.

    Raises:
        FormatError: The text is malformed.
        PositionError: A side has more than 15 checkers.
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
    fill_borne_off(edited, CHECKER_MARKS)
    return edited
