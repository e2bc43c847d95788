from __future__ import annotations

import asyncio
import json

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidStatus

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.web.connections import Connections, HttpConnection, SocketConnection
from gammond.protocol.transports.web.limits import WebLimits
from tests.attacks.floods import make_frame
from tests.protocol.transports.web.serving import closing_code, parse_answer, request, running, talk

LATE_S = 0.5
SOON_S = 0.2
"""Where nobody is to be in time."""


async def open_raw_socket(server):
    """Open a WebSocket whose frames are written by hand."""
    head = (
        f"GET /ws/line HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\nupgrade: websocket\r\n"
        "connection: upgrade\r\nsec-websocket-version: 13\r\n"
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    reader, writer = await server.open_raw(head.encode())
    assert b" 101 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
    return reader, writer


async def wait_until_closed(reader):
    """Return what comes until the server hangs up."""
    try:
        return await asyncio.wait_for(reader.read(), 60)
    except ConnectionError:
        return b""


HALVES = {
    "nothing": "",
    "half a head": "GET / HTTP/1.1\r\nhost: 127.0",
    "half a body": (
        "POST /api/v1/evaluate HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        "content-length: 100\r\n\r\n{{"
    ),
}


@pytest.mark.parametrize("half", HALVES)
async def test_who_does_not_go_on_with_a_request_is_disconnected(half):
    async with running(request_s=SOON_S, keep_alive_s=SOON_S) as server:
        reader, writer = await server.open_raw(HALVES[half].format(port=server.port).encode())
        began_s = server.service.clock()
        await wait_until_closed(reader)
        writer.close()
        assert server.service.clock() - began_s > SOON_S / 2


async def test_a_head_that_comes_byte_by_byte_is_cut_off_all_the_same():
    async with running(request_s=SOON_S) as server:
        reader, writer = await server.open_raw(b"GET / HTTP/1.1\r\n")
        closed = asyncio.ensure_future(wait_until_closed(reader))
        sent = 0
        while not closed.done() and sent < 200:
            writer.write(b"x-more: 1\r\n")
            sent += 1
            await asyncio.sleep(0.05)
        writer.close()
        assert sent < 100


async def test_too_long_a_head_is_refused():
    async with running() as server:
        reader, writer = await server.open_raw(b"GET / HTTP/1.1\r\nx-long: " + b"x" * 100_000)
        answer = await wait_until_closed(reader)
        writer.close()
    assert answer == b"" or parse_answer(answer).status in (400, 431)


@pytest.mark.parametrize(
    "halves",
    [make_frame(1, b"newgame")[:-3], make_frame(1, b"new", is_last=False)],
    ids=["half a frame", "a part of a message"],
)
async def test_who_does_not_end_a_message_is_disconnected(halves):
    async with running(half_line_s=LATE_S) as server:
        reader, writer = await open_raw_socket(server)
        writer.write(halves)
        await wait_until_closed(reader)
        writer.close()


async def test_a_message_in_thousands_of_empty_parts_is_cut_off():
    async with running() as server:
        reader, writer = await open_raw_socket(server)
        writer.write(make_frame(1, b"x", is_last=False) + make_frame(0, is_last=False) * 5000)
        await wait_until_closed(reader)
        writer.close()


async def test_a_client_that_pings_and_reads_nothing_is_cut_off():
    async with running() as server:
        _, writer = await open_raw_socket(server)
        writer.transport.pause_reading()

        async def ping():
            for _ in range(3200):  # 200 MB
                writer.write(make_frame(9, b"x" * 125) * 500)
                await asyncio.wait_for(writer.drain(), 60)

        with pytest.raises(ConnectionError):
            await ping()
        writer.transport.abort()


HALF_BYTES = 200_000
HALF_MESSAGES = {
    "a half frame": make_frame(1, b"x" * HALF_BYTES)[:-1],
    "a part of a message": make_frame(1, b"x" * HALF_BYTES, is_last=False),
}


@pytest.mark.parametrize("half", HALF_MESSAGES)
async def test_half_messages_of_many_clients_are_no_more_than_a_server_may_hold(half):
    """Those with the most are disconnected, and others served."""
    async with running(held_bytes=1_000_000) as server, server.connect() as polite:
        writers = []
        for _ in range(8):
            _, writer = await open_raw_socket(server)
            writers.append(writer)
            writer.write(HALF_MESSAGES[half])
        most = 0.0
        while await server.read_figure("gammond_connections") > 7:
            most = max(most, await server.read_figure("gammond_held_bytes"))
        answers = await talk(polite, "newgame\neval", 2)
        assert max(most, await server.read_figure("gammond_held_bytes")) <= 1_000_000
        assert "eval win=" in "".join(answers)
        for writer in writers:
            writer.transport.abort()


async def test_too_large_a_frame_ends_the_connection():
    limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
    async with running(client_limits=limits) as server, server.connect() as socket:
        assert (await talk(socket, "x" * 1000, 1))[0].startswith("error bad_command")
        await socket.send("x" * 1003)
        assert await closing_code(socket) == 1009


async def test_too_many_websockets_are_refused_with_a_reason():
    async with running(clients=2) as server, server.connect(), server.connect():
        with pytest.raises(InvalidStatus) as refused:
            await server.connect()
        answer = refused.value.response
        assert (answer.status_code, json.loads(answer.body)["error"]["code"]) == (503, "busy")


async def test_too_many_connections_are_turned_away_and_those_that_are_open_served():
    async with running(clients=1, connections=2) as server, server.connect() as socket:
        held = [await server.open_raw() for _ in range(2)]
        assert (await request(server, "GET", "/healthz")).status == 503
        assert await talk(socket, "quit", 1) == ["ok quit\n"]
        for _, writer in held:
            writer.close()


def test_one_address_has_its_share_of_connections_unless_it_is_of_this_machine():
    connections = Connections(WebLimits(address_connections=2), None)
    made = [object() for _ in range(10)]
    assert [connections.add(each, "192.0.2.1") for each in made[:3]] == [True, True, False]
    assert connections.add(made[3], "192.0.2.2")
    assert all(connections.add(each, "127.0.0.1") for each in made[4:])
    connections.remove(made[0])
    assert connections.add(made[2], "192.0.2.1")
    assert connections.refused_count == 1


async def test_the_watch_over_timeouts_goes_on_after_anything_that_one_look_meets(monkeypatch, caplog):
    looked = []

    def break_down(connection, now):
        looked.append(connection)
        raise AttributeError("uvicorn has changed")

    def fail(connections):
        looked.append(connections)
        raise RuntimeError("nobody knows why")

    monkeypatch.setattr(HttpConnection, "check_timeouts", break_down)
    async with running(half_line_s=LATE_S) as server:
        _, broken = await server.open_raw(b"GET / HTTP/1.1\r\n")
        while not looked:
            await asyncio.sleep(0.02)
        looked.clear()
        monkeypatch.setattr(Connections, "check_timeouts", fail)
        while len(looked) < 3:
            await asyncio.sleep(0.02)
        monkeypatch.undo()
        reader, writer = await open_raw_socket(server)
        writer.write(make_frame(1, b"newgame")[:-3])
        await wait_until_closed(reader)
        broken.close()
        writer.close()
    assert "uvicorn has changed" in caplog.text
    assert "nobody knows why" in caplog.text


async def test_what_is_replaced_and_read_of_uvicorn_is_there(monkeypatch):
    """A name that another version has not would switch a cap off without a word."""
    own = {"awaits_request", "check_timeouts"}
    for theirs, ours in ((H11Protocol, HttpConnection), (WebSocketsSansIOProtocol, SocketConnection)):
        assert {name for name in vars(ours) if not name.startswith("_")} - own <= set(dir(theirs))
    made, replace = [], Connections.replace

    def note(connections, connection, successor):
        made.extend((connection, successor))
        replace(connections, connection, successor)

    monkeypatch.setattr(Connections, "replace", note)
    async with running() as server, server.connect() as socket:
        await talk(socket, "newgame", 1)
        http, socket = made
    assert {"cycle", "flow", "transport"} <= set(vars(http))
    assert {"frames", "read_paused", "close_sent", "handshake_complete", "pong_timer"} <= set(vars(socket))
    assert hasattr(socket.conn.reader, "buffer")
    assert callable(socket.conn.fail)
