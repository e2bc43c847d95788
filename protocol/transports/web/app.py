"""The routes of the web server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp

from protocol.transports.web.page import Page
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
        Route("/page/{path:path}", page.answer_file),
        *(WebSocketRoute(path, socket) for path, socket in sockets.items()),
        *(Route(path, _make_report(report)) for path, report in reports.items()),
        *(Route(each.path, RestEndpoint(each, work), methods=[each.method]) for each in endpoints),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refuse})
    app.router.redirect_slashes = False
    return app


def _make_report(report: Callable[[], WebAnswer]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        return _make_response(report())

    return answer


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer a request for which there is no route."""
    status, headers = 500, {}
    if isinstance(error, HTTPException):
        status, headers = error.status_code, dict(error.headers or {})
    if status == 405:
        answer = make_refusal(status, "method", f"{request.method[:20]} is not for this path")
    else:
        answer = make_refusal(status, "path", "there is nothing at this path")
    return _make_response(msgspec.structs.replace(answer, headers={**answer.headers, **headers}))


def _make_response(answer: WebAnswer) -> Response:
    return Response(answer.body, answer.status, dict(answer.headers), answer.media_type)
