"""The game of one client of Barca, and what its commands do that are not those of every game of moves."""

from __future__ import annotations

import numpy as np

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import format_move, parse_move
from gammond.engine.barca.position import SIDES, BarcaPosition, format_square
from gammond.engine.errors import LimitError, ValueRangeError
from gammond.protocol.barca.board_drawing import draw_board, find_forbidden_squares
from gammond.protocol.barca.settings import BarcaSettings
from gammond.protocol.commands.command import Values
from gammond.protocol.commands.move_game import MoveRules, MoveTable, make_legal_replies
from gammond.protocol.core.requests import Answer, Reply, ReplyValue
from gammond.protocol.state.session import Session

SIDE_WORDS = tuple(side.lower() for side in SIDES)
"""The words of the wire for sides 0 and 1."""

MAX_GAME_MOVES = 1000
"""The longest game: reading its moves from one line takes some 35 ms, in which nobody else is served."""


def _describe(game: BarcaGame) -> dict[str, ReplyValue]:
    values: dict[str, ReplyValue] = {
        "position": game.position.to_text(),
        "turn": SIDE_WORDS[game.position.side],
    }
    result = game.result
    if result is None:
        return values
    if result.winner is not None:
        values["winner"] = SIDE_WORDS[result.winner]
    return {**values, "result": result.reason}


def _play(game: BarcaGame, text: str) -> tuple[BarcaGame, str]:
    move = parse_move(text)
    return game.play(move), format_move(move)


def _find_start(game: BarcaGame) -> BarcaGame:
    first = game.history[0]
    return BarcaGame.from_position(BarcaPosition(np.frombuffer(first[:-1], np.int8), first[-1]))


def _check_length(game: BarcaGame, more: int) -> None:
    if len(game.moves) + more > MAX_GAME_MOVES:
        raise LimitError(
            f"expected a game of at most {MAX_GAME_MOVES} moves, got {len(game.moves) + more}: go on "
            "from a later position with 'position RANKS SIDE'"
        )


RULES = MoveRules[BarcaGame](
    start=BarcaGame.start,
    read_position=lambda text: BarcaGame.from_position(BarcaPosition.from_text(text)),
    find_turn=lambda game: game.position.side if game.result is None else None,
    list_moves=lambda game: list(map(format_move, game.legal_moves())),
    play=_play,
    list_played=lambda game: list(map(format_move, game.moves)),
    find_start=_find_start,
    describe=_describe,
    check_length=_check_length,
)


class BarcaTable(MoveTable[BarcaGame]):
    """The game of one client.

    Args:
        session: The client.

    Attributes:
        settings: How its requests are answered.
    """

    rules = RULES

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.settings = BarcaSettings.start(session)


def handle_legal(session: Session, values: Values) -> Answer:
    """List the legal moves, all or those of the animal on a square."""
    game, origin = session.get_table(BarcaTable).require_unfinished(), values["square"]
    if origin is None:
        return make_legal_replies(RULES.list_moves(game))
    if (animal := game.position.find_animal(origin)) is None:
        raise ValueRangeError(
            f"expected a square with an animal, got {format_square(origin)}", field="square"
        )
    feared = find_forbidden_squares(game, animal)
    return make_legal_replies(
        (format_move(move) for move in game.legal_moves() if move.origin == origin),
        {"feared": " ".join(map(format_square, feared))} if feared else {},
    )


def handle_board(session: Session, _: Values) -> Answer:
    """Draw the board."""
    drawn = draw_board(session.get_table(BarcaTable).require_game())
    return [*(Reply("board", line.text, is_final=False, text_key="text") for line in drawn), Reply("boardok")]
