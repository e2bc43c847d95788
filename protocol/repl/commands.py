"""The words that only the REPL has, or that say more here than on the wire; all others are commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.analysis.levels import LEVELS
from engine.rules.match import MAX_MATCH_LENGTH, RESULT_NAMES
from engine.search import MAX_PLIES
from protocol.commands.game import OFFER_ACTIONS
from protocol.commands.table import COMMANDS
from protocol.core.arguments import Argument, choice_argument, integer_argument, rest_argument
from protocol.core.requests import WorkControl
from protocol.repl import analysis
from protocol.repl.game import ReplGame

DEFAULT_HINT_COUNT = 5
"""How many plays ``hint`` shows."""

AGAINST_PREFIX = "against "
"""What stands before the other player's name, behind ``play``."""

ArgumentValues = Mapping[str, Any]

_LEVEL = choice_argument("name", tuple(LEVELS), "one of the levels", is_required=False)


@dataclass(frozen=True)
class ReplCommand:
    """One row of the table of words.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        run: Does it, given the values of its arguments; returns what to say.
        arguments: What it takes.
        short_usage: What it takes in a few words, where all of it would be too long for one line.
    """

    name: str
    summary: str
    run: Callable[[ReplGame, ArgumentValues, WorkControl], list[str]]
    arguments: tuple[Argument, ...] = ()
    short_usage: str = ""

    @property
    def usage(self) -> str:
        """The whole line, as ``help`` shows it."""
        arguments = (
            [self.short_usage] if self.short_usage else [argument.usage for argument in self.arguments]
        )
        return " ".join([self.name, *arguments])


def _play(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    text = values["play"]
    if text is None:
        return game.play_from_here(control)
    if text.startswith(AGAINST_PREFIX):
        return game.play_against(text.removeprefix(AGAINST_PREFIX).strip(), control)
    return game.take_action(text, control) if text in OFFER_ACTIONS else game.make_play(text, control)


def _make_action(name: str, summary: str) -> ReplCommand:
    """A word that does what ``play`` does with it."""
    return ReplCommand(name, summary, lambda game, _, control: game.take_action(name, control))


def _select_arguments(command: str, *names: str) -> tuple[Argument, ...]:
    """Arguments of a command that a word hands on."""
    return tuple(argument for argument in COMMANDS[command].arguments if argument.name in names)


_ROWS = (
    ReplCommand(
        "play",
        "alone: play on from the position or from the start, 'against NAME' to choose the other player; "
        "with a play: make it",
        _play,
        (
            rest_argument(
                "play",
                "PLAY",
                "a play such as '8/5 6/5', which typed alone is made as well; or 'against NAME', to play "
                "against that player, whom engine.player is from then on",
                is_required=False,
            ),
        ),
    ),
    ReplCommand(
        "new",
        "begin a game against the engine: the next one, or with a length the first of a match",
        lambda game, values, control: game.start_game(control, values["length"]),
        (
            integer_argument(
                "length",
                0,
                MAX_MATCH_LENGTH,
                "points of a match, 0 for money; left out, the score stays until a match is won",
                metavar="LENGTH",
            ),
        ),
    ),
    ReplCommand("roll", "roll the dice of the seat on roll", lambda game, _, control: game.roll(control)),
    _make_action("double", "offer the cube before the roll; 'redouble' is the same"),
    _make_action("take", "take the double that waits"),
    _make_action("drop", "give the game up rather than take the double"),
    _make_action("beaver", "take the double, turn the cube once more and keep it (money play)"),
    ReplCommand(
        "resign",
        "offer to lose the game, as a single one if no more is said",
        lambda game, values, control: game.take_action(f"resign {values['kind']}", control),
        (
            choice_argument(
                "kind", RESULT_NAMES, "what is offered", default=RESULT_NAMES[0], is_required=False
            ),
        ),
    ),
    _make_action("accept", "accept the resignation that is offered"),
    _make_action("reject", "refuse it and play on"),
    ReplCommand(
        "hint",
        "say what is best: the plays of the roll ranked, the cube before it, the answer to an offer",
        lambda game, values, control: analysis.show_hint(game.session, values, control),
        (
            integer_argument(
                "n", 1, 10_000, "how many plays to show", default=DEFAULT_HINT_COUNT, metavar="N"
            ),
            *_select_arguments("moves", "plies", "filter"),
        ),
    ),
    ReplCommand(
        "best",
        "do what 'hint' finds best, in your place: a play, a double or a roll, an answer",
        lambda game, _, control: game.play_best_action(control),
    ),
    ReplCommand(
        "legal",
        "list the plays of the roll, all or those that move a checker from a point",
        lambda game, values, control: analysis.show_legal_plays(game.session, values["point"], control),
        (replace(*COMMANDS["legal"].arguments, parse=str),),
    ),
    ReplCommand(
        "cube",
        "say what to do with the cube before the roll",
        lambda game, values, control: analysis.show_cube_decision(game.session, values, control),
        _select_arguments("cube", "plies"),
    ),
    ReplCommand(
        "chances",
        "tell your chances after each play, as the other player sees them, or do not",
        lambda game, values, _: game.show_chances(values["shown"] == "on"),
        (choice_argument("shown", ("on", "off"), "whether they are told", default="on", is_required=False),),
    ),
    ReplCommand(
        "matrix",
        "draw what to do with the cube at every score",
        lambda game, values, control: analysis.show_matrix(game.session, values, control),
        _select_arguments("matrix", "away", "plies", "cube"),
    ),
    ReplCommand(
        "rollout",
        "play the position out many times: the plays of the roll, the position, or the cube",
        lambda game, values, control: analysis.show_rollout(game.session, values, control),
        COMMANDS["rollout"].arguments,
        short_usage="[moves|position|cube|continue] [trials=N] [plies=N] ...",
    ),
    ReplCommand(
        "level",
        "set how well the engine plays, or list the levels",
        lambda game, values, control: analysis.set_or_list_levels(game.session, values["name"], control),
        (replace(_LEVEL, metavar="NAME", parse=lambda text: _LEVEL.parse(text.lower())),),
    ),
    ReplCommand(
        "plies",
        "set how many plies the engine looks ahead, in play and in hints, or say it",
        lambda game, values, control: analysis.set_or_show_plies(game.session, values["n"], control),
        (integer_argument("n", 0, MAX_PLIES, "look-ahead, 0 for the net alone", metavar="N"),),
    ),
    ReplCommand(
        "undo",
        "take back your last decision and all after it, or without a game the last change",
        lambda game, _, control: game.undo(control),
    ),
    ReplCommand(
        "redo",
        "do again what 'undo' took back, unless you did something else since",
        lambda game, _, control: game.redo(control),
    ),
    ReplCommand(
        "save",
        "write the finished games of the match, or of money play, to a .mat file",
        lambda game, values, _: game.save_games(values["file"]),
        (rest_argument("file", "FILE", "where to; no other file is written over"),),
    ),
    ReplCommand("board", "draw the board", lambda game, _, __: game.show_board()),
    ReplCommand("score", "show the score", lambda game, _, __: game.show_score()),
    ReplCommand(
        "leave", "end the game against the engine; the position stays", lambda game, _, __: game.leave()
    ),
)

REPL_COMMANDS: dict[str, ReplCommand] = {row.name: row for row in _ROWS}
"""The table: name to row, in the order in which ``help`` shows them. A word comes before a command."""

ALIASES = {"redouble": "double", "exit": "quit", "q": "quit", "h": "help", "?": "help"}
"""Other names of words and commands."""
