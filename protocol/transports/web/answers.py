"""Answers of the web server that need no route: errors as objects, and WebSockets that are refused."""

from __future__ import annotations

import msgspec
from starlette.types import Receive, Scope, Send

from engine.errors import GammondError

_MAX_MESSAGE_CHARS = 2000


def read_header(scope: Scope, name: bytes) -> list[str]:
    """Return the values of a header of a request, one for each line that has it."""
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]


def encode_error(error: GammondError) -> bytes:
    """Encode an error as the object that a program reads."""
    fault = {"code": error.code, "field": error.field, "message": error.message[:_MAX_MESSAGE_CHARS]}
    return msgspec.json.encode({"error": fault})


async def answer_error(
    error: GammondError, send: Send, *, status: int, headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """Answer an HTTP request with an error.

    Args:
        error: The error.
        send: The request's.
        status: The status, 400..599.
        headers: Further headers.
    """
    body = encode_error(error)
    length = str(len(body)).encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", b"application/json"), (b"content-length", length), *headers],
        }
    )
    await send({"type": "http.response.body", "body": body})


async def refuse_socket(error: GammondError, receive: Receive, send: Send, *, status: int = 403) -> None:
    """Refuse a WebSocket before it is open, with the answer that an HTTP request would get."""
    await receive()
    body = encode_error(error)
    await send(
        {
            "type": "websocket.http.response.start",
            "status": status,
            "headers": [(b"content-type", b"application/json")],
        }
    )
    await send({"type": "websocket.http.response.body", "body": body})
