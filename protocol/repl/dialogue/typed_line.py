"""The line as it is typed, in backgammon: commands, legal plays, and what is neither yet."""

from __future__ import annotations

import re

from engine.errors import GammondError
from engine.rules.notation import parse_play
from protocol.commands.table import COMMANDS
from protocol.repl.answers.replies import Piece
from protocol.repl.dialogue.commands import ALIASES, REPL_COMMANDS
from protocol.state.game_state import GameState

_PLAY_WORDS = re.compile(r"[0-9bB(]")


def mark_typed_line(text: str, game: GameState | None) -> list[Piece]:
    """Cut a line as it is typed into pieces: commands, legal plays, and what is neither yet.

    Args:
        text: The line.
        game: The table, for what is legal; None where that cannot be told now.
    """
    bare = text.lstrip()
    name = bare.split(" ", 1)[0]
    indent = text[: len(text) - len(bare)]
    if ALIASES.get(name, name) in {**REPL_COMMANDS, **COMMANDS}:
        return [("", indent), ("command", name), ("", bare[len(name) :])]
    if _PLAY_WORDS.match(bare):
        return [("play" if _is_legal(bare, game) else "", text)]
    is_word = any(each.startswith(name) for each in (*REPL_COMMANDS, *ALIASES, *COMMANDS))
    return [("" if is_word else "unknown", text)]


def _is_legal(text: str, game: GameState | None) -> bool:
    if game is None or game.position is None or game.is_over or game.match.roll is None:
        return False
    try:
        parse_play(text, game.position, game.match.roll, game.rules)
    except GammondError:
        return False
    return True
