from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.attacks.server import gammond_command
from tests.protocol.transports.web.serving import Player, request, running, talk
from tests.support.audit import watch_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")


def test_sigterm_answers_what_there_is_and_ends_the_process_in_peace():
    command = gammond_command("serve", "--web", "0", "--tcp", "0", "--archive", "off")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = next(line for line in server.stderr if " shows the board at " in line)
            url = re.search(r"http://\S+/", said)[0]
            with urllib.request.urlopen(url, timeout=60) as page:
                assert b"<title>gammond</title>" in page.read()
            with connect(url.replace("http", "ws") + "ws/line", proxy=None) as socket:
                socket.send("newgame")
                assert socket.recv().startswith("ok newgame")
                server.send_signal(signal.SIGTERM)
                with pytest.raises(ConnectionClosed) as closed:
                    socket.recv(timeout=60)
                assert closed.value.rcvd.code == 1001
            assert server.wait(60) == 0
        finally:
            server.kill()


PATHS = (
    "/../../../../etc/passwd",
    "/page/%2e%2e/%2e%2e/server.py",
    "/page//etc/passwd",
    "/page/..%5c..%5cserver.py",
    "http://evil.example/",
    "/api/v1/kept?position=file:///etc/passwd",
    "/healthz",
    "/metrics",
)
"""Those of questions are tried in `tests/protocol/web/test_nothing_else_is_touched.py`."""


async def send_all(server):
    """Send requests that name files and other hosts, everywhere where something can be said."""
    for path in PATHS:
        answer = await request(server, "GET", path)
        assert b"root:" not in answer.body
        assert answer.status != 500
    async with server.connect() as socket:
        for line in (
            "set engine.net /etc/passwd",
            "position file:///etc/passwd",
            "set engine.player wildbg:/tmp",
        ):
            assert (await talk(socket, line, 1))[0].startswith("error ")
    async with server.connect("/ws/tables") as socket:
        seats = [{"kind": "engine", "player": "wildbg:/tmp"}, {"kind": "person", "name": "../../x"}]
        await Player(socket).ask("create", length=1, seats=seats)
        await Player(socket).ask("join", table="../../etc/passwd", token="x")


async def test_no_request_makes_the_server_fetch_write_or_start_anything():
    async with running() as server:
        await send_all(server)  # what is loaded and compiled once is behind us
        await asyncio.sleep(0.2)
        with watch_process() as noted:
            await send_all(server)
    hosts = {"socket.connect": 1, "socket.getaddrinfo": 0}
    reached = [(event, arguments[hosts[event]]) for event, arguments in noted if event in hosts]
    own = ("socket.connect", ("127.0.0.1", server.port))  # the clients of this test
    assert own in reached
    assert [each for each in reached if each not in (own, ("socket.getaddrinfo", "127.0.0.1"))] == []
    assert [each for each in noted if not each[0].startswith("socket.")] == []
