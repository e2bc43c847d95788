"""The web server: uvicorn's connections on a listener of ours, beside one for TCP or without it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

import msgspec
from starlette.types import ASGIApp, Scope
from uvicorn.config import Config

from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.version import read_version
from gammond.protocol.accounts.accounts import Accounts
from gammond.protocol.accounts.browser_session import find_user
from gammond.protocol.archive.analysis import BackgroundAnalysis
from gammond.protocol.archive.archive import GameArchive, open_archive
from gammond.protocol.archive.endpoints import make_endpoints
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.service import Service
from gammond.protocol.tables.all_tables import HubLimits
from gammond.protocol.tables.audience import NameCheck
from gammond.protocol.tables.hub import Hub
from gammond.protocol.transports.idle_deepening import IdleDeepening
from gammond.protocol.transports.listening import (
    FIRST_REQUEST_S,
    Listener,
    ListeningServer,
    ServerOptions,
    serve_listeners,
)
from gammond.protocol.transports.shared_work import SharedWork
from gammond.protocol.transports.tcp import make_tcp_listener
from gammond.protocol.transports.web.answers import read_address, read_cookies, read_header
from gammond.protocol.transports.web.app import SocketEndpoint, make_app
from gammond.protocol.transports.web.connections import Connections, HttpConnection, SocketConnection
from gammond.protocol.transports.web.guard import ForeignPages, Guard, ServerNames
from gammond.protocol.transports.web.limits import (
    AddressPlaces,
    Proxies,
    RequestLimiter,
    WebLimits,
    WebOptions,
    group_address,
)
from gammond.protocol.transports.web.line_socket import LineSocket
from gammond.protocol.transports.web.metrics import (
    MEDIA_TYPE,
    Histogram,
    ServerFigure,
    format_figures,
    read_memory_bytes,
)
from gammond.protocol.transports.web.page import Page, read_page
from gammond.protocol.transports.web.rest import RestWork
from gammond.protocol.transports.web.tables import HubLoop, TableSocket
from gammond.protocol.web.answers import WebAnswer
from gammond.protocol.web.endpoints import ENDPOINTS, REPORTS, add_description
from gammond.protocol.web.plans import Endpoint

_LAST_ANSWERS_S = 1.0
"""How long a server that ends waits for browsers to close what is over."""


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
        GammondError: As for `gammond.protocol.transports.tcp.serve_tcp`.
    """
    listeners = [make_web_listener(service, options, web)]
    if tcp is not None:
        listeners.append(make_tcp_listener(service, tcp))
    await serve_listeners(listeners, options, clock=service.clock, service=service, deepening=deepening)


def make_web_listener(service: Service, options: ServerOptions, web: WebOptions) -> Listener:
    """Return what serves browsers beside other listeners of the process; arguments as for `serve_web`."""

    async def serve(shared: SharedWork) -> None:
        kept = KeptGames(web)
        server = WebServer(service, options, web, shared, kept)
        try:
            with kept.analyse_beside(service, shared.pool.is_busy):
                await server.serve(server.make_connection)
        finally:
            await kept.close()

    return serve


class KeptGames:
    """The archive and the accounts of a server.

    Args:
        options: Whether and where they are.

    Attributes:
        archive: The archive; None if games are not kept.
        endpoints: What is asked about both over HTTP.

    Raises:
        DataFileError: The accounts cannot be used.
        UnsupportedError: A package for them is not installed.
    """

    def __init__(self, options: WebOptions) -> None:
        accounts = Accounts(options.archive.find_accounts_file()) if options.accounts else None
        self._accounts = accounts
        self.archive: GameArchive | None = open_archive(options.archive)
        self.endpoints: tuple[Endpoint, ...] = make_endpoints(self.archive, accounts)

    def make_name_check(self, cookies: Mapping[str, str], host: str) -> NameCheck | None:
        """Return what finds the owner of what a page plays by a name, as for `Visitor`.

        Args:
            cookies: Those of the page's request for a WebSocket.
            host: Its header ``Host``.
        """
        accounts = self._accounts
        if accounts is None:
            return None

        def check(name: str) -> str:
            user = find_user(accounts, cookies, host)
            accounts.check_may_use(name, user)
            return "" if user is None else accounts.find_owner(user)

        return check

    @contextmanager
    def analyse_beside(self, service: Service, is_busy: Callable[[], bool]) -> Iterator[None]:
        """Analyse kept games during the block, while no client searches.

        Args:
            service: Has the engine.
            is_busy: Whether searches of clients are under way.
        """
        if self.archive is None:
            yield
            return
        name = service.catalogue.default
        with BackgroundAnalysis(self.archive, lambda: service.get_engine(name), is_busy).beside():
            yield

    async def close(self) -> None:
        """Write what is still to be written."""
        if self.archive is not None:
            await asyncio.to_thread(self.archive.close)
        if self._accounts is not None:
            await asyncio.to_thread(self._accounts.close)


