"""One line from a person in, lines of text out: the talk about the game that the session plays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from gammond.engine.errors import GammondError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rules.rules import VARIANTS
from gammond.protocol.commands.session_game import explain_foreign_value, find_setting
from gammond.protocol.core.replies import make_error_reply
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.games import FIRST_GAME, GAMES, OTHER_GAMES, list_variants
from gammond.protocol.repl.answers.replies import ERROR_MARK, Piece, format_error
from gammond.protocol.repl.answers.sentences import LEAVE_VARIANT, describe_variant
from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk
from gammond.protocol.repl.dialogue.talk import Talk
from gammond.protocol.repl.game.games import resume
from gammond.protocol.repl.game.repl_game import SavedGame
from gammond.protocol.repl.game.saved_game import KeptGame, read_kept_moves, write_kept
from gammond.protocol.state.session import Session

VARIANT_KEY = "game.variant"

_GO_OVER = re.compile(r"(?:(?:play|new|game|variant)\s+)?(\w+)", re.IGNORECASE)
_LIST = re.compile(r"(?:help\s+)?(?:games|variants?)", re.IGNORECASE)
_HELP = re.compile(r"help\s+(\w+)", re.IGNORECASE)

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
        self._files: dict[str, Path] = {}
        self._kept: dict[str, KeptGame | None] = {}

    @property
    def has_ended(self) -> bool:
        """Whether the person has asked to leave."""
        return any(talk.has_ended for talk in self._talks.values())

    @property
    def talk(self) -> Talk:
        """The talk about the game that the session plays."""
        name = self.session.game_name
        if name not in self._talks:
            self._talks[name] = GAMES[name].load_talk()(self.session)
        talk = self._talks[name]
        talk.columns = self.game.columns
        return talk

    def answer(self, text: str, control: WorkControl | None = None) -> list[str]:
        """Answer one line, as `Talk.answer`; where it changes the game, the talk about that has its say."""
        talk, line = self.talk, text.strip()
        if "\n" in line:
            return [f"{ERROR_MARK}{_explain_page(line.splitlines(), talk.drawing_hint)}"]
        if lines := _explain_games(line):
            return lines
        present = find_setting(self.session, VARIANT_KEY).get(self.session)
        self._variants[talk.name] = present
        if (variant := _find_variant(line)) is not None:
            if variant == present:
                return [f"You play {variant} already."]
            if variant not in GAMES or variant == talk.name:
                return [f"{_explain_variant(variant)}."]
            line = f"set {VARIANT_KEY} {self._variants.get(variant, variant)}"
        elif line and (foreign := _explain_foreign(line, talk, self._talks.values())):
            return [f"{ERROR_MARK}{foreign}"]
        lines = talk.answer(line, control)
        if self.session.game_name != talk.name:
            lines += self._resume_kept()
            lines += self.talk.take_up()
        return lines

    def keep_in(self, file: Path) -> list[str]:
        """Let `keep` write games, and go on with those of an earlier session where a talk begins.

        Args:
            file: Where the game of the first talk is, which `resume` takes; those of the others are beside
                it, unless the person prefers to go on with none.

        Returns:
            Lines that say which games wait.
        """
        self._files, self._kept = {FIRST_GAME: file}, {FIRST_GAME: self.game.describe_kept()}
        if self.game.preferences.resume:
            self._files |= {name: file.with_name(f"{name}.json") for name in OTHER_GAMES}
        waiting = [name for name in OTHER_GAMES if name in self._files and self._files[name].exists()]
        return [f"Your game of {name} waits: {name!r} goes on with it." for name in waiting]

    def keep(self) -> list[str]:
        """Write the games that have changed; return what could not be done."""
        problems = []
        for name, talk in self._talks.items():
            kept, file = talk.describe_kept(), self._files.get(name)
            if file is None or kept == self._kept.get(name):
                continue
            self._kept[name] = kept
            try:
                write_kept(file, kept)
            except GammondError as error:
                problems.append(f"{ERROR_MARK}{error.message}")
        return problems

    @property
    def kept_games(self) -> list[str]:
        """The names of the games beside the first that `keep` has written."""
        return [name for name, kept in self._kept.items() if kept is not None and name != FIRST_GAME]

    def _resume_kept(self) -> list[str]:
        """Go on with the kept game of a talk that has just begun; return what to show."""
        name = self.session.game_name
        if name not in self._files or name in self._talks:
            return []
        talk = self.talk
        try:
            self._kept[name] = kept = read_kept_moves(self._files[name])
            return [] if kept is None else talk.resume(kept)
        except GammondError as error:
            return [format_error(make_error_reply(error))]

    def resume(self, kept: SavedGame, control: WorkControl | None = None) -> list[str]:
        """Go on with a game of backgammon of an earlier session; return what to show."""
        return [*resume(self.game, control or WorkControl(), kept), *self.talk.show_board()]

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines to be answered one by one.

        The lines of a page of text, `PAGE_LINES` or more that mean nothing, are one, with line ends.
        """
        talk = self.talk
        lines = talk.split(text)
        unread = [line for line in lines if line.strip() and not self._reads(line, talk)]
        if len(unread) < PAGE_LINES:
            return lines
        page = lines.index(unread[0])
        return [*lines[:page], "\n".join(unread), *(line for line in lines[page:] if line not in unread)]

    def _reads(self, line: str, talk: Talk) -> bool:
        """Return whether a line means something, to the talk or to those about other games."""
        line = line.strip()
        of_games = _find_variant(line) is not None or _explain_games(line)
        return talk.reads(line) or bool(of_games or _explain_foreign(line, talk, self._talks.values()))

    def mark_input(self, text: str, *, may_wait: bool = True) -> list[Piece]:
        """Cut a line as it is typed into pieces, as `Talk.mark_input`."""
        if _find_variant(text.strip()) is not None:
            return [("command", text)]
        return self.talk.mark_input(text, may_wait=may_wait)


