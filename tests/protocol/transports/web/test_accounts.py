"""Accounts over HTTP and at tables: what a cookie is good for, and for whom."""

from __future__ import annotations

import pytest

pytest.importorskip("argon2", reason="needs the extra 'web'")

from tests.protocol.transports.web.serving import Player, list_games, request, running

PERSON, OPEN = {"kind": "person", "name": "Ann"}, {"kind": "open"}
LOGIN = {"name": "Ann", "password": "correct horse"}


@pytest.fixture
def serve(tmp_path):
    """Run a server with accounts."""
    return lambda: running(archive=tmp_path / "games.sqlite", accounts=True)


async def log_in(server):
    """Register; return the header by which the browser is known from then on."""
    answer = await request(server, "POST", "/api/v1/register", LOGIN)
    assert answer.status == 200
    return {"cookie": answer.headers["set-cookie"].partition(";")[0]}


async def test_cookies_of_other_programs_log_nobody_out(serve):
    async with serve() as server:
        own = (await log_in(server))["cookie"]
        for foreign in ('ui={"a":1}', "=;;=", "a[b]=c d, e", "x" * 5000, "\xe9=\xff", 'q="unclosed'):
            for cookie, name in ((f"{foreign}; {own}", "Ann"), (f"{own}; {foreign}", "Ann"), (foreign, None)):
                me = await request(server, "GET", "/api/v1/me", headers={"cookie": cookie})
                assert me.document["name"] == name, cookie


async def test_an_open_seat_is_taken_by_the_name_of_an_account_by_its_owner_alone(serve):
    async with serve() as server:
        head = await log_in(server)
        async with (
            server.connect("/ws/tables") as other,
            server.connect("/ws/tables", additional_headers=head) as own,
        ):
            stranger, ann = Player(other), Player(own)
            made = await ann.ask("create", length=1, seats=[PERSON, OPEN])
            seat = {"table": made["table"], "token": made["tokens"][1]}
            assert (await stranger.ask("join", **seat, name=" ANN"))["error"]["field"] == "name"
            watch = {"table": made["table"], "token": made["watch"], "name": "Ann"}
            assert (await stranger.ask("join", **watch))["seats"] == []
            assert (await stranger.ask("join", **seat, name="Bob"))["ok"]


BOTH = [PERSON, {"kind": "person", "name": "Bob"}]


async def play_at_once(server, headers):
    """Play and lose a game alone, as Ann; return the table."""
    async with server.connect("/ws/tables", additional_headers=headers) as socket:
        ann = Player(socket)
        made = await ann.ask("create", length=1, seats=BOTH)
        await ann.sit_down(made)
        await ann.lose(made)
        return made


async def test_who_registers_a_name_does_not_get_the_games_that_others_played_by_it(serve):
    async with serve() as server:
        await play_at_once(server, {})
        head = await log_in(server)
        await play_at_once(server, head)
        theirs, own = await list_games(server, 2)
        assert [game["seats"][0]["is_owned"] for game in (theirs, own)] == [False, True]
        answers = [
            await request(server, "POST", f"/api/v1/games/{game['id']}/remove", {}, headers=head)
            for game in (theirs, own)
        ]
        assert [answer.status for answer in answers] == [422, 200]
        assert [game["id"] for game in await list_games(server, 1)] == [theirs["id"]]


async def test_an_account_owns_what_it_plays_also_after_a_restart(serve):
    async with serve() as server:
        head = await log_in(server)
        async with server.connect("/ws/tables", additional_headers=head) as socket:
            ann = Player(socket)
            made = await ann.ask("create", length=1, seats=BOTH)
            await ann.sit_down(made)
    async with serve() as server:
        async with server.connect("/ws/tables") as socket:
            later = Player(socket)
            await later.sit_down(made)
            await later.lose(made)
        (game,) = await list_games(server, 1)
        assert game["seats"][0]["is_owned"]
        path = f"/api/v1/games/{game['id']}/remove"
        assert (await request(server, "POST", path, {}, headers=head)).status == 200


async def test_who_is_logged_out_still_comes_back_to_a_seat_that_he_has(serve):
    async with serve() as server:
        head = await log_in(server)
        async with server.connect("/ws/tables", additional_headers=head) as own:
            made = await Player(own).ask("create", length=1, seats=[PERSON, OPEN])
        async with server.connect("/ws/tables") as later:
            seat = {"table": made["table"], "token": made["tokens"][0], "name": "Ann"}
            assert (await Player(later).ask("join", **seat))["seats"] == [0]


async def test_a_session_that_was_ended_lends_its_name_no_more(serve):
    async with serve() as server:
        head = await log_in(server)
        async with server.connect("/ws/tables", additional_headers=head) as own:
            ann = Player(own)
            assert (await ann.ask("create", length=1, seats=[PERSON, OPEN]))["ok"]
            await request(server, "POST", "/api/v1/logout", {"everywhere": True}, headers=head)
            assert not (await ann.ask("create", length=1, seats=[PERSON, OPEN]))["ok"]


async def test_a_page_of_another_site_can_neither_log_in_nor_out_nor_remove(serve):
    async with serve() as server:
        head = await log_in(server)
        for path in ("login", "logout", "register", "password", "games/remove", "games/1/remove"):
            theirs = {**head, "origin": "https://elsewhere.example"}
            answer = await request(server, "POST", f"/api/v1/{path}", {}, headers=theirs)
            assert answer.status == 403
            form = {**head, "content-type": "text/plain"}
            assert (await request(server, "POST", f"/api/v1/{path}", {}, headers=form)).status == 415
        me = await request(server, "GET", "/api/v1/me", headers=head)
        assert me.document["name"] == "Ann"
        assert me.headers["cache-control"] == "no-store"


async def test_the_token_of_a_seat_removes_its_game_and_no_other_token_does(serve):
    async with serve() as server:
        made = await play_at_once(server, {})
        (game,) = await list_games(server)
        path = f"/api/v1/games/{game['id']}/remove"
        assert (await request(server, "POST", path, {"tokens": ["A" * 22]})).status == 422
        assert (await request(server, "POST", path, {"tokens": made["tokens"]})).status == 200
        assert (await request(server, "GET", "/api/v1/games")).document["games"] == []
