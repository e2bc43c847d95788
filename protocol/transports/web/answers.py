"""Requests and answers below the routes of the web server: headers, refusals, ends of WebSockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.requests import cookie_parser
from starlette.types import Receive, Scope, Send

from gammond.protocol.transports.connected_client import PIECE_BYTES
from gammond.protocol.web.answers import WebAnswer

CLOSE_NORMAL = 1000
CLOSE_SERVER_ENDS = 1001
CLOSE_NO_TEXT = 1003
CLOSE_CAP = 1008

_MOST_REASON_BYTES = 120


def read_header(scope: Scope, name: bytes) -> list[str]:
    """Return the values of a header of a request, one for each line that has it."""
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]


def read_cookies(scope: Scope) -> dict[str, str]:
    """Return the cookies of a request by name, those of other programs on the host among them."""
    return cookie_parser("; ".join(read_header(scope, b"cookie")))


def read_address(scope: Scope) -> str:
    """Return the address from which a request comes; empty if that is not known."""
    return str((scope.get("client") or ("",))[0])


async def send_answer(answer: WebAnswer, send: Send, *, closes: bool = False) -> None:
    """Answer an HTTP request.

    Args:
        answer: The answer.
        send: The request's.
        closes: Whether the connection ends after it: what else the client sends is not read.
    """
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    headers.append((b"content-type", answer.media_type.encode()))
    headers.append((b"content-length", str(len(answer.body)).encode()))
    if closes:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = memoryview(answer.body)
    for start in range(0, len(body), PIECE_BYTES):  # before each the connection waits until there is room
        piece = bytes(body[start : start + PIECE_BYTES])
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def refuse_socket(answer: WebAnswer, receive: Receive, send: Send) -> None:
    """Refuse a WebSocket before it is open, with the answer that an HTTP request would get."""
    await receive()
    headers = [(b"content-type", answer.media_type.encode())]
    await send({"type": "websocket.http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": answer.body})


async def run_socket(
    receive: Receive,
    send: Send,
    read: Callable[[Receive], Coroutine[Any, Any, None]],
    write: Callable[[Send], Coroutine[Any, Any, None]],
) -> None:
    """Open a WebSocket, and read from it while something is to be written into it.

    Args:
        receive: The request's.
        send: The request's.
        read: Takes in what comes, until the client is gone.
        write: Sends what there is to send, and returns once the WebSocket is closed.
    """
    await receive()
    with suppress(OSError):  # the client is gone, with something unread
        await send({"type": "websocket.accept"})
        reading = asyncio.ensure_future(read(receive))
        try:
            await write(send)
        finally:
            reading.cancel()


def shorten_reason(reason: str) -> str:
    """Return as much of a reason as the frame that closes a WebSocket can hold."""
    return reason.encode()[:_MOST_REASON_BYTES].decode(errors="ignore")
