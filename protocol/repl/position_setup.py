"""``edit``: a position written point by point, ``edit O 24:2 13:5 8:3 6:5 X bar:1 6:5``."""

from __future__ import annotations

from engine.formats.position_id import encode_position_id
from engine.rules.position import Position, swap_sides
from protocol.core.requests import WorkControl
from protocol.repl.checkers import format_checkers, parse_checkers
from protocol.repl.game import ReplGame
from protocol.repl.replies import send_command
from protocol.repl.sentences import describe_position


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
    aside = game.describe_game()
    seen = Position(edited if match.on_roll == 0 else swap_sides(edited))
    send_command(session, f"position gnubgid {encode_position_id(seen)}", control)
    lines = [
        describe_position(session.game),
        "'dice A B' sets a roll, 'set game.turn p0' or 'p1' gives the turn to O or X.",
    ]
    return [*lines, *game.set_aside(aside)]
