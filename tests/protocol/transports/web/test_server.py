from __future__ import annotations

import asyncio

import pytest
from websockets.exceptions import InvalidStatus

from tests.protocol.transports.web.serving import closing_code, parse_answer, running, talk


async def test_goodbye_closes_the_websocket_in_peace():
    async with running() as server, server.connect() as socket:
        assert await talk(socket, "quit\n", 1) == ["ok quit\n"]
        assert await closing_code(socket) == 1000


async def test_a_binary_frame_ends_the_connection():
    async with running() as server, server.connect() as socket:
        assert (await talk(socket, b"eval\n", 1))[0].startswith("error bad_value frame: expected text")
        assert await closing_code(socket) == 1003


async def test_a_page_of_a_foreign_origin_gets_no_websocket():
    async with running() as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect(origin="http://evil.example"):
                pass
        assert refused.value.response.status_code == 403


async def test_the_server_s_own_page_gets_a_websocket():
    async with running() as server:
        for name in ("localhost", "127.0.0.1"):
            async with server.connect(origin=f"http://{name}:{server.port}") as socket:
                assert await talk(socket, "quit\n", 1) == ["ok quit\n"]


async def test_the_end_of_the_server_answers_what_it_has_and_says_that_it_goes_away():
    async with running() as server, server.connect() as socket:
        await socket.send("newgame\neval\n")
        assert (await socket.recv()).startswith("ok newgame")
        server.ending.set()
        assert (await socket.recv()).startswith("eval ")
        assert await closing_code(socket) == 1001


async def test_a_request_that_comes_as_the_server_is_to_end_is_answered():
    async with running() as server:
        connections = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        (_, new), (_, half) = connections
        lines = (b"GET /healthz HTTP/1.1\r\n", f"host: 127.0.0.1:{server.port}\r\n\r\n".encode())
        half.write(lines[0])
        await asyncio.sleep(0.05)
        server.ending.set()
        await asyncio.sleep(0.05)
        half.write(lines[1])
        new.write(b"".join(lines))
        answers = [await asyncio.wait_for(reader.read(), 60) for reader, _ in connections]
        for _, writer in connections:
            writer.close()
        assert [parse_answer(answer).status for answer in answers] == [200, 200]
