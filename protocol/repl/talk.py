"""One line from a person in, lines of text out: words, commands, and plays typed as they are."""

from __future__ import annotations

import difflib
import re

from engine.errors import GammondError, UnsupportedError
from protocol.arguments import SHOWN, Argument, read_arguments
from protocol.commands import COMMANDS
from protocol.dispatch import failed, run_line
from protocol.errors import CommandError
from protocol.repl.asking import RefusedRequestError
from protocol.repl.game import Game
from protocol.repl.toolbar import toolbar_text
from protocol.repl.words import ALIASES, WORDS, Word
from protocol.repl.writing import error_text
from protocol.replies import rendered
from protocol.requests import AnyReply, Control, Reply
from protocol.session import Session

_PLAY = re.compile(r"\(?[1-6][-, ]?[1-6]\)?\s*:|(?:bar|b|[0-9]{1,2})\*?\s*[/-]|pass\b", re.IGNORECASE)
_ROLL = re.compile(r"([1-6])[\s,]?([1-6])")
_FRESH_TABLE = frozenset(("position", "newgame"))


class Talk:
    """The conversation with one person. Not for several threads at a time.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        has_ended: Whether the person has asked to leave.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.game = Game(session)
        self.has_ended = False
        self._default_net = _default_net(session)

    def answer(self, text: str, control: Control | None = None) -> list[str]:
        """Answer one line; after a change on the table, the board comes last.

        Args:
            text: What was typed.
            control: Stops and watches work.

        Returns:
            Lines without line ends. Errors are answers too: nothing is raised.
        """
        before = self.session.game
        try:
            lines = self._answer(text.strip(), control or Control())
        except RefusedRequestError as error:
            lines = [error_text(error.reply)]
        except Exception as error:
            lines = [_text(failed(self.session, error))]
        if self.session.game is not before and self.session.game.position is not None:
            lines += self.game.board()
        return lines

    def toolbar(self, width: int) -> str:
        """Write the line below the prompt.

        Args:
            width: Columns of the terminal.
        """
        engine, service = self.session.engine, self.session.service
        net = self._default_net if engine.net == service.judges.default else engine.net
        return toolbar_text(self.game, net, width)

    def _answer(self, text: str, control: Control) -> list[str]:
        name, _, rest = text.replace("\t", " ").partition(" ")
        if not name:
            return []
        if name[0] in "@{":
            raise UnsupportedError(
                "tags and JSON queries are for programs: run 'gammond' with its input from a pipe",
                field="command",
            )
        name = ALIASES.get(name, name)
        if name == "help":
            return self._help(rest.strip())
        if name in WORDS:
            word = WORDS[name]
            return word.act(self.game, read_arguments(word.arguments, rest, word.usage), control)
        if name in COMMANDS:
            return self._command(name, f"{name} {rest}".rstrip(), control)
        if _PLAY.match(text):
            return self.game.make_play(text, control)
        raise CommandError(_unknown(text), field="command")

    def _command(self, name: str, text: str, control: Control) -> list[str]:
        replies, self.has_ended = run_line(self.session, text, control)
        lines = [_text(reply) for reply in replies]
        lines = [line for line in lines if line]
        if isinstance(replies[-1], Reply) and replies[-1].word == "error":
            return lines
        if name in _FRESH_TABLE and self.game.human is not None:
            lines += self.game.leave()
        return lines + self.game.go_on(control)

    def _help(self, name: str) -> list[str]:
        name = ALIASES.get(name, name)
        if name in WORDS:
            word = WORDS[name]
            meanings = [f"  {_label(argument)}: {argument.meaning}" for argument in word.arguments]
            return [_explained(word), *meanings]
        if name:
            replies, _ = run_line(self.session, f"help {name}")
            return [line for line in map(_text, replies) if line]
        others = [command for command in COMMANDS if command not in WORDS]
        return [
            "A play is typed as it is: '8/5 6/5', 'bar/22*', '6/off(2)'. Besides:",
            *map(_explained, WORDS.values()),
            f"The commands of the line protocol; 'help COMMAND' explains one: {', '.join(others)}.",
            "Tab completes, Ctrl-C cancels a line or a search, Ctrl-D leaves.",
        ]


def _label(argument: Argument) -> str:
    return f"{argument.name}={argument.shape}" if argument.is_named else argument.shape


def _explained(word: Word) -> str:
    return f"  {word.usage} : {word.summary}"


def _text(reply: AnyReply) -> str:
    """Write a reply for a person: as on the wire, but what is meant to be read stands alone."""
    if isinstance(reply, Reply):
        if reply.word == "error":
            return error_text(reply)
        if reply.word == "help":
            return reply.text
        if reply.word == "helpok":
            return ""
    return rendered(reply)


def _unknown(text: str) -> str:
    """Say that a line is nothing known, and what is nearest to it."""
    roll = _ROLL.fullmatch(text)
    if roll:
        return f"expected a command or a play, got {text!r}: a roll is set by 'dice {roll[1]} {roll[2]}'"
    name = text.split()[0]
    close = difflib.get_close_matches(name.lower(), [*WORDS, *COMMANDS], n=1)
    hint = f"did you mean {close[0]!r}?" if close else "'help' lists the commands"
    return f"expected a command or a play such as 8/5 6/5, got {name[:SHOWN]!r}: {hint}"


def _default_net(session: Session) -> str:
    judges = session.service.judges
    try:
        return next(iter(judges.names()), "missing")
    except GammondError:
        return "missing"
