from __future__ import annotations

import asyncio

import pytest
from websockets.exceptions import ConnectionClosed

from gammond.protocol.core.limits import ClientLimits
from tests.protocol.transports.web.serving import running, settle, talk
from tests.support.evaluators import SlowEvaluator
from tests.support.waiting import wait_in_loop

WIDE = '{"id": 1, "position": "BAAAUFKqVKQAAA", "dice": [1, 1], "want": ["moves"]}'
"""2,151 plays, 390 kB of them."""


DEEP = "newgame\n@a eval plies=3\n"
"""The search asks 125 times."""


async def test_a_frame_may_hold_many_lines_and_frames_of_answers_hold_whole_ones():
    async with running() as server, server.connect(max_size=None) as socket:
        await socket.send("newgame\n" + "eval\n" * 300 + WIDE)
        frames, lines = [], 0
        while lines < 302:
            frames.append(await asyncio.wait_for(socket.recv(), 60))
            lines += frames[-1].count("\n")
    assert all(frame.endswith("\n") for frame in frames)
    assert max(map(len, frames)) > 300_000


async def test_the_search_of_a_page_that_goes_away_stops():
    evaluator = SlowEvaluator(0.1)
    async with running(evaluator) as server:
        async with server.connect() as socket:
            await socket.send(DEEP)
            await wait_in_loop(evaluator.was_asked.is_set)
        assert await settle(evaluator)
    assert 0 < evaluator.asked < 60


async def test_a_page_that_reads_nothing_is_cut_off_and_what_was_held_for_it_let_go():
    limits = ClientLimits(close_on_long_line=True, unsent_bytes=100_000)
    slow = running(client_limits=limits, stuck_writer_s=0.3)
    async with slow as server, server.connect(max_size=None, close_timeout=0.1) as socket:
        socket.transport.pause_reading()
        for number in range(40):
            await socket.send(WIDE.replace('"id": 1', f'"id": {number}'))
        while server.service.client_count:
            await asyncio.sleep(0.1)


async def test_a_page_that_is_silent_for_too_long_is_told_why_it_has_to_go():
    async with running(idle_s=0.4) as server, server.connect() as socket:
        assert (await socket.recv()).startswith("error limit idle: expected a request within 0.4 s")
        with pytest.raises(ConnectionClosed):
            await socket.recv()


async def test_pages_have_sessions_of_their_own():
    async with running() as server, server.connect() as one, server.connect() as two:
        await talk(one, "set game.length 7", 1)
        assert await talk(two, "get game.length", 1) == ["value game.length 0\n"]
