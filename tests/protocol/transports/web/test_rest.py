from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

import asyncio
import json
import socket

from tests.protocol.transports.web.serving import Slow, request, run, running, settle, wait_for

START = {"position": "4HPwATDgc/ABMA"}


def ask(path, document=None, **limits):
    """Ask a server of its own one question over HTTP."""

    async def scenario():
        async with running(**limits) as server:
            return await request(server, "GET" if document is None else "POST", path, document)

    return run(scenario())


def test_a_question_over_http_is_answered_as_one_on_the_line():
    answer = ask("/api/v1/evaluate", START)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert 0 < answer.document["results"][0]["eval"]["win"] < 1


def test_a_question_that_is_wrong_is_answered_with_an_error_that_names_the_field():
    answer = ask("/api/v1/evaluate", {"position": "nonsense"})
    assert answer.status == 422
    assert answer.document["error"]["field"] == "position"


@pytest.mark.parametrize(
    ("method", "path", "status", "field"),
    [
        ("GET", "/api/v1/nothing", 404, "path"),
        ("GET", "/api/v1/evaluate", 405, "method"),
        ("PUT", "/api/v1/evaluate", 405, "method"),
        ("GET", "/api/v1/games/remove", 405, "method"),
        ("POST", "/", 405, "method"),
        ("GET", "/page/../../../etc/passwd", 404, "path"),
    ],
)
def test_what_there_is_not_is_refused_with_an_object(method, path, status, field):
    async def scenario():
        async with running() as server:
            return await request(server, method, path)

    answer = run(scenario())
    assert answer.status == status
    assert answer.document["error"]["field"] == field


def test_a_method_that_is_refused_comes_with_those_that_there_are():
    async def scenario():
        async with running() as server:
            paths = ("/api/v1/evaluate", "/api/v1/kept", "/api/v1/games/remove", "/healthz")
            return [await request(server, "TRACE", path) for path in paths]

    allowed = [set(answer.headers["allow"].split(", ")) for answer in run(scenario())]
    assert allowed == [{"POST"}, {"GET", "HEAD"}, {"POST"}, {"GET", "HEAD"}]


def test_a_body_of_another_media_type_is_refused():
    async def scenario():
        async with running() as server:
            head = {"content-type": "text/html"}
            return await request(server, "POST", "/api/v1/evaluate", START, headers=head)

    assert run(scenario()).status == 415


@pytest.mark.parametrize("says_length", [True, False])
def test_too_large_a_body_is_refused_before_it_is_read(says_length):
    async def scenario():
        async with running() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            length = "content-length: 99000000" if says_length else "transfer-encoding: chunked"
            writer.write(
                f"POST /api/v1/evaluate HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
                f"content-type: application/json\r\n{length}\r\n\r\n".encode()
            )
            sent = 0
            piece = b" " * 65536 if says_length else b"10000\r\n" + b" " * 65536 + b"\r\n"
            try:
                while sent < 50_000_000:
                    writer.write(piece)
                    sent += len(piece)
                    await writer.drain()
            except ConnectionError:
                pass
            try:
                answer = await reader.read()
            except ConnectionError:
                answer = b""
            writer.close()
            return sent, answer

    sent, answer = run(scenario())
    assert sent < 20_000_000
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413 ")


DEEP = {**START, "plies": 3}
"""It asks 125 times."""


def test_the_work_of_a_page_that_goes_away_stops():
    evaluator = Slow()

    async def scenario():
        async with running(evaluator) as server:
            asking = asyncio.create_task(request(server, "POST", "/api/v1/evaluate", DEEP))
            await wait_for(evaluator.began)
            asking.cancel()
            return await settle(evaluator)

    assert run(scenario())
    assert 0 < evaluator.asked < 60


def test_one_address_has_its_share_of_work_and_all_have_theirs():
    evaluator = Slow()

    async def scenario():
        async with running(evaluator, works=2) as server:
            asking = [
                asyncio.create_task(request(server, "POST", "/api/v1/evaluate", DEEP)) for _ in range(2)
            ]
            await wait_for(evaluator.began)
            refused = await request(server, "POST", "/api/v1/evaluate", DEEP)
            for task in asking:
                task.cancel()
            return refused

    refused = run(scenario())
    assert refused.status == 503
    assert refused.headers["retry-after"]
    assert refused.document["error"]["code"] == "busy"


def test_the_end_of_the_server_stops_work_that_goes_on_for_too_long():
    evaluator = Slow()

    async def scenario():
        async with running(evaluator, grace_s=0.3) as server:
            asking = asyncio.create_task(request(server, "POST", "/api/v1/evaluate", DEEP))
            await wait_for(evaluator.began)
            server.ending.set()
            return await asyncio.wait_for(asking, 10)

    answer = run(scenario())
    assert answer.status == 503 or answer.document["results"][0]["eval"]["plies"] < 3
    assert 0 < evaluator.asked < 60


def test_a_question_about_kept_analyses_is_asked_by_address():
    answer = ask("/api/v1/kept?position=4HPwATDgc/ABMA")
    assert (answer.status, answer.document["depths"]) == (200, [])


def test_the_dialect_of_bgweb_is_at_its_place():
    board = {
        "x": {"6": 5, "8": 3, "13": 5, "24": 2},
        "o": {"6": 5, "8": 3, "13": 5, "24": 2},
    }
    answer = ask("/api/v1/getmoves", {"board": board, "dice": [3, 1], "player": "x", "max-moves": 1})
    assert answer.status == 200
    assert len(json.loads(answer.body)[0]["play"]) == 2


WIDE = {"position": "BAAAUFKqVKQAAA", "dice": [1, 1], "max_moves": 5000}
"""2,151 plays, 390 kB of them."""


async def ask_and_read_nothing(server, questions):
    """Ask one question after the other on a connection, and read no answer."""
    body = json.dumps(WIDE).encode()
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", server.port))
    head = (
        f"POST /api/v1/plays HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    await asyncio.get_running_loop().sock_sendall(connection, (head.encode() + body) * questions)
    return connection


async def read_figure(server, name):
    """Return a figure of the server."""
    lines = (await request(server, "GET", "/metrics")).body.decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))


def test_who_does_not_read_an_answer_is_dropped_and_it_is_counted_until_then():
    async def scenario():
        async with running(stuck_writer_s=1.0) as server:
            connection = await ask_and_read_nothing(server, 3)
            while (held := await read_figure(server, "gammond_held_bytes")) < 300_000:
                await asyncio.sleep(0.05)
            while await read_figure(server, "gammond_connections") > 1:
                await asyncio.sleep(0.1)
            connection.close()
            return held, await read_figure(server, "gammond_held_bytes")

    held, left = run(scenario())
    assert held < 1_000_000  # of one answer at a time
    assert left == 0


def test_more_answers_than_all_clients_may_hold_are_not_kept():
    async def scenario():
        async with running(held_bytes=1_000_000) as server:
            connections = [await ask_and_read_nothing(server, 1) for _ in range(6)]
            while await read_figure(server, "gammond_connections") > 4:
                await asyncio.sleep(0.05)
            held = await read_figure(server, "gammond_held_bytes")
            for connection in connections:
                connection.close()
            return held

    assert run(scenario()) <= 1_000_000
