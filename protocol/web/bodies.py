"""What requests bring: JSON objects, and values after the question mark."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from engine.errors import FormatError
from engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from protocol.dialects.json_documents import decode_fields
from protocol.web.answers import MalformedBodyError, WebRequest


def decode_body(request: WebRequest) -> dict[str, object]:
    """Decode the body as a JSON object, as `decode_fields` does; it may begin with a byte order mark.

    Raises:
        MalformedBodyError: It is none.
        LimitError: It has too many fields or texts.
    """
    try:
        return decode_fields(request.body.removeprefix(codecs.BOM_UTF8))
    except FormatError as error:
        raise MalformedBodyError(error.message, field="body") from error
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise MalformedBodyError(f"expected a JSON object as body: {error}", field="body") from error


def check_names(document: Mapping[str, object], names: Collection[str]) -> None:
    """Check that an object has no other fields than an endpoint takes, and leaves out what it does not say.

    Raises:
        FormatError: It has another field, or one that is null.
    """
    for name, value in document.items():
        if name not in names:
            known = ", ".join(names) or "none"
            raise FormatError(
                f"expected one of the fields {known}, got {name[:MAX_QUOTED_CHARS]!r}"
                f"{did_you_mean(name, names)}",
                field=name[:MAX_QUOTED_CHARS],
            )
        if value is None:
            raise FormatError(f"expected a value for {name}, got null: leave the field out", field=name)


def read_parameters(request: WebRequest, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the values after the question mark as JSON has them.

    Args:
        request: The request.
        fields: The names that the endpoint takes, with their types and bounds.

    Raises:
        GammondError: A name is unknown or comes twice, or its value is of another type or out of range.
    """
    values: dict[str, Any] = {}
    for name, text in request.query:
        if name in values:
            raise FormatError(f"expected {name} once, got it twice", field=name)
        check_names({name: text}, fields)
        values[name] = fields[name].parse(text)
    return values
