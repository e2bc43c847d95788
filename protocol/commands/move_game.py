"""A game of moves without dice on the line protocol: its table in a session, and its rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from gammond.engine.errors import GammondError, StateError
from gammond.protocol.commands.command import Command, Values
from gammond.protocol.core.arguments import error_field, rest_argument
from gammond.protocol.core.replies import make_ok_reply
from gammond.protocol.core.requests import Answer, Reply, ReplyValue, Task, Work
from gammond.protocol.state.session import Session
from gammond.protocol.state.undoable_table import UndoableTable

GameT = TypeVar("GameT")
"""A game that never changes: each move makes another."""

START_WORD = "startpos"
"""The starting position, for ``position``."""

_MOVES_WORD = "moves"


class MoveTable(UndoableTable[tuple[GameT | None, int | None]], Generic[GameT]):
    """A game, and how it came about: every change of it can be undone, and the seats come back with it.

    A game that inherits it says what its games, moves and positions are; queries ask that without a table.

    Args:
        session: The client.

    Attributes:
        game: The present state; None until one is set up.
        human: The side of a person who plays against the engine; None without such a game.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session.service.limits.undo_steps)
        self.game: GameT | None = None
        self.human: int | None = None

    @staticmethod
    @abstractmethod
    def start_game() -> GameT:
        """Return a game at the starting position."""

    @staticmethod
    @abstractmethod
    def read_position(text: str) -> GameT:
        """Return a game that begins with a position.

        Raises:
            GammondError: It is none.
        """

    @staticmethod
    @abstractmethod
    def find_turn(game: GameT) -> int | None:
        """Return the side to move; None when the game is over."""

    @staticmethod
    @abstractmethod
    def list_moves(game: GameT) -> list[str]:
        """List the legal moves as they are typed; none when the game is over."""

    @staticmethod
    @abstractmethod
    def play_move(game: GameT, text: str) -> tuple[GameT, str]:
        """Return the game after a move, and the move as it is written.

        Raises:
            GammondError: It is no legal move.
        """

    @staticmethod
    @abstractmethod
    def describe_game(game: GameT) -> dict[str, ReplyValue]:
        """Return a game as keys: its ``position`` as `read_position` takes it, the turn, and how it ended."""

    @staticmethod
    @abstractmethod
    def list_played(game: GameT) -> list[str]:
        """List the moves of a game, from the position that was set up."""

    @staticmethod
    @abstractmethod
    def find_start(game: GameT) -> GameT:
        """Return the game before its first move, at the position that was set up."""

    @staticmethod
    def check_length(game: GameT, more: int) -> None:
        """Refuse so many more moves where the game would take too long to read, or does not end by itself.

        Raises:
            LimitError: It gets too long.
        """
        return

    @classmethod
    def parse_game(cls, text: str) -> GameT:
        """Read a position, ``startpos`` or as it is written, with the moves after it if there are any.

        Raises:
            GammondError: It is none, or a move is illegal.
        """
        written, found, moves = text.partition(f" {_MOVES_WORD} ")
        game = cls.start_game() if written.strip() == START_WORD else cls.read_position(written)
        return cls.play_moves(game, moves.split() if found else [])

    @classmethod
    def play_moves(cls, game: GameT, moves: Sequence[str]) -> GameT:
        """Make moves that are written as texts.

        Raises:
            LimitError: The game gets too long.
            GammondError: One is illegal; the message says which.
        """
        cls.check_length(game, len(moves))
        for number, text in enumerate(moves, 1):
            try:
                game, _ = cls.play_move(game, text)
            except GammondError as error:
                raise type(error)(f"move {number}, {text!r}: {error.message}", field=error.field) from error
        return game

    @classmethod
    def write_record(cls, game: GameT) -> str:
        """Return a game as `parse_game` takes it: where it began, and its moves."""
        begin, played = cls.find_start(game), cls.list_played(game)
        written = str(cls.describe_game(begin)["position"])
        if written == cls.describe_game(cls.start_game())["position"]:
            written = START_WORD
        return " ".join([written, *([_MOVES_WORD, *played] if played else [])])

    @property
    def turn(self) -> int | None:
        """The side to move; None without a game, and when it is over."""
        return None if self.game is None else self.find_turn(self.game)

    @property
    def values(self) -> dict[str, ReplyValue]:
        """The game as keys; none without one."""
        return {} if self.game is None else self.describe_game(self.game)

    def push(self, game: GameT | None) -> None:
        """Go on to another state, which `undo` takes back; what was taken back before is gone."""
        self._begin_change()
        self.game = game

    def _describe_step(self) -> tuple[GameT | None, int | None]:
        return self.game, self.human

    def _go_to(self, step: tuple[GameT | None, int | None]) -> None:
        self.game, self.human = step

    def require_game(self) -> GameT:
        """Return the game.

        Raises:
            StateError: There is none.
        """
        if self.game is None:
            raise StateError(
                "no position",
                field="position",
                missing="position",
                advice="send 'newgame' or 'position' first",
            )
        return self.game

    def require_unfinished(self) -> GameT:
        """Return a game that goes on.

        Raises:
            StateError: There is none, or it is over.
        """
        game = self.require_game()
        if self.find_turn(game) is None:
            raise StateError(
                "the game is over",
                field="position",
                missing="game",
                advice="send 'newgame', 'undo' or 'position' first",
            )
        return game


