"""The position of a question, as its answers name it: keys of JSON, and a heading of text."""

from __future__ import annotations

from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.repl.answers.checkers import list_ids
from gammond.protocol.repl.answers.sentences import describe_game
from gammond.protocol.state.game_state import SEAT_NAMES, GameState
from gammond.protocol.state.settings import format_seat


def list_position_fields(position: Position, match: MatchState) -> dict[str, object]:
    """Return the IDs of a position, whose turn it is, dice, score and cube, with the keys of the wire."""
    return {
        **list_ids(position, match),
        "turn": SEAT_NAMES[match.on_roll],
        "dice": match.roll,
        "length": match.length,
        "score": match.score,
        "crawford": match.crawford,
        "cube": match.cube,
        "cube_owner": format_seat(match.cube_owner),
    }


def format_heading(position: Position, match: MatchState) -> str:
    """Format turn, dice, score and cube, as in ``X is to play 3-1; O 1, X 2 to 5, cube 1 centred.``."""
    text = describe_game(GameState(position, match))
    return f"{text[0].upper()}{text[1:]}"
