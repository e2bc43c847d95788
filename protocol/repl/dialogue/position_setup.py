"""Positions set up: pasted in any form, or point by point, ``edit O 24:2 13:5 8:3 6:5 X bar:1 6:5``."""

from __future__ import annotations

from gammond.engine.formats.position_text import (
    START,
    describe_assumption,
    find_position,
    parse_position,
    read_pasted,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position, swap_sides
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.checkers import format_checkers, is_checkers, parse_checkers, read_checkers
from gammond.protocol.repl.answers.sentences import describe_position
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.state.game_state import SEAT_NAMES


def paste_position(game: ReplGame, text: str) -> list[str]:
    """Set up a position in any form.

    Args:
        game: The table; a game that is on is set aside.
        text: The position, with words around it if it has its label.

    Raises:
        GammondError: The text is no position; the table is as it was.
    """
    session, in_match = game.session, game.session.game.match.length > 0
    variant = session.game.rules.variant
    if is_checkers(text):
        position, seat = read_checkers(text, variant.checkers)
        described, *aside = _set_up(game, position)
        if session.game.match.on_roll != seat:
            put_setting(session, find_setting(session, "game.turn"), SEAT_NAMES[seat])
            described = describe_position(session.game)
        return [described, *aside]
    written = find_position(text) or (START if text.lower() == START else text)
    position, match = read_pasted(written, parse_position)
    described, *aside = _set_up(game, variant.adopt_position(position), match)
    assumed = describe_assumption(written)
    remark = [f"{assumed[0].upper()}{assumed[1:]}."] if assumed else []
    if in_match and match is None:
        remark += ["A position ID has no score: match, score and cube are as they were."]
    return [described, *remark, *aside]


def edit_position(game: ReplGame, control: WorkControl, checkers: str | None) -> list[str]:
    """Set up the checkers, or offer those on the table to be changed.

    Args:
        game: The table; a game that is on is set aside.
        control: Stops nothing: this is quick.
        checkers: As `parse_checkers` reads them; None to put those on the board into the next prompt.

    Raises:
        GammondError: The text is malformed, or the position impossible; the table is as it was.
    """
    table = game.session.game
    position = table.position or table.rules.starting_position
    board = position.board if table.match.on_roll == 0 else swap_sides(position.board)
    if checkers is None:
        game.draft = f"edit {format_checkers(board)}"
        return ["Change the line and press Enter; each side counts from its own home:", game.draft]
    count = table.rules.variant.checkers
    edited = parse_checkers(checkers, board, count)
    seen = Position(edited if table.match.on_roll == 0 else swap_sides(edited), count)
    described, *aside = _set_up(game, seen)
    remark = "'dice A B' sets a roll, 'set game.turn p0' or 'p1' gives the turn to O or X."
    return [described, remark, *aside]


def _set_up(game: ReplGame, position: Position, match: MatchState | None = None) -> list[str]:
    """Set up a position; return its description, then what became of the game that was on."""
    aside = game.describe_game()
    game.session.set_position(position, match)
    return [describe_position(game.session.game), *game.leave_for(aside)]
