"""The routes of the web server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from protocol.transports.web.page import Page
from protocol.transports.web.page_files import FOLDER
from protocol.transports.web.rest import RestEndpoint, RestWork
from protocol.web.answers import WebAnswer, make_refusal
from protocol.web.plans import Endpoint


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


class PathEndpoint:
    """Answers the requests of one path, each by its method.

    Args:
        endpoints: What answers, by method.

    Attributes:
        methods: The methods.
    """

    def __init__(self, endpoints: Mapping[str, ASGIApp]) -> None:
        more = {"HEAD": endpoints["GET"]} if "GET" in endpoints else {}
        self._endpoints = {**endpoints, **more}
        self.methods = frozenset(self._endpoints)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say which methods there are."""
        chosen = self._endpoints.get(scope["method"])
        if chosen is None:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self.methods))})
        await chosen(scope, receive, send)


def _make_routes(endpoints: Iterable[Endpoint], work: RestWork) -> list[Route]:
    """Return a route for each path, those without names for parts first: a name may stand for any part."""
    by_path: dict[str, dict[str, ASGIApp]] = defaultdict(dict)
    for each in endpoints:
        by_path[each.path][each.method] = RestEndpoint(each, work)
    return [
        Route(path, PathEndpoint(by_path[path])) for path in sorted(by_path, key=lambda path: "{" in path)
    ]


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
