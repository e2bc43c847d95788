from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

import asyncio
import re
import signal
import subprocess
import sys
import urllib.request

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.protocol.transports.web.serving import Player, request, run, running, talk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")


def test_sigterm_answers_what_there_is_and_ends_the_process_in_peace():
    command = [
        sys.executable,
        "-m",
        "gammond.tools.cli",
        "serve",
        "--web",
        "0",
        "--tcp",
        "0",
        "--archive",
        "off",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = next(line for line in server.stderr if " shows the board at " in line)
            url = re.search(r"http://\S+/", said)[0]
            with urllib.request.urlopen(url, timeout=20) as page:
                assert b"<title>gammond</title>" in page.read()
            with connect(url.replace("http", "ws") + "ws/line", proxy=None) as socket:
                socket.send("newgame")
                assert socket.recv().startswith("ok newgame")
                server.send_signal(signal.SIGTERM)
                with pytest.raises(ConnectionClosed) as closed:
                    socket.recv(timeout=20)
                assert closed.value.rcvd.code == 1001
            assert server.wait(20) == 0
        finally:
            server.kill()


WRITES = ("w", "a", "x", "+")
EVENTS = {"os.mkdir", "os.remove", "os.rename", "os.system", "socket.getaddrinfo", "subprocess.Popen"}
_seen: list[tuple[str, object]] | None = None


def _note(event, arguments):
    """Note what this process opens for writing, connects to, or starts."""
    if _seen is None:
        return
    writes = (
        event == "open" and isinstance(arguments[1], str) and any(mode in arguments[1] for mode in WRITES)
    )
    if writes or event in EVENTS:
        _seen.append((event, arguments[0]))
    elif event == "socket.connect":
        _seen.append((event, arguments[1]))


REQUESTS = (
    ("GET", "/../../../../etc/passwd", None),
    ("GET", "/page/%2e%2e/%2e%2e/server.py", None),
    ("GET", "/page//etc/passwd", None),
    ("GET", "/page/..%5c..%5cserver.py", None),
    ("GET", "http://evil.example/", None),
    ("GET", "/api/v1/kept?position=file:///etc/passwd", None),
    ("GET", "/healthz", None),
    ("GET", "/metrics", None),
    ("POST", "/api/v1/evaluate", {"position": "http://evil.example/position"}),
    ("POST", "/api/v1/evaluate", {"position": "4HPwATDgc/ABMA", "net": "../../secret"}),
    ("POST", "/api/v1/analyse", {"match_text": "/etc/passwd"}),
    ("POST", "/api/v1/analyse", {"match_text": "http://evil.example/match.mat"}),
    ("POST", "/api/v1/convert", {"match_text": "https://evil.example/", "to": "mat"}),
    ("POST", "/api/v1/query", {"position": "wildbg:/etc/passwd", "want": ["eval"]}),
)


async def send_all(server):
    """Send requests that name files and other hosts, everywhere where something can be said."""
    for method, path, document in REQUESTS:
        answer = await request(server, method, path, document)
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


def test_no_request_makes_the_server_fetch_write_or_start_anything():
    async def scenario():
        global _seen
        async with running() as server:
            await send_all(server)  # what is loaded and compiled once is behind us
            await asyncio.sleep(0.2)
            _seen = []
            try:
                await send_all(server)
            finally:
                seen, _seen = _seen, None
            return [each for each in seen if each != ("socket.connect", ("127.0.0.1", server.port))]

    sys.addaudithook(_note)
    seen = run(scenario())
    own = [("socket.getaddrinfo", "127.0.0.1")]  # the client of this test
    assert [each for each in seen if each not in own] == []
