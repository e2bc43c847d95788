"""What is coloured in answers: boards, rolls, losses. Text in, marked pieces out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from protocol.commands.board_drawing import BOARD_COLUMNS, CHECKER_MARKS
from protocol.repl.answers.replies import ERROR_MARK, BoardLine, Mark, MarkedLine, Piece

_ROLL = re.compile(r"(?<![0-9/-])[1-6]-[1-6](?![0-9/-])")
_ROLL_WORDS = ("roll", "start", "play", "move", "Undone", "Redone", "set:")


def paint_line(line: str) -> list[Piece]:
    """Cut a line of an answer into pieces with their marks."""
    if line.startswith(ERROR_MARK):
        return [("failure", line)]
    if isinstance(line, BoardLine):
        return _cut(line, line.marks or _mark_board(line))
    marks: Sequence[Mark] = line.marks if isinstance(line, MarkedLine) else ()
    if not marks and any(word in line for word in _ROLL_WORDS) and "the match" not in line:
        marks = [Mark(found.start(), found.end(), "dice") for found in _ROLL.finditer(line)]
    return _cut(line, marks)


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
