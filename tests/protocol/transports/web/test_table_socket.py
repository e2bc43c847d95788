from __future__ import annotations

import asyncio

import pytest

from tests.protocol.transports.web.serving import Player, closing_code, list_games, request, running

PERSON, OPEN = {"kind": "person", "name": "Ann"}, {"kind": "open"}
ENGINE = {"kind": "engine", "player": "engine", "level": "beginner"}


async def test_two_pages_play_at_one_table_and_neither_acts_for_the_other():
    async with (
        running() as server,
        server.connect("/ws/tables") as one,
        server.connect("/ws/tables") as two,
    ):
        ann, bob = Player(one), Player(two)
        made = await ann.ask("create", length=1, seats=[PERSON, OPEN])
        assert made["ok"], made
        seats = [
            await player.ask("join", table=made["table"], token=token, name=name)
            for player, token, name in zip((ann, bob), made["tokens"], ("Ann", "Bob"), strict=True)
        ]
        assert [each["seats"] for each in seats] == [[0], [1]]
        state = await ann.wait_for_state(lambda state: state["phase"] in ("roll", "play"))
        assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bob"]
        for player, seat in ((ann, 1), (bob, 0)):
            answer = await player.ask("act", table=made["table"], seat=seat, act="resign", points=1)
            assert not answer["ok"]
        assert not (await bob.ask("join", table=made["table"], token="A" * 22))["ok"]
        assert made["tokens"][0] not in str(bob.events)


@pytest.mark.parametrize(("frame", "code"), [(b"{}", 1003), ("x" * 100_000, 1008)])
async def test_frames_that_are_no_requests_end_the_connection(frame, code):
    async with running() as server, server.connect("/ws/tables") as socket:
        await socket.send(frame)
        assert await closing_code(socket) == code


async def test_the_end_of_the_server_closes_tables_as_going_away():
    async with running() as server, server.connect("/ws/tables") as socket:
        assert (await Player(socket).ask("ping"))["ok"]
        server.ending.set()
        assert await closing_code(socket) == 1001


async def test_a_page_that_sends_too_many_requests_is_read_later():
    slow = running(table_rate=10.0, table_burst=3.0)
    async with slow as server, server.connect("/ws/tables") as socket:
        player, clock = Player(socket), server.service.clock
        began_s = clock()
        for _ in range(8):
            assert (await player.ask("ping"))["ok"]
        assert clock() - began_s > 0.4


async def test_a_page_that_does_not_read_what_happens_at_its_table_is_dropped(monkeypatch):
    monkeypatch.setattr("gammond.protocol.tables.table.GAMES_PAUSE_S", 0.0)
    slow = running(stuck_writer_s=0.3)
    async with slow as server, server.connect("/ws/tables", close_timeout=0.1) as socket:
        ann = Player(socket)
        made = await ann.ask("create", length=25, seats=[ENGINE, ENGINE], pace_ms=0)
        await ann.ask("join", table=made["table"], token=made["watch"])
        socket.transport.pause_reading()
        while server.service.client_count:
            await asyncio.sleep(0.1)


async def test_a_game_that_is_over_is_kept_and_can_be_fetched_as_a_file(tmp_path):
    async with running(archive=tmp_path / "games.sqlite") as server:
        async with server.connect("/ws/tables") as socket:
            ann = Player(socket)
            made = await ann.ask("create", length=1, seats=[ENGINE, ENGINE], pace_ms=0)
            await ann.ask("join", table=made["table"], token=made["watch"])
            await ann.wait_for_state(lambda state: state["phase"] == "finished")
        games = await list_games(server)
        record = await request(server, "GET", f"/api/v1/games/{games[0]['id']}.mat")
    assert len(games) == 1
    assert record.status == 200
    assert b"1 point match" in record.body
