from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

import asyncio
import json

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ConnectionClosed

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.web.connections import Connections, HttpConnection, SocketConnection
from gammond.protocol.transports.web.limits import WebLimits
from tests.attacks.floods import make_frame
from tests.protocol.transports.web.serving import parse_answer, request, run, running, talk

LATE_S = 0.5
SOON_S = 0.2
"""Where nobody is to be in time."""


async def open_raw(server, data):
    """Open a connection and send bytes as they are."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(data)
    return reader, writer


async def open_raw_socket(server):
    """Open a WebSocket whose frames are written by hand."""
    head = (
        f"GET /ws/line HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\nupgrade: websocket\r\n"
        "connection: upgrade\r\nsec-websocket-version: 13\r\n"
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    reader, writer = await open_raw(server, head.encode())
    assert b" 101 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
    return reader, writer


async def read_figure(server, name):
    """Return a figure of the server."""
    lines = (await request(server, "GET", "/metrics")).body.decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))


async def wait_until_closed(reader):
    """Return what comes until the server hangs up."""
    try:
        return await asyncio.wait_for(reader.read(), 20)
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
def test_who_does_not_go_on_with_a_request_is_disconnected(half):
    async def scenario():
        async with running(request_s=SOON_S, keep_alive_s=SOON_S) as server:
            reader, writer = await open_raw(server, HALVES[half].format(port=server.port).encode())
            began_s = server.service.clock()
            await wait_until_closed(reader)
            writer.close()
            return server.service.clock() - began_s

    assert run(scenario()) > SOON_S / 2


def test_a_head_that_comes_byte_by_byte_is_cut_off_all_the_same():
    async def scenario():
        async with running(request_s=SOON_S) as server:
            reader, writer = await open_raw(server, b"GET / HTTP/1.1\r\n")
            closed = asyncio.ensure_future(wait_until_closed(reader))
            sent = 0
            while not closed.done() and sent < 200:
                writer.write(b"x-more: 1\r\n")
                sent += 1
                await asyncio.sleep(0.05)
            writer.close()
            return sent

    assert run(scenario()) < 100


def test_too_long_a_head_is_refused():
    async def scenario():
        async with running() as server:
            reader, writer = await open_raw(server, b"GET / HTTP/1.1\r\nx-long: " + b"x" * 100_000)
            answer = await wait_until_closed(reader)
            writer.close()
            return answer

    answer = run(scenario())
    assert answer == b"" or parse_answer(answer).status in (400, 431)


@pytest.mark.parametrize(
    "halves",
    [make_frame(1, b"newgame")[:-3], make_frame(1, b"new", is_last=False)],
    ids=["half a frame", "a part of a message"],
)
def test_who_does_not_end_a_message_is_disconnected(halves):
    async def scenario():
        async with running(half_line_s=LATE_S) as server:
            reader, writer = await open_raw_socket(server)
            writer.write(halves)
            await wait_until_closed(reader)
            writer.close()

    run(scenario())


def test_a_message_in_thousands_of_empty_parts_is_cut_off():
    async def scenario():
        async with running() as server:
            reader, writer = await open_raw_socket(server)
            writer.write(make_frame(1, b"x", is_last=False) + make_frame(0, is_last=False) * 5000)
            await wait_until_closed(reader)
            writer.close()

    run(scenario())


def test_a_client_that_pings_and_reads_nothing_is_cut_off():
    async def scenario():
        async with running() as server:
            _, writer = await open_raw_socket(server)
            writer.transport.pause_reading()
            sent = 0
            try:
                while sent < 200_000_000:
                    writer.write(make_frame(9, b"x" * 125) * 500)
                    sent += 125 * 500
                    await asyncio.wait_for(writer.drain(), 20)
            except ConnectionError:
                return sent
            finally:
                writer.transport.abort()

    assert run(scenario()) is not None


HALF_BYTES = 200_000
HALF_MESSAGES = {
    "a half frame": make_frame(1, b"x" * HALF_BYTES)[:-1],
    "a part of a message": make_frame(1, b"x" * HALF_BYTES, is_last=False),
}


@pytest.mark.parametrize("half", HALF_MESSAGES)
def test_half_messages_of_many_clients_are_no_more_than_a_server_may_hold(half):
    """Those with the most are disconnected, and others served."""

    async def scenario():
        async with running(held_bytes=1_000_000) as server, server.connect() as polite:
            writers = []
            for _ in range(8):
                _, writer = await open_raw_socket(server)
                writers.append(writer)
                writer.write(HALF_MESSAGES[half])
            most = 0.0
            while await read_figure(server, "gammond_connections") > 7:
                most = max(most, await read_figure(server, "gammond_held_bytes"))
            answers = await talk(polite, "newgame\neval", 2)
            held = await read_figure(server, "gammond_held_bytes")
            for writer in writers:
                writer.transport.abort()
            return most, held, "".join(answers)

    most, held, answers = run(scenario())
    assert max(most, held) <= 1_000_000
    assert "eval win=" in answers


def test_too_large_a_frame_ends_the_connection():
    async def scenario():
        limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
        async with running(client_limits=limits) as server, server.connect() as socket:
            assert (await talk(socket, "x" * 1000, 1))[0].startswith("error bad_command")
            await socket.send("x" * 1003)
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd.code == 1009

    run(scenario())


def test_too_many_websockets_are_refused_with_a_reason():
    async def scenario():
        async with running(clients=2) as server, server.connect(), server.connect():
            refused = await request(
                server,
                *("GET", "/ws/line"),
                headers={
                    "upgrade": "websocket",
                    "connection": "upgrade",
                    "sec-websocket-version": "13",
                    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
                },
            )
            return refused.status, json.loads(refused.body)["error"]["code"]

    assert run(scenario()) == (503, "busy")


def test_too_many_connections_are_turned_away_and_those_that_are_open_served():
    async def scenario():
        async with running(clients=1, connections=2) as server, server.connect() as socket:
            held = [await open_raw(server, b"") for _ in range(2)]
            await asyncio.sleep(0.1)
            status = (await request(server, "GET", "/healthz")).status
            assert await talk(socket, "quit", 1) == ["ok quit\n"]
            for _, writer in held:
                writer.close()
            return status

    assert run(scenario()) == 503


def test_one_address_has_its_share_of_connections_unless_it_is_of_this_machine():
    connections = Connections(WebLimits(address_connections=2), None)
    made = [object() for _ in range(10)]
    assert [connections.add(each, "192.0.2.1") for each in made[:3]] == [True, True, False]
    assert connections.add(made[3], "192.0.2.2")
    assert all(connections.add(each, "127.0.0.1") for each in made[4:])
    connections.remove(made[0])
    assert connections.add(made[2], "192.0.2.1")
    assert connections.refused_count == 1


def test_the_watch_over_timeouts_goes_on_after_anything_that_one_look_meets(monkeypatch, caplog):
    looked = []

    def break_down(connection, now):
        looked.append(connection)
        raise AttributeError("uvicorn has changed")

    def fail(connections):
        looked.append(connections)
        raise RuntimeError("nobody knows why")

    async def scenario():
        monkeypatch.setattr(HttpConnection, "check_timeouts", break_down)
        async with running(half_line_s=LATE_S) as server:
            _, broken = await open_raw(server, b"GET / HTTP/1.1\r\n")
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

    run(scenario())
    assert "uvicorn has changed" in caplog.text
    assert "nobody knows why" in caplog.text


def test_what_is_replaced_and_read_of_uvicorn_is_there(monkeypatch):
    """A name that another version has not would switch a cap off without a word."""
    own = {"awaits_request", "check_timeouts"}
    for theirs, ours in ((H11Protocol, HttpConnection), (WebSocketsSansIOProtocol, SocketConnection)):
        assert {name for name in vars(ours) if not name.startswith("_")} - own <= set(dir(theirs))
    made, replace = [], Connections.replace

    def note(connections, connection, successor):
        made.extend((connection, successor))
        replace(connections, connection, successor)

    monkeypatch.setattr(Connections, "replace", note)

    async def scenario():
        async with running() as server, server.connect() as socket:
            await talk(socket, "newgame", 1)
            return made

    http, socket = run(scenario())
    assert {"cycle", "flow", "transport"} <= set(vars(http))
    assert {"frames", "read_paused", "close_sent", "handshake_complete", "pong_timer"} <= set(vars(socket))
    assert hasattr(socket.conn.reader, "buffer")
    assert callable(socket.conn.fail)
