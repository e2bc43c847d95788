"""A talk about a game: a line from a person in, lines of text out; what the terminal asks of each game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, get_args

from gammond.engine.errors import DataFileError, GammondError, UnsupportedError
from gammond.protocol.commands.command import Command, HelpGroup
from gammond.protocol.commands.dispatch import fail_request, run_line
from gammond.protocol.commands.session_game import find_game
from gammond.protocol.core.requests import AnyReply, WorkControl
from gammond.protocol.repl.answers.progress import ProgressLine
from gammond.protocol.repl.answers.replies import Piece, format_replies
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.suggestions import Suggestion, suggest_matching
from gammond.protocol.repl.game.repl_game import DEFAULT_COLUMNS
from gammond.protocol.repl.game.saved_game import KeptGame, KeptMoves
from gammond.protocol.state.session import Session

COMMON_TOPICS = {
    "all": "every command with its meaning",
    "wire": "the commands of the line protocol",
    "games": "other games",
}
"""Words for ``help`` in every game, with what it says then."""


class Talk(ABC):
    """The talk with one person about the game that the session plays. Not for several threads at a time.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        rows: The commands of the terminal, which come before those of the line protocol.
        topics: Further words for ``help``, with what it says then.
        drawing_hint: What to do instead of pasting the drawing of a board.
        progress: Makes the line that shows the progress of an answer.
        has_ended: Whether the person has asked to leave.
        name: The game's, as in `gammond.protocol.games.GAMES`.
        columns: Those of the terminal.
        subject: What the commands of `rows` work on.
        commands: Those of the terminal, then those of the line protocol that it has none for.
        aliases: The command of each other name that one has.
    """

    rows: ClassVar[Mapping[str, ReplCommand]]
    topics: ClassVar[Mapping[str, str]]
    drawing_hint: ClassVar[str] = "'help' lists the commands"
    progress: ClassVar[type[ProgressLine]] = ProgressLine

    def __init__(self, session: Session) -> None:
        self.session = session
        self.has_ended = False
        self.name = session.game_name
        self.columns = DEFAULT_COLUMNS
        self.subject: object = self
        wire: Mapping[str, Command] = find_game(session).commands
        beyond = {name: row for name, row in wire.items() if name not in self.rows}
        self.commands: dict[str, ReplCommand | Command] = {**self.rows, **beyond}
        named: list[ReplCommand | Command] = [*wire.values(), *self.rows.values()]
        self.aliases = {other: row.name for row in named for other in row.other_names}

    def answer(self, text: str, control: WorkControl | None = None) -> list[str]:
        """Answer one line; after a change on the table, the board comes last.

        Args:
            text: What was typed.
            control: Stops and watches work.

        Returns:
            Lines without line ends. Errors are answers too: nothing is raised.
        """
        before = self.table_state
        try:
            lines = self.run_line(text.strip(), control or WorkControl())
        except Exception as error:
            lines = format_replies([fail_request(self.session, error)])
        if self.table_state is not before and self.session.game_name == self.name:
            lines += self.show_board()
        return lines

    def run_line(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a command, set up a position, or make a move that is typed as it is.

        Args:
            text: What was typed, without blanks around it.
            control: Stops and watches work.

        Raises:
            GammondError: It cannot be done, or means nothing.
        """
        text = self.translate(text)
        name, _, rest = text.replace("\t", " ").partition(" ")
        if not name:
            return []
        if (found := self.set_up(text, control)) is not None:
            return found
        if name[0] in "@{":
            raise UnsupportedError(
                "tags and JSON queries are for programs: run 'gammond' with its input from a pipe",
                field="command",
            )
        command = self.find_command(name)
        if isinstance(command, ReplCommand):
            return command.run(self.subject, control, **command.parse(rest))
        if command is not None and command.name == "help":
            return self.show_help(rest.strip())
        if command is not None:
            return self.run_command(f"{command.name} {rest}".rstrip(), control)
        if self.is_move(text):
            return self.make_move(text, control)
        raise self.explain_unknown(text)

    def run_wire(self, text: str, control: WorkControl) -> tuple[Sequence[AnyReply], list[str]]:
        """Carry out a command of the line protocol; return its replies, and how they read."""
        replies, self.has_ended = run_line(self.session, text, control)
        return replies, ["Goodbye."] if self.has_ended else format_replies(replies)

    def show_help(self, name: str | None) -> list[str]:
        """Explain the game and its commands, or one of them."""
        name = self.aliases.get(name or "", name)
        if not name:
            return self.show_overview(self._list_groups())
        of_wire = ", ".join(each for each in self.commands if each not in self.rows)
        others = f"Commands of the line protocol ('help COMMAND' explains one): {of_wire}."
        if name == "all":
            return ["Commands of the terminal:", *(row.explain()[0] for row in self.rows.values()), others]
        if name == "wire":
            return [others]
        if (setting := find_game(self.session).settings.get(name)) is not None:
            values = setting.values or "true|false"
            now = f"now {setting.get(self.session)}, {setting.get_default(self.session)} at the start"
            return [f"set {name} VALUE", setting.meaning, f"{setting.kind} {values}; {now}"]
        lines = self.rows[name].explain() if name in self.rows else self.explain_topic(name)
        return lines or format_replies(run_line(self.session, f"help {name}")[0])

    def _list_groups(self) -> list[str]:
        """Return the commands in groups, and how there is more help."""
        rows = self.commands.values()
        groups = {each: [row.name for row in rows if row.help_group == each] for each in get_args(HelpGroup)}
        listed = ", ".join(f"'help {name}': {meaning}" for name, meaning in self.topics.items())
        return [
            *(f"  {group:<8}{' '.join(names)}" for group, names in groups.items() if names),
            f"'help WORD' explains a command or a setting; {listed}.",
            "Tab completes, Ctrl-C cancels, Ctrl-D leaves.",
        ]

    def list_commands(self) -> dict[str, str]:
        """Return all commands with what they do."""
        return {name: row.summary for name, row in self.commands.items()}

    def find_command(self, name: str) -> ReplCommand | Command | None:
        """Return the command of a name, its own or another; None if there is none."""
        return self.commands.get(self.aliases.get(name, name))

    def knows(self, name: str) -> bool:
        """Return whether a word is a command of this game."""
        return self.find_command(name) is not None

    def reads(self, text: str) -> bool:
        """Return whether a line has the looks of a command, a move or a position, right or wrong."""
        name = text.split()[0]
        return self.knows(name) or name[0] in "@{" or self.is_position(text) or self.is_move(text)

    def suggest(self, text_before_cursor: str) -> list[Suggestion]:
        """Suggest ways to go on with a line, the likeliest first.

        Args:
            text_before_cursor: The line up to the cursor.

        Returns:
            Legal moves and commands at the start of a line; after a command, what its next argument may be.
        """
        text = text_before_cursor.lstrip()
        name, blank, rest = text.partition(" ")
        if not blank:
            commands = self.list_commands()
            first = {each: commands[each] for each in self.list_current_actions()}
            return [*self.suggest_moves(text), *suggest_matching(text, (first | commands).items())]
        found = self.commands.get(name)
        if found is None:
            return list(self.suggest_moves(text))
        return list(self.suggest_rest(found, rest))

    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces: commands, legal moves, and what is neither yet.

        Args:
            text: The line.
            may_wait: Whether legal moves may be asked for; a kernel that they need may be compiled now.
        """
        bare = text.lstrip()
        name, indent = bare.split(" ", 1)[0], text[: len(text) - len(bare)]
        if self.find_command(name) is not None:
            return [("", indent), ("command", name), ("", bare[len(name) :])]
        if self.begins_move(bare):
            return [("play" if may_wait and self.is_legal(bare) else "", text)]
        return [("" if self.begins_word(bare, may_wait=may_wait) else "unknown", text)]

    def begins_word(self, text: str, *, may_wait: bool) -> bool:
        """Return whether a line begins like a command; arguments as for `mark_input`."""
        name = text.split(" ", 1)[0]
        return any(each.startswith(name) for each in (*self.commands, *self.aliases))

    @property
    def news(self) -> Sequence[str]:
        """Sentences that must not leave the screen unread, the oldest first."""
        return ()

    @property
    def must_show_board(self) -> bool:
        """Whether the board belongs under an answer that pushes it off the screen."""
        return False

    def describe_kept(self) -> KeptGame | None:
        """Return what the next start of the terminal goes on with; None for nothing."""
        return None

    def resume(self, kept: KeptMoves) -> list[str]:
        """Go on with the game of an earlier session; return what to show.

        Raises:
            GammondError: It is none of this game.
        """
        raise DataFileError(f"games of {self.name} are kept in another way", field="game")

    def translate(self, text: str) -> str:
        """Return a line in the words of the terminal."""
        return text

    def list_current_actions(self) -> Sequence[str]:
        """List the commands that do something about what the side to act must decide."""
        return ()

    @property
    @abstractmethod
    def table_state(self) -> object:
        """What is on the table; another object after each change."""

    @abstractmethod
    def set_up(self, text: str, control: WorkControl) -> list[str] | None:
        """Set up a position that is typed or pasted as it is; None where the line is none.

        Raises:
            GammondError: The position is impossible, or nothing can be played on from it.
        """

    @abstractmethod
    def run_command(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a command of the line protocol by `run_wire`, and go on with what it has changed."""

    @abstractmethod
    def make_move(self, text: str, control: WorkControl) -> list[str]:
        """Make a move as the side to move; in a game the engine answers it.

        Raises:
            GammondError: It is no legal move; the table is as it was.
        """

    @abstractmethod
    def is_move(self, text: str) -> bool:
        """Return whether a line is written as a move, legal or not."""

    @abstractmethod
    def is_position(self, text: str) -> bool:
        """Return whether a line is written as a position."""

    def begins_move(self, text: str) -> bool:
        """Return whether a line that is typed can become a move."""
        return self.is_move(text)

    @abstractmethod
    def is_legal(self, text: str) -> bool:
        """Return whether a line is a legal move."""

    @abstractmethod
    def explain_unknown(self, text: str) -> GammondError:
        """Return the error for a line that means nothing."""

    @abstractmethod
    def explain_topic(self, name: str) -> list[str]:
        """Return what ``help`` says of one of `topics`; nothing of other words."""

    @abstractmethod
    def show_overview(self, commands: Sequence[str]) -> list[str]:
        """Return what ``help`` shows, less than a screen: the commands in groups, and what is to be known."""

    @abstractmethod
    def suggest_moves(self, typed: str) -> Iterable[Suggestion]:
        """Suggest legal moves that begin with what was typed."""

    @abstractmethod
    def suggest_rest(self, command: ReplCommand | Command, typed: str) -> Iterable[Suggestion]:
        """Suggest values of the argument of a command that the cursor is in, given what follows its name."""

    @abstractmethod
    def show_board(self) -> list[str]:
        """Draw the board; nothing without a position."""

    def take_up(self) -> list[str]:
        """Return what is said once the session has gone over to this game; the board alone."""
        return self.show_board()

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines to be answered one by one."""

    @abstractmethod
    def toolbar(self, width: int) -> str:
        """Write the line below the prompt, of so many columns at most."""
