"""The routes of the web server, and where its WebSockets begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from gammond.protocol.core.errors import BusyError
from gammond.protocol.transports.listening import ListeningServer
from gammond.protocol.transports.web.answers import read_address, refuse_socket
from gammond.protocol.transports.web.limits import AddressPlaces, group_address
from gammond.protocol.transports.web.line_socket import LineSocket
from gammond.protocol.transports.web.page import FOLDER, Page
from gammond.protocol.transports.web.rest import RestPath, RestWork
from gammond.protocol.transports.web.tables import TableSocket
from gammond.protocol.web.answers import WebAnswer, make_failure, make_refusal
from gammond.protocol.web.plans import Endpoint


def make_app(
    page: Page,
    sockets: dict[str, ASGIApp],
    reports: dict[str, Callable[[], WebAnswer]],
    endpoints: Iterable[Endpoint],
    work: RestWork,
) -> ASGIApp:
    """Make the application, without the guard before it.

    Args:
        page: Answers for the files of the page.
        sockets: What serves WebSockets, by path.
        reports: What the server tells about itself, by path.
        endpoints: What else is asked over HTTP.
        work: Has the work of endpoints done.
    """
    routes: list[BaseRoute] = [
        Route("/", page.answer_index),
        Route(FOLDER + "{path:path}", page.answer_file),
        *(WebSocketRoute(path, socket) for path, socket in sockets.items()),
        *(Route(path, _make_report(report)) for path, report in reports.items()),
        *_make_routes(endpoints, work),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refuse})
    app.router.redirect_slashes = False
    return app


class SocketEndpoint:
    """Answers requests for a WebSocket.

    Args:
        server: Admits the clients.
        make_client: Makes a client for a request.
        counts: How many each address has, those of all endpoints together.
    """

    def __init__(
        self,
        server: ListeningServer[Any],
        make_client: Callable[[Scope], LineSocket | TableSocket],
        counts: AddressPlaces,
    ) -> None:
        self._server = server
        self._make_client = make_client
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a WebSocket and serve it, or refuse it if the server is full, or has enough of its address."""
        transport, peer = scope["state"]["transport"], scope.get("client")
        address = group_address(read_address(scope))
        refusal = self._server.find_refusal()
        if refusal is None and not self._counts.has_room(address):
            refusal = BusyError("too many pages of your address are open: close some", field="clients")
        if refusal is not None:
            self._server.refuse(transport, refusal.message, peer)
            await refuse_socket(make_failure(refusal), receive, send)
            return
        client = self._make_client(scope)
        self._server.admit(client, transport, peer)
        self._counts.add(address)
        try:
            await client.serve(receive, send)
        finally:
            self._counts.remove(address)


def _make_routes(endpoints: Iterable[Endpoint], work: RestWork) -> list[Route]:
    """Return a route for each path, those without names for parts first: a name may stand for any part."""
    by_path: dict[str, list[Endpoint]] = defaultdict(list)
    for each in endpoints:
        by_path[each.path].append(each)
    paths = sorted(by_path, key=lambda path: "{" in path)
    return [Route(path, RestPath(by_path[path], work)) for path in paths]


def _make_report(report: Callable[[], WebAnswer]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        return _make_response(report())

    return answer


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer a request for which there is no route."""
    status, headers = 500, {}
    if isinstance(error, HTTPException):
        status, headers = error.status_code, dict(error.headers or {})
    if "Allow" in headers:
        headers["Allow"] = ", ".join(sorted(headers["Allow"].split(", ")))
    if status == 405:
        answer = make_refusal(status, "method", f"{request.method[:20]} is not for this path")
    else:
        answer = make_refusal(status, "path", "there is nothing at this path")
    return _make_response(msgspec.structs.replace(answer, headers={**answer.headers, **headers}))


def _make_response(answer: WebAnswer) -> Response:
    return Response(answer.body, answer.status, dict(answer.headers), answer.media_type)
