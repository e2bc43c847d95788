"""The game of one client of Barca, and its commands: position, moves, undo and redo, board."""

from __future__ import annotations

from collections.abc import Sequence

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import Move, format_move, parse_move
from gammond.engine.barca.position import SIDES, BarcaPosition, format_square
from gammond.engine.errors import GammondError, LimitError, StateError, ValueRangeError
from gammond.protocol.barca.board_drawing import draw_board, find_forbidden_squares
from gammond.protocol.barca.settings import BarcaSettings
from gammond.protocol.commands.command import Values
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.replies import make_ok_reply
from gammond.protocol.core.requests import Answer, Reply, ReplyValue
from gammond.protocol.state.move_table import MoveTable
from gammond.protocol.state.session import Session

SIDE_WORDS = tuple(side.lower() for side in SIDES)
"""The words of the wire for sides 0 and 1."""


class BarcaTable(MoveTable[BarcaGame]):
    """The game of one client.

    Args:
        session: The client.

    Attributes:
        settings: How its requests are answered.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session.service.limits.undo_steps)
        self.settings = BarcaSettings.start(session)

    def require_unfinished(self) -> BarcaGame:
        """Return a game that goes on.

        Raises:
            StateError: There is none, or it is over.
        """
        game = self.require_game()
        if game.result is not None:
            raise StateError(
                "the game is over",
                field="position",
                missing="game",
                advice="send 'newgame', 'undo' or 'position' first",
            )
        return game


def game_to_values(game: BarcaGame | None) -> dict[str, ReplyValue]:
    """Return a game as keys: the position, whose turn it is, and how it ended if it did."""
    if game is None:
        return {}
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


START_WORD = "startpos"
_MOVES_WORD = "moves"

MAX_GAME_MOVES = 1000
"""The longest game: reading its moves from one line takes some 35 ms, in which nobody else is served."""


def handle_newgame(session: Session, _: Values) -> Answer:
    """Set up the starting position."""
    game = BarcaGame.start()
    values = game_to_values(game)
    session.get_table(BarcaTable).push(game)
    return make_ok_reply("newgame", values)


def handle_position(session: Session, values: Values) -> Answer:
    """Set up a position, and make moves from it."""
    with error_field("text"):
        game = parse_game(values["text"])
    values = game_to_values(game)
    session.get_table(BarcaTable).push(game)
    return make_ok_reply("position", values)


def parse_game(text: str) -> BarcaGame:
    """Read a position, ``startpos`` or as it is written, with the moves after it if there are any.

    Raises:
        GammondError: It is none, or a move is illegal.
    """
    written, found, moves = text.partition(f" {_MOVES_WORD} ")
    position = BarcaPosition.start() if written.strip() == START_WORD else BarcaPosition.from_text(written)
    return play_moves(BarcaGame.from_position(position), moves.split() if found else [])


def play_moves(game: BarcaGame, moves: Sequence[str]) -> BarcaGame:
    """Make moves that are written as texts.

    Raises:
        LimitError: The game gets too long.
        GammondError: One is illegal; the message says which.
    """
    _check_length(game, len(moves))
    for number, text in enumerate(moves, 1):
        try:
            game = game.play(parse_move(text))
        except GammondError as error:
            raise type(error)(f"move {number}, {text!r}: {error.message}", field=error.field) from error
    return game


def _check_length(game: BarcaGame, more: int) -> None:
    """Make sure that a game stays short enough with so many more moves."""
    if len(game.moves) + more > MAX_GAME_MOVES:
        raise LimitError(
            f"expected a game of at most {MAX_GAME_MOVES} moves, got {len(game.moves) + more}: go on from a "
            "later position with 'position RANKS SIDE'"
        )


def handle_legal(session: Session, values: Values) -> Answer:
    """List the legal moves, all or those of the animal on a square."""
    game, origin = session.get_table(BarcaTable).require_unfinished(), values["square"]
    moves, final = game.legal_moves(), dict[str, ReplyValue]()
    if origin is not None:
        if (animal := game.position.find_animal(origin)) is None:
            raise ValueRangeError(
                f"expected a square with an animal, got {format_square(origin)}", field="square"
            )
        moves = [move for move in moves if move.origin == origin]
        feared = find_forbidden_squares(game, animal)
        final = {"feared": " ".join(map(format_square, feared))} if feared else {}
    lines = [
        Reply("play", values={"number": number, "play": format_move(move)}, is_final=False)
        for number, move in enumerate(moves, 1)
    ]
    return [*lines, Reply("legal", values={"count": len(moves), **final})]


def handle_play(session: Session, values: Values) -> Answer:
    """Make a move."""
    table = session.get_table(BarcaTable)
    game = table.require_unfinished()
    with error_field("play"):
        _check_length(game, 1)
        move: Move = parse_move(values["play"])
        after = game.play(move)
    values = game_to_values(after)
    table.push(after)
    return make_ok_reply("play", {"play": format_move(move), **values})


def handle_undo(session: Session, _: Values) -> Answer:
    """Undo the last change of the game."""
    table = session.get_table(BarcaTable)
    table.undo()
    return make_ok_reply("undo", game_to_values(table.game))


def handle_redo(session: Session, _: Values) -> Answer:
    """Redo what was undone last."""
    table = session.get_table(BarcaTable)
    table.redo()
    return make_ok_reply("redo", game_to_values(table.game))


def handle_board(session: Session, _: Values) -> Answer:
    """Draw the board."""
    drawn = draw_board(session.get_table(BarcaTable).require_game())
    return [*(Reply("board", line.text, is_final=False, text_key="text") for line in drawn), Reply("boardok")]
