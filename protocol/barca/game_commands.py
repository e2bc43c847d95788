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
from gammond.protocol.commands.move_game import MoveTable, make_legal_replies
from gammond.protocol.core.requests import Answer, Reply, ReplyValue
from gammond.protocol.state.session import Session

SIDE_WORDS = tuple(side.lower() for side in SIDES)
"""The words of the wire for sides 0 and 1."""

MAX_GAME_MOVES = 1000
"""The longest game: reading its moves from one line takes some 35 ms, in which nobody else is served."""


class BarcaTable(MoveTable[BarcaGame]):
    """The game of one client.

    Args:
        session: The client.

    Attributes:
        settings: How its requests are answered.
    """

    start_game = staticmethod(BarcaGame.start)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.settings = BarcaSettings.start(session)

    @staticmethod
    def read_position(text: str) -> BarcaGame:
        """Return a game that begins with a position, as ``RANKS SIDE``."""
        return BarcaGame.from_position(BarcaPosition.from_text(text))

    @staticmethod
    def find_turn(game: BarcaGame) -> int | None:
        """Return the side to move; None when the game is over."""
        return game.position.side if game.result is None else None

    @staticmethod
    def list_moves(game: BarcaGame) -> list[str]:
        """List the legal moves."""
        return list(map(format_move, game.legal_moves()))

    @staticmethod
    def play_move(game: BarcaGame, text: str) -> tuple[BarcaGame, str]:
        """Return the game after a move, and the move as it is written."""
        move = parse_move(text)
        return game.play(move), format_move(move)

    @staticmethod
    def describe_game(game: BarcaGame) -> dict[str, ReplyValue]:
        """Return a game as keys: the position, whose turn it is, and how it ended if it did."""
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

    @staticmethod
    def list_played(game: BarcaGame) -> list[str]:
        """List the moves of a game, from the position that was set up."""
        return list(map(format_move, game.moves))

    @staticmethod
    def find_start(game: BarcaGame) -> BarcaGame:
        """Return the game before its first move."""
        first = game.history[0]
        return BarcaGame.from_position(BarcaPosition(np.frombuffer(first[:-1], np.int8), first[-1]))

    @staticmethod
    def check_length(game: BarcaGame, more: int) -> None:
        """Make sure that a game stays short enough with so many more moves."""
        if len(game.moves) + more > MAX_GAME_MOVES:
            raise LimitError(
                f"expected a game of at most {MAX_GAME_MOVES} moves, got {len(game.moves) + more}: go on "
                "from a later position with 'position RANKS SIDE'"
            )


def handle_legal(session: Session, values: Values) -> Answer:
    """List the legal moves, all or those of the animal on a square."""
    game, origin = session.get_table(BarcaTable).require_unfinished(), values["square"]
    if origin is None:
        return make_legal_replies(BarcaTable.list_moves(game))
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
