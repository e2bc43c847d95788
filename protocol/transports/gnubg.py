"""The server that GNU Backgammon's external player connects to: many boards and scripts at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

from gammond.engine.play.decider import Decider
from gammond.engine.runtime.version import NAME, read_version
from gammond.protocol.commands.readiness import TEXT_KERNELS
from gammond.protocol.dialects.gnubg_evaluation import GnubgRules
from gammond.protocol.dialects.gnubg_external import GnubgService, connect
from gammond.protocol.transports.listening import ServerOptions, serve_listeners
from gammond.protocol.transports.tcp import make_listener
from gammond.protocol.transports.tcp_limits import TcpLimits

GNUBG_LIMITS = TcpLimits(clients=64, idle_s=24 * 3600.0)
"""Caps of this server; a board is silent for as long as the person at it thinks."""


async def serve_gnubg(
    loading: Future[Decider], options: ServerOptions, rules: GnubgRules | None = None
) -> None:
    """Serve boards and scripts; see `serve_listeners`.

    Args:
        loading: Who plays for all clients, as soon as it is loaded; until then they wait for their answers.
        options: Where, for whom, and with which caps.
        rules: What gnubg's lines do not say about money games.

    Raises:
        GammondError: It could not be loaded: the server has ended, as after a signal.
    """
    ending, loop = options.stop_event or asyncio.Event(), asyncio.get_running_loop()
    service: Future[GnubgService] = Future()

    def take(loaded: Future[Decider]) -> None:
        try:
            decider = loaded.result()
            TEXT_KERNELS.warm()
        except Exception as error:
            service.set_exception(error)
            loop.call_soon_threadsafe(ending.set)
        else:
            service.set_result(GnubgService(decider, rules or GnubgRules(), f"{NAME} {read_version()}"))

    loading.add_done_callback(take)
    options = replace(options, stop_event=ending)
    await serve_listeners([make_listener(lambda: connect(service), options)], options, clock=time.monotonic)
    if service.done():
        service.result()


@contextmanager
def gnubg_server(decider: Decider, *, rules: GnubgRules | None = None) -> Iterator[int]:
    """Serve on a free loopback port, in a thread of its own, as long as the context lasts.

    Yields:
        The port.
    """
    started: Future[tuple[int, asyncio.AbstractEventLoop]] = Future()
    ending = asyncio.Event()
    loaded: Future[Decider] = Future()
    loaded.set_result(decider)

    async def serve() -> None:
        loop = asyncio.get_running_loop()

        def say_started(_: str, port: int) -> None:
            started.set_result((port, loop))

        options = ServerOptions("127.0.0.1", 0, GNUBG_LIMITS, on_listening=say_started, stop_event=ending)
        await serve_gnubg(loaded, options, rules)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="gnubg-server", daemon=True)
    thread.start()
    port, loop = started.result(timeout=10)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
