"""JSON queries as documents, whatever game they are about: decoding, ids, errors."""

from __future__ import annotations

import msgspec

from engine.errors import FormatError
from engine.options import MAX_QUOTED_CHARS
from protocol.core.replies import describe_error
from protocol.core.requests import JsonReply

QueryId = str | int


def decode_object(text: str) -> dict[str, object]:
    """Decode a line that begins with ``{``.

    Raises:
        FormatError: It is no JSON object.
    """
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise FormatError(f"expected a JSON object on one line: {error}", field="line") from error
    if not isinstance(document, dict):
        raise FormatError("expected a JSON object on one line", field="line")
    return document


def quote_json(value: object) -> str:
    """Write a value as JSON for a message, no more of it than a message shows."""
    return msgspec.json.encode(value).decode("utf-8")[:MAX_QUOTED_CHARS]


def make_id_key(query_id: QueryId) -> object:
    """Return the key under which the work of a query can be stopped."""
    return ("id", query_id)


def make_query_error(head: dict[str, object], error: Exception) -> JsonReply:
    """Return the final line for a query that failed.

    Args:
        head: What every line of its answer begins with.
        error: What was raised.
    """
    code, name, message = describe_error(error)
    return JsonReply({**head, "final": True, "error": {"code": code, "field": name, "message": message}})
