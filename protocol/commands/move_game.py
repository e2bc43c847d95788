"""A game of moves without dice on the line protocol: its table in a session, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True)
class MoveRules(Generic[GameT]):
    """What the games, positions and moves of a game are; queries ask it without a table.

    Attributes:
        start: Returns a game at the starting position.
        read_position: Returns a game that begins with a position; raises a GammondError if it is none.
        find_turn: Returns the side to move; None when the game is over.
        list_moves: Lists the legal moves as they are typed; none when the game is over.
        play: Returns the game after a move, and the move as it is written; raises a GammondError if illegal.
        list_played: Lists the moves of a game, from the position that was set up.
        find_start: Returns the game before these moves.
        describe: Returns a game as keys: ``position`` as `read_position` takes it, turn, and how it ended.
        check_length: Raises a LimitError if so many more moves take too long to read; games that end by
            themselves need none.
    """

    start: Callable[[], GameT]
    read_position: Callable[[str], GameT]
    find_turn: Callable[[GameT], int | None]
    list_moves: Callable[[GameT], list[str]]
    play: Callable[[GameT, str], tuple[GameT, str]]
    list_played: Callable[[GameT], list[str]]
    find_start: Callable[[GameT], GameT]
    describe: Callable[[GameT], dict[str, ReplyValue]]
    check_length: Callable[[GameT, int], None] = lambda game, more: None

    def parse_game(self, text: str) -> GameT:
        """Read a position, ``startpos`` or as it is written, with the moves after it if there are any.

        Raises:
            GammondError: It is none, or a move is illegal.
        """
        written, found, moves = text.partition(f" {_MOVES_WORD} ")
        game = self.start() if written.strip() == START_WORD else self.read_position(written)
        return self.play_all(game, moves.split() if found else [])

    def play_all(self, game: GameT, moves: Sequence[str]) -> GameT:
        """Make moves that are written as texts.

        Raises:
            LimitError: The game gets too long.
            GammondError: One is illegal; the message says which.
        """
        self.check_length(game, len(moves))
        for number, text in enumerate(moves, 1):
            try:
                game, _ = self.play(game, text)
            except GammondError as error:
                raise type(error)(f"move {number}, {text!r}: {error.message}", field=error.field) from error
        return game

    def write_game(self, game: GameT) -> str:
        """Return a game as `parse_game` takes it: where it began, and its moves."""
        begin, start = (self.describe(each)["position"] for each in (self.find_start(game), self.start()))
        played = self.list_played(game)
        return " ".join(
            [START_WORD if begin == start else str(begin), *([_MOVES_WORD, *played] if played else [])]
        )


class MoveTable(UndoableTable[tuple[GameT | None, int | None]], Generic[GameT]):
    """A game, and how it came about: every change of it can be undone, and the seats come back with it.

    Args:
        session: The client.

    Attributes:
        rules: What a game is; each kind of table has its own.
        game: The present state; None until one is set up.
        human: The side of a person who plays against the engine; None without such a game.
    """

    rules: MoveRules[GameT]

    def __init__(self, session: Session) -> None:
        super().__init__(session.service.limits.undo_steps)
        self.game: GameT | None = None
        self.human: int | None = None

    @property
    def turn(self) -> int | None:
        """The side to move; None without a game, and when it is over."""
        return None if self.game is None else self.rules.find_turn(self.game)

    @property
    def values(self) -> dict[str, ReplyValue]:
        """The game as keys; none without one."""
        return {} if self.game is None else self.rules.describe(self.game)

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
        if self.rules.find_turn(game) is None:
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


def _change(table: MoveTable[Any], word: str, game: object, **move: ReplyValue) -> Answer:
    values = {**move, **table.rules.describe(game)}
    table.push(game)
    return make_ok_reply(word, values)


def _handle_position(table: MoveTable[Any], values: Values) -> Answer:
    with error_field("text"):
        game = table.rules.parse_game(values["text"])
    return _change(table, "position", game)


def _handle_play(table: MoveTable[Any], values: Values) -> Answer:
    game = table.require_unfinished()
    with error_field("play"):
        table.rules.check_length(game, 1)
        game, move = table.rules.play(game, values["play"])
    return _change(table, "play", game, play=move)


def _handle_step(
    word: str, go: Callable[[MoveTable[Any]], None]
) -> Callable[[MoveTable[Any], Values], Answer]:
    def handle(table: MoveTable[Any], _: Values) -> Answer:
        go(table)
        return make_ok_reply(word, table.values)

    return handle


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
            at_table(lambda table, _: _change(table, "newgame", table.rules.start())),
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
            at_table(lambda table, _: make_legal_replies(table.rules.list_moves(table.require_unfinished()))),
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
            at_table(_handle_step("undo", MoveTable.undo)),
            f"ok undo [{game}]",
            example=("newgame", "undo"),
        ),
        Command(
            "redo",
            "redo what 'undo' undid last",
            at_table(_handle_step("redo", MoveTable.redo)),
            f"ok redo [{game}]",
            example=("newgame", "undo", "redo"),
        ),
    )
