"""The commands of the terminal in every game of moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gammond.protocol.core.arguments import integer_argument, rest_argument, word_argument
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.move_talk import MoveTalk

DEFAULT_HINT_COUNT = 5
"""The number of moves that ``hint`` shows."""


_AGAINST = "against "
"""The word between ``play`` and the name of a player."""


def _play(talk: MoveTalk, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    text = values["move"]
    if text is None:
        return talk.play_on(control)
    if text == _AGAINST.strip():
        raise CommandError(
            f"expected a player after 'play {text}', such as engine, human or random", field="play"
        )
    if text.startswith(_AGAINST):
        return talk.play_against(text.removeprefix(_AGAINST).strip(), control)
    return talk.make_move(text, control)


_ROWS: tuple[ReplCommand[MoveTalk], ...] = (
    ReplCommand(
        "new",
        "begin a game against the engine; one that is on is set aside",
        lambda talk, values, control: talk.start_game(values["side"], control),
        (
            word_argument(
                "side", "SIDE", "the side that you play; left out, that of the last game", is_required=False
            ),
        ),
        help_group="play",
    ),
    ReplCommand(
        "play",
        "play against the engine from this position (or the start); 'against NAME': choose the player; "
        "with a move: make it",
        _play,
        (rest_argument("move", "MOVE", "a legal move", is_required=False),),
        help_group="play",
    ),
    ReplCommand(
        "hint",
        "rank the moves, best first",
        lambda talk, values, control: talk.show_hint(str(values["n"]), control),
        (integer_argument("n", 1, 1000, "number of moves", default=DEFAULT_HINT_COUNT, metavar="N"),),
        help_group="ask",
    ),
    ReplCommand(
        "best",
        "make the engine's move for you",
        lambda talk, _, control: talk.play_best(control),
        help_group="play",
    ),
    ReplCommand(
        "undo",
        "take back your last move and the answer to it, or the last change; a game set aside comes back",
        lambda talk, _, control: talk.undo(control),
        help_group="play",
    ),
    ReplCommand(
        "redo", "redo what 'undo' took back", lambda talk, _, control: talk.redo(control), help_group="play"
    ),
    ReplCommand("board", "draw the board", lambda talk, _, __: talk.show_board(), help_group="look"),
    ReplCommand(
        "id", "print the position as text", lambda talk, _, __: [talk.write_position()], help_group="look"
    ),
    ReplCommand(
        "record",
        "list the moves of the game, and the line that sets it up again, to be kept and pasted",
        lambda talk, _, __: talk.show_record(),
        help_group="look",
    ),
    ReplCommand(
        "save",
        "save the game to a file of text, as 'record' shows it",
        lambda talk, values, _: talk.save(values["file"]),
        (rest_argument("file", "FILE", "the file; existing files are not overwritten"),),
        help_group="keep",
    ),
    ReplCommand(
        "open",
        "set up the game of a file that 'save' wrote",
        lambda talk, values, control: talk.open_record(values["file"], control),
        (rest_argument("file", "FILE", "the file"),),
        help_group="keep",
    ),
    ReplCommand(
        "leave",
        "end the game against the engine; the position stays",
        lambda talk, _, __: talk.leave(),
        help_group="play",
    ),
    ReplCommand(
        "help",
        "explain the game and its commands, or one of them",
        lambda talk, values, _: talk.show_help(values["command"]),
        (word_argument("command", "COMMAND", "the command, rules, all or wire", is_required=False),),
    ),
)

MOVE_ROWS: Mapping[str, ReplCommand[MoveTalk]] = {row.name: row for row in _ROWS}
"""The table: name to row, in the order of ``help``."""
