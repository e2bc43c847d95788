"""Restarts: clients that ask in a loop lose no request while a supervisor holds the sockets."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.protocol.transports.activation import make_activated
from tests.support.machine_speed import measure_stretch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no supervisor hands over sockets there")

LONGEST_END_S = 12.0
"""What the page for administrators promises."""

REQUEST = b"position startpos\neval\nquit\n"


@contextlib.contextmanager
def supervised(tmp_path):
    """Hold the sockets of a server; yield them, and what starts a server that is ready."""
    place = str(tmp_path / "notify")
    with contextlib.ExitStack() as stack:
        tcp, web = (
            stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=200)) for _ in range(2)
        )
        notices = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        notices.bind(place)
        notices.settimeout(60)
        serve = [
            "-m",
            "gammond.tools.cli",
            "serve",
            "--tcp",
            "systemd",
            "--web",
            "systemd",
            "--archive",
            "off",
            "--no-store",
        ]
        command = make_activated([sys.executable, *serve], [("tcp", tcp), ("web", web)])

        def start():
            server = subprocess.Popen(
                command,
                pass_fds=[tcp.fileno(), web.fileno()],
                env={**os.environ, "NOTIFY_SOCKET": place},
                stderr=subprocess.DEVNULL,
            )
            stack.callback(server.wait)
            stack.callback(server.kill)
            assert notices.recv(100) == b"READY=1"
            return server

        def stop(server):
            began_s = time.monotonic()
            server.terminate()
            assert server.wait(60) == 0
            assert take_notices(notices) == {b"STOPPING=1"}
            return time.monotonic() - began_s

        yield tcp.getsockname()[1], web.getsockname()[1], start, stop, notices


def take_notices(notices):
    """Return what a supervisor has been told since it looked last."""
    found = set()
    notices.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            found.add(notices.recv(100))
    notices.settimeout(60)
    return found


def ask_line(port):
    """Ask on a connection of its own."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(REQUEST)
        with connection.makefile() as answers:
            assert "\neval win=" in answers.read()


def ask_http(port):
    """Ask over HTTP, on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"position": "4HPwATDgc/ABMA"})
    connection.request("POST", "/api/v1/evaluate", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status == 200, text


class Loop(threading.Thread):
    """Asks again and again, until it is told to end or a request is lost."""

    def __init__(self, ask, port):
        super().__init__(daemon=True)
        self._ask, self._port = ask, port
        self.is_over = threading.Event()
        self.count, self.longest_s = 0, 0.0
        self.lost = None

    def run(self):
        try:
            while not self.is_over.is_set():
                began_s = time.monotonic()
                self._ask(self._port)
                self.longest_s = max(self.longest_s, time.monotonic() - began_s)
                self.count += 1
        except Exception as error:
            self.lost = error


@pytest.mark.slow
def test_clients_in_a_loop_lose_no_request_across_restarts(tmp_path):
    with supervised(tmp_path) as (tcp, web, start, stop, _):
        server = start()
        ask_line(tcp)
        ask_http(web)
        loops = [Loop(ask, port) for ask, port in 3 * ((ask_line, tcp), (ask_http, web))]
        for loop in loops:
            loop.start()
        for _ in range(2):
            time.sleep(0.5)
            counts = [loop.count for loop in loops]
            assert stop(server) < LONGEST_END_S * measure_stretch()
            server = start()
            deadline = time.monotonic() + 60
            while any(loop.count <= before + 1 for loop, before in zip(loops, counts, strict=True)):
                assert time.monotonic() < deadline
                assert [loop.lost for loop in loops] == [None] * len(loops)
                time.sleep(0.05)
        for loop in loops:
            loop.is_over.set()
        for loop in loops:
            loop.join(60)
        assert [loop.lost for loop in loops] == [None] * len(loops)
        assert max(loop.longest_s for loop in loops) > 0.3  # some waited for the next server
        assert stop(server) < LONGEST_END_S * measure_stretch()


@pytest.mark.slow
def test_work_under_way_is_finished_and_who_waits_at_the_door_is_served_by_the_next(tmp_path):
    with supervised(tmp_path) as (tcp, _, start, stop, notices):
        server = start()
        ask_line(tcp)
        with (
            socket.create_connection(("127.0.0.1", tcp), timeout=60) as busy,
            socket.create_connection(("127.0.0.1", tcp), timeout=60) as new,
        ):
            busy.sendall(b"position startpos\ndice 3 1\nmoves plies=2\n")
            busy.recv(10)
            server.send_signal(signal.SIGTERM)
            time.sleep(0.1)
            new.sendall(REQUEST)  # it had come before the signal, and asks after it
            assert "\neval win=" in new.makefile().read()
            assert "\nmoves " in busy.makefile().read()
        assert server.wait(60) == 0
        late = Loop(ask_line, tcp)
        late.start()
        late.is_over.set()
        time.sleep(0.2)
        assert (late.count, late.lost) == (0, None)
        assert take_notices(notices) == {b"STOPPING=1"}
        server = start()
        late.join(60)
        assert (late.count, late.lost) == (1, None)
        stop(server)
