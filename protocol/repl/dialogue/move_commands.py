"""The commands of the terminal in every game of moves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.core.arguments import integer_argument, rest_argument, word_argument
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.move_talk import POSITION, MoveTalk
from gammond.protocol.repl.records.open_records import write_record

DEFAULT_HINT_COUNT = 5
"""The number of moves that ``hint`` shows."""

_AGAINST = "against "
"""The word between ``play`` and the name of a player."""

_MAX_FILE_CHARS = 1 << 20
"""No game is longer; of a longer file the beginning is read."""


def _play(talk: MoveTalk, control: WorkControl, move: str | None) -> list[str]:
    if move is None:
        return talk.play_on(control)
    if move == _AGAINST.strip():
        raise CommandError(
            f"expected a player after 'play {move}', such as engine, human or random", field="play"
        )
    if move.startswith(_AGAINST):
        return talk.play_against(move.removeprefix(_AGAINST).strip(), control)
    return talk.make_move(move, control)


def _show_record(talk: MoveTalk, control: WorkControl) -> list[str]:
    """Show the moves of the game, numbered, and the line that sets it up again."""
    rows = [*([""] if talk.first_side else []), *talk.list_played()]
    width = max(map(len, rows), default=0)
    lines = [
        PreformattedLine(f"{at // 2 + 1:>4}. " + "  ".join(f"{move:<{width}}" for move in rows[at : at + 2]))
        for at in range(0, len(rows), 2)
    ]
    end = talk.describe_end()
    return [*lines, *([end] if end else []), PreformattedLine(f"{POSITION} {talk.write_record()}")]


def _save(talk: MoveTalk, control: WorkControl, file: str) -> list[str]:
    """Write the game to a file, as `_show_record` shows it."""
    write_record(talk.written, file, "".join(f"{line}\n" for line in _show_record(talk, control)).encode())
    return [f"Saved the game to {file}: 'open {file}' sets it up again."]


def _open(talk: MoveTalk, control: WorkControl, file: str) -> list[str]:
    """Set up the game of a file: the last line in it that begins with ``position``."""
    try:
        with Path(os.path.expanduser(file)).open(encoding="utf-8") as opened:
            lines = opened.read(_MAX_FILE_CHARS).splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataFileError(f"{file} cannot be read: {reason}", field="file") from error
    found = [line for line in lines if line.startswith(f"{POSITION} ")]
    if not found:
        raise DataFileError(
            f"{file}: expected a line that begins with '{POSITION}', as 'save' writes it", field="file"
        )
    answered, *remark = talk.run_command(found[-1], control)
    is_set_up = answered.startswith(f"ok {POSITION}")
    return [f"Opened {file}." if is_set_up else answered, *remark]


def set_or_show(
    talk: MoveTalk, control: WorkControl, key: str, value: str | None, choices: Sequence[str]
) -> list[str]:
    """Set a key and go on with the game, or show its present value and all that it can have."""
    setting = find_setting(talk.session, key)
    if value is not None:
        put_setting(talk.session, setting, value)
    name = key.rpartition(".")[2].capitalize()
    shown = f"{name}: {setting.get(talk.session)} ({', '.join(choices)})."
    return [shown, *talk.continue_game(control)]


_ROWS = (
    ReplCommand(
        "new",
        "begin a game against the engine; one that is on is set aside",
        MoveTalk.start_game,
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
        lambda talk, control, n: talk.show_hint(control, str(n)),
        (integer_argument("n", 1, 1000, "number of moves", default=DEFAULT_HINT_COUNT, metavar="N"),),
        help_group="ask",
    ),
    ReplCommand("best", "make the engine's move for you", MoveTalk.play_best, help_group="play"),
    ReplCommand(
        "undo",
        "take back your last move and the answer to it, or the last change; a game set aside comes back",
        MoveTalk.undo,
        help_group="play",
    ),
    ReplCommand("redo", "redo what 'undo' took back", MoveTalk.redo, help_group="play"),
    ReplCommand("board", "draw the board", lambda talk, _: talk.show_board(), help_group="look"),
    ReplCommand(
        "id", "print the position as text", lambda talk, _: [talk.write_position()], help_group="look"
    ),
    ReplCommand(
        "record",
        "list the moves of the game, and the line that sets it up again, to be kept and pasted",
        _show_record,
        help_group="look",
    ),
    ReplCommand(
        "save",
        "save the game to a file of text, as 'record' shows it",
        _save,
        (rest_argument("file", "FILE", "the file; existing files are not overwritten"),),
        help_group="keep",
    ),
    ReplCommand(
        "open",
        "set up the game of a file that 'save' wrote",
        _open,
        (rest_argument("file", "FILE", "the file"),),
        help_group="keep",
    ),
    ReplCommand(
        "leave",
        "end the game against the engine; the position stays",
        lambda talk, _: talk.leave(),
        help_group="play",
    ),
    ReplCommand(
        "help",
        "explain the game and its commands, or one of them",
        lambda talk, _, command: talk.show_help(command),
        (word_argument("command", "COMMAND", "the command, rules, all or wire", is_required=False),),
    ),
)

MOVE_ROWS: Mapping[str, ReplCommand] = {row.name: row for row in _ROWS}
"""The table: name to row, in the order of ``help``."""
