"""The talk about backgammon: commands, positions in any form, and plays typed as they are."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from gammond.engine.errors import GammondError, UnsupportedError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import START, find_match_id, find_position, split_lines
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.rules import BACKGAMMON
from gammond.protocol.commands.dispatch import run_line
from gammond.protocol.commands.game import POSITION_FORMS
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import Reply, WorkControl
from gammond.protocol.repl.answers.checkers import is_checkers
from gammond.protocol.repl.answers.replies import Piece, format_replies
from gammond.protocol.repl.dialogue import gnubg_words
from gammond.protocol.repl.dialogue.commands import ALIASES, REPL_COMMANDS
from gammond.protocol.repl.dialogue.completion import suggest_completions
from gammond.protocol.repl.dialogue.help import show_overview, show_topic
from gammond.protocol.repl.dialogue.position_setup import paste_position
from gammond.protocol.repl.dialogue.suggestions import Suggestion
from gammond.protocol.repl.dialogue.talk import Talk
from gammond.protocol.repl.dialogue.toolbar import format_toolbar
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.session import Session

_PLAY_PATTERN = re.compile(r"\(?[1-6][-, ]?[1-6]\)?\s*:|(?:bar|b|[0-9]{1,2})\*?\s*[/-]|pass\b", re.IGNORECASE)
_PLAY_WORDS = re.compile(r"[0-9bB(]")
_ROLL_PATTERN = re.compile(r"([1-6])[\s,]?([1-6])")


class BackgammonTalk(Talk):
    """The talk about backgammon; its table also keeps what a person prefers, whatever is played.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        game: The game at the table, and its records.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.game = ReplGame(session)
        self._default_net = _find_default_net(session)

    @property
    def news(self) -> Sequence[str]:
        """What the game has said since the person's last decision; nothing once it is over."""
        is_at_end = self.game.human_seat is not None and not self.game.is_running
        return [] if is_at_end else self.game.news

    @property
    def must_show_board(self) -> bool:
        """Whether the tutor has objected: the person decides again, and has to see the board."""
        return self.game.tutor.has_objected

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines: a position may take several."""
        return split_lines(text, self._is_read)

    def suggest(self, text_before_cursor: str) -> list[Suggestion]:
        """Suggest ways to go on with a line."""
        return suggest_completions(text_before_cursor, self.session)

    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces; without legal plays where these would be waited for."""
        return mark_typed_line(text, self.session.game if may_wait else None)

    def take_up(self) -> list[str]:
        """Return the board, if there is one: this is the talk that the terminal begins with."""
        return self.show_board()

    def show_board(self) -> list[str]:
        """Draw the board; nothing without a position."""
        return [] if self.session.game.position is None else self.game.show_board()

    def toolbar(self, width: int) -> str:
        """Write the line below the prompt.

        Args:
            width: Columns of the terminal.
        """
        engine, service = self.session.engine_settings, self.session.service
        net = self._default_net if engine.net == service.catalogue.default else engine.net
        variant = self.session.game.rules.variant
        if variant.is_solved:
            net = variant.name
        elif variant is not BACKGAMMON:
            net = f"{variant.name} {net}"
        return format_toolbar(self.game, net, width)

    @property
    def table_state(self) -> object:
        """The game on the table."""
        return self.session.game

    def run_line(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a line."""
        text = gnubg_words.translate(text)
        name, _, rest = text.replace("\t", " ").partition(" ")
        if not name:
            return []
        if instead := gnubg_words.explain_line(text):
            raise CommandError(f"there is no {text[:MAX_QUOTED_CHARS]!r} here: {instead}", field="command")
        if (position := self._find_position(text)) is not None:
            return paste_position(self.game, position, control) + self.game.continue_game(control)
        if name[0] in "@{":
            raise UnsupportedError(
                "tags and JSON queries are for programs: run 'gammond' with its input from a pipe",
                field="command",
            )
        name = ALIASES.get(name, name)
        if name == "help":
            return self._show_help(rest.strip())
        if name in REPL_COMMANDS:
            word = REPL_COMMANDS[name]
            return word.run(self.game, word.parse(rest), control)
        if name in COMMANDS:
            return self._run_command(name, f"{name} {rest}".rstrip(), control)
        if _PLAY_PATTERN.match(text):
            return self.game.make_play(text, control)
        raise CommandError(_explain_unknown(text), field="command")

    def knows(self, name: str) -> bool:
        """Return whether a word is a command, or one of GNU Backgammon's."""
        return _is_command(name) or bool(gnubg_words.explain(name))

    def reads(self, text: str) -> bool:
        """Return whether a line has the looks of a command, a play or a position, right or wrong."""
        line, name = gnubg_words.translate(text), text.split()[0]
        is_explained = self.knows(name) or bool(gnubg_words.explain_line(line)) or name[0] in "@{"
        return is_explained or self._is_read(line)

    @property
    def drawing_hint(self) -> str:
        """What to do instead of pasting the drawing of a board."""
        return "a drawn board is read with its ID or XGID beside it, and 'edit' sets up checkers"

    def _is_read(self, text: str) -> bool:
        """Return whether a line is a command, a play or a position as it stands."""
        is_command = _is_command(text.split()[0])
        return is_command or bool(_PLAY_PATTERN.match(text)) or self._find_position(text) is not None

    def _find_position(self, text: str) -> str | None:
        """Return the position of a line, bare or after ``position``; a match ID joins the present one."""
        name, _, rest = text.partition(" ")
        if name == "position":
            form = rest.split(maxsplit=1)[:1]
            return rest.strip() if form and form[0] not in POSITION_FORMS else None
        if name in COMMANDS or name in REPL_COMMANDS:
            return None
        match_id, position = find_match_id(text), self.session.game.position
        if match_id and position is not None:
            return f"{encode_position_id(position)}:{match_id}"
        return find_position(text) or (text if is_checkers(text) or text.lower() == START else None)

    def _run_command(self, name: str, text: str, control: WorkControl) -> list[str]:
        aside, place, before = self.game.describe_game(), self.game.origin, self.session.game
        replies, self.has_ended = run_line(self.session, text, control)
        if self.has_ended:
            return ["Goodbye."]
        lines = format_replies(replies)
        is_refused = isinstance(replies[-1], Reply) and replies[-1].word == "error"
        if is_refused or self.session.game_name != self.name:
            return lines
        if self.session.game.rules.variant is not before.rules.variant:
            lines += self.game.take_up_variant(aside, had_position=before.position is not None)
        elif COMMANDS[name].sets_position:
            lines += self.game.set_aside(aside)
        elif place is not None:
            place.tried.append(self.session.game)
        return lines + self.game.continue_game(control)

    def _show_help(self, name: str) -> list[str]:
        if not name:
            return show_overview(self.session.game.rules.variant)
        name = ALIASES.get(name, name)
        if (lines := show_topic(name)) is not None:
            return lines
        if instead := gnubg_words.explain(name):
            return [f"There is no {name!r} here: {instead}."]
        replies, _ = run_line(self.session, f"help {name}")
        return format_replies(replies)


def mark_typed_line(text: str, game: GameState | None) -> list[Piece]:
    """Cut a line as it is typed into pieces: commands, legal plays, and what is neither yet.

    Args:
        text: The line.
        game: The table, for what is legal; None where that cannot be told now.
    """
    bare = text.lstrip()
    name = bare.split(" ", 1)[0]
    indent = text[: len(text) - len(bare)]
    if ALIASES.get(name, name) in {**REPL_COMMANDS, **COMMANDS}:
        return [("", indent), ("command", name), ("", bare[len(name) :])]
    if _PLAY_WORDS.match(bare):
        return [("play" if _is_legal(bare, game) else "", text)]
    is_word = any(each.startswith(name) for each in (*REPL_COMMANDS, *ALIASES, *COMMANDS))
    return [("" if is_word else "unknown", text)]


def _is_legal(text: str, game: GameState | None) -> bool:
    if game is None or game.position is None or game.is_over or game.match.roll is None:
        return False
    try:
        parse_play(text, game.position, game.match.roll, game.rules)
    except GammondError:
        return False
    return True


def _is_command(name: str) -> bool:
    name = ALIASES.get(name, name)
    return name in REPL_COMMANDS or name in COMMANDS


def _explain_unknown(text: str) -> str:
    """Return the message for an unknown line, with the nearest command."""
    roll = _ROLL_PATTERN.fullmatch(text)
    if roll:
        return f"expected a command or a play, got {text!r}: set a roll with 'dice {roll[1]} {roll[2]}'"
    name = text.split()[0]
    if instead := gnubg_words.explain(name):
        return f"there is no {name!r} here: {instead}"
    close = difflib.get_close_matches(name[:MAX_QUOTED_CHARS].lower(), [*REPL_COMMANDS, *COMMANDS], n=1)
    hint = f"did you mean {close[0]!r}?" if close else "'help' lists the commands"
    return f"expected a command or a play such as 8/5 6/5, got {name[:MAX_QUOTED_CHARS]!r}: {hint}"


def _find_default_net(session: Session) -> str:
    catalogue = session.service.catalogue
    try:
        return next(iter(catalogue.list_names()), "missing")
    except GammondError:
        return "missing"
