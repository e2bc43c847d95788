"""JSON lines: queries for one or many positions, in the style of KataGo's analysis engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from gammond.engine.errors import FormatError, GammondError, ValueRangeError
from gammond.protocol.commands.dispatch import count_failure
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.requests import Answer, AnyReply, JsonReply, StopRequest, Work
from gammond.protocol.dialects.json_documents import decode_object, make_id_key, make_query_error, quote_json
from gammond.protocol.dialects.json_fields import Query, read_query
from gammond.protocol.games import GAMES, find_entry
from gammond.protocol.state.session import Session


class GameQueries(NamedTuple):
    """The part of a game that answers queries.

    Attributes:
        answer: Answers one: given the session, the object, and what every line of the answer begins with, to
            which it adds ``warnings``. It returns the answer as it is sent where that was kept, and raises a
            GammondError where the query is wrong.
        fields: What queries may have.
        wants: The parts of an answer.
    """

    answer: Callable[[Session, dict[str, object], dict[str, object]], Work | bytes]
    fields: Collection[str]
    wants: Collection[str]


def answer_query(
    session: Session,
    text: str,
    is_in_use: Callable[[object], bool] = lambda key: False,
    refusal: GammondError | None = None,
) -> Answer | bytes:
    """Answer one line that begins with ``{``.

    Args:
        session: The client it came from.
        text: The line.
        is_in_use: Returns whether a key is that of unfinished work.
        refusal: Why the line is refused, whatever it asks for.

    Returns:
        The whole answer, or what is to be done for it. Errors are answers too: nothing is raised. They carry
        the id, unless that is the id of an unfinished query.
    """
    session.count_request()
    head: dict[str, object] = {"id": None}
    try:
        document = decode_object(text)
        query_id = document.get("id")
        is_taken = isinstance(query_id, str | int) and is_in_use(make_id_key(query_id))
        if isinstance(query_id, str | int) and not is_taken:
            head["id"] = query_id
        if refusal is not None:
            raise refusal
        names_query = document.get("action") == "terminate" and document.get("terminate_id") is None
        if is_taken and not names_query:
            raise ValueRangeError(
                f"{quote_json(query_id)} is the id of an unfinished query: "
                "choose another or wait for its answer",
                field="id",
            )
        if document.get("action") == "terminate":
            return _terminate(read_query(document, head), head)
        return find_queries(session, document).answer(session, document, head)
    except Exception as error:
        count_failure(session, refusal or error)
        return [make_query_error(head, refusal or error)]


def find_queries(session: Session, document: Mapping[str, object]) -> GameQueries:
    """Return the part of a game that answers queries: that of the variant of a query, or the session's.

    Raises:
        GammondError: There is no such variant.
    """
    variant, entry = document.get("variant"), GAMES[session.game_name]
    if variant is not None:
        if not isinstance(variant, str):
            raise FormatError(f"expected a string for variant, got {quote_json(variant)}", field="variant")
        with error_field("variant"):
            entry = find_entry(variant)
    queries: GameQueries = entry.load_queries()
    return queries


def _terminate(query: Query, head: dict[str, object]) -> StopRequest:
    target = query.id if query.terminate_id is None else query.terminate_id

    def answered(count: int) -> AnyReply:
        return JsonReply(
            {**head, "id": query.id, "action": "terminate", "final": True, "stopped": count}, word="terminate"
        )

    return StopRequest(make_id_key(target), answered)
