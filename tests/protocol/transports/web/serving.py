"""A web server for tests, on a free port."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.listening import ServerOptions
from gammond.protocol.transports.web.limits import WebLimits, WebOptions
from gammond.protocol.transports.web.server import serve_web
from tests.protocol.talking import make_service


class Running:
    """A web server of a test, and its service."""

    def __init__(self, port, ending, service):
        self.port, self.ending, self.service = port, ending, service
        self.url = f"http://127.0.0.1:{port}"

    def connect(self, path="/ws/line", **options):
        """Open a WebSocket."""
        return connect(f"ws://127.0.0.1:{self.port}{path}", proxy=None, **options)

    async def open_raw(self, data=b""):
        """Open a connection and send bytes as they are."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        return reader, writer

    async def read_figure(self, name):
        """Return a figure of the server."""
        lines = (await request(self, "GET", "/metrics")).body.decode().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))


@contextlib.asynccontextmanager
async def running(
    evaluator=None,
    *,
    hosts=(),
    client_limits=None,
    archive=None,
    accounts=False,
    origins=(),
    proxies=(),
    **limits,
):
    """Serve on a free port, with such caps; passwords are hashed in no time."""
    place = asyncio.get_running_loop().create_future()
    ending = asyncio.Event()
    service = make_service(evaluator, client_limits or ClientLimits(close_on_long_line=True))
    options = ServerOptions(
        "127.0.0.1",
        0,
        WebLimits(**limits),
        threads=2,
        on_listening=lambda _, port: place.set_result(port),
        stop_event=ending,
    )
    kept = ArchiveOptions(on=archive is not None, file=str(archive or ""))
    web = WebOptions(hosts, kept, accounts, origins, proxies=proxies)
    server = asyncio.create_task(serve_web(service, options, web))
    try:
        with _opening_accounts() if accounts else contextlib.nullcontext():
            await asyncio.wait((place, server), return_when=asyncio.FIRST_COMPLETED)
        yield Running(await place if place.done() else await server, ending, service)
    finally:
        ending.set()
        await asyncio.wait_for(server, 60)


def _opening_accounts():
    from tests.protocol.accounts.quick_accounts import hash_quickly  # needs argon2, as accounts do

    return hash_quickly()


def run(scenario, most_s=50.0):
    """Run a scenario."""
    return asyncio.run(asyncio.wait_for(scenario, most_s))


async def talk(socket, text, answers):
    """Send a frame; return so many frames."""
    await socket.send(text)
    return [await asyncio.wait_for(socket.recv(), 60) for _ in range(answers)]


async def closing_code(socket):
    """The code with which a server ends a WebSocket without another word."""
    with pytest.raises(ConnectionClosed) as closed:
        await socket.recv()
    return closed.value.rcvd.code


async def settle(evaluator):
    """Return whether the evaluator is asked no longer."""
    for _ in range(40):
        asked = evaluator.asked
        await asyncio.sleep(0.5)
        if evaluator.asked == asked:
            return True
    return False


class Player:
    """A page at the tables, over a WebSocket."""

    def __init__(self, socket):
        self._socket = socket
        self._ids = 0
        self.events = []

    async def ask(self, do, **values):
        """Send a request; return its answer."""
        self._ids += 1
        await self._socket.send(json.dumps({"id": self._ids, "do": do, **values}))
        while (frame := await self.take()).get("id") != self._ids:
            pass
        return frame

    async def sit_down(self, made):
        """Join a table with all the keys of its maker."""
        return await self.ask("join", table=made["table"], token=made["tokens"])

    async def lose(self, made):
        """Give up, for both seats of a table, as soon as a roll is to be played."""
        seat = (await self.wait_for_state(lambda state: state["phase"] == "play"))["to_act"]
        await self.ask("act", table=made["table"], seat=seat, act="resign", points=1)
        await self.ask("act", table=made["table"], seat=1 - seat, act="accept")

    async def take(self):
        """Return the next frame."""
        frame = json.loads(await asyncio.wait_for(self._socket.recv(), 60))
        if "event" in frame and "id" not in frame:
            self.events.append(frame)
        return frame

    async def wait_for_state(self, holds):
        """Return the next state that holds."""
        while True:
            frame = await self.take()
            if "state" in frame and holds(frame["state"]):
                return frame["state"]


async def list_games(server, count=1):
    """Return so many kept games, the oldest first, once they are there."""
    while len(games := (await request(server, "GET", "/api/v1/games")).document["games"]) < count:
        await asyncio.sleep(0.05)
    return games[::-1]


class Answer:
    """An answer over HTTP."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def document(self):
        """The body as JSON."""
        return json.loads(self.body)


async def request(server, method, path, document=None, *, headers=None, body=None):
    """Send a request as it stands, on a connection of its own; return the answer."""
    body = body if document is None else json.dumps(document).encode()
    head = {"host": f"127.0.0.1:{server.port}", "connection": "close"}
    if body is not None:
        head |= {"content-type": "application/json", "content-length": str(len(body))}
    head |= headers or {}
    reader, writer = await server.open_raw()
    try:
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + (body or b""))
        return parse_answer(await asyncio.wait_for(reader.read(), 60))
    finally:
        writer.close()


def parse_answer(data):
    """Parse an answer that ends with its connection."""
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return Answer(
        int(status.split()[1]),
        {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)},
        body,
    )
