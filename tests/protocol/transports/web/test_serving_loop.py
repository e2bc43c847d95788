"""Floods of what is small: however much comes, the thread that serves the clients goes round in milliseconds.

Measured is the processor time of each turn of the event loop, for which everybody else has to wait.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future

import pytest

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.listening import ServerOptions, _YieldingSelector
from gammond.protocol.transports.tcp_limits import TcpLimits
from gammond.protocol.transports.web.limits import WebLimits, WebOptions
from gammond.protocol.transports.web.server import serve_web
from tests.attacks.floods import FLOODS, TCP, Place, read_until
from tests.protocol.talking import make_service
from tests.support.machine_speed import measure_loop_s

ATTACKERS = 10
FLOOD_S = 0.6
MOST_LOOPS = 100
"""What one turn of the event loop may take with all attackers in it: some 40 ms."""


class TimedSelector(_YieldingSelector):
    """Notes the processor time between two waits for files."""

    def __init__(self):
        super().__init__()
        self.longest_s = 0.0
        self._since_s = None

    def select(self, timeout=None):
        if self._since_s is not None:
            self.longest_s = max(self.longest_s, time.thread_time() - self._since_s)
        found = super().select(timeout)
        self._since_s = time.thread_time()
        return found


class Serving:
    """A server of pages and lines in a thread of its own."""

    def __init__(self):
        self.selector = TimedSelector()
        self._ports = {}
        self._ending = asyncio.Event()
        self._loop = Future()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._loop.result(60)
        self.place = Place(**self._ports)
        return self

    def __exit__(self, *_):
        self._loop.result().call_soon_threadsafe(self._ending.set)
        self._thread.join(60)

    def _run(self):
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(self.selector)) as runner:
            runner.run(self._serve())

    async def _serve(self):
        def listen(kind, limits):
            def note(_, port):
                self._ports[kind] = port
                if len(self._ports) == 2:
                    self._loop.set_result(asyncio.get_running_loop())

            return ServerOptions("127.0.0.1", 0, limits, 2, on_listening=note, stop_event=self._ending)

        service = make_service(limits=ClientLimits(close_on_long_line=True))
        web, tcp = listen("web", WebLimits()), listen("tcp", TcpLimits())
        await serve_web(service, web, WebOptions(), None, tcp)


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOODS)
def test_nobody_waits_long_for_the_serving_thread_beside_a_flood_of(name):
    with Serving() as serving:
        longest = []
        for _ in range(3):
            serving.selector.longest_s, loop_s = 0.0, measure_loop_s()
            serving.place.flood_by_many(name, ATTACKERS, FLOOD_S)
            longest.append(serving.selector.longest_s / loop_s)
            if longest[-1] < MOST_LOOPS:
                break
        assert min(longest) < MOST_LOOPS, f"{min(longest):.0f} loops"
        with serving.place.connect(TCP) as line:
            line.sendall(b"newgame\neval\n")
            read_until(line, b"eval win=")
