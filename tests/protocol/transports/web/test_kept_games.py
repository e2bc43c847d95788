from __future__ import annotations

from tests.protocol.transports.web.serving import Player, list_games, request, running

ENGINE = {"kind": "engine", "player": "engine", "level": "beginner"}
PERSON, OPEN = {"kind": "person", "name": "Ann"}, {"kind": "open"}


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


async def test_a_table_goes_on_after_the_server_was_restarted(tmp_path):
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
    assert after["dice"] == before["dice"]
    assert after["xgid"] == before["xgid"]
