"""How lines for a person are marked: errors, and what is drawn."""

from __future__ import annotations

from protocol.core.errors import INTERNAL_ERROR
from protocol.core.requests import Reply

ERROR_MARK = "error: "
"""How a line begins that says why nothing was done."""

_ADVICE = {
    "no position": "'play' begins a game, 'position gnubgid ID' sets one up",
    "the game is over": "'new' begins another",
    "no dice": "'roll' them, or set them by 'dice A B'",
}
"""What is missing, as the session says it, and the words of the REPL that help."""


class PreformattedLine(str):
    """A line whose columns stand below those of other lines: it is never wrapped."""

    __slots__ = ()


def format_error(reply: Reply) -> str:
    """Write an error line for a person: the sentence alone, and what to do in the words of the REPL.

    Args:
        reply: The error line of the wire, ``CODE FIELD: MESSAGE`` in its text.
    """
    code_and_field, _, message = reply.text.partition(": ")
    if code_and_field.startswith(INTERNAL_ERROR):
        message = "a fault of gammond itself, recorded on standard error; the talk goes on"
    missing, _, advice = message.partition(": send ")
    if advice:
        message = f"{missing}: {_ADVICE.get(missing, f'send {advice}')}"
    return ERROR_MARK + message