class WebServer(ListeningServer[LineSocket | TableSocket]):
    """What the clients of the web share.

    Args:
        service: What all clients share.
        options: Where it listens.
        web: What else it is told.
        shared: What it shares with other listeners.
        kept: What is kept between starts.
    """

    def __init__(
        self,
        service: Service,
        options: ServerOptions,
        web: WebOptions,
        shared: SharedWork,
        kept: KeptGames,
    ) -> None:
        super().__init__(replace(options, on_listening=self._prepare), shared)
        assert isinstance(options.limits, WebLimits)
        self._web_limits = options.limits
        self._service = service
        self._web = web
        self._kept = kept
        open_paths = [each.path for each in ENDPOINTS if each.allows_pages]
        self._foreign_pages = ForeignPages(web.origins, open_paths)
        self._tell_listening = options.on_listening
        self._proxies = Proxies(web.proxies)
        self._connections = Connections(options.limits, shared, self._proxies)
        self._socket_counts = AddressPlaces(options.limits.address_connections)
        self._rest = RestWork(service, shared, options.limits)
        table_limits = HubLimits(log_bytes=web.archive.max_log_bytes)
        self._tables = HubLoop(
            shared, lambda submit: Hub(service, submit, shared.clock, kept.archive, table_limits)
        )
        self._table_times = Histogram()
        self._config: Config

    def make_connection(self) -> HttpConnection:
        """Make what serves a new connection."""
        return HttpConnection(self._config, self._connections, {})

    def check_timeouts(self) -> None:
        """Disconnect clients that exceed a timeout."""
        super().check_timeouts()
        self._connections.check_timeouts()

    def has_expected_requests(self) -> bool:
        """Return whether a request is on its way, on a WebSocket or over HTTP."""
        return super().has_expected_requests() or self._connections.await_requests(
            self.clock() - FIRST_REQUEST_S
        )

    async def drain(self) -> None:
        """End all clients, and answer the requests that have come."""
        self._connections.end_requests()
        await asyncio.gather(super().drain(), self._rest.drain())
        self._tables.end()
        await self.shared.wait_while(lambda: self._connections.open, _LAST_ANSWERS_S)
        self._connections.abort_all()

    def _prepare(self, host: str, port: int) -> None:
        """Make what answers requests, once it is known where they come."""
        sockets: dict[str, ASGIApp] = {
            "/ws/line": SocketEndpoint(self, self._make_line_client, self._socket_counts),
            "/ws/tables": SocketEndpoint(self, self._make_table_client, self._socket_counts),
        }
        reports = dict(zip(REPORTS, (self._report_health, self._report_metrics), strict=True))
        app = make_app(
            Page(read_page(self._web.page_sources)),
            sockets,
            reports,
            add_description((*ENDPOINTS, *self._kept.endpoints)),
            self._rest,
        )
        names, rates = (
            ServerNames(host, port, self._web.hosts),
            RequestLimiter(self._web_limits, self.clock()),
        )
        self._guard = Guard(
            *(app, names, rates, self.clock, self._foreign_pages, self.shared.numbers),
            knows_proxies=bool(self._web.proxies),
        )
        self._config = _make_config(self._guard, self._web_limits, self._service.limits, self._proxies)
        self._tell_listening(host, port)

    def _make_line_client(self, scope: Scope) -> LineSocket:
        return LineSocket(self, self._service, scope["state"]["transport"])

    def _make_table_client(self, scope: Scope) -> TableSocket:
        check_name = self._kept.make_name_check(read_cookies(scope), "".join(read_header(scope, b"host")))
        address = group_address(read_address(scope))
        hub = self._tables.hub
        connect = partial(hub.connect, check_name=check_name, address=address)
        return TableSocket(self, hub, connect, scope["state"]["transport"], self._note_table_request)

    def _note_table_request(self, seconds: float) -> None:
        self._table_times.add(seconds)
        self._tables.plan()

    def _report_health(self) -> WebAnswer:
        health: dict[str, Any] = {
            "ok": True,
            "version": read_version(),
            "uptime_s": round(self._service.uptime_s, 3),
        }
        if progress := COMPILATION.find_progress():
            health["compiling"] = progress
        return WebAnswer(200, msgspec.json.encode(health) + b"\n")

    def _report_metrics(self) -> WebAnswer:
        return WebAnswer(200, format_figures(self._list_figures()).encode(), MEDIA_TYPE)

    def _list_figures(self) -> Sequence[ServerFigure]:
        service, connections = self._service, self._connections
        lines = sum(isinstance(client, LineSocket) for client in self.clients)
        tables, tcp = len(self.clients) - lines, service.client_count - len(self.clients)
        waiting, running = self.shared.pool.count_jobs()
        return (
            ServerFigure("uptime_seconds", "gauge", "time since the start", service.uptime_s),
            ServerFigure(
                "clients", "gauge", "clients by kind", {"line": lines, "table": tables, "tcp": tcp}, "kind"
            ),
            ServerFigure("connections", "gauge", "open connections of the web server", len(connections.open)),
            ServerFigure(
                "connections_refused_total",
                "counter",
                "turned away for want of room",
                connections.refused_count,
            ),
            ServerFigure(
                "http_answers_total",
                "counter",
                "answers over HTTP by status",
                self._guard.answer_counts,
                "status",
            ),
            ServerFigure(
                "requests_total", "counter", "commands, queries and questions", service.request_count
            ),
            ServerFigure("errors_total", "counter", "errors by code", service.error_counts, "code"),
            ServerFigure("jobs_waiting", "gauge", "work that waits for a thread", waiting),
            ServerFigure("jobs_running", "gauge", "work that is under way", running),
            ServerFigure("tables", "gauge", "tables", len(self._tables.hub.tables)),
            ServerFigure("memory_bytes", "gauge", "memory of the process", read_memory_bytes()),
            ServerFigure(
                "held_bytes", "gauge", "unread answers, unanswered requests", self.shared.memory.held_bytes
            ),
            ServerFigure(
                "table_request_seconds", "histogram", "time of a request at a table", self._table_times
            ),
            ServerFigure("http_work_seconds", "histogram", "time of a question over HTTP", self._rest.times),
        )


def _make_config(app: ASGIApp, limits: WebLimits, client_limits: ClientLimits, proxies: Proxies) -> Config:
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
        proxy_headers=bool(proxies.networks),
        forwarded_allow_ips=proxies.networks,
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
