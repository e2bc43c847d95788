"""One client of the line protocol: commands, and JSON queries between them, on one session."""

from __future__ import annotations

from gammond.engine.errors import GammondError
from gammond.protocol.commands.dispatch import answer_command, fail_request, find_unready
from gammond.protocol.core.connection import Connection, IsInUse
from gammond.protocol.core.requests import Answer, AnyReply, Unready, Work
from gammond.protocol.dialects.json_query import answer_query
from gammond.protocol.state.session import JSON_FORMAT, Session

_MAX_RECALLED_CHARS = 256
"""The longest command whose answer is kept: its text is kept with it."""


class LineClient:
    """Answers the requests of a session; a line that begins with ``{`` is a JSON query, any other a command.

    Args:
        session: The client's state.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def writes_json(self) -> bool:
        """Whether the session wants each line as an object."""
        return self.session.engine_settings.format == JSON_FORMAT

    def keeps_order(self, text: str) -> bool:
        """Return whether a request without a tag waits for earlier answers: all but queries do."""
        return not _is_query(text)

    def answer(self, text: str, is_in_use: IsInUse) -> Answer | bytes | Unready:
        """Answer a query or a command."""
        return answer_query(self.session, text, is_in_use) if _is_query(text) else self._answer(text)

    def _answer(self, text: str) -> Answer | bytes | Unready:
        """Answer a command, as before if it shows kept analyses alone and these are the same."""
        session, kept = self.session, self.session.service.kept_answers
        if (unready := find_unready(session, text)) is not None:
            return unready
        if len(text) > _MAX_RECALLED_CHARS:
            return answer_command(session, text)
        key = text, session.game_name, session.game, session.engine_settings.answer_key
        answer = kept.recall(key)
        if answer is not None:
            session.count_request()
            return answer
        found = answer_command(session, text)
        return kept.keep_answer_of(found, key) if isinstance(found, Work) else found

    def refuse(self, text: str, is_in_use: IsInUse, error: GammondError) -> Answer | bytes:
        """Answer with an error in the form of the request; nothing of it takes effect."""
        if _is_query(text):
            return answer_query(self.session, text, is_in_use, error)
        self.session.count_request()
        return [fail_request(self.session, error)]

    def fail(self, error: Exception, work: Work | None = None) -> AnyReply:
        """Return the final reply for work that raised, or the last of all to a client."""
        return fail_request(self.session, error, work)


def connect(session: Session) -> Connection:
    """Return the connection of a client, with the caps of its service."""
    return Connection(LineClient(session), session.service.limits, session.service.clock)


def _is_query(text: str) -> bool:
    return text.startswith("{")
