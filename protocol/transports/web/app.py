"""The routes of the web server."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp

from protocol.transports.web.page import Page


def make_app(page: Page, line_socket: ASGIApp) -> ASGIApp:
    """Make the application, without the guard before it.

    Args:
        page: Answers for the files of the page.
        line_socket: Serves WebSockets of the line protocol.
    """
    routes: list[BaseRoute] = [
        Route("/", page.answer_index),
        Route("/page/{path:path}", page.answer_file),
        WebSocketRoute("/ws/line", line_socket),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return app
