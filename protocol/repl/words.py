"""The words that only the REPL has, or that say more here than on the wire; all others are commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.match import MAX_LENGTH
from protocol.arguments import Argument, integer, rest
from protocol.repl.game import Game
from protocol.requests import Control

HINTS = 5
"""How many plays ``hint`` shows."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Word:
    """One row of the table of words.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        act: Does it, given the values of its arguments; returns what to say.
        arguments: What it takes.
    """

    name: str
    summary: str
    act: Callable[[Game, Values, Control], list[str]]
    arguments: tuple[Argument, ...] = ()

    @property
    def usage(self) -> str:
        """The whole line, as ``help`` shows it."""
        return " ".join([self.name, *(argument.usage for argument in self.arguments)])


def _play(game: Game, values: Values, control: Control) -> list[str]:
    text = values["play"]
    return game.take_up(control) if text is None else game.make_play(text, control)


_ROWS = (
    Word(
        "play",
        "alone: play against the engine, on from the position or from the start; with a play: make it",
        _play,
        (
            rest(
                "play", "PLAY", "a play such as '8/5 6/5'; typed alone, it is made as well", is_required=False
            ),
        ),
    ),
    Word(
        "new",
        "begin a game against the engine: the next one, or with a length the first of a match",
        lambda game, values, control: game.deal(control, values["length"]),
        (
            integer(
                "length",
                0,
                MAX_LENGTH,
                "points of a match, 0 for money; left out, the score stays until a match is won",
                shape="LENGTH",
            ),
        ),
    ),
    Word("roll", "roll the dice of the seat on roll", lambda game, _, control: game.roll(control)),
    Word(
        "hint",
        "rank the plays of the roll, with equities and chances",
        lambda game, values, control: game.hint(values["n"], control),
        (integer("n", 1, 10_000, "how many to show", default=HINTS, shape="N"),),
    ),
    Word(
        "undo",
        "take back your last play with the engine's answer, or without a game the last change",
        lambda game, _, control: game.undo(control),
    ),
    Word("board", "draw the board", lambda game, _, __: game.board()),
    Word("score", "show the score", lambda game, _, __: game.score()),
    Word("leave", "end the game against the engine; the position stays", lambda game, _, __: game.leave()),
)

WORDS: dict[str, Word] = {row.name: row for row in _ROWS}
"""The table: name to row, in the order in which ``help`` shows them. A word comes before a command."""
