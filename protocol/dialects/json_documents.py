"""JSON queries as documents, whatever game they are about: decoding, ids, errors."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from gammond.engine.errors import FormatError, LimitError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.protocol.core.replies import describe_error
from gammond.protocol.core.requests import JsonReply

QueryId = str | int

MAX_FIELDS = 256
"""Fields of one object; those that there are number some 30."""

MAX_TEXTS = 16_384
"""Texts in one object, the names of its fields among them."""

_ANY_BYTES = 8 * 1024
"""How much of an object may be anything: some 2 ms at worst, of numbers with many digits."""

_FIELDS_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PLAIN_DECODER = msgspec.json.Decoder(str | list[str | int | bool | None])


def decode_object(text: str) -> dict[str, object]:
    """Decode a line that begins with ``{``, as `decode_fields` does.

    Raises:
        FormatError: It is no JSON object.
        LimitError: It has too many fields or texts.
    """
    try:
        return decode_fields(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise FormatError(f"expected a JSON object on one line: {error}", field="line") from error


def decode_fields(data: str | bytes) -> dict[str, object]:
    """Decode a JSON object in a time that its length alone bounds: half a megabyte takes 2 ms.

    Returns:
        The fields. A long value that is neither a text nor a list of texts and the like is left as it was
        written, a `msgspec.Raw`: no field takes one, and as objects it can take a hundred times as long.

    Raises:
        FormatError: It is no object.
        LimitError: It has too many fields or texts.
        msgspec.DecodeError: It is no JSON.
        RecursionError: It is too deep.
    """
    is_short = len(data) <= _ANY_BYTES
    document: object = msgspec.json.decode(data) if is_short else _find_fields(data)
    if not isinstance(document, dict):
        raise FormatError("expected a JSON object, got another value", field="line")
    if len(document) > MAX_FIELDS:
        raise LimitError(f"expected at most {MAX_FIELDS} fields, got {len(document):,}", field="line")
    return document if is_short else _decode_values(document)


def _find_fields(data: str | bytes) -> dict[str, msgspec.Raw] | None:
    """Return the fields of an object as they were written; None for another value."""
    if (data.count('"') if isinstance(data, str) else data.count(b'"')) > 2 * MAX_TEXTS:
        raise LimitError(f"expected at most {MAX_TEXTS:,} texts in an object, got more", field="line")
    with suppress(msgspec.ValidationError):
        return _FIELDS_DECODER.decode(data)
    return None


def _decode_values(fields: dict[str, msgspec.Raw]) -> dict[str, object]:
    values: dict[str, object] = {}
    left = _ANY_BYTES
    for name, raw in fields.items():
        text = bytes(raw)
        values[name] = raw
        if len(text) <= left:
            left -= len(text)
            values[name] = msgspec.json.decode(text)
        elif text.startswith(b'"') or text.count(b",") <= MAX_TEXTS:
            with suppress(msgspec.ValidationError):
                values[name] = _PLAIN_DECODER.decode(text)
    return values


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
