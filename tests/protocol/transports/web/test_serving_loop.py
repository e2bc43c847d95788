"""Floods of what is small: however much comes, the thread that serves the clients goes round in milliseconds.

Measured is the processor time of each turn of the event loop, for which everybody else has to wait.
"""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

import asyncio
import contextlib
import json
import socket
import threading
import time
from concurrent.futures import Future

from protocol.core.limits import ClientLimits
from protocol.transports.listening import ServerOptions, _YieldingSelector
from protocol.transports.tcp_limits import TcpLimits
from protocol.transports.web.limits import WebLimits, WebOptions
from protocol.transports.web.server import serve_web
from tests.machine_speed import measure_loop_s
from tests.protocol.largest_messages import WIDE
from tests.protocol.talking import make_service
from tests.protocol.transports.web.test_connections import make_frame

ATTACKERS = 10
FLOOD_S = 0.6
MOST_LOOPS = 100
"""What one turn of the event loop may take with all attackers in it: some 40 ms."""

LINE, TABLES = "/ws/line", "/ws/tables"


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
        self.ports = {}
        self.selector = TimedSelector()
        self._ending = asyncio.Event()
        self._loop = Future()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._loop.result(20)
        return self

    def __exit__(self, *_):
        self._loop.result().call_soon_threadsafe(self._ending.set)
        self._thread.join(20)

    def _run(self):
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(self.selector)) as runner:
            runner.run(self._serve())

    async def _serve(self):
        def listen(kind, limits):
            def note(_, port):
                self.ports[kind] = port
                if len(self.ports) == 2:
                    self._loop.set_result(asyncio.get_running_loop())

            return ServerOptions("127.0.0.1", 0, limits, 2, on_listening=note, stop_event=self._ending)

        service = make_service(limits=ClientLimits(close_on_long_line=True))
        web, tcp = listen("web", WebLimits()), listen("tcp", TcpLimits())
        await serve_web(service, web, WebOptions(), None, tcp)

    def make_head(self, method, path, **headers):
        """Return the head of a request."""
        lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{self.ports['web']}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()

    @contextlib.contextmanager
    def connect(self, face):
        """Connect to a face: a WebSocket by its path, ``web`` or ``tcp``."""
        with socket.create_connection(
            ("127.0.0.1", self.ports["tcp" if face == "tcp" else "web"]), 20
        ) as made:
            if face in (LINE, TABLES):
                own = {"sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="}
                made.sendall(self.make_head("GET", face, upgrade="websocket", connection="upgrade", **own))
                read_until(made, b"\r\n\r\n")
            yield made

    def flood(self, face, first, data):
        """Send the same again and again on a connection, and read what comes, until the time is over."""
        with self.connect(face) as made, contextlib.suppress(ConnectionError):
            made.setblocking(False)
            ends_s, left = time.monotonic() + FLOOD_S, memoryview(first + data)
            while time.monotonic() < ends_s:
                with contextlib.suppress(BlockingIOError):
                    left = left[made.send(left) :] or memoryview(data)
                with contextlib.suppress(BlockingIOError):
                    if not made.recv(1 << 16):
                        return


def read_until(made, sign):
    """Return what comes up to a sign."""
    found = b""
    while sign not in found:
        part = made.recv(1 << 16)
        assert part
        found += part
    return found


def request(**fields):
    """Return the frame of a request at the tables."""
    return make_frame(1, json.dumps({"id": 1, **fields}).encode())


def come_to_a_wide_double(serving):
    """Return requests to come again and again to a table where thousands of plays are to be told."""
    people = [{"kind": "person", "name": name} for name in ("Ann", "Bob")]
    with serving.connect(TABLES) as page:
        page.sendall(request(do="create", seats=people, position=WIDE, dice="typed"))
        answer = read_until(page, b'"watch"')
        made = json.loads(answer[answer.index(b"{") :])
        join = {"do": "join", "table": made["table"], "token": made["tokens"]}
        page.sendall(request(**join) + request(do="act", table=made["table"], act="dice", dice=[1, 1]))
        read_until(page, b'"kind":"dice"')
        return b"", request(**join) * 20


def send_pieces_of_a_body(serving):
    """Return a request whose body comes in pieces of a byte."""
    return serving.make_head(
        "POST", "/api/v1/evaluate", **{"content-type": "application/json", "transfer-encoding": "chunked"}
    ), b"1\r\nx\r\n" * 40_000


FLOODS = {
    "empty frames": (LINE, lambda serving: (b"", make_frame(1) * 20_000)),
    "empty frames at tables": (TABLES, lambda serving: (b"", make_frame(1) * 20_000)),
    "pings": (LINE, lambda serving: (b"", make_frame(9) * 20_000)),
    "empty parts": (
        LINE,
        lambda serving: (make_frame(1, is_last=False), make_frame(0, is_last=False) * 1000),
    ),
    "blank lines": (LINE, lambda serving: (b"", make_frame(1, b"\n") * 20_000)),
    "blank lines on TCP": ("tcp", lambda serving: (b"", b"\n" * 500_000)),
    "errors on TCP": ("tcp", lambda serving: (b"", b"x\n" * 100_000)),
    "pieces of a body": ("web", send_pieces_of_a_body),
    "requests one behind the other": (
        "web",
        lambda serving: (b"", serving.make_head("GET", "/healthz") * 20),
    ),
    "long heads": (
        "web",
        lambda serving: (b"", serving.make_head("GET", "/", **{f"a{n}": "1" for n in range(1500)}) * 20),
    ),
    "looks with many tokens": (
        TABLES,
        lambda serving: (b"", request(do="look", table="x", token=["a"] * 3000) * 20),
    ),
    "comings to a wide double": (TABLES, come_to_a_wide_double),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOODS)
def test_nobody_waits_long_for_the_serving_thread_beside_a_flood_of(name):
    face, make_data = FLOODS[name]
    with Serving() as serving:
        first, data = make_data(serving)
        longest = []
        for _ in range(3):
            serving.selector.longest_s, loop_s = 0.0, measure_loop_s()
            threads = [
                threading.Thread(target=serving.flood, args=(face, first, data)) for _ in range(ATTACKERS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            longest.append(serving.selector.longest_s / loop_s)
            if longest[-1] < MOST_LOOPS:
                break
        assert min(longest) < MOST_LOOPS, f"{min(longest):.0f} loops"
        with serving.connect("tcp") as line:
            line.sendall(b"newgame\neval\n")
            read_until(line, b"eval win=")
