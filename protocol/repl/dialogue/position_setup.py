"""Positions set up: pasted in any form, or point by point, ``edit O 24:2 13:5 8:3 6:5 X bar:1 6:5``."""

from __future__ import annotations

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import START, describe_assumption, find_position, parse_position
from gammond.engine.rules.position import Position, swap_sides
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.checkers import format_checkers, is_checkers, parse_checkers, read_checkers
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.repl.answers.sentences import describe_position
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.state.game_state import SEAT_NAMES


def paste_position(game: ReplGame, text: str, control: WorkControl) -> list[str]:
    """Set up a position in any form.

    Args:
        game: The table; a game that is on is set aside.
        text: The position, with words around it if it has its label.
        control: Stops and watches work.

    Raises:
        GammondError: The text is no position; the table is as it was.
    """
    in_match, variant = game.session.game.match.length > 0, game.session.game.rules.variant
    if is_checkers(text):
        return _set_up_checkers(game, *read_checkers(text, variant.checkers), control)
    position = find_position(text) or (START if text.lower() == START else text)
    described, *aside = _set_up(game, position, control)
    assumed = describe_assumption(position)
    remark = [f"{assumed[0].upper()}{assumed[1:]}."] if assumed else []
    if in_match and parse_position(position, variant)[1] is None:
        remark += ["A position ID has no score: match, score and cube are as they were."]
    return [described, *remark, *aside]


def edit_position(game: ReplGame, text: str | None, control: WorkControl) -> list[str]:
    """Set up the checkers, or offer those on the table to be changed.

    Args:
        game: The table; a game that is on is set aside.
        text: The checkers, as `parse_checkers` reads them; None to put them into the next prompt.
        control: Stops and watches work.

    Raises:
        GammondError: The text is malformed, or the position impossible; the table is as it was.
    """
    table = game.session.game
    position = table.position or table.rules.starting_position
    board = position.board if table.match.on_roll == 0 else swap_sides(position.board)
    if text is None:
        game.draft = f"edit {format_checkers(board)}"
        return ["Change the line and press Enter; each side counts from its own home:", game.draft]
    checkers = table.rules.variant.checkers
    edited = parse_checkers(text, board, checkers)
    seen = Position(edited if table.match.on_roll == 0 else swap_sides(edited), checkers)
    described, *aside = _set_up(game, encode_position_id(seen), control)
    remark = "'dice A B' sets a roll, 'set game.turn p0' or 'p1' gives the turn to O or X."
    return [described, remark, *aside]


def _set_up_checkers(game: ReplGame, position: Position, seat: int, control: WorkControl) -> list[str]:
    """Set up checkers for a seat to roll; return what `_set_up` does."""
    described, *aside = _set_up(game, encode_position_id(position), control)
    if game.session.game.match.on_roll != seat:
        send_command(game.session, f"set game.turn {SEAT_NAMES[seat]}", control)
        described = describe_position(game.session.game)
    return [described, *aside]


def _set_up(game: ReplGame, position: str, control: WorkControl) -> list[str]:
    """Set up a position; return its description, then what became of the game that was on."""
    aside = game.describe_game()
    send_command(game.session, f"position gnubgid {position}", control)
    return [describe_position(game.session.game), *game.set_aside(aside)]
