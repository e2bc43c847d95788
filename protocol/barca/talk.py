"""The talk about Barca at the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from engine.barca.game import describe_result
from engine.barca.kernels.search import MAX_DEPTH
from engine.barca.levels import LEVELS
from engine.barca.notation import format_move
from engine.barca.position import BarcaPosition
from engine.barca.search import describe_score
from protocol.barca.board_drawing import DrawnSpan, draw_board
from protocol.barca.table import ENGINE_PLAYER, BarcaTable
from protocol.core.arguments import choice_argument, integer_argument, rest_argument
from protocol.core.requests import Reply
from protocol.repl.answers.replies import BoardLine, Mark, PreformattedLine
from protocol.repl.dialogue.command import ReplCommand
from protocol.repl.dialogue.move_commands import MOVE_ROWS
from protocol.repl.dialogue.move_talk import MoveTalk
from protocol.state.session import Session

_MOVE = re.compile(r"[a-j](?:10|[1-9])[- ]?(?:[a-j](?:10|[1-9]?)?)?", re.IGNORECASE)
_PV_MOVES = 5


def _write_arguments(values: Mapping[str, Any]) -> str:
    """Write the arguments of a hint as ``moves`` takes them."""
    depth = values["depth"]
    return f"{values['n']}" if depth is None else f"{values['n']} depth={depth}"


_ROWS: Mapping[str, ReplCommand[MoveTalk]] = {
    **MOVE_ROWS,
    "hint": replace(
        MOVE_ROWS["hint"],
        run=lambda talk, values, control: talk.show_hint(_write_arguments(values), control),
        arguments=(
            *MOVE_ROWS["hint"].arguments,
            integer_argument(
                "depth", 1, MAX_DEPTH, "plies of search; default: as deep as the engine plays", is_named=True
            ),
        ),
    ),
    "level": ReplCommand(
        "level",
        "set how strongly the engine plays, or show it",
        lambda talk, values, control: talk.set_or_show("engine.level", values["name"], control),
        (choice_argument("name", tuple(LEVELS), "one of the levels", is_required=False),),
    ),
    "player": ReplCommand(
        "player",
        "set who plays against you: engine, human, random, search:depth=4 ...; or show it",
        lambda talk, values, control: talk.set_or_show("engine.player", values["name"], control),
        (rest_argument("name", "NAME", "the player", is_required=False),),
    ),
}


class BarcaTalk(MoveTalk):
    """The talk about Barca.

    Args:
        session: The table, which the person shares with nobody.
    """

    title, sides, rows = "Barca", ("White", "Black"), _ROWS
    rules = (
        "Three of your animals on watering holes, d4 d7 g4 g7, win. Nobody is captured.",
        "Mice (m) move along ranks and files and fear lions; lions (l) along diagonals",
        "and fear elephants; elephants (e) along both and fear mice. White: capitals.",
        "No move may end beside a feared animal; a scared one (!) that can flee must.",
        "A position that comes up for the third time is a draw.",
    )

    def __init__(self, session: Session) -> None:
        self._barca = session.get_table(BarcaTable)
        super().__init__(session, self._barca)

    @property
    def turn(self) -> int | None:
        """The side to move; None without a game, and when it is over."""
        game = self._barca.game
        return None if game is None or game.result is not None else game.position.side

    def list_moves(self) -> list[str]:
        """List the legal moves as they are typed."""
        game = self._barca.game
        return [] if game is None else [format_move(move) for move in game.legal_moves()]

    def is_move(self, text: str) -> bool:
        """Return whether a line is written as a move, legal or not."""
        return _MOVE.fullmatch(text.strip()) is not None

    def list_setup_lines(self) -> list[str]:
        """List commands that set up the settings and the game again, move by move."""
        game, settings = self._barca.game, self._barca.settings
        assert game is not None  # a game is on
        start = game.history[0]
        first = BarcaPosition.from_valid_squares(np.frombuffer(start[:-1], np.int8), start[-1])
        return [
            *(f"set engine.{name} {value}" for name, value in asdict(settings).items()),
            f"position {first.to_text()}",
            *(f"play {format_move(move)}" for move in game.moves),
        ]

    def describe_end(self) -> str:
        """Return how the game ended; empty while it lasts."""
        game = self._barca.game
        result = None if game is None else game.result
        return "" if result is None else describe_result(result)

    def format_hint(self, replies: Sequence[Reply]) -> list[str]:
        """Write the ranked moves, each with its score and the moves that follow."""
        *ranked, final = (reply for reply in replies if reply.word in ("move", "moves"))
        lines = [PreformattedLine("     move     score     and then")]
        for reply in ranked:
            values = reply.values
            following = " ".join(str(values["pv"]).split()[1:_PV_MOVES])
            score = describe_score(int(values["score"]))
            lines.append(
                PreformattedLine(f" {values['rank']:>2}  {values['play']:<8} {score:<9} {following}")
            )
        about = final.values
        found = f"{about['shown']} of {about['count']} moves at depth {about['depth']}"
        return [*lines, f"    {found}, {int(about['nodes']):,} positions, weights {about['weights']}"]

    def show_board(self) -> list[str]:
        """Draw the board; nothing without a game."""
        game = self._barca.game
        if game is None:
            return []
        own = self.human or 0
        return [
            BoardLine(line.text, marks=[_mark(part, own) for part in line.parts]) for line in draw_board(game)
        ]

    def list_status(self) -> list[str]:
        """List what the line below the prompt says, the most important first."""
        game, settings = self._barca.game, self._barca.settings
        engine = f"level {settings.level}" if settings.player == ENGINE_PLAYER else settings.player
        moves = [] if game is None else [f"move {len(game.moves) // 2 + 1}"]
        return [*super().list_status(), engine, *moves, f"weights {settings.weights}"]


def _mark(part: DrawnSpan, own: int) -> Mark:
    """Return the mark of a part of the board: colours of themes, as for backgammon."""
    names = {"hole": "play", "scared": "failure", "last": "dice", "frame": "frame"}
    sides = {"white": "own" if own == 0 else "other", "black": "other" if own == 0 else "own"}
    return Mark(part.start, part.end, {**names, **sides}[part.what])
