"""From one line of text to its answer: the parser that the command table feeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec

from gammond.engine.errors import GammondError, LimitError, forget_frames
from gammond.protocol.commands.session_game import find_game, make_unknown_error
from gammond.protocol.commands.ubgi01 import translate_error_code
from gammond.protocol.core.errors import INTERNAL_ERROR
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.replies import make_error_reply
from gammond.protocol.core.requests import (
    Answer,
    AnyReply,
    QuitRequest,
    StopRequest,
    Unready,
    Work,
    WorkControl,
    make_preparation,
)
from gammond.protocol.games import GAMES
from gammond.protocol.state.session import Session


def find_unready(session: Session, text: str) -> Unready | Sequence[AnyReply] | None:
    """Return what a thread that does not wait for the compiler answers to a command in place of its handler.

    Args:
        session: The client it came from.
        text: The command, without its tag.

    Returns:
        None where the handler needs no kernels, or they are there.
    """
    if not text.startswith(_list_waiting_words(session.game_name)):  # nearly always
        return None
    command = find_game(session).commands.get(text.replace("\t", " ").partition(" ")[0])
    if command is None or command.needs is None or command.needs.is_ready:
        return None
    try:
        command.needs.check()
    except Exception as error:
        session.count_request()
        return [fail_request(session, error)]
    return Unready(make_preparation(command.needs.warm))


@cache
def _list_waiting_words(game: str) -> tuple[str, ...]:
    """List the names of the commands of a game that may have to wait for kernels."""
    return tuple(name for name, row in GAMES[game].load_commands().commands.items() if row.needs is not None)


def answer_command(session: Session, text: str) -> Answer:
    """Answer a command without its tag.

    State changes take effect before this returns; work is returned for someone else to run.

    Args:
        session: The client it came from.
        text: The command.

    Returns:
        The answer, or what is to be done for it. Errors are answers too: nothing is raised.
    """
    session.count_request()
    try:
        if len(text) > (most := session.service.limits.command_chars):
            raise LimitError(
                f"expected a command of at most {most:,} characters, got {len(text):,}", field="line"
            )
        name, _, rest = text.replace("\t", " ").partition(" ")
        command = find_game(session).commands.get(name)
        if command is None:
            raise make_unknown_error(name, session)
        if command.standard == "UBGI 0.1":
            session.speaks_ubgi01 = True
        answer = command.answer(session, rest)
    except Exception as error:
        return [fail_request(session, error)]
    return answer


def fail_request(session: Session, error: Exception, work: Work | None = None) -> AnyReply:
    """Return the final reply for a request that raised, in the words of the client's dialect, and count it.

    Args:
        session: The client it came from.
        error: What was raised.
        work: The work that raised it, if it was work.
    """
    count_failure(session, error)
    if work is not None and work.make_error_reply is not None:
        return work.make_error_reply(error)
    reply = make_error_reply(error)
    if session.speaks_ubgi01:
        code, _, rest = reply.text.partition(" ")
        reply = msgspec.structs.replace(reply, text=f"{translate_error_code(code)} {rest}")
    return reply


def count_failure(session: Session, error: Exception) -> None:
    """Note that a request raised, a fault of the server in its log, and let go of the error's frames."""
    if session.service.has_log or not isinstance(error, GammondError):
        FAULT_LOG.log_own("a request failed", error)
    session.count_error(error.code if isinstance(error, GammondError) else INTERNAL_ERROR)
    forget_frames(error)


def run_line(
    session: Session, text: str, control: WorkControl | None = None
) -> tuple[Sequence[AnyReply], bool]:
    """Answer one command on the spot, for a caller that serves one client and has no queue.

    Args:
        session: The client.
        text: The command, without a tag.
        control: Stops and watches work.

    Returns:
        The replies, the last of them final, and whether the command ended the session.
    """
    answer = answer_command(session, text.strip(" \t"))
    if isinstance(answer, Work):
        try:
            return answer.run(control or WorkControl()), False
        except Exception as error:
            return [fail_request(session, error, answer)], False
    if isinstance(answer, StopRequest):
        return [answer.make_reply(0)], False
    if isinstance(answer, QuitRequest):
        return answer.replies, True
    return answer, False
