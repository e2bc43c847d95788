"""The talk about a game of moves: two sides move in turn, without dice; moves are typed as they are.

A game that inherits it says how its board is drawn, whose turn it is and which moves there are.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from gammond.engine.errors import DataFileError, GammondError, UnsupportedError
from gammond.engine.options import MAX_QUOTED_CHARS, did_you_mean
from gammond.protocol.commands.dispatch import run_line
from gammond.protocol.commands.session_game import find_game, make_unknown_error
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import Reply, WorkControl
from gammond.protocol.games import FIRST_GAME
from gammond.protocol.repl.answers.progress import MoveProgressLine, ProgressLine
from gammond.protocol.repl.answers.replies import Piece, PreformattedLine, format_replies, send_command
from gammond.protocol.repl.dialogue.command import (
    COMMON_TOPICS,
    ReplCommand,
    explain_commands,
    format_overview,
    list_aliases,
    summarize_commands,
)
from gammond.protocol.repl.dialogue.move_game import SET_ASIDE, MoveGame
from gammond.protocol.repl.dialogue.suggestions import (
    Suggestion,
    suggest_arguments,
    suggest_matching,
)
from gammond.protocol.repl.records.record_saver import RecordSaver
from gammond.protocol.state.move_table import MoveTable
from gammond.protocol.state.session import Session

_TOPICS = {"rules": "the rules", **COMMON_TOPICS}

_POSITION = "position"
_MAX_FILE_CHARS = 1 << 20
"""No game is longer; of a longer file the beginning is read."""

_CONTINUED = "  "
"""How a line begins that goes on with one before it, as wrapped lines do."""


class MoveTalk(MoveGame):
    """The talk about a game of moves.

    Attributes:
        title: The game, as sentences name it.
        rules: What a beginner must know, in lines.
        rows: The commands of the terminal, which come before those of the line protocol.
    """

    title: ClassVar[str]
    rules: ClassVar[Sequence[str]]
    rows: ClassVar[Mapping[str, ReplCommand[Any]]]

    def __init__(self, session: Session, table: MoveTable[Any]) -> None:
        super().__init__(session, table)
        self._saver = RecordSaver()
        self._aliases = list_aliases(self.rows, find_game(session).commands)

    @abstractmethod
    def list_moves(self) -> list[str]:
        """List the legal moves as they are typed; none without a game, and when it is over."""

    @abstractmethod
    def is_move(self, text: str) -> bool:
        """Return whether a line is written as a move, legal or not."""

    @abstractmethod
    def format_hint(self, replies: Sequence[Reply]) -> list[str]:
        """Format the answer to ``moves`` for a person."""

    @property
    def first_side(self) -> int:
        """The side that had the first move of the game."""
        return 0

    def is_position(self, text: str) -> bool:
        """Return whether a line is written as a position, with or without moves after it."""
        return False

    def write_position(self) -> str:
        """Return the position on the table as text.

        Raises:
            StateError: There is none.
            UnsupportedError: The game has no positions as text.
        """
        raise UnsupportedError(f"{self.title} has no positions as text", field="position")

    def write_record(self) -> str:
        """Return the game on the table as ``position`` takes it: where it began, and its moves.

        Raises:
            StateError: There is none.
            UnsupportedError: The game has no positions as text.
        """
        return self.write_position()

    def draw_start(self) -> list[str]:
        """Draw the board as a game begins; nothing if that is not worth a look."""
        return []

    def describe_strength(self) -> str:
        """Say in a sentence how strongly the engine plays, and how to change that; empty for nothing."""
        return ""

    def make_progress(self) -> ProgressLine:
        """Return what makes the line that shows the progress of a search."""
        return MoveProgressLine()

    def take_up(self) -> list[str]:
        """Return how to begin, and the board."""
        second = self.sides[1]
        return [
            f"{self.title}: 'new' starts a game against the engine, 'new {second.lower()}' one as {second}.",
            *([strength] if (strength := self.describe_strength()) else []),
            f"'help' has the rules and the commands, {FIRST_GAME!r} goes back to {FIRST_GAME}.",
            *(self.draw_start() if self.table.game is None else self.show_board()),
        ]

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines; a position that was wrapped is one."""
        lines: list[str] = []
        for line in text.splitlines():
            if lines and line.startswith(_CONTINUED) and self._begins_position(lines[-1]):
                lines[-1] += f" {line.strip()}"
            elif line.strip():
                lines.append(line)
        return lines or [""]

    def _begins_position(self, line: str) -> bool:
        return line.split(maxsplit=1)[0] == _POSITION or self.is_position(line)

    def knows(self, name: str) -> bool:
        """Return whether a word is a command."""
        return self._aliases.get(name, name) in self._list_commands()

    def reads(self, text: str) -> bool:
        """Return whether a line has the looks of a command, a move or a position, right or wrong."""
        name = text.split()[0]
        return self.knows(name) or name[0] in "@{" or self.is_position(text) or self.is_move(text)

    def run_line(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a command, set up a position, or make a move that is typed as it is."""
        name, _, rest = text.replace("\t", " ").partition(" ")
        if not name:
            return []
        if name[0] in "@{":
            raise UnsupportedError(
                "tags and JSON queries are for programs: run 'gammond' with its input from a pipe",
                field="command",
            )
        name = self._aliases.get(name, name)
        if name == _POSITION and not rest.strip():
            return [self.write_position()]
        if name in self.rows:
            row = self.rows[name]
            return row.run(self, row.parse(rest), control)
        if name in find_game(self.session).commands:
            return self._run_command(f"{name} {rest}".rstrip(), control)
        if self.is_position(text):
            return self._run_command(f"{_POSITION} {text}", control)
        if self.is_move(text):
            return self.make_move(text, control)
        raise self._explain_unknown(name)

    def _explain_unknown(self, name: str) -> GammondError:
        """Return the error for a line that is neither command nor move."""
        error = make_unknown_error(name, self.session)
        if isinstance(error, UnsupportedError):  # a command of another game
            return error
        moves = self.list_moves()
        example = f" such as {moves[0]}" if moves else ""
        hint = did_you_mean(name, self._list_commands()) or ": 'help' lists the commands"
        return CommandError(
            f"expected a command or a move{example}, got {name[:MAX_QUOTED_CHARS]!r}{hint}", field="command"
        )

    def _list_commands(self) -> dict[str, str]:
        """Return all commands with what they do; those of the terminal come first."""
        return summarize_commands(self.rows, find_game(self.session).commands)

    def _run_command(self, text: str, control: WorkControl) -> list[str]:
        """Send a line to the session; one that sets up another game sets that against the engine aside."""
        before, was_running = self.table_state, self.is_running
        replies, self.has_ended = run_line(self.session, text, control)
        if self.has_ended:
            return ["Goodbye."]
        remark = []
        if self.table_state is not before:
            self.table.human = None
            remark = [f"{SET_ASIDE} 'play' goes on from here."] if was_running else []
        return format_replies(replies) + remark

    def show_hint(self, arguments: str, control: WorkControl) -> list[str]:
        """Rank the moves, best first.

        Args:
            arguments: Those of the command ``moves``.
            control: Stops and watches the search.
        """
        return self.format_hint(send_command(self.session, f"moves {arguments}", control))

    def show_record(self) -> list[str]:
        """Show the moves of the game, numbered, and the line that sets it up again."""
        rows = [*([""] if self.first_side else []), *self.list_played()]
        width = max(map(len, rows), default=0)
        lines = [
            PreformattedLine(
                f"{at // 2 + 1:>4}. " + "  ".join(f"{move:<{width}}" for move in rows[at : at + 2])
            )
            for at in range(0, len(rows), 2)
        ]
        end = self.describe_end()
        return [*lines, *([end] if end else []), PreformattedLine(f"{_POSITION} {self.write_record()}")]

    def save(self, name: str) -> list[str]:
        """Write the game to a file, as `show_record` shows it.

        Raises:
            DataFileError: The file exists, with something else, or cannot be written.
            StateError: There is no game.
        """
        self._saver.write(name, "".join(f"{line}\n" for line in self.show_record()).encode())
        return [f"Saved the game to {name}: 'open {name}' sets it up again."]

    def open_record(self, name: str, control: WorkControl) -> list[str]:
        """Set up the game of a file: the last line in it that begins with ``position``.

        Raises:
            DataFileError: The file cannot be read, or has no such line.
        """
        try:
            with Path(os.path.expanduser(name)).open(encoding="utf-8") as file:
                lines = file.read(_MAX_FILE_CHARS).splitlines()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise DataFileError(f"{name} cannot be read: {reason}", field="file") from error
        found = [line for line in lines if line.startswith(f"{_POSITION} ")]
        if not found:
            raise DataFileError(
                f"{name}: expected a line that begins with '{_POSITION}', as 'save' writes it", field="file"
            )
        answered, *remark = self._run_command(found[-1], control)
        is_set_up = answered.startswith(f"ok {_POSITION}")
        return [f"Opened {name}." if is_set_up else answered, *remark]

    def set_or_show(
        self, key: str, value: str | None, control: WorkControl, choices: Sequence[str]
    ) -> list[str]:
        """Set a key and go on with the game, or show its present value and all that it can have."""
        if value is not None:
            send_command(self.session, f"set {key} {value}", control)
        setting = find_game(self.session).settings[key]
        name = key.rpartition(".")[2].capitalize()
        return [f"{name}: {setting.get(self.session)} ({', '.join(choices)}).", *self.continue_game(control)]

    def show_help(self, name: str | None) -> list[str]:
        """Explain the game and its commands, or one of them."""
        name = self._aliases.get(name or "", name)
        if name is None:
            return self._show_overview()
        if name == "rules":
            return list(self.rules)
        if lines := explain_commands(name, self.rows, find_game(self.session).commands):
            return lines
        return format_replies(send_command(self.session, f"help {name}", WorkControl()))

    def _show_overview(self) -> list[str]:
        """Return the rules and the commands in groups: less than a screen."""
        return [
            *self.rules,
            "A move is typed as it is, a position is pasted as it is.",
            *format_overview(_TOPICS, self.rows, find_game(self.session).commands),
        ]

    def list_status(self) -> list[str]:
        """List what the line below the prompt says, the most important first."""
        if self.table.game is None:
            return [f"{self.title}: 'new' starts a game"]
        turn = self.describe_turn().replace(" is to move", " to move").replace("the game is", "game")
        if self.human is None:
            return [turn]
        return [turn, f"you play {'both sides' if self.has_two_people else self.sides[self.human]}"]

    def toolbar(self, width: int) -> str:
        """Write the line below the prompt: as much as there is room for."""
        parts = self.list_status()
        while len(parts) > 1 and len(" " + " | ".join(parts)) > width:
            parts.pop()
        return (" " + " | ".join(parts))[:width]

    def suggest(self, text_before_cursor: str) -> list[Suggestion]:
        """Suggest legal moves, commands, and values of the argument that the cursor is in."""
        text = text_before_cursor.lstrip()
        name, blank, rest = text.partition(" ")
        moves = [(move, "") for move in self.list_moves()]
        if not blank:
            return [*suggest_matching(text, moves), *suggest_matching(text, self._list_commands().items())]
        found = self.rows.get(name) or find_game(self.session).commands.get(name)
        if found is None:
            return []
        first: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {
            "MOVE": lambda: moves,
            "SIDE": lambda: ((side.lower(), "") for side in self.sides),
            "COMMAND": lambda: (self._list_commands() | _TOPICS).items(),
        }
        return list(suggest_arguments(name, found.arguments, rest, self.session, first, {}))

    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces: commands, legal moves, and what is neither yet."""
        bare = text.lstrip()
        name, indent = bare.split(" ", 1)[0], text[: len(text) - len(bare)]
        commands = self._list_commands()
        if self._aliases.get(name, name) in commands:
            return [("", indent), ("command", name), ("", bare[len(name) :])]
        if self.is_move(bare):
            is_legal = may_wait and bare.strip().lower() in self.list_moves()
            return [("play" if is_legal else "", text)]
        moves = self.list_moves() if may_wait else []
        is_word = any(each.startswith(name.lower()) for each in (*commands, *self._aliases, *moves))
        return [("" if is_word or self.is_position(bare) else "unknown", text)]