def _explain_page(lines: Sequence[str], hint: str) -> str:
    """Return the message for pasted lines that mean nothing."""
    return (
        f"expected commands, moves or positions, got {len(lines)} lines that are none, such as "
        f"{lines[0][:MAX_QUOTED_CHARS]!r}: {hint}"
    )


def _find_variant(line: str) -> str | None:
    """Return the ``game.variant`` that a line names, such as ``barca`` or ``play barca``; or None."""
    found = _GO_OVER.fullmatch(line)
    return found[1].lower() if found and found[1].lower() in list_variants() else None


def _explain_games(line: str) -> list[str]:
    """Return the answer to ``help games`` or ``help`` with the name of a game; nothing for other lines."""
    if _LIST.fullmatch(line):
        return [
            "Games, and their variants:",
            *(f"  {entry.name:<12}{', '.join(entry.variants)}" for entry in GAMES.values()),
            f"{' or '.join(map(repr, GAMES))} goes over to that game; each waits as it was left.",
            "'set game.variant NAME' sets a variant; a game of another one is set aside.",
        ]
    found = _HELP.fullmatch(line)
    if found is None or found[1].lower() not in list_variants():
        return []
    name = found[1].lower()
    if name in GAMES:
        return [f"  {name!r} goes over to it; 'help' there explains it"]
    about = [f"  {describe_variant(VARIANTS[name])}"] if name in VARIANTS else []
    return [f"  {_explain_variant(name)}, and 'play' begins a game; {LEAVE_VARIANT}", *about]


def _explain_variant(name: str) -> str:
    """Say how to go over to a variant, for which a game of another one is set aside."""
    return f"'set game.variant {name}' goes over to {name}"


def _explain_foreign(text: str, talk: Talk, others: Iterable[Talk]) -> str:
    """Return what a command or level of another game is told; empty for other lines.

    Args:
        text: What was typed.
        talk: The talk about the game that is played.
        others: Talks about other games.
    """
    name, *rest = text.split()
    if name.lower() == "level" and len(rest) == 1:
        hint = explain_foreign_value(talk.name, "engine.level", rest[0])
        return f"{rest[0][:MAX_QUOTED_CHARS]!r} is no level of {talk.name} but {hint}" if hint else ""
    for other in others:
        if other.knows(name) and not talk.knows(name):
            word = next(iter(GAMES[other.name].variants))
            return (
                f"{name!r} is a command of {other.name}, and this session plays {talk.name}: "
                f"{word!r} goes over to it"
            )
    return ""
