"""Requests and answers of HTTP as values, and errors as answers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypedDict

import msgspec
from msgspec import Meta

from gammond.engine.errors import CancelledWork, DataFileError, GammondError, LimitError
from gammond.protocol.core.errors import INTERNAL_ERROR, BusyError
from gammond.protocol.core.replies import describe_error

JSON = "application/json"

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})

BAD_REQUEST, NOT_FOUND, BAD_METHOD = 400, 404, 405
TOO_LARGE, BAD_MEDIA_TYPE, BAD_CONTENT, UNAVAILABLE = 413, 415, 422, 503

RETRY_AFTER_S = 2
"""When whoever was told that the server is busy may ask again."""

_REFUSAL_CODES = {
    403: "unsupported",
    NOT_FOUND: "bad_command",
    BAD_METHOD: "bad_command",
    408: LimitError.code,
    TOO_LARGE: LimitError.code,
    BAD_MEDIA_TYPE: "unsupported",
    429: BusyError.code,
    431: LimitError.code,
    UNAVAILABLE: BusyError.code,
}
"""The codes of errors that HTTP has a status of its own for."""


class WebRequest(msgspec.Struct, frozen=True):
    """A request over HTTP, as far as it is read before anybody looks into it.

    Attributes:
        body: The body, no longer than the endpoint takes.
        media_type: That of the body, in lower case and without parameters; empty for none.
        query: The names and values after the question mark, decoded, in their order.
        parts: The parts of the path that the endpoint has names for.
        host: The header ``Host``.
        origin: The header ``Origin``; empty for none.
        cookies: The cookies by name.
        address: Where it comes from, as limits of an address count; empty for this machine, which has none.
        values: What comes after the question mark, as the endpoint reads it.
        document: The object in the body; empty where that is none.
    """

    body: bytes = b""
    media_type: str = ""
    query: tuple[tuple[str, str], ...] = ()
    parts: Mapping[str, str] = _NO_HEADERS
    host: str = ""
    origin: str = ""
    cookies: Mapping[str, str] = _NO_HEADERS
    address: str = ""
    values: Mapping[str, Any] = MappingProxyType({})
    document: Mapping[str, Any] = MappingProxyType({})


class WebAnswer(msgspec.Struct, frozen=True):
    """An answer over HTTP.

    Attributes:
        status: The status.
        body: The body.
        media_type: What it is.
        headers: Headers beside that.
    """

    status: int
    body: bytes
    media_type: str = JSON
    headers: Mapping[str, str] = _NO_HEADERS


class _Fault(TypedDict):
    code: Annotated[str, Meta(description="A code of the errors of the line protocol.")]
    field: Annotated[str, Meta(description="The field at fault; `body` where it is none of its fields.")]
    message: str


class Failure(TypedDict):
    """The object of an answer that is an error."""

    error: _Fault


class MalformedBodyError(GammondError):
    """A body that is not in the format it is sent as: correct the request."""

    code = "bad_value"


def find_status(error: Exception) -> int:
    """Return the status for an error: whether the request is to blame, and whether it may come again."""
    if not isinstance(error, GammondError) or error.code == INTERNAL_ERROR:
        return 500
    if isinstance(error, MalformedBodyError):
        return BAD_REQUEST
    if isinstance(error, BusyError | CancelledWork | DataFileError):
        return UNAVAILABLE
    return BAD_CONTENT


def make_failure(error: Exception, status: int | None = None) -> WebAnswer:
    """Return the answer to a request that failed: an object ``error`` with code, field and message.

    Args:
        error: What was raised; faults of the server itself show no details.
        status: The status; that of `find_status` if left out.
    """
    code, field, message = describe_error(error)
    status = find_status(error) if status is None else status
    return _make_error(status, _REFUSAL_CODES.get(status, code) if status < 500 else code, field, message)


def make_refusal(status: int, field: str, message: str) -> WebAnswer:
    """Return the answer to a request that reaches no endpoint.

    Args:
        status: Its status, from which the code follows.
        field: What is wrong: ``path``, ``method``, ``body``, the name of a header.
        message: What was expected, what came.
    """
    return _make_error(status, _REFUSAL_CODES.get(status, "bad_value"), field, message)


def _make_error(status: int, code: str, field: str, message: str) -> WebAnswer:
    document: Failure = {"error": {"code": code, "field": field, "message": message}}
    headers = {"Retry-After": str(RETRY_AFTER_S)} if status in (429, UNAVAILABLE) else _NO_HEADERS
    return WebAnswer(status, msgspec.json.encode(document) + b"\n", headers=headers)
