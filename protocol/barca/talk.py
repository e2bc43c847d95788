"""The talk about Barca at the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from gammond.engine.barca.game import WIN_REASON, BarcaGame, describe_result
from gammond.engine.barca.kernels.moves import ANIMALS
from gammond.engine.barca.kernels.search import MAX_DEPTH
from gammond.engine.barca.player import DEFAULT_LEVEL, LEVELS
from gammond.engine.barca.position import KINDS, BarcaPosition, format_square, parse_square
from gammond.engine.barca.search import describe_score
from gammond.engine.wording import format_count
from gammond.protocol.barca.board_drawing import DrawnSpan, draw_board
from gammond.protocol.barca.commands import BARCA_COMMANDS
from gammond.protocol.barca.game_commands import BarcaTable
from gammond.protocol.barca.settings import ENGINE_PLAYER, PLAYERS
from gammond.protocol.core.arguments import choice_argument, integer_argument, rest_argument
from gammond.protocol.core.requests import Reply, ReplyValue, WorkControl
from gammond.protocol.repl.answers.replies import BoardLine, Mark, PreformattedLine, send_command
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.move_commands import MOVE_ROWS, set_or_show
from gammond.protocol.repl.dialogue.move_talk import PLAYER_KEY, MoveTalk

_MOVE = re.compile(r"[a-z][0-9]{1,3}(?:[- ]?[a-z](?:[0-9]{1,3})?|[- ])?", re.IGNORECASE | re.ASCII)
_POSITION = re.compile(r"(?:startpos|(?:[elm0-9]+/){9}[elm0-9]+(?:\s+\w+)?)(?:\s+moves\b.*)?", re.IGNORECASE)

_PV_MOVES = 4
"""Moves after the first that a hint shows, if there is room."""

_PV_COLUMN = 24
_MOVE_WIDTH = 8
"""Columns of the longest move, ``a10-j10``, and a blank."""

_SOURCE_KEYS = ("score", "depth", "weights")
"""Keys of an evaluation that are no heuristic."""

_LEVELS = tuple(LEVELS)
_PLAYERS = tuple(each.name for each in PLAYERS)

HINT_DEPTH = LEVELS[DEFAULT_LEVEL].depth
"""How deep hints search, whatever the level of the engine."""


_ROWS: Mapping[str, ReplCommand] = {
    **MOVE_ROWS,
    "hint": replace(
        MOVE_ROWS["hint"],
        run=lambda talk, control, n, depth: talk.show_hint(control, f"{n} depth={depth}"),
        arguments=(
            *MOVE_ROWS["hint"].arguments,
            integer_argument("depth", 1, MAX_DEPTH, "plies of search", default=HINT_DEPTH, is_named=True),
        ),
    ),
    "best": replace(MOVE_ROWS["best"], summary="make the move that 'hint' ranks first, whatever the level"),
    "eval": ReplCommand(
        "eval",
        "say what the position is worth to the side to move, by heuristic, or by a search with its line",
        lambda talk, control, **values: talk.show_evaluation(values, control),
        BARCA_COMMANDS["eval"].arguments,
        help_group="ask",
    ),
    "legal": ReplCommand(
        "legal",
        BARCA_COMMANDS["legal"].summary,
        lambda talk, control, square: talk.show_legal(square, control),
        BARCA_COMMANDS["legal"].arguments,
        help_group="ask",
    ),
    "level": ReplCommand(
        "level",
        "set how strongly the engine plays, or show it",
        lambda talk, control, name: set_or_show(talk, control, "engine.level", name, _LEVELS),
        (choice_argument("name", _LEVELS, "one of the levels", is_required=False),),
        help_group="prefer",
    ),
    "player": ReplCommand(
        "player",
        "set who plays against you: engine, human, random, search:depth=4 ...; or show it",
        lambda talk, control, name: set_or_show(talk, control, PLAYER_KEY, name, _PLAYERS),
        (
            rest_argument(
                "name",
                "NAME",
                f"one of {', '.join(_PLAYERS)}; search and random take options, as in search:depth=4,among=5",
                is_required=False,
                choices=_PLAYERS,
            ),
        ),
        help_group="prefer",
    ),
}


class BarcaTalk(MoveTalk):
    """The talk about Barca.

    Args:
        session: The table, which the person shares with nobody.
    """

    title, sides, rows, make_table = "Barca", ("White", "Black"), _ROWS, BarcaTable
    table: BarcaTable
    rules = (
        "Three of your animals on watering holes, d4 d7 g4 g7, win. Nobody is captured.",
        "Mice (m) move along ranks and files and fear lions; lions (l) along diagonals",
        "and fear elephants; elephants (e) along both and fear mice. White: capitals.",
        "No move may end beside a feared animal; a scared one (!) that can flee must.",
        "A position that comes up for the third time is a draw.",
    )

    def is_move(self, text: str) -> bool:
        """Return whether a line is written as a move, legal or not."""
        return _MOVE.fullmatch(text.strip()) is not None

    def is_position(self, text: str) -> bool:
        """Return whether a line is written as a position, with or without moves after it."""
        return _POSITION.fullmatch(text.strip()) is not None

    def list_setup_lines(self) -> list[str]:
        """List commands that set up the settings and the game again, move by move."""
        begin, _, moves = self.write_record().partition(" moves ")
        settings = asdict(self.table.settings).items()
        return [
            *(f"set engine.{name} {value}" for name, value in settings),
            f"position {begin}",
            *(f"play {move}" for move in moves.split()),
        ]

    def describe_end(self) -> str:
        """Return how the game ended; empty while it lasts."""
        game = self.table.game
        result = None if game is None else game.result
        if result is None or result.winner is None:
            return "" if result is None else describe_result(result)
        return f"{self.say_of(result.winner, 'win')[:-1]}: {WIN_REASON}."

    def describe_strength(self) -> str:
        """Say in a sentence how strongly the engine plays, and how to change that."""
        settings = self.table.settings
        if settings.player != ENGINE_PLAYER:
            return f"The player is {settings.player}, 'player engine' sets the engine."
        others = " or ".join(f"'level {name}'" for name in LEVELS if name != settings.level)
        return f"It plays at level {settings.level}; {others} sets another."

    def find_best_move(self, control: WorkControl) -> str:
        """Return the move that a hint ranks first, whatever the level and the player.

        Raises:
            GammondError: There is no move to choose.
        """
        replies = send_command(self.session, f"moves 1 depth={HINT_DEPTH}", control)
        return next(str(reply.values["play"]) for reply in replies if reply.word == "move")

    def format_hint(self, replies: Sequence[Reply]) -> list[str]:
        """Write ranked moves, each with its score and as many of those that follow as there is room for."""
        *ranked, final = (reply.values for reply in replies if reply.word in ("move", "moves"))
        shown = min(_PV_MOVES, max(0, (self.columns - _PV_COLUMN) // _MOVE_WIDTH))
        lines = [PreformattedLine(f"     move     score     {'and then' if shown else ''}".rstrip())]
        for values in ranked:
            following = " ".join(str(values["pv"]).split()[1 : 1 + shown])
            row = f" {values['rank']:>2}  {values['play']:<8} {_write_score(values):<9} {following}"
            lines.append(PreformattedLine(row.rstrip()))
        legal = format_count(int(final["count"]), "move")
        return [*lines, f"    {final['shown']} of {legal} at {_describe_search(final)}"]

    def show_legal(self, square: int | None, control: WorkControl) -> list[str]:
        """List the legal moves: all, or those of the animal on a square, with the board that shows them."""
        which = "" if square is None else f" {format_square(square)}"
        replies, game = send_command(self.session, f"legal{which}", control), self.table.require_game()
        drawn = [] if square is None else self._draw(game, square)
        return [*drawn, *_format_legal(replies, game.position, self.columns)]

    def show_evaluation(self, values: Mapping[str, Any], control: WorkControl) -> list[str]:
        """Say what the position is worth, by heuristic or by a search."""
        limits = " ".join(f"{name}={value}" for name, value in values.items() if value is not None)
        replies = send_command(self.session, f"eval {limits}".rstrip(), control)
        found, side = replies[-1].values, self.sides[self.table.require_game().position.side]
        head = f"    {_write_score(found)} for {side}, who is to move"
        if "pv" in found:
            return [head, f"    {found['pv']}", f"    {_describe_search(found)}"]
        parts = {name.replace("_", " "): each for name, each in found.items() if name not in _SOURCE_KEYS}
        rows = [f"    {_write_score({'score': each}):>5}  {name}" for name, each in parts.items()]
        return [head, *rows, f"    without look-ahead, weights {found['weights']}"]

    def draw_start(self) -> list[str]:
        """Draw the board as a game begins."""
        return self._draw(BarcaGame.start())

    def show_board(self) -> list[str]:
        """Draw the board; nothing without a game."""
        game = self.table.game
        return [] if game is None else self._draw(game)

    def _draw(self, game: BarcaGame, origin: int | None = None) -> list[str]:
        own = self.table.human or 0
        return [
            BoardLine(line.text, [_mark(part, own) for part in line.parts])
            for line in draw_board(game, self.columns, origin)
        ]

    def list_status(self) -> list[str]:
        """List what the line below the prompt says, the most important first."""
        game, settings = self.table.game, self.table.settings
        engine = f"level {settings.level}" if settings.player == ENGINE_PLAYER else settings.player
        moves = [] if game is None else [f"move {len(game.moves) // 2 + 1}"]
        return [*super().list_status(), engine, *moves, f"weights {settings.weights}"]


def _mark(part: DrawnSpan, own: int) -> Mark:
    """Return the mark of a part of the board: colours of themes, as for backgammon."""
    names = {"hole": "play", "valid": "play", "scared": "failure", "feared": "failure"}
    names |= {"last": "dice", "frame": "frame"}
    sides = {"white": "own" if own == 0 else "other", "black": "other" if own == 0 else "own"}
    return Mark(part.start, part.end, {**names, **sides}[part.what])


def _format_legal(replies: Sequence[Reply], position: BarcaPosition, columns: int) -> list[str]:
    """Write legal moves, a line for each animal with the squares that it goes to."""
    moves = [str(reply.values["play"]).split("-") for reply in replies if reply.word == "play"]
    lines: list[str] = []
    for origin, group in groupby(moves, key=lambda move: move[0]):
        animal = position.find_animal(parse_square(origin))
        assert animal is not None  # else it would have no moves
        head = f"    {origin:<4}{KINDS[animal % ANIMALS // 2]:<10}"
        room = max(1, (columns - len(head)) // 4)
        targets = [target for _, target in group]
        for start in range(0, len(targets), room):
            row = "".join(f"{target:<4}" for target in targets[start : start + room])
            lines.append(PreformattedLine(f"{head if not start else '':<{len(head)}}{row}".rstrip()))
    feared = str(replies[-1].values.get("feared", ""))
    return [
        *lines,
        f"    {format_count(len(moves), 'move')}",
        *([f"    may not go to {feared.replace(' ', ', ')}, which it fears"] if feared else []),
    ]


def _write_score(values: Mapping[str, ReplyValue]) -> str:
    return describe_score(int(values["score"]))


def _describe_search(values: Mapping[str, ReplyValue]) -> str:
    nodes = format_count(int(values["nodes"]), "position")
    return f"depth {values['depth']}, {nodes}, weights {values['weights']}"
