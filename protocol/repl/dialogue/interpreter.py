"""One line from a person in, lines of text out: the talk about the game that the session plays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gammond.engine.errors import GammondError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.protocol.commands.session_game import find_setting
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.games import GAMES
from gammond.protocol.repl.answers.progress import ProgressLine
from gammond.protocol.repl.answers.replies import ERROR_MARK, Piece, RefusedRequestError, format_error
from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk
from gammond.protocol.repl.dialogue.other_games import (
    explain_foreign,
    explain_games,
    explain_variant,
    find_variant,
)
from gammond.protocol.repl.dialogue.suggestions import Suggestion
from gammond.protocol.repl.dialogue.talk import Talk
from gammond.protocol.repl.game.kept_moves import KeptMoves, read_kept_moves
from gammond.protocol.repl.game.saved_game import SavedGame
from gammond.protocol.repl.game.state_file import write_state
from gammond.protocol.state.session import Session

VARIANT_KEY = "game.variant"

PAGE_LINES = 3
"""So many pasted lines that mean nothing are a page of text, or a drawing, and are answered as one."""


class LineInterpreter:
    """The conversation with one person, whatever game they play. Not for several threads at a time.

    The terminal begins with backgammon, whose talk keeps preferences and matches.

    Args:
        session: What the person shares with nobody.

    Attributes:
        game: The table of backgammon.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._talks: dict[str, Talk] = {}
        first = BackgammonTalk(session)
        self._talks[first.name] = first
        self.game = first.game
        self._variants: dict[str, str] = {}
        self._folder: Path | None = None
        self._kept: dict[str, KeptMoves | None] = {}

    @property
    def has_ended(self) -> bool:
        """Whether the person has asked to leave."""
        return any(talk.has_ended for talk in self._talks.values())

    def answer(self, text: str, control: WorkControl | None = None) -> list[str]:
        """Answer one line, as `Talk.answer`; where it changes the game, the talk about that has its say."""
        talk, line = self._find_talk(), text.strip()
        if "\n" in line:
            return [f"{ERROR_MARK}{_explain_page(line.splitlines(), talk.drawing_hint)}"]
        if lines := explain_games(line):
            return lines
        present = find_setting(self.session, VARIANT_KEY).get(self.session)
        self._variants[talk.name] = present
        if (variant := find_variant(line)) is not None:
            if variant == present:
                return [f"You play {variant} already."]
            if variant not in GAMES or variant == talk.name:
                return [f"{explain_variant(variant)}."]
            line = f"set {VARIANT_KEY} {self._variants.get(variant, variant)}"
        elif line and (foreign := explain_foreign(line, talk, self._talks.values())):
            return [f"{ERROR_MARK}{foreign}"]
        lines = talk.answer(line, control)
        if self.session.game_name != talk.name:
            lines += self._resume_kept()
            lines += self._find_talk().take_up()
        return lines

    def keep_tables_in(self, folder: Path) -> list[str]:
        """Go on with games of an earlier session where a talk begins, and let `keep_tables` write them.

        Args:
            folder: Where they are, a file for each game but the first, whose games `resume` takes.

        Returns:
            Lines that say which games wait.
        """
        self._folder = folder
        waiting = [name for name in GAMES if (folder / f"{name}.json").exists()]
        return [f"Your game of {name} waits: {name!r} goes on with it." for name in waiting]

    def keep_tables(self) -> None:
        """Write the games that have changed.

        Raises:
            DataFileError: A file cannot be written.
        """
        for name, talk in self._talks.items():
            kept = talk.describe_kept()
            if self._folder is None or kept == self._kept.get(name):
                continue
            self._kept[name] = kept
            file = self._folder / f"{name}.json"
            if kept is None:
                file.unlink(missing_ok=True)
            else:
                write_state(file, kept)

    @property
    def kept_games(self) -> list[str]:
        """The names of games that `keep_tables` has written."""
        return [name for name, kept in self._kept.items() if kept is not None]

    def _resume_kept(self) -> list[str]:
        """Go on with the kept game of a talk that has just begun; return what to show."""
        name = self.session.game_name
        if self._folder is None or name in self._talks:
            return []
        talk = self._find_talk()
        try:
            kept = read_kept_moves(self._folder / f"{name}.json")
            self._kept[name] = kept
            return [] if kept is None else talk.resume(kept)
        except RefusedRequestError as error:
            return [format_error(error.reply)]
        except GammondError as error:
            return [f"{ERROR_MARK}{error.message}"]

    def resume(self, kept: SavedGame, control: WorkControl | None = None) -> list[str]:
        """Go on with a game of backgammon of an earlier session; return what to show."""
        return [*self.game.resume(kept, control or WorkControl()), *self.game.show_board()]

    @property
    def news(self) -> Sequence[str]:
        """Sentences that must not leave the screen unread, the oldest first."""
        return self._find_talk().news

    @property
    def must_show_board(self) -> bool:
        """Whether the board belongs under an answer that pushes it off the screen."""
        return self._find_talk().must_show_board

    def show_board(self) -> list[str]:
        """Draw the board; nothing without a position."""
        return self._find_talk().show_board()

    def make_progress(self) -> ProgressLine:
        """Return what makes the line that shows the progress of an answer."""
        return self._find_talk().make_progress()

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines to be answered one by one.

        The lines of a page of text, `PAGE_LINES` or more that mean nothing, are one, with line ends.
        """
        talk = self._find_talk()
        lines = talk.split(text)
        unread = [line for line in lines if line.strip() and not self._reads(line, talk)]
        if len(unread) < PAGE_LINES:
            return lines
        page = lines.index(unread[0])
        return [*lines[:page], "\n".join(unread), *(line for line in lines[page:] if line not in unread)]

    def _reads(self, line: str, talk: Talk) -> bool:
        """Return whether a line means something, to the talk or to those about other games."""
        line = line.strip()
        of_games = find_variant(line) is not None or explain_games(line)
        return talk.reads(line) or bool(of_games or explain_foreign(line, talk, self._talks.values()))

    def toolbar(self, width: int) -> str:
        """Write the line below the prompt, of so many columns at most."""
        return self._find_talk().toolbar(width)

    def suggest(self, text_before_cursor: str) -> list[Suggestion]:
        """Suggest ways to go on with a line, the likeliest first."""
        return self._find_talk().suggest(text_before_cursor)

    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces, as `Talk.mark_input`."""
        if find_variant(text.strip()) is not None:
            return [("command", text)]
        return self._find_talk().mark_input(text, may_wait=may_wait)

    def _find_talk(self) -> Talk:
        name = self.session.game_name
        if name not in self._talks:
            self._talks[name] = GAMES[name].load_talk()(self.session)
        talk = self._talks[name]
        talk.columns = self.game.columns
        return talk


def _explain_page(lines: Sequence[str], hint: str) -> str:
    """Return the message for pasted lines that mean nothing."""
    return (
        f"expected commands, moves or positions, got {len(lines)} lines that are none, such as "
        f"{lines[0][:MAX_QUOTED_CHARS]!r}: {hint}"
    )
