"""Pages of other servers that may use some paths, where this server is told their origins (CORS)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.types import Scope, Send

from gammond.engine.errors import FormatError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.protocol.transports.web.answers import read_header

_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:.]+\](:[0-9]{1,5})?")
_MAX_AGE_S = 600

Headers = tuple[tuple[bytes, bytes], ...]


class ForeignPages:
    """Knows which pages of other origins may use which paths.

    Args:
        origins: Their origins, such as ``https://board.example``.
        paths: What they may use.

    Raises:
        FormatError: One is no origin.
    """

    def __init__(self, origins: Iterable[str] = (), paths: Iterable[str] = ()) -> None:
        self._origins = frozenset(origin.lower() for origin in origins)
        self._paths = frozenset(paths)
        for origin in self._origins:
            if not _ORIGIN.fullmatch(origin):
                raise FormatError(
                    "expected an origin for --web-allow-origin, such as https://board.example or "
                    f"http://localhost:3000, got {origin[:MAX_QUOTED_CHARS]!r}",
                    field="web_allow_origin",
                )

    def find_origin(self, scope: Scope) -> str | None:
        """Return the origin of a page that may send a request; None for any other request."""
        if scope["type"] != "http" or scope["path"] not in self._paths:
            return None
        origins = read_header(scope, b"origin")
        return origins[0] if len(origins) == 1 and origins[0].lower() in self._origins else None


def list_headers(origin: str) -> Headers:
    """Return the headers by which a browser gives an answer to a page of another origin."""
    return (
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"vary", b"Origin"),
    )


def is_preflight(scope: Scope) -> bool:
    """Return whether a browser asks what a page may send."""
    return scope["method"] == "OPTIONS" and bool(read_header(scope, b"access-control-request-method"))


async def answer_preflight(send: Send) -> None:
    """Say what pages may send; `list_headers` are added like to any answer."""
    allowed: Headers = (
        (b"access-control-allow-methods", b"POST"),
        (b"access-control-allow-headers", b"content-type"),
        (b"access-control-max-age", str(_MAX_AGE_S).encode()),
    )
    await send({"type": "http.response.start", "status": 204, "headers": list(allowed)})
    await send({"type": "http.response.body", "body": b""})