def make_legal_replies(moves: Iterable[str], more: Mapping[str, ReplyValue] | None = None) -> list[Reply]:
    """Return the answer to ``legal``: a line for each move, and the last one with their count and more."""
    lines = [
        Reply("play", values={"number": number, "play": move}, is_final=False)
        for number, move in enumerate(moves, 1)
    ]
    return [*lines, Reply("legal", values={"count": len(lines), **(more or {})})]


def _answer_change(
    table: MoveTable[Any], word: str, game: object, move: Mapping[str, ReplyValue] | None = None
) -> Answer:
    values = table.describe_game(game)
    table.push(game)
    return make_ok_reply(word, {**(move or {}), **values})


def _handle_newgame(table: MoveTable[Any], _: Values) -> Answer:
    return _answer_change(table, "newgame", table.start_game())


def _handle_position(table: MoveTable[Any], values: Values) -> Answer:
    with error_field("text"):
        game = table.parse_game(values["text"])
    return _answer_change(table, "position", game)


def _handle_legal(table: MoveTable[Any], _: Values) -> Answer:
    return make_legal_replies(table.list_moves(table.require_unfinished()))


def _handle_play(table: MoveTable[Any], values: Values) -> Answer:
    game = table.require_unfinished()
    with error_field("play"):
        table.check_length(game, 1)
        game, move = table.play_move(game, values["play"])
    return _answer_change(table, "play", game, {"play": move})


def _handle_undo(table: MoveTable[Any], _: Values) -> Answer:
    table.undo()
    return make_ok_reply("undo", table.values)


def _handle_redo(table: MoveTable[Any], _: Values) -> Answer:
    table.redo()
    return make_ok_reply("redo", table.values)


def make_move_rows(
    make_table: type[MoveTable[Any]],
    plan_move: Callable[[Session, str], Task[str]],
    *,
    game: str,
    result: str,
    position: tuple[str, str],
    example: str,
) -> tuple[Command, ...]:
    """Return the rows ``newgame``, ``position``, ``legal``, ``go``, ``play``, ``undo`` and ``redo``.

    Args:
        make_table: The class of the game's table.
        plan_move: Plans the choice of a move by the session's player, for ``go`` with what follows the word;
            raises a GammondError where there is none to choose, or people choose it.
        game: The keys of a game, as documentation shows them.
        result: Those of its end.
        position: How a position is written, and what that means.
        example: Moves that begin a game.
    """

    def at_table(handle: Callable[[MoveTable[Any], Values], Answer]) -> Callable[[Session, Values], Answer]:
        return lambda session, values: handle(session.get_table(make_table), values)

    def handle_go(session: Session, values: Values) -> Answer:
        task = plan_move(session, values.get("limits") or "")
        return Work(
            lambda control: [Reply("bestmove", task.run(control), text_key="move")],
            is_long=task.is_long,
            is_quick=not task.is_long,
            deadline_s=task.deadline_s,
        )

    written, meaning = position
    move = example.split()[0]
    return (
        Command(
            "newgame",
            "set up the starting position",
            at_table(_handle_newgame),
            f"ok newgame {game}",
            example=("newgame",),
            standard="UBGI 0.2",
        ),
        Command(
            "position",
            "set up a position, and make moves from it",
            at_table(_handle_position),
            f"ok position {game} {result}",
            (rest_argument("text", f"{START_WORD}|{written} [{_MOVES_WORD} MOVE ...]", meaning),),
            example=(f"position {START_WORD} {_MOVES_WORD} {example}",),
            standard="UBGI 0.2",
            help_group="set up",
        ),
        Command(
            "legal",
            "list the legal moves",
            at_table(_handle_legal),
            "legal count=N",
            data_lines=("play number=N play=MOVE",),
            example=("newgame", "legal"),
        ),
        Command(
            "go",
            "choose a move for the side to move",
            handle_go,
            "bestmove MOVE",
            example=("newgame", "go"),
            standard="UBGI 0.2",
        ),
        Command(
            "play",
            "make a move",
            at_table(_handle_play),
            f"ok play play=MOVE {game} {result}",
            (rest_argument("play", "MOVE", f"a legal move, as {move}"),),
            example=("newgame", f"play {move}"),
        ),
        Command(
            "undo",
            "undo the last move, or position",
            at_table(_handle_undo),
            f"ok undo [{game}]",
            example=("newgame", "undo"),
        ),
        Command(
            "redo",
            "redo what 'undo' undid last",
            at_table(_handle_redo),
            f"ok redo [{game}]",
            example=("newgame", "undo", "redo"),
        ),
    )
