"""Kept games and accounts over HTTP, without HTTP."""

from __future__ import annotations

import sqlite3

import pytest

pytest.importorskip("argon2", reason="the extra web is not installed")

import argon2

from engine.match_files.reading import read_matches
from protocol.archive.accounts import Accounts
from protocol.archive.archive import GameArchive
from protocol.archive.browser_session import find_user, is_loopback, make_cookie, read_token
from protocol.archive.database import ArchiveDatabase
from protocol.archive.endpoints import make_endpoints
from protocol.archive.options import ArchiveOptions
from protocol.archive.passwords import Passwords
from tests.protocol.archive.archive_asking import Browser
from tests.protocol.archive.kept_games import make_engine, make_game, make_person

PASSWORD = "correct horse"


@pytest.fixture
def archive(tmp_path):
    opened = GameArchive(ArchiveOptions(file=str(tmp_path / "games.sqlite")))
    yield opened
    opened.close()


@pytest.fixture
def accounts(tmp_path):
    cheap = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    opened = Accounts(tmp_path / "accounts.sqlite", Passwords(cheap))
    yield opened
    opened.close()


def keep(archive, *games):
    for game in games:
        archive.keep_game(game)
    archive.flush()


def get_error(answer):
    status, document = answer
    assert list(document) == ["error"]
    assert document["error"]["message"]
    return status, document["error"]["field"]


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
    keep(archive, *(make_game(number=number) for number in (1, 2, 3)))
    browser = Browser(archive, accounts)
    assert get_error(browser.post("games/remove")) == (401, "session")
    browser.post("register", name="Ann", password=PASSWORD)
    assert browser.post("games/1/remove") == (200, {"removed": 1})
    assert browser.post("games/remove") == (200, {"removed": 2})
    assert browser.get("games")[1]["games"] == []


def test_a_session_lasts_from_login_to_logout(accounts):
    browser = Browser(None, accounts)
    assert browser.get("me") == (200, {"name": None, "accounts": True, "archive": False})
    assert browser.post("register", name="Ann", password=PASSWORD) == (200, {"name": "Ann"})
    assert browser.get("me")[1]["name"] == "Ann"
    assert browser.post("logout") == (200, {"name": None})
    assert browser.cookies == {}
    assert browser.get("me")[1]["name"] is None
    assert browser.post("login", name="ann", password=PASSWORD) == (200, {"name": "Ann"})


def test_a_logout_that_is_none_ends_nothing(accounts):
    browser = Browser(accounts=accounts)
    browser.post("register", name="Ann", password=PASSWORD)
    status, document = browser.post("logout", everywhere="yes")
    assert (status, document["error"]["field"]) == (422, "everywhere")
    assert browser.get("me")[1]["name"] == "Ann"


def test_a_stolen_cookie_is_worth_nothing_after_the_logout(accounts):
    browser, thief = Browser(None, accounts), Browser(None, accounts)
    browser.post("register", name="Ann", password=PASSWORD)
    thief.cookies = dict(browser.cookies)
    assert thief.get("me")[1]["name"] == "Ann"
    browser.post("logout")
    assert thief.get("me")[1]["name"] is None


def test_logging_out_everywhere_and_a_new_password_end_the_sessions_of_other_browsers(accounts):
    one, two = Browser(None, accounts), Browser(None, accounts)
    one.post("register", name="Ann", password=PASSWORD)
    two.post("login", name="Ann", password=PASSWORD)
    assert one.post("password", old=PASSWORD, new="new password") == (200, {"name": "Ann"})
    assert (one.get("me")[1]["name"], two.get("me")[1]["name"]) == ("Ann", None)
    two.post("login", name="Ann", password="new password")
    one.post("logout", everywhere=True)
    assert two.get("me")[1]["name"] is None


def test_an_unknown_name_and_a_wrong_password_have_the_same_answer(accounts):
    browser = Browser(None, accounts)
    accounts.register("Ann", PASSWORD)
    wrong = browser.send("POST", "login", {"name": "Ann", "password": "wrong password"})
    unknown = browser.send("POST", "login", {"name": "Bob", "password": PASSWORD})
    assert wrong == unknown
    assert wrong.status == 401
    assert "Set-Cookie" not in wrong.headers


def test_too_many_logins_are_told_when_to_come_again(accounts):
    browser = Browser(None, accounts)
    for _ in range(10):
        browser.post("login", name="Ann", password="wrong password")
    answer = browser.send("POST", "login", {"name": "Ann", "password": PASSWORD})
    assert answer.status == 429
    assert "Retry-After" in answer.headers


def test_changing_the_password_needs_a_login(accounts):
    accounts.register("Ann", PASSWORD)
    assert get_error(Browser(None, accounts).post("password", old=PASSWORD, new="new password"))[0] == 401


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("localhost:8080", "gammond-session=T; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"),
        (
            "games.example.org",
            "__Host-gammond-session=T; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure",
        ),
    ],
)
def test_the_cookie_is_for_no_script_no_other_site_and_https_alone_but_on_this_machine(host, wanted):
    assert make_cookie("T", host) == wanted
    assert read_token(wanted.partition(";")[0]) == "T"
    assert "Max-Age=0" in make_cookie("", host)


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("localhost", True),
        ("LOCALHOST:80", True),
        ("127.0.0.1:8080", True),
        ("127.3.2.1", True),
        ("[::1]:8080", True),
        ("[::1]", True),
        ("127.0.0.1.example.org", False),
        ("localhost.example.org:80", False),
        ("192.168.0.1:80", False),
        ("[2001:db8::1]:80", False),
        ("", False),
    ],
)
def test_names_of_this_machine_are_known(host, wanted):
    assert is_loopback(host) is wanted


@pytest.mark.parametrize(
    "cookie", ["", "a=b", "gammond-session=", "=;;=", "gammond-session=\x00", "x" * 10_000]
)
def test_no_cookie_is_no_user(accounts, cookie):
    assert find_user(accounts, cookie) is None
    assert find_user(None, "gammond-session=x") is None


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"name":"Ann"}', b'{"name":1,"password":2}'])
def test_a_body_that_is_no_login_is_refused(accounts, body):
    assert Browser(None, accounts).send("POST", "login", body).status in (400, 401)


def test_a_field_too_many_is_named(accounts):
    assert get_error(Browser(None, accounts).post("login", user="Ann")) == (422, "user")
    assert get_error(Browser(None, accounts).post("logout", everywhere="yes")) == (422, "everywhere")


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
