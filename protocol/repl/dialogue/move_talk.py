"""The talk about a game of moves: two sides move in turn, without dice; moves are typed as they are.

A game that inherits it says how its board is drawn, whose turn it is and which moves there are. All else goes
through the commands of its own table, as any other client would send them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from engine.errors import GammondError, StateError, UnsupportedError
from engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from protocol.commands.dispatch import run_line
from protocol.commands.session_game import find_game, make_unknown_error
from protocol.core.errors import CommandError
from protocol.core.requests import Reply, WorkControl
from protocol.games import FIRST_GAME
from protocol.repl.answers.progress import MoveProgressLine, ProgressLine
from protocol.repl.answers.replies import Piece, format_replies, send_command
from protocol.repl.answers.sentences import ENGINE_NAME, HUMAN_NAME, make_sentence
from protocol.repl.dialogue.command import ReplCommand
from protocol.repl.dialogue.suggestions import (
    Suggestion,
    list_setting_values,
    suggest_argument_values,
    suggest_matching,
    suggest_settings,
)
from protocol.repl.dialogue.talk import Talk
from protocol.repl.game.kept_moves import KeptMoves
from protocol.state.move_table import MoveTable
from protocol.state.session import Session

PERSON = "human"
"""The value of ``engine.player`` with which people play both sides."""

ALIASES = {"exit": "quit", "q": "quit", "h": "help", "?": "help"}
"""Other names of commands."""


class MoveTalk(Talk):
    """The talk about a game of moves.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        title: The game, as sentences name it.
        sides: The names of sides 0 and 1.
        rules: What a beginner must know, in lines.
        rows: The commands of the terminal, which come before those of the line protocol.
        table: The game on the table.
        human: The person's side in a game against the engine; None without one.
    """

    title: ClassVar[str]
    sides: ClassVar[tuple[str, str]]
    rules: ClassVar[Sequence[str]]
    rows: ClassVar[Mapping[str, ReplCommand[Any]]]
    table: MoveTable[Any]

    def __init__(self, session: Session, table: MoveTable[Any]) -> None:
        super().__init__(session)
        self.table = table
        self.human: int | None = None

    @property
    @abstractmethod
    def turn(self) -> int | None:
        """The side to move; None without a game, and when it is over."""

    @abstractmethod
    def list_moves(self) -> list[str]:
        """List the legal moves as they are typed; none without a game, and when it is over."""

    @abstractmethod
    def is_move(self, text: str) -> bool:
        """Return whether a line is written as a move, legal or not."""

    @abstractmethod
    def describe_end(self) -> str:
        """Return how the game ended, as a sentence; empty while it lasts."""

    @abstractmethod
    def format_hint(self, replies: Sequence[Reply]) -> list[str]:
        """Format the answer to ``moves`` for a person."""

    def list_setup_lines(self) -> list[str]:
        """List commands that set up settings and game again; none for a game that is not kept."""
        return []

    def describe_kept(self) -> KeptMoves | None:
        """Return the game against the engine that is on; None without one."""
        if self.human is None or self.turn is None:
            return None
        lines = self.list_setup_lines()
        return KeptMoves(self.human, tuple(lines)) if lines else None

    def resume(self, kept: KeptMoves) -> list[str]:
        """Go on with the game of an earlier session.

        Raises:
            GammondError: It is none of this game.
        """
        for line in kept.lines:
            send_command(self.session, line, WorkControl())
        self.human = kept.human
        going_on = f"Going on with the game that you left: {self._describe_turn()}."
        return [f"{going_on} ('new' starts another.)", *self.continue_game(WorkControl())]

    @property
    def table_state(self) -> object:
        """The game on the table."""
        return self.table.game

    def make_progress(self) -> ProgressLine:
        """Return what makes the line that shows the progress of a search."""
        return MoveProgressLine()

    def take_up(self) -> list[str]:
        """Return what a beginner must know, and the board, if there is one."""
        return [
            f"{self.title}: 'new' starts a game against the engine, 'help' lists the commands.",
            f"'set game.variant {FIRST_GAME}' goes back to {FIRST_GAME}.",
            *self.show_board(),
        ]

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines."""
        return [line for line in text.splitlines() if line.strip()] or [""]

    def run_line(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a command, or make a move that is typed as it is."""
        name, _, rest = text.replace("\t", " ").partition(" ")
        if not name:
            return []
        if name[0] in "@{":
            raise UnsupportedError(
                "tags and JSON queries are for programs: run 'gammond' with its input from a pipe",
                field="command",
            )
        name = ALIASES.get(name, name)
        if name in self.rows:
            row = self.rows[name]
            return row.run(self, row.parse(rest), control)
        if name in find_game(self.session).commands:
            return self._run_command(f"{name} {rest}".rstrip(), control)
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
        own = {name: row.summary for name, row in self.rows.items()}
        return own | {
            name: row.summary for name, row in find_game(self.session).commands.items() if name not in own
        }

    def _run_command(self, text: str, control: WorkControl) -> list[str]:
        """Send a line to the session; one that sets up another game ends that against the engine."""
        before = self.table_state
        replies, self.has_ended = run_line(self.session, text, control)
        if self.has_ended:
            return ["Goodbye."]
        remark = []
        if self.table_state is not before and self.human is not None:
            self.human = None
            remark = ["The game against the engine has ended: 'play' goes on from here."]
        return format_replies(replies) + remark

    def start_game(self, side: str | None, control: WorkControl) -> list[str]:
        """Begin a game against the engine, or between two people.

        Args:
            side: The person's side; that of the last game, or the first, if None.
            control: Stops and watches the engine's turn.
        """
        words = tuple(name.lower() for name in self.sides)
        human = (
            self.human or 0 if side is None else words.index(Field("side", str, choices=words).parse(side))
        )
        send_command(self.session, "newgame", control)
        self.human = human
        return [*self._describe_seats(), *self.continue_game(control)]

    def play_on(self, control: WorkControl) -> list[str]:
        """Play against the engine from the position on the table, or from the start without one.

        Raises:
            StateError: A game against it is on.
        """
        if self.turn is None:
            return self.start_game(None, control)
        if self.human is not None:
            raise StateError(
                "a game is in progress: play it, 'leave' it, or start another with 'new'", field="play"
            )
        self.human = self.turn
        return [*self._describe_seats(), *self.continue_game(control)]

    def _describe_seats(self) -> list[str]:
        assert self.human is not None
        if self.has_two_people:
            return [f"You play both sides; {self.sides[self.turn or 0]} is to move."]
        return [f"You play {self.sides[self.human]}, gammond {self.sides[1 - self.human]}."]

    @property
    def has_two_people(self) -> bool:
        """Whether people play both sides."""
        player = find_game(self.session).settings.get("engine.player")
        return player is not None and player.get(self.session) == PERSON

    def make_move(self, text: str, control: WorkControl) -> list[str]:
        """Make a move for the side to move; in a game the engine answers it.

        Raises:
            GammondError: It is no legal move; the table is as it was.
        """
        lines = self.continue_game(control)
        return [*lines, *self._move(text, control), *self.continue_game(control)]

    def play_best(self, control: WorkControl) -> list[str]:
        """Make the move that the engine would choose, for the side to move."""
        return self.make_move(self._choose_move(control), control)

    def _choose_move(self, control: WorkControl) -> str:
        return send_command(self.session, "go", control)[-1].text

    def _move(self, text: str, control: WorkControl) -> list[str]:
        side = self.turn
        done = send_command(self.session, f"play {text}", control)[-1].values
        assert side is not None  # else the command would have failed
        is_engine = self.human is not None and side != self.human and not self.has_two_people
        person = HUMAN_NAME if self.human == side and not self.has_two_people else self.sides[side]
        end = self.describe_end()
        said = make_sentence(ENGINE_NAME if is_engine else person, "play", str(done["play"]))
        return [said, *([end] if end else [])]

    def continue_game(self, control: WorkControl) -> list[str]:
        """Let the engine move where it is its turn."""
        lines: list[str] = []
        while self.human is not None and self.turn not in (None, self.human) and not self.has_two_people:
            lines += self._move(self._choose_move(control), control)
        return lines

    def undo(self, control: WorkControl) -> list[str]:
        """Take back the last change; in a game, all since the person's last move, this included.

        Raises:
            StateError: There is nothing to take back.
        """
        send_command(self.session, "undo", control)
        try:
            while self._is_engines_turn:
                send_command(self.session, "undo", control)
        except GammondError:
            send_command(self.session, "redo", control)
            raise
        return [f"Undone: {self._describe_turn()}."]

    def redo(self, control: WorkControl) -> list[str]:
        """Do again what `undo` took back last, the engine's answer included.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        send_command(self.session, "redo", control)
        while self._is_engines_turn and self.table.can_redo:
            send_command(self.session, "redo", control)
        return [f"Redone: {self._describe_turn()}.", *self.continue_game(control)]

    @property
    def _is_engines_turn(self) -> bool:
        return self.human is not None and self.turn not in (None, self.human) and not self.has_two_people

    def leave(self) -> list[str]:
        """End the game against the engine; the position stays.

        Raises:
            StateError: None is on.
        """
        if self.human is None:
            raise StateError("no game against the engine: 'play' starts one", field="leave")
        self.human = None
        return ["You have left the game: the position stays, 'play' goes on from it."]

    def show_hint(self, arguments: str, control: WorkControl) -> list[str]:
        """Rank the moves, best first.

        Args:
            arguments: Those of the command ``moves``.
            control: Stops and watches the search.
        """
        return self.format_hint(send_command(self.session, f"moves {arguments}", control))

    def set_or_show(self, key: str, value: str | None, control: WorkControl) -> list[str]:
        """Set a key and go on with the game, or show its present value and all that it can have."""
        if value is not None:
            send_command(self.session, f"set {key} {value}", control)
        setting = find_game(self.session).settings[key]
        choices = f" ({setting.values.replace('|', ', ')})" if setting.kind == "enum" else ""
        name = key.rpartition(".")[2].capitalize()
        return [f"{name}: {setting.get(self.session)}{choices}.", *self.continue_game(control)]

    def show_help(self, name: str | None, control: WorkControl) -> list[str]:
        """Explain the commands, or one of them."""
        name = ALIASES.get(name or "", name)
        if name is None:
            own = [f"  {row.usage} : {row.summary}" for row in self.rows.values()]
            others = [each for each in find_game(self.session).commands if each not in self.rows]
            return [
                *self.rules,
                "A move is typed as it is. Commands of the terminal:",
                *own,
                f"Of the line protocol ('help COMMAND' explains one): {', '.join(others)}.",
                "Tab completes, Ctrl-C cancels, Ctrl-D leaves.",
            ]
        if name in self.rows:
            row = self.rows[name]
            return [f"  {row.usage} : {row.summary}", *(f"  {a.metavar}: {a.meaning}" for a in row.arguments)]
        return format_replies(send_command(self.session, f"help {name}", control))

    def _describe_turn(self) -> str:
        if self.table.game is None:
            return "no game is on the table"
        if self.turn is None:
            return "the game is over"
        return f"{self.sides[self.turn]} is to move"

    def list_status(self) -> list[str]:
        """List what the line below the prompt says, the most important first."""
        if self.table.game is None:
            return [f"{self.title}: 'new' starts a game"]
        turn = self._describe_turn().replace(" is to move", " to move").replace("the game is", "game")
        return [turn, *([f"you play {self.sides[self.human]}"] if self.human is not None else [])]

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
        *before, prefix = [part for part in rest.split(" ")[:-1] if part] + [rest.split(" ")[-1]]
        game = find_game(self.session)
        if name == "play" and not before:
            return list(suggest_matching(prefix, moves))
        if name == "new" and not before:
            return list(suggest_matching(prefix, ((side.lower(), "") for side in self.sides)))
        if name == "help" and not before:
            return list(suggest_matching(prefix, self._list_commands().items()))
        if name in ("set", "get"):
            return list(
                suggest_settings(
                    name,
                    before,
                    prefix,
                    game.settings,
                    lambda setting: ((value, "") for value in list_setting_values(setting, self.session)),
                )
            )
        found = self.rows.get(name) or game.commands.get(name)
        return [] if found is None else list(suggest_argument_values(found.arguments, before, prefix, {}))

    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces: commands, legal moves, and what is neither yet."""
        bare = text.lstrip()
        name, indent = bare.split(" ", 1)[0], text[: len(text) - len(bare)]
        commands = self._list_commands()
        if ALIASES.get(name, name) in commands:
            return [("", indent), ("command", name), ("", bare[len(name) :])]
        if self.is_move(bare):
            is_legal = may_wait and bare.strip().lower() in self.list_moves()
            return [("play" if is_legal else "", text)]
        moves = self.list_moves() if may_wait else []
        is_word = any(each.startswith(name.lower()) for each in (*commands, *ALIASES, *moves))
        return [("" if is_word else "unknown", text)]
