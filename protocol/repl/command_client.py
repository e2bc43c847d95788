"""Commands that the REPL itself sends to the session's table, as any other client would."""

from __future__ import annotations

from engine.errors import GammondError
from protocol.commands.dispatch import run_line
from protocol.core.requests import Reply, WorkControl
from protocol.state.session import Session


class RefusedRequestError(GammondError):
    """A command that the table answered with an error: the reply says what to do.

    Args:
        reply: The error line.
    """

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.text)
        self.reply = reply


def send_command(session: Session, line: str, control: WorkControl) -> list[Reply]:
    """Send a command to the table.

    Args:
        session: The table.
        line: The command.
        control: Stops and watches work.

    Returns:
        Its replies, the last of them final.

    Raises:
        RefusedRequestError: The table answered with an error.
    """
    replies, _ = run_line(session, line, control)
    lines = [reply for reply in replies if isinstance(reply, Reply)]
    if lines[-1].word == "error":
        raise RefusedRequestError(lines[-1])
    return lines
