"""The words that only the REPL has, or that say more here than on the wire; all others are commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.levels import LEVELS
from engine.match import MAX_LENGTH, RESULTS
from engine.search import MAX_PLIES
from protocol.arguments import Argument, choice, integer, parse_choice, rest
from protocol.commands import COMMANDS
from protocol.handlers.table import ACTIONS
from protocol.repl import analysis
from protocol.repl.game import Game
from protocol.requests import Control

HINTS = 5
"""How many plays ``hint`` shows."""

AGAINST = "against "
"""What stands before the other player's name, behind ``play``."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Word:
    """One row of the table of words.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        act: Does it, given the values of its arguments; returns what to say.
        arguments: What it takes.
        short: What it takes in a few words, where all of it would be too long for one line.
    """

    name: str
    summary: str
    act: Callable[[Game, Values, Control], list[str]]
    arguments: tuple[Argument, ...] = ()
    short: str = ""

    @property
    def usage(self) -> str:
        """The whole line, as ``help`` shows it."""
        arguments = [self.short] if self.short else [argument.usage for argument in self.arguments]
        return " ".join([self.name, *arguments])


def _play(game: Game, values: Values, control: Control) -> list[str]:
    text = values["play"]
    if text is None:
        return game.take_up(control)
    if text.startswith(AGAINST):
        return game.play_against(text.removeprefix(AGAINST).strip(), control)
    return game.act(text, control) if text in ACTIONS else game.make_play(text, control)


def _action(name: str, summary: str) -> Word:
    """A word that does what ``play`` does with it."""
    return Word(name, summary, lambda game, _, control: game.act(name, control))


def _named(command: str, *names: str) -> tuple[Argument, ...]:
    """Arguments of a command that a word hands on."""
    return tuple(argument for argument in COMMANDS[command].arguments if argument.name in names)


_ROWS = (
    Word(
        "play",
        "alone: play on from the position or from the start, 'against NAME' to choose the other player; "
        "with a play: make it",
        _play,
        (
            rest(
                "play",
                "PLAY",
                "a play such as '8/5 6/5', which typed alone is made as well; or 'against NAME', to play "
                "against that player, whom engine.player is from then on",
                is_required=False,
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
    _action("double", "offer the cube before the roll; 'redouble' is the same"),
    _action("take", "take the double that waits"),
    _action("drop", "give the game up rather than take the double"),
    _action("beaver", "take the double, turn the cube once more and keep it (money play)"),
    Word(
        "resign",
        "offer to lose the game, as a single one if no more is said",
        lambda game, values, control: game.act(f"resign {values['kind']}", control),
        (choice("kind", RESULTS, "what is offered", default=RESULTS[0], is_required=False),),
    ),
    _action("accept", "accept the resignation that is offered"),
    _action("reject", "refuse it and play on"),
    Word(
        "hint",
        "say what is best: the plays of the roll ranked, the cube before it, the answer to an offer",
        lambda game, values, control: analysis.hint(game.session, values, control),
        (
            integer("n", 1, 10_000, "how many plays to show", default=HINTS, shape="N"),
            *_named("moves", "plies", "filter"),
        ),
    ),
    Word(
        "best",
        "do what 'hint' finds best, in your place: a play, a double or a roll, an answer",
        lambda game, _, control: game.best(control),
    ),
    Word(
        "legal",
        "list the plays of the roll, all or those that move a checker from a point",
        lambda game, values, control: analysis.legal(game.session, values["point"], control),
        (replace(*COMMANDS["legal"].arguments, read=str),),
    ),
    Word(
        "cube",
        "say what to do with the cube before the roll",
        lambda game, values, control: analysis.cube(game.session, values, control),
        _named("cube", "plies"),
    ),
    Word(
        "chances",
        "tell your chances after each play, as the other player sees them, or do not",
        lambda game, values, _: game.tell_chances(values["shown"] == "on"),
        (choice("shown", ("on", "off"), "whether they are told", default="on", is_required=False),),
    ),
    Word(
        "matrix",
        "draw what to do with the cube at every score",
        lambda game, values, control: analysis.matrix(game.session, values, control),
        _named("matrix", "away", "plies", "cube"),
    ),
    Word(
        "rollout",
        "play the position out many times: the plays of the roll, the position, or the cube",
        lambda game, values, control: analysis.rollout(game.session, values, control),
        COMMANDS["rollout"].arguments,
        short="[moves|position|cube|continue] [trials=N] [plies=N] ...",
    ),
    Word(
        "level",
        "set how well the engine plays, or list the levels",
        lambda game, values, control: analysis.level(game.session, values["name"], control),
        (
            replace(
                choice("name", tuple(LEVELS), "one of the levels", is_required=False),
                shape="NAME",
                read=lambda text: parse_choice("name", text.lower(), tuple(LEVELS)),
            ),
        ),
    ),
    Word(
        "plies",
        "set how many plies the engine looks ahead, in play and in hints, or say it",
        lambda game, values, control: analysis.plies(game.session, values["n"], control),
        (integer("n", 0, MAX_PLIES, "look-ahead, 0 for the net alone", shape="N"),),
    ),
    Word(
        "undo",
        "take back your last decision and all after it, or without a game the last change",
        lambda game, _, control: game.undo(control),
    ),
    Word(
        "redo",
        "do again what 'undo' took back, unless you did something else since",
        lambda game, _, control: game.redo(control),
    ),
    Word(
        "save",
        "write the finished games of the match, or of money play, to a .mat file",
        lambda game, values, _: game.save(values["file"]),
        (rest("file", "FILE", "where to; no other file is written over"),),
    ),
    Word("board", "draw the board", lambda game, _, __: game.board()),
    Word("score", "show the score", lambda game, _, __: game.score()),
    Word("leave", "end the game against the engine; the position stays", lambda game, _, __: game.leave()),
)

WORDS: dict[str, Word] = {row.name: row for row in _ROWS}
"""The table: name to row, in the order in which ``help`` shows them. A word comes before a command."""

ALIASES = {"redouble": "double", "exit": "quit", "q": "quit", "h": "help", "?": "help"}
"""Other names of words and commands."""
