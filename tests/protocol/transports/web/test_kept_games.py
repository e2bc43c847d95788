from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

import asyncio

from tests.protocol.transports.web.serving import Player, request, run, running

ENGINE = {"kind": "engine", "player": "engine", "level": "beginner"}
PERSON, OPEN = {"kind": "person", "name": "Ann"}, {"kind": "open"}
ACCOUNT = {"name": "Ann", "password": "correct horse battery"}


async def list_games(server):
    """Return the kept games, once there is one."""
    while not (games := (await request(server, "GET", "/api/v1/games")).document["games"]):
        await asyncio.sleep(0.1)
    return games


def test_a_game_that_is_over_is_kept_and_can_be_fetched_as_a_file(tmp_path):
    async def scenario():
        async with running(archive=tmp_path / "games.sqlite") as server:
            async with server.connect("/ws/tables") as socket:
                ann = Player(socket)
                made = await ann.ask("create", length=1, seats=[ENGINE, ENGINE], pace_ms=0)
                await ann.ask("join", table=made["table"], token=made["watch"])
                await ann.wait_for_state(lambda state: state["phase"] == "finished")
            games = await list_games(server)
            record = await request(server, "GET", f"/api/v1/games/{games[0]['id']}.mat")
            return games, record

    games, record = run(scenario())
    assert len(games) == 1
    assert record.status == 200
    assert b"1 point match" in record.body


def test_a_table_goes_on_after_the_server_was_restarted(tmp_path):
    async def scenario():
        file = tmp_path / "games.sqlite"
        async with running(archive=file) as server, server.connect("/ws/tables") as socket:
            ann = Player(socket)
            made = await ann.ask("create", length=3, seats=[PERSON, OPEN])
            await ann.ask("join", table=made["table"], token=made["tokens"])
            before = await ann.wait_for_state(lambda state: state["phase"] == "play")
        async with running(archive=file) as server, server.connect("/ws/tables") as socket:
            ann = Player(socket)
            assert (await ann.ask("join", table=made["table"], token=made["tokens"][0]))["seats"] == [0]
            after = await ann.wait_for_state(lambda state: True)
        return before, after

    before, after = run(scenario())
    assert after["dice"] == before["dice"]
    assert after["xgid"] == before["xgid"]


def test_nobody_plays_by_a_name_that_has_a_password_but_its_owner(tmp_path):
    pytest.importorskip("argon2", reason="needs the extra 'web'")

    async def scenario():
        async with running(archive=tmp_path / "games.sqlite", accounts=True) as server:
            registered = await request(server, "POST", "/api/v1/register", ACCOUNT)
            cookie = registered.headers["set-cookie"].partition(";")[0]
            async with server.connect("/ws/tables") as socket:
                stranger = await Player(socket).ask("create", length=1, seats=[PERSON, OPEN])
            async with server.connect("/ws/tables", additional_headers={"Cookie": cookie}) as socket:
                owner = await Player(socket).ask("create", length=1, seats=[PERSON, OPEN])
            return registered.status, stranger, owner

    status, stranger, owner = run(scenario())
    assert status == 200
    assert not stranger["ok"]
    assert owner["ok"], owner
