"""What is coloured: boards, rolls, losses, and the line as it is typed. Text in, marked pieces out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.errors import GammondError
from engine.rules.notation import parse_play
from protocol.commands.board_drawing import BOARD_COLUMNS, CHECKER_MARKS
from protocol.commands.table import COMMANDS
from protocol.repl.answers.replies import ERROR_MARK, BoardLine, Mark, MarkedLine
from protocol.repl.dialogue.commands import ALIASES, REPL_COMMANDS
from protocol.state.game_state import GameState

Piece = tuple[str, str]
"""A mark of `protocol.repl.answers.themes`, empty for none, and text."""

_ROLL = re.compile(r"(?<![0-9/-])[1-6]-[1-6](?![0-9/-])")
_ROLL_WORDS = ("roll", "start", "play", "move", "Undone", "Redone", "set:")
_PLAY_WORDS = re.compile(r"[0-9bB(]")


def paint_line(line: str) -> list[Piece]:
    """Cut a line of an answer into pieces with their marks."""
    if line.startswith(ERROR_MARK):
        return [("failure", line)]
    if isinstance(line, BoardLine):
        return _cut(line, _mark_board(line))
    marks: Sequence[Mark] = line.marks if isinstance(line, MarkedLine) else ()
    if not marks and any(word in line for word in _ROLL_WORDS) and "the match" not in line:
        marks = [Mark(found.start(), found.end(), "dice") for found in _ROLL.finditer(line)]
    return _cut(line, marks)


def paint_input(text: str, game: GameState | None) -> list[Piece]:
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


def _mark_board(line: BoardLine) -> Iterable[Mark]:
    """Mark checkers by whose they are, the frame, and the roll."""
    own = line.own_mark
    for place, character in enumerate(line[:BOARD_COLUMNS] if line.is_drawing else ""):
        if character in CHECKER_MARKS:
            yield Mark(place, place + 1, "own" if character == own else "other")
        elif character in "|+-":
            yield Mark(place, place + 1, "frame")
    notes = BOARD_COLUMNS if line.is_drawing else 0
    if found := re.compile(r"\s*([OX])(?=: |$)").match(line, notes):
        yield Mark(found.start(1), found.end(1), "own" if found[1] == own else "other")
    if found := re.compile(r"rolled ([1-6]-[1-6])").search(line, notes):
        yield Mark(found.start(1), found.end(1), "dice")


def _cut(line: str, marks: Iterable[Mark]) -> list[Piece]:
    pieces: list[Piece] = []
    place = 0
    for mark in marks:
        pieces += [("", line[place : mark.start]), (mark.name, line[mark.start : mark.end])]
        place = mark.end
    return [piece for piece in (*pieces, ("", line[place:])) if piece[1]]
