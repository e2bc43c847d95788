"""Kept games and accounts over HTTP, without HTTP."""

from __future__ import annotations

import sqlite3
import time

import pytest

pytest.importorskip("argon2", reason="the extra web is not installed")

from gammond.engine.match_files.reading import read_matches
from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.endpoints import make_endpoints
from gammond.protocol.archive.options import ArchiveOptions
from tests.protocol.accounts.quick_accounts import PASSWORD, open_accounts
from tests.protocol.archive.archive_asking import Browser, get_error
from tests.protocol.archive.kept_games import make_engine, make_game, make_person


@pytest.fixture
def archive(tmp_path):
    opened = GameArchive(ArchiveOptions(file=str(tmp_path / "games.sqlite")))
    yield opened
    opened.close()


@pytest.fixture
def accounts(tmp_path):
    opened = open_accounts(tmp_path)
    yield opened
    opened.close()


def keep(archive, *games):
    for game in games:
        archive.keep_game(game)
    archive.flush()


def test_pages_of_games_go_on_where_the_last_one_ended(archive):
    keep(archive, *(make_game(number=number) for number in range(1, 6)))
    browser, seen, query = Browser(archive), [], {}
    while True:
        status, page = browser.get("games", limit=2, **query)
        assert status == 200
        seen += [game["id"] for game in page["games"]]
        if page["next"] is None:
            break
        query = {"before": page["next"]}
    assert seen == [5, 4, 3, 2, 1]


def test_games_are_found_by_player_and_variant(archive):
    keep(archive, make_game("A"), make_game("B", seats=(make_person("Bob"), make_engine())))
    browser = Browser(archive)
    assert [game["id"] for game in browser.get("games", player="bob")[1]["games"]] == [2]
    assert browser.get("games", variant="nackgammon")[1]["games"] == []
    assert browser.get("games", player="' OR 1 --")[1]["games"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"before": "x"}, "before"),
        ({"variant": "chess"}, "variant"),
        ({"name": "Ann"}, "name"),
    ],
)
def test_a_wrong_question_is_refused_with_its_field(archive, query, field):
    assert get_error(Browser(archive).get("games", **query)) == (422, field)


def test_a_game_is_read_as_json_and_as_files_to_save(archive):
    keep(archive, make_game(), make_game("B", game="barca", variant="barca", text_format="text", text="e2"))
    browser = Browser(archive)
    assert browser.get("games/1.json")[1]["seats"][0]["name"] == "Ann"
    for ending in ("mat", "sgf"):
        answer = browser.send("GET", f"games/1.{ending}")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="gammond-1.{ending}"'
        assert read_matches(answer.body)[0].names == ("Ann", "expert")
    assert browser.send("GET", "games/2.txt").body == b"e2"
    assert get_error(browser.get("games/2.mat"))[0] == 422


@pytest.mark.parametrize("path", ["games/7.json", "games/7.mat", "games/x.mat", "games/1.exe", "games/1"])
def test_a_game_that_there_is_not_is_not_found(archive, path):
    keep(archive, make_game())
    assert get_error(Browser(archive).get(path)) == (404, "path")


def test_players_are_listed_and_told_of(archive):
    keep(archive, make_game(), make_game("B", seats=(make_person("A/B"), make_engine())))
    browser = Browser(archive)
    assert [each["name"] for each in browser.get("players")[1]["players"]] == ["A/B", "Ann"]
    assert browser.get("players/ann")[1]["won"] == 1
    assert browser.get("players", name="A/B")[1]["player"]["name"] == "A/B"
    assert browser.get("players", name="Eve") == (200, {"player": None})
    assert browser.get("players", variant="barca")[1]["players"] == []
    assert browser.get("players", period="week")[1]["players"] == []
    assert get_error(browser.get("players", period="day")) == (422, "period")
    assert get_error(browser.get("players/Eve")) == (404, "name")


def test_a_game_is_removed_with_the_token_of_its_seat_and_with_no_other(archive):
    keep(archive, make_game())
    browser = Browser(archive)
    assert get_error(browser.post("games/1/remove", tokens=["wrong"])) == (422, "token")
    assert get_error(browser.post("games/1/remove", tokens="secret")) == (422, "tokens")
    assert get_error(browser.post("games/1/remove", tokens=[1])) == (422, "tokens")
    assert get_error(browser.post("games/1/remove", tokens=["x"] * 11)) == (422, "tokens")
    assert browser.post("games/1/remove", tokens=["secret"]) == (200, {"removed": 1})
    assert get_error(browser.post("games/1/remove", tokens=["secret"]))[0] == 404
    assert get_error(browser.post("games/x/remove", tokens=[]))[0] == 404


def test_who_is_logged_in_removes_his_games_one_or_all(archive, accounts):
    browser = Browser(archive, accounts)
    assert get_error(browser.post("games/remove")) == (401, "session")
    browser.post("register", name="Ann", password=PASSWORD)
    owners = (accounts.find_owner("Ann"), "")
    keep(archive, make_game("OTHERS"), *(make_game(number=number, owners=owners) for number in (1, 2, 3)))
    assert get_error(browser.post("games/1/remove")) == (422, "token")
    assert browser.post("games/2/remove") == (200, {"removed": 1})
    assert browser.post("games/remove") == (200, {"removed": 2})
    assert [each["id"] for each in browser.get("games")[1]["games"]] == [1]


def test_an_account_that_takes_the_name_of_one_that_was_removed_gets_none_of_its_games(archive, accounts):
    first = Browser(archive, accounts)
    first.post("register", name="Ann", password=PASSWORD)
    keep(archive, make_game(owners=(accounts.find_owner("Ann"), "")))
    accounts.remove("Ann")
    accounts._clock = lambda: time.time() + 60
    second = Browser(archive, accounts)
    second.post("register", name="Ann", password=PASSWORD)
    assert get_error(second.post("games/1/remove")) == (422, "token")
    assert second.post("games/remove") == (200, {"removed": 0})


def test_posts_take_json_alone_which_no_form_of_another_site_sends(archive, accounts):
    posts = [endpoint for endpoint in make_endpoints(archive, accounts) if endpoint.method == "POST"]
    assert len(posts) == 6
    assert {endpoint.media_types for endpoint in posts} == {("application/json",)}


def test_without_accounts_and_archive_the_answers_say_so(archive):
    neither = Browser()
    assert neither.get("me")[1] == {"name": None, "accounts": False, "archive": False}
    assert get_error(neither.get("games")) == (404, "path")
    assert get_error(neither.post("login", name="Ann", password=PASSWORD)) == (404, "path")
    assert get_error(Browser(archive).post("games/remove"))[0] == 404


def test_an_archive_that_cannot_be_read_is_unavailable_and_tells_no_file(archive, monkeypatch):
    def fail(*arguments):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(ArchiveDatabase, "list_matches", fail)
    answer = Browser(archive).send("GET", "games")
    assert answer.status == 503
    assert b"/" not in answer.body.replace(b"I/O", b"")


def test_a_fault_of_the_server_shows_no_details(archive, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(ArchiveDatabase, "list_matches", fail)
    answer = Browser(archive).send("GET", "games")
    assert answer.status == 500
    assert b"secret" not in answer.body
