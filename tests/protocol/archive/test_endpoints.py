"""Kept games and accounts over HTTP, without HTTP."""

from __future__ import annotations

import json
import sqlite3
import time
from importlib.util import find_spec

import pytest

from gammond.engine.match_files.reading import read_matches
from gammond.protocol.archive.analysis import BackgroundAnalysis
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.endpoints import make_endpoints
from tests.protocol.archive.archive_asking import Browser, get_error
from tests.protocol.archive.kept_games import keep, make_engine, make_game, make_match_game, make_person

PASSWORD = "correct horse"
TWO = (make_person("Ann"), make_person("Bob"))
BARCA = {"game": "barca", "variant": "barca"}


@pytest.fixture
def browser(archive):
    """The browser of a stranger."""
    return Browser(archive)


@pytest.fixture
def accounts(tmp_path):
    pytest.importorskip("argon2", reason="the extra web is not installed")
    from tests.protocol.accounts.quick_accounts import open_accounts

    opened = open_accounts(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def ann(archive, accounts):
    """The browser of Ann, who has just made her account."""
    browser = Browser(archive, accounts)
    browser.post("register", name="Ann", password=PASSWORD)
    return browser


def list_ids(browser, **query):
    return [game["id"] for game in browser.get("games", **query)[1]["games"]]


def test_pages_of_games_go_on_where_the_last_one_ended(archive, browser):
    keep(archive, *(make_game(number=number, winner=number % 2) for number in range(1, 6)))
    pages, query = [], {}
    while not pages or query["before"] is not None:
        status, page = browser.get("games", limit=2, **query)
        assert status == 200
        pages.append(page["games"])
        query = {"before": page["next"]}
    assert [[game["id"] for game in page] for page in pages] == [[5, 4], [3, 2], [1]]
    assert pages[0][0]["seats"] == [
        {"kind": "person", "name": "Ann", "points": 0, "score": 0.0, "is_owned": False, "rating": None},
        {"kind": "engine", "name": "expert", "points": 1, "score": 1.0, "is_owned": False, "rating": None},
    ]


def test_games_are_found_by_player_and_variant(archive, browser):
    keep(archive, make_game("A"), make_game("B", seats=(make_person("Bob"), make_engine())))
    assert list_ids(browser, player="bob") == [2]
    assert list_ids(browser, variant="nackgammon") == []
    assert list_ids(browser, player="' OR 1 --") == []


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
def test_a_wrong_question_is_refused_with_its_field(browser, query, field):
    assert get_error(browser.get("games", **query)) == (422, field)


def test_a_match_is_read_as_files_to_save(archive, browser):
    keep(archive, make_match_game(1, [0]), make_match_game(2, [0, 1]))
    for wanted in ("mat", "sgf", *(["ogxm"] if find_spec("ogxm") else [])):
        answer = browser.send("GET", f"games/1.{wanted}")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="gammond-1.{wanted}"'
        (match,) = read_matches(answer.body)
        assert (match.format, match.names, match.length) == (wanted, ("Ann", "expert"), 2)
        assert [game.result.winner for game in match.games] == [0, 1]
        assert match.issues == ()


def test_the_record_of_another_game_is_text_and_a_match_without_one_says_so(archive, browser):
    records = [{"text_format": "text", "text": "e2-e5"}, {"text_format": "", "text": ""}]
    keep(archive, *(make_game(f"T{n}", **BARCA, **record) for n, record in enumerate(records)))
    assert browser.send("GET", "games/1.txt").body == b"e2-e5"
    for file, has in (("1.mat", ".text"), ("2.mat", "none"), ("2.txt", "none")):
        status, document = browser.get(f"games/{file}")
        assert status == 422
        assert document["error"]["message"].endswith(f"it has {has}")
    assert browser.get("games/2.json")[1]["record"] is None


def test_an_analysed_match_has_ratings_and_the_whole_analysis(archive, browser, engine):
    keep(archive, make_match_game(1, [0]), make_match_game(2, [0, 0]))
    assert BackgroundAnalysis(archive, lambda: engine).analyse_next()
    found = browser.get("games/1.json")[1]
    assert found["analysis"] == "done"
    assert found["seats"][0]["rating"]["counted"] == found["document"]["players"][0]["counted"]
    assert found["record"]["format"] == "sgf"


@pytest.mark.parametrize("path", ["games/7.json", "games/7.mat", "games/x.mat", "games/1.exe", "games/1"])
def test_a_game_that_there_is_not_is_not_found(archive, browser, path):
    keep(archive, make_game())
    assert get_error(browser.get(path)) == (404, "path")


def test_no_answer_has_a_token_or_its_hash(archive, browser):
    keep(archive, make_game(tokens=("secret", None)))
    text = json.dumps([browser.get("games/1.json"), browser.get("games")])
    assert "token" not in text
    assert archive.read(lambda database: database.list_seats(1))[0]["token"] not in text


def test_players_are_listed_and_told_of(archive, browser):
    keep(archive, make_game(), make_game("B", seats=(make_person("A/B"), make_engine())))
    assert [each["name"] for each in browser.get("players")[1]["players"]] == ["A/B", "Ann"]
    assert browser.get("players/ann")[1]["won"] == 1
    assert browser.get("players", name="A/B")[1]["player"]["name"] == "A/B"
    assert browser.get("players", name="Eve") == (200, {"player": None})
    assert browser.get("players", variant="barca")[1]["players"] == []
    assert browser.get("players", period="week")[1]["players"] == []
    assert get_error(browser.get("players", period="day")) == (422, "period")
    assert get_error(browser.get("players/Eve")) == (404, "name")


def test_a_game_is_removed_with_the_token_of_its_seat_and_with_no_other(archive, browser):
    keep(archive, make_game())
    for tokens, field in (
        (["wrong", ""], "token"),
        ([], "token"),
        ("secret", "tokens"),
        ([1], "tokens"),
        (["x"] * 11, "tokens"),
    ):
        assert get_error(browser.post("games/1/remove", tokens=tokens)) == (422, field)
    assert browser.post("games/1/remove", tokens=["other", "secret"]) == (200, {"removed": 1})
    for number in (1, "x"):
        assert get_error(browser.post(f"games/{number}/remove", tokens=["secret"])) == (404, "path")


def test_a_game_against_another_person_loses_the_name_and_goes_when_both_have_removed_it(
    archive, browser, engine
):
    keep(archive, make_game(seats=TWO, tokens=("a", "b")))
    assert BackgroundAnalysis(archive, lambda: engine).analyse_next()
    browser.post("games/1/remove", tokens=["a"])
    found = browser.get("games/1.json")[1]
    assert [seat["name"] for seat in found["seats"]] == ["anonymous", "Bob"]
    assert "Ann" not in json.dumps(found)
    assert read_matches(found["record"]["text"].encode())[0].has_analysis
    assert get_error(browser.post("games/1/remove", tokens=["a"])) == (422, "token")
    assert browser.post("games/1/remove", tokens=["b"])[0] == 200
    assert list_ids(browser) == []


def test_a_game_of_one_person_on_both_sides_goes_at_once(archive, browser):
    keep(archive, make_game(seats=TWO, tokens=("a", "b")))
    browser.post("games/1/remove", tokens=["a", "b"])
    assert list_ids(browser) == []


def test_who_is_logged_in_removes_his_games_one_or_all(archive, accounts, browser, ann):
    assert get_error(Browser(archive, accounts).post("games/remove")) == (401, "session")
    owner = accounts.find_owner("Ann")
    keep(
        archive,
        make_game("BY NAME ALONE"),
        make_game("A", owners=(owner, "")),
        make_game("B", seats=(make_person("Guest"), make_engine()), owners=(owner, "")),
        make_game("C", seats=TWO[::-1], owners=("1 bob", owner)),
        make_game("D", seats=TWO[::-1], owners=("1 bob", "")),
    )
    for number in (1, 5):
        assert get_error(ann.post(f"games/{number}/remove")) == (422, "token")
    assert get_error(Browser(archive, accounts).post("games/2/remove")) == (422, "token")
    seats = browser.get("games/2.json")[1]["seats"]
    assert [seat["is_owned"] for seat in seats] == [True, False]
    assert ann.post("games/3/remove") == (200, {"removed": 1})
    assert ann.post("games/remove") == (200, {"removed": 2})
    assert list_ids(browser) == [5, 4, 1]
    assert browser.get("games/4.json")[1]["seats"][1]["name"] == "anonymous"


def test_the_engine_owns_no_game_whatever_marks_its_seat(archive, accounts, ann):
    keep(archive, make_game(owners=("", accounts.find_owner("Ann"))))
    assert get_error(ann.post("games/1/remove")) == (422, "token")


def test_an_account_that_takes_the_name_of_one_that_was_removed_gets_none_of_its_games(
    archive, accounts, ann
):
    keep(archive, make_game(owners=(accounts.find_owner("Ann"), "")))
    accounts.remove("Ann")
    accounts._clock = lambda: time.time() + 60
    second = Browser(archive, accounts)
    second.post("register", name="Ann", password=PASSWORD)
    assert get_error(second.post("games/1/remove")) == (422, "token")
    assert second.post("games/remove") == (200, {"removed": 0})


def test_posts_take_json_alone_which_no_form_of_another_site_sends():
    posts = [endpoint for endpoint in make_endpoints(None, None) if endpoint.method == "POST"]
    assert len(posts) == 6
    assert {endpoint.media_types for endpoint in posts} == {("application/json",)}


def test_without_accounts_and_archive_the_answers_say_so(browser):
    neither = Browser()
    assert neither.get("me")[1] == {"name": None, "accounts": False, "archive": False}
    assert get_error(neither.get("games")) == (404, "path")
    assert get_error(neither.post("login", name="Ann", password=PASSWORD)) == (404, "path")
    assert get_error(browser.post("games/remove"))[0] == 404


@pytest.mark.parametrize(
    ("fault", "status"),
    [(sqlite3.OperationalError("out of order"), 503), (RuntimeError("/secret"), 500)],
)
def test_an_archive_that_cannot_be_read_tells_neither_files_nor_details(browser, monkeypatch, fault, status):
    def fail(*arguments):
        raise fault

    monkeypatch.setattr(ArchiveDatabase, "list_matches", fail)
    answer = browser.send("GET", "games")
    assert answer.status == status
    assert b"/" not in answer.body
