"""The web server: uvicorn's protocols on a listener of ours, beside or without one for TCP."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from math import ceil

from starlette.types import ASGIApp
from uvicorn.config import Config

from protocol.core.limits import ClientLimits
from protocol.state.service import Service
from protocol.transports.idle_deepening import IdleDeepening
from protocol.transports.listening import ListeningServer, ServerOptions
from protocol.transports.shared_work import Listener, SharedWork, serve_service
from protocol.transports.tcp import make_tcp_listener
from protocol.transports.web.app import make_app
from protocol.transports.web.connections import Connections, HttpConnection, SocketConnection
from protocol.transports.web.guard import Guard, ServerNames
from protocol.transports.web.limits import WebLimits, WebOptions
from protocol.transports.web.line_socket import LineEndpoint, LineSocket
from protocol.transports.web.page import Page, read_page

_LAST_ANSWERS_S = 1.0


async def serve_web(
    service: Service,
    options: ServerOptions,
    web: WebOptions,
    deepening: IdleDeepening | None = None,
    tcp: ServerOptions | None = None,
) -> None:
    """Serve browsers until SIGTERM, SIGINT, SIGHUP or the stop event, then drain.

    Args:
        service: What all clients share.
        options: Where, for whom, and with which caps, `WebLimits`.
        web: What else a web server is told.
        deepening: What is done while clients ask for nothing.
        tcp: Where clients of the line protocol are served too, if they are.

    Raises:
        GammondError: As for `protocol.transports.tcp.serve_tcp`.
    """
    listeners = [make_web_listener(service, options, web)]
    if tcp is not None:
        listeners.append(make_tcp_listener(service, tcp))
    await serve_service(
        service,
        listeners,
        threads=options.threads,
        held_bytes=options.limits.held_bytes,
        stop_event=options.stop_event,
        deepening=deepening,
    )


def make_web_listener(service: Service, options: ServerOptions, web: WebOptions) -> Listener:
    """Return what serves browsers beside other listeners of the process; arguments as for `serve_web`."""

    async def serve(shared: SharedWork) -> None:
        server = WebServer(service, options, web, shared)
        await server.serve(server.make_connection)

    return serve


class WebServer(ListeningServer[LineSocket]):
    """What the clients of the web share.

    Args:
        service: What all clients share.
        options: Where it listens.
        web: What else it is told.
        shared: What it shares with other listeners.
    """

    def __init__(self, service: Service, options: ServerOptions, web: WebOptions, shared: SharedWork) -> None:
        super().__init__(replace(options, on_listening=self._prepare), shared)
        assert isinstance(options.limits, WebLimits)
        self._web_limits = options.limits
        self._service = service
        self._web = web
        self._tell_listening = options.on_listening
        self._connections = Connections(options.limits, shared.clock)
        self._config: Config

    def make_connection(self) -> HttpConnection:
        """Make what serves a new connection."""
        return HttpConnection(self._config, self._connections, {})

    def check_timeouts(self) -> None:
        """Disconnect clients that exceed a timeout."""
        super().check_timeouts()
        self._connections.check_timeouts()

    async def drain(self) -> None:
        """End all clients, and answer the requests that have come."""
        self._connections.end_requests()
        await super().drain()
        end_s = self.clock() + _LAST_ANSWERS_S
        while self._connections.open and self.clock() < end_s:
            await asyncio.sleep(0.01)
        self._connections.abort_all()

    def _prepare(self, host: str, port: int) -> None:
        """Make what answers requests, once it is known where they come."""
        app = make_app(Page(read_page()), LineEndpoint(self, self._service))
        self._config = _make_config(
            Guard(app, ServerNames(host, port, self._web.hosts)), self._web_limits, self._service.limits
        )
        self._tell_listening(host, port)


def _make_config(app: ASGIApp, limits: WebLimits, client_limits: ClientLimits) -> Config:
    """Return what uvicorn's connections are told."""
    config = Config(
        app,
        http=HttpConnection,
        ws=SocketConnection,
        interface="asgi3",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        ws_max_size=client_limits.line_bytes + 2,
        ws_per_message_deflate=False,
        ws_ping_interval=limits.ping_s,
        ws_ping_timeout=limits.ping_s,
        timeout_keep_alive=ceil(limits.keep_alive_s),
        h11_max_incomplete_event_size=limits.header_bytes,
    )
    config.load()
    return config
