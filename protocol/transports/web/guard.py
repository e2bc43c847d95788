"""Who may ask: the names of the server, the pages that may call it, and the headers of every answer."""

from __future__ import annotations

import ipaddress
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gammond.engine.errors import FormatError, GammondError, UnsupportedError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.event_log import log_event
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.transports.connection_log import ClientNumbers
from gammond.protocol.transports.web.answers import read_address, read_header, refuse_socket, send_answer
from gammond.protocol.transports.web.limits import RequestLimiter, group_address
from gammond.protocol.transports.web.page import is_page_file
from gammond.protocol.web.answers import BAD_REQUEST, WebAnswer, make_failure, make_refusal

_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:.]+\](:[0-9]{1,5})?")
_MAX_AGE_S = 600

Headers = tuple[tuple[bytes, bytes], ...]

_LOG = logging.getLogger(__name__)

_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_LOGGED_PATH_CHARS = 200

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"x-frame-options", b"DENY"),
)
"""What every answer says: the page runs nothing but its own files, and talks to its own server alone."""


class ServerNames:
    """The names under which a server may be reached, as the header ``Host`` has them.

    Another site can lead its own name to this machine (DNS rebinding), but not make a browser send one of
    these.

    Args:
        host: Where the server listens.
        port: Its port.
        more: Further names, as ``NAME`` or ``NAME:PORT``.
    """

    def __init__(self, host: str, port: int, more: Iterable[str] = ()) -> None:
        self._port = port
        self._is_everywhere = host in ("0.0.0.0", "::")
        own = (*_LOOPBACK_NAMES, f"[{host}]" if ":" in host else host)
        self._names = {f"{name}:{port}" for name in own} | {name.lower() for name in more}
        if port == 80:
            self._names |= set(own)

    def includes(self, name: str) -> bool:
        """Return whether a value of ``Host`` is a name of this server."""
        name = name.lower()
        return any(
            each in self._names or self._is_own_address(each)
            for each in (name, name.removesuffix(":80"), name.removesuffix(":443"))
        )

    def allows_origin(self, origin: str, name: str) -> bool:
        """Return whether pages of an origin may call this server.

        Args:
            origin: The header ``Origin``.
            name: The header ``Host``, one of the server's names.
        """
        scheme, separator, place = origin.lower().partition("://")
        if not separator or scheme not in _DEFAULT_PORTS:
            return False
        bare, own = place.removesuffix(_DEFAULT_PORTS[scheme]), name.lower()
        return bool({place, bare} & (self._names | {own, own.removesuffix(_DEFAULT_PORTS[scheme])}))

    def _is_own_address(self, name: str) -> bool:
        """Return whether a server that listens everywhere is reached by its address: no name leads astray."""
        address, _, port = name.rpartition(":")
        if not self._is_everywhere or port != str(self._port):
            return False
        try:
            ipaddress.ip_address(address.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


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


class Guard:
    """Lets requests through that are for this server, from its own pages or from none, and not too many.

    Args:
        app: What answers them.
        names: The server's names.
        rates: Counts the requests.
        clock: Seconds of a clock that never goes back.
        pages: Pages of other origins that it lets through too.
        numbers: Numbers the clients, for the log.
        knows_proxies: Whether proxies are named that say where visitors come from.

    Attributes:
        answer_counts: How many answers of each status were given.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: ServerNames,
        rates: RequestLimiter,
        clock: Callable[[], float],
        pages: ForeignPages | None = None,
        numbers: ClientNumbers | None = None,
        *,
        knows_proxies: bool = False,
    ) -> None:
        self._app = app
        self._knows_proxies = knows_proxies
        self._numbers = numbers or ClientNumbers()
        self._pages = pages or ForeignPages()
        self._names = names
        self._rates = rates
        self._clock = clock
        self.answer_counts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        refusal = self._find_refusal(scope)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                self.answer_counts[str(refusal.status)] += 1
                await refuse_socket(refusal, receive, send)
            return
        origin, began_s = self._pages.find_origin(scope), self._clock()
        guarded = _GuardedSend(send, self.answer_counts, () if origin is None else list_headers(origin))
        try:
            if refusal is not None:
                await send_answer(refusal, guarded, closes=True)
            elif origin is not None and is_preflight(scope):
                await answer_preflight(guarded)
            else:
                await self._answer(scope, receive, guarded)
        finally:
            if _LOG.isEnabledFor(logging.DEBUG):
                self._log(scope, guarded.status, self._clock() - began_s)

    async def _answer(self, scope: Scope, receive: Receive, guarded: _GuardedSend) -> None:
        try:
            await self._app(scope, receive, guarded)
        except Exception as error:
            FAULT_LOG.log("a request over HTTP failed", error)
            if guarded.has_begun:
                raise
            await send_answer(make_failure(error), guarded, closes=True)

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        """Log a request with its answer; not what it asked, which may be somebody's secret."""
        transport = scope.get("state", {}).get("transport")
        path = scope["path"][:_LOGGED_PATH_CHARS]
        log_event(
            _LOG,
            "http_request",
            f"{read_address(scope)} {scope['method']} {path}: {status or 'no answer'} "
            f"after {1000 * seconds:.1f} ms",
            level=logging.DEBUG,
            client=None if transport is None else self._numbers.find(transport),
            address=read_address(scope),
            method=scope["method"],
            path=path,
            status=status,
            seconds=round(seconds, 6),
        )

    def _find_refusal(self, scope: Scope) -> WebAnswer | None:
        """Return the answer to a request that is not let through."""
        if len({b"content-length", b"transfer-encoding"} & {name for name, _ in scope["headers"]}) > 1:
            return make_refusal(
                BAD_REQUEST, "transfer-encoding", "expected one length of the body: with Content-Length none"
            )
        if fault := self._find_fault(scope):
            return make_failure(fault, 403)
        address = group_address(read_address(scope))
        if not (address or self._knows_proxies) and read_header(scope, b"x-forwarded-for"):
            self._knows_proxies = True  # it is said once
            _LOG.warning(
                "visitors come through a proxy, and all count as this machine, without limits of their own: "
                "let the proxy set X-Forwarded-For, and name it by --web-proxy 127.0.0.1"
            )
        share = self._rates.limits.page_share if is_page_file(scope["path"]) else 1.0
        if self._rates.take(address, self._clock(), share):
            return make_failure(BusyError("too many requests: ask less often", field="rate"), 429)
        return None

    def _find_fault(self, scope: Scope) -> GammondError | None:
        hosts = read_header(scope, b"host")
        if len(hosts) != 1 or not self._names.includes(hosts[0]):
            return UnsupportedError(
                "expected a name of this server in Host: it is reached as localhost, by the address that it "
                "listens on, or by a name given with --web-host",
                field="host",
            )
        is_call = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
        origins = read_header(scope, b"origin")
        is_own = all(self._names.allows_origin(each, hosts[0]) for each in origins)
        if is_call and not is_own and self._pages.find_origin(scope) is None:
            return UnsupportedError(
                "expected a call from a page of this server, got one from another origin", field="origin"
            )
        return None


class _GuardedSend:
    """Sends an answer with the headers that all have, and counts it."""

    def __init__(self, send: Send, answer_counts: Counter[str], more: Headers) -> None:
        self._send = send
        self._more = more
        self._answer_counts = answer_counts
        self.has_begun = False
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            self.status = message["status"]
            self._answer_counts[str(self.status)] += 1
            _add_headers(message, self._more)
        await self._send(message)


def _add_headers(message: MutableMapping[str, Any], more: Headers) -> None:
    headers = [*message.get("headers", ()), *more]
    given = {name.lower() for name, _ in headers}
    message["headers"] = [*headers, *(each for each in SECURITY_HEADERS if each[0] not in given)]
