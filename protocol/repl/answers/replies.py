"""Commands that the REPL sends to its session, and how replies and errors read for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from gammond.engine.errors import StateError
from gammond.protocol.commands.session_game import find_game
from gammond.protocol.core.errors import INTERNAL_ERROR
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import AnyReply, Reply, Work, WorkControl
from gammond.protocol.state.session import Session

Piece = tuple[str, str]
"""A mark of `gammond.protocol.repl.game.preferences.THEMES`, empty for none, and text."""

ERROR_MARK = "error: "
"""The beginning of a line that says why nothing was done."""

_ADVICE = {
    "position": "'play' starts a game, or paste a position",
    "game": "'new' starts another",
    "dice": "'roll' them, or set them with 'dice A B'",
}
"""What a `StateError` misses -> the REPL's own advice."""


class Mark(NamedTuple):
    """A part of a line that is coloured.

    Attributes:
        start: Its first character.
        end: The one after its last.
        name: What it is, a key of the themes.
    """

    start: int
    end: int
    name: str


class MarkedLine(str):
    """A line with coloured parts, in their order.

    Args:
        text: The line.
        marks: Its parts; those without a name count for nothing.
    """

    __slots__ = ("marks",)
    marks: tuple[Mark, ...]

    def __new__(cls, text: str, marks: Iterable[Mark] = ()) -> Self:
        """Return the line."""
        line = super().__new__(cls, text)
        line.marks = tuple(mark for mark in marks if mark.name)
        return line


class PreformattedLine(MarkedLine):
    """A line whose columns align with those of other lines: it is never wrapped.

    Args:
        text: The line.
        marks: As for `MarkedLine`.
        narrow: What stands for it where its table does not fit; nothing if empty, itself if None.
    """

    __slots__ = ("narrow",)
    narrow: str | None

    def __new__(cls, text: str, marks: Iterable[Mark] = (), narrow: str | None = None) -> Self:
        """Return the line."""
        line = super().__new__(cls, text, marks)
        line.narrow = narrow
        return line


class BoardLine(PreformattedLine):
    """A line of a drawn board."""

    __slots__ = ()


def send_command(session: Session, line: str, control: WorkControl) -> list[Reply]:
    """Carry out a command of the game that a session plays, and do its work on the spot.

    Args:
        session: The table.
        line: The command.
        control: Stops and watches work.

    Returns:
        Its replies, the last of them final.

    Raises:
        GammondError: It cannot be done.
    """
    name, _, rest = line.partition(" ")
    answer = find_game(session).commands[name].answer(session, rest)
    replies = answer.run(control) if isinstance(answer, Work) else answer
    assert isinstance(replies, Sequence)  # only `stop` and `quit` ask for something else
    return [reply for reply in replies if isinstance(reply, Reply)]


def format_replies(replies: Iterable[AnyReply]) -> list[str]:
    """Format replies for a person: as on the wire, with errors and help as plain text."""
    return [line for line in map(_format_reply, replies) if line]


def _format_reply(reply: AnyReply) -> str:
    if isinstance(reply, Reply):
        if reply.word == "error":
            return format_error(reply)
        if reply.word == "help":
            return reply.text
        if reply.word == "helpok":
            return ""
    return format_reply(reply)


def format_error(reply: Reply) -> str:
    """Format an error line for a person: the message alone, with advice in the words of the REPL.

    Args:
        reply: The error line of the wire, ``CODE FIELD: MESSAGE`` in its text.
    """
    code_and_field, _, message = reply.text.partition(": ")
    if code_and_field.startswith(INTERNAL_ERROR):
        message = "internal error, logged to standard error; you can go on"
    elif isinstance(reply.error, StateError) and reply.error.missing in _ADVICE:
        message = f"{reply.error.problem}: {_ADVICE[reply.error.missing]}"
    return ERROR_MARK + message
