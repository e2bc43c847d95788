"""A talk: what the terminal asks of each game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from gammond.engine.errors import DataFileError
from gammond.protocol.commands.dispatch import fail_request
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.progress import ProgressLine
from gammond.protocol.repl.answers.replies import Piece, RefusedRequestError, format_error, format_replies
from gammond.protocol.repl.dialogue.suggestions import Suggestion
from gammond.protocol.repl.game.kept_moves import KeptMoves
from gammond.protocol.state.session import Session

DEFAULT_COLUMNS = 80
"""Columns of a terminal that does not say how many it has."""


class Talk(ABC):
    """The talk with one person about the game that the session plays. Not for several threads at a time.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        has_ended: Whether the person has asked to leave.
        name: The game's, as in `gammond.protocol.games.GAMES`.
        columns: Those of the terminal.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.has_ended = False
        self.name = session.game_name
        self.columns = DEFAULT_COLUMNS

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
        except RefusedRequestError as error:
            lines = [format_error(error.reply)]
        except Exception as error:
            lines = format_replies([fail_request(self.session, error)])
        if self.table_state is not before and self.session.game_name == self.name:
            lines += self.show_board()
        return lines

    @property
    def news(self) -> Sequence[str]:
        """Sentences that must not leave the screen unread, the oldest first."""
        return ()

    @property
    def must_show_board(self) -> bool:
        """Whether the board belongs under an answer that pushes it off the screen."""
        return False

    def make_progress(self) -> ProgressLine:
        """Return what makes the line that shows the progress of an answer."""
        return ProgressLine()

    def describe_kept(self) -> KeptMoves | None:
        """Return what the next start of the terminal goes on with; None for nothing."""
        return None

    def resume(self, kept: KeptMoves) -> list[str]:
        """Go on with the game of an earlier session; return what to show.

        Raises:
            GammondError: It is none of this game.
        """
        raise DataFileError(f"games of {self.name} are kept in another way", field="game")

    @property
    @abstractmethod
    def table_state(self) -> object:
        """What is on the table; another object after each change."""

    @abstractmethod
    def run_line(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a line.

        Args:
            text: What was typed, without blanks around it.
            control: Stops and watches work.

        Raises:
            GammondError: It cannot be done, or means nothing.
        """

    @abstractmethod
    def knows(self, name: str) -> bool:
        """Return whether a word is a command of this game."""

    @abstractmethod
    def reads(self, text: str) -> bool:
        """Return whether a line has the looks of a command, a move or a position, right or wrong."""

    @property
    def drawing_hint(self) -> str:
        """What to do instead of pasting the drawing of a board."""
        return "'help' lists the commands"

    @abstractmethod
    def show_board(self) -> list[str]:
        """Draw the board; nothing without a position."""

    @abstractmethod
    def take_up(self) -> list[str]:
        """Return what is said once the session has gone over to this game."""

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines to be answered one by one."""

    @abstractmethod
    def toolbar(self, width: int) -> str:
        """Write the line below the prompt.

        Args:
            width: Columns of the terminal.
        """

    @abstractmethod
    def suggest(self, text_before_cursor: str) -> list[Suggestion]:
        """Suggest ways to go on with a line, the likeliest first."""

    @abstractmethod
    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces: commands, legal moves, and what is neither yet.

        Args:
            text: The line.
            may_wait: Whether legal moves may be asked for; a kernel that they need may be compiled now.
        """
