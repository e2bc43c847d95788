from __future__ import annotations

import asyncio
import json
import socket

import pytest

from tests.protocol.transports.web.serving import request, running, settle
from tests.support.evaluators import SlowEvaluator
from tests.support.waiting import wait_in_loop

START = {"position": "4HPwATDgc/ABMA"}


async def ask(path, document=None, **limits):
    """Ask a server of its own one question over HTTP."""
    async with running(**limits) as server:
        return await request(server, "GET" if document is None else "POST", path, document)


async def test_a_question_over_http_is_answered_as_one_on_the_line():
    answer = await ask("/api/v1/evaluate", START)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert 0 < answer.document["results"][0]["eval"]["win"] < 1


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
async def test_what_there_is_not_is_refused_with_an_object(method, path, status, field):
    async with running() as server:
        answer = await request(server, method, path)
    assert answer.status == status
    assert answer.document["error"]["field"] == field


async def test_a_method_that_is_refused_comes_with_those_that_there_are():
    async with running() as server:
        paths = ("/api/v1/evaluate", "/api/v1/kept", "/api/v1/games/remove", "/healthz")
        answers = [await request(server, "TRACE", path) for path in paths]
    allowed = [set(answer.headers["allow"].split(", ")) for answer in answers]
    assert allowed == [{"POST"}, {"GET", "HEAD"}, {"POST"}, {"GET", "HEAD"}]


async def test_a_body_of_another_media_type_is_refused():
    async with running() as server:
        head = {"content-type": "text/html"}
        answer = await request(server, "POST", "/api/v1/evaluate", START, headers=head)
    assert answer.status == 415


@pytest.mark.parametrize("says_length", [True, False])
async def test_too_large_a_body_is_refused_before_it_is_read(says_length):
    async with running() as server:
        length = "content-length: 99000000" if says_length else "transfer-encoding: chunked"
        reader, writer = await server.open_raw(
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
    assert sent < 20_000_000
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413 ")


DEEP = {**START, "plies": 3}
"""It asks 125 times."""


async def test_the_work_of_a_page_that_goes_away_stops():
    evaluator = SlowEvaluator(0.1)
    async with running(evaluator) as server:
        asking = asyncio.create_task(request(server, "POST", "/api/v1/evaluate", DEEP))
        await wait_in_loop(evaluator.was_asked.is_set)
        asking.cancel()
        assert await settle(evaluator)
    assert 0 < evaluator.asked < 60


async def test_one_address_has_its_share_of_work_and_all_have_theirs():
    evaluator = SlowEvaluator(0.1)
    async with running(evaluator, works=2) as server:
        asking = [asyncio.create_task(request(server, "POST", "/api/v1/evaluate", DEEP)) for _ in range(2)]
        await wait_in_loop(evaluator.was_asked.is_set)
        refused = await request(server, "POST", "/api/v1/evaluate", DEEP)
        for task in asking:
            task.cancel()
    assert refused.status == 503
    assert refused.headers["retry-after"]
    assert refused.document["error"]["code"] == "busy"


async def test_the_end_of_the_server_stops_work_that_goes_on_for_too_long():
    evaluator = SlowEvaluator(0.1)
    async with running(evaluator, grace_s=0.3) as server:
        asking = asyncio.create_task(request(server, "POST", "/api/v1/evaluate", DEEP))
        await wait_in_loop(evaluator.was_asked.is_set)
        server.ending.set()
        answer = await asyncio.wait_for(asking, 60)
    assert answer.status == 503 or answer.document["results"][0]["eval"]["plies"] < 3
    assert 0 < evaluator.asked < 60


async def test_a_question_about_kept_analyses_is_asked_by_address():
    answer = await ask("/api/v1/kept?position=4HPwATDgc/ABMA")
    assert (answer.status, answer.document["depths"]) == (200, [])


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


async def test_who_does_not_read_an_answer_is_dropped_and_it_is_counted_until_then():
    async with running(stuck_writer_s=1.0) as server:
        connection = await ask_and_read_nothing(server, 3)
        while (held := await server.read_figure("gammond_held_bytes")) < 300_000:
            await asyncio.sleep(0.05)
        while await server.read_figure("gammond_connections") > 1:
            await asyncio.sleep(0.1)
        connection.close()
        assert held < 1_000_000  # of one answer at a time
        assert await server.read_figure("gammond_held_bytes") == 0


async def test_more_answers_than_all_clients_may_hold_are_not_kept():
    async with running(held_bytes=1_000_000) as server:
        connections = [await ask_and_read_nothing(server, 1) for _ in range(6)]
        while await server.read_figure("gammond_connections") > 4:
            await asyncio.sleep(0.05)
        held = await server.read_figure("gammond_held_bytes")
        for connection in connections:
            connection.close()
        assert held <= 1_000_000
