"""Accounts over HTTP, without HTTP."""

from __future__ import annotations

import pytest

pytest.importorskip("argon2", reason="the extra web is not installed")

from gammond.protocol.accounts.browser_session import find_user, is_loopback, make_cookie, read_token
from tests.protocol.accounts.quick_accounts import PASSWORD, open_accounts
from tests.protocol.archive.archive_asking import Browser, get_error


@pytest.fixture
def accounts(tmp_path):
    opened = open_accounts(tmp_path)
    yield opened
    opened.close()


def test_a_session_lasts_from_login_to_logout(accounts):
    browser, thief = Browser(None, accounts), Browser(None, accounts)
    assert browser.get("me") == (200, {"name": None, "accounts": True, "archive": False})
    assert browser.post("register", name="Ann", password=PASSWORD) == (200, {"name": "Ann"})
    thief.cookies = dict(browser.cookies)
    assert [each.get("me")[1]["name"] for each in (browser, thief)] == ["Ann", "Ann"]
    assert get_error(browser.post("logout", everywhere="yes")) == (422, "everywhere")
    assert browser.get("me")[1]["name"] == "Ann"
    assert browser.post("logout") == (200, {"name": None})
    assert browser.cookies == {}
    assert [each.get("me")[1]["name"] for each in (browser, thief)] == [None, None]
    assert browser.post("login", name=" ann ", password=PASSWORD) == (200, {"name": "Ann"})


def test_logging_out_everywhere_and_a_new_password_end_the_sessions_of_other_browsers(accounts):
    one, two, three, bob = browsers = [Browser(None, accounts) for _ in range(4)]

    def list_users():
        return [browser.get("me")[1]["name"] for browser in browsers]

    one.post("register", name="Ann", password=PASSWORD)
    bob.post("register", name="Bob", password=PASSWORD)
    for browser in (two, three):
        browser.post("login", name="Ann", password=PASSWORD)
    one.post("logout")
    assert get_error(two.post("password", old="wrong password", new="new password")) == (401, "password")
    assert list_users() == [None, "Ann", "Ann", "Bob"]
    assert two.post("password", old=PASSWORD, new="new password") == (200, {"name": "Ann"})
    assert list_users() == [None, "Ann", None, "Bob"]
    assert one.post("login", name="Ann", password=PASSWORD)[0] == 401
    one.post("login", name="Ann", password="new password")
    two.post("logout", everywhere=True)
    assert list_users() == [None, None, None, "Bob"]
    assert get_error(one.post("password", old="new password", new=PASSWORD))[0] == 401


def test_an_unknown_name_and_a_wrong_password_have_the_same_answer(accounts):
    accounts.register("Ann", PASSWORD)
    tries = [("Ann", "wrong password"), ("Bob", PASSWORD), (1, PASSWORD), ("Ann", 2)]
    answers = [
        Browser(None, accounts).send("POST", "login", {"name": name, "password": password})
        for name, password in tries
    ]
    assert answers.count(answers[0]) == len(tries)
    assert answers[0].status == 401
    assert "Set-Cookie" not in answers[0].headers


def test_too_many_logins_are_told_when_to_come_again(accounts):
    browser = Browser(None, accounts)
    for _ in range(10):
        browser.post("login", name="Ann", password="wrong password")
    answer = browser.send("POST", "login", {"name": "Ann", "password": PASSWORD})
    assert answer.status == 429
    assert "Retry-After" in answer.headers


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
    assert read_token(dict([wanted.partition(";")[0].split("=")]), host) == "T"
    assert "Max-Age=0" in make_cookie("", host)


def test_a_cookie_that_https_does_not_protect_is_taken_on_this_machine_alone(accounts):
    token = accounts.register("Ann", PASSWORD)
    for host, name, user in [
        ("games.example.org", "gammond-session", None),
        ("games.example.org", "__Host-gammond-session", "Ann"),
        ("localhost:8080", "gammond-session", "Ann"),
        ("localhost:8080", "__Host-gammond-session", None),
    ]:
        assert find_user(accounts, {name: token}, host) == user


@pytest.mark.parametrize("path", ["register", "login"])
def test_a_login_that_the_browser_would_forget_is_refused_in_words(accounts, path):
    accounts.register("Bob", PASSWORD)
    fields = {"name": "Bob" if path == "login" else "Ann", "password": PASSWORD}
    page = Browser(None, accounts, "192.168.0.7:8080", origin="http://192.168.0.7:8080")
    status, document = page.post(path, **fields)
    assert (status, document["error"]["field"]) == (422, "session")
    assert "https" in document["error"]["message"]
    assert not page.cookies
    assert [each.name for each in accounts.list_accounts()] == ["Bob"]
    for host, origin in [
        ("localhost:8080", "http://localhost:8080"),
        ("games.example.org", "https://games.example.org"),
        ("192.168.0.7:8080", ""),
    ]:
        browser = Browser(None, accounts, host, origin=origin)
        assert browser.post("login", name="Bob", password=PASSWORD) == (200, {"name": "Bob"})
        assert browser.get("me")[1]["name"] == "Bob"


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


@pytest.mark.parametrize("token", ["", "\x00", "x" * 10_000, "\ud800"])
def test_a_wrong_cookie_is_no_user(accounts, token):
    assert find_user(accounts, {"gammond-session": token}, "localhost") is None
    assert find_user(None, {"gammond-session": token}, "localhost") is None


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"name":"Ann"}'])
def test_a_body_that_is_no_login_is_refused(accounts, body):
    assert Browser(None, accounts).send("POST", "login", body).status in (400, 401)


def test_a_field_too_many_is_named(accounts):
    assert get_error(Browser(None, accounts).post("login", user="Ann")) == (422, "user")
