"""Accounts: names, passwords, sessions, and who is kept from guessing."""

from __future__ import annotations

import concurrent.futures
import sqlite3
import stat
import sys
import threading

import pytest

pytest.importorskip("argon2", reason="the extra web is not installed")

import argon2

from gammond.engine.errors import DataFileError, GammondError, UnsupportedError, ValueRangeError
from gammond.protocol.accounts import accounts as accounts_module
from gammond.protocol.accounts.accounts import IDLE_S, MAX_AGE_S, MAX_SESSIONS, Accounts, LoginError
from gammond.protocol.accounts.attempt_limits import MAX_COUNTED, AttemptLimit, check_attempts
from gammond.protocol.accounts.passwords import MAX_CHARS, Passwords
from gammond.protocol.core.errors import BusyError
from tests.protocol.accounts.quick_accounts import CHEAP, PASSWORD
from tests.support.terminals import Clock


@pytest.fixture
def clock():
    return Clock(1_790_000_000.0)


@pytest.fixture
def accounts(tmp_path, clock, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    opened = Accounts(tmp_path / "data" / "accounts.sqlite", Passwords(CHEAP), clock)
    yield opened
    opened.close()


def test_an_unknown_name_takes_as_long_as_a_wrong_password(accounts, monkeypatch):
    compared = []
    verify = argon2.PasswordHasher.verify

    def watch(self, hashed, password):
        compared.append(hashed)
        return verify(self, hashed, password)

    monkeypatch.setattr(argon2.PasswordHasher, "verify", watch)
    accounts.register("Ann", PASSWORD)
    for name in ("Ann", "Bob"):
        with pytest.raises(ValueRangeError):
            accounts.log_in(name, "wrong password")
    assert len(compared) == 2
    parameters = [argon2.extract_parameters(each) for each in compared]
    assert parameters[0] == parameters[1]


@pytest.mark.parametrize("password", ["1234567", "x" * (MAX_CHARS + 1), "", None, 12345678])
def test_passwords_have_8_to_1024_characters(accounts, password):
    with pytest.raises(ValueRangeError, match="8 to 1024"):
        accounts.register("Ann", password)
    accounts.register("Ann", PASSWORD)
    token = accounts.log_in("Ann", PASSWORD)
    with pytest.raises(ValueRangeError, match="8 to 1024"):
        accounts.change_password("Ann", PASSWORD, password)
    assert accounts.find_user(token) == "Ann"


@pytest.mark.parametrize(
    ("password", "same", "other"),
    [
        ("12345678", "12345678", "12345679"),
        ("x" * MAX_CHARS, "x" * MAX_CHARS, "x" * (MAX_CHARS - 1) + "y"),
        ("pass\0word", "pass\0word", "pass\0wort"),
        ("\ud800 surrogate", "\ud800 surrogate", "\ud801 surrogate"),
        ("caf\u00e9 caf\u00e9 ♞", "cafe\u0301 cafe\u0301 ♞", "cafe cafe ♞"),  # composed in two ways
    ],
    ids=["short", "long", "NUL", "surrogate", "composed"],
)
def test_any_text_of_these_lengths_is_a_password_to_its_end(accounts, password, same, other):
    accounts.register("Ann", password)
    accounts.log_in("Ann", same)
    with pytest.raises(LoginError):
        accounts.log_in("Ann", other)


def test_passwords_are_kept_as_hashes_by_argon2id_and_sessions_as_hashes_in_a_file_of_the_user_alone(
    tmp_path, clock
):
    file = tmp_path / "accounts.sqlite"
    accounts = Accounts(file, clock=clock)
    token = accounts.register("Ann", PASSWORD)
    accounts.close()
    content = b"".join(each.read_bytes() for each in tmp_path.glob("accounts.sqlite*"))
    assert b"$argon2id$v=19$m=65536,t=3,p=4$" in content
    assert PASSWORD.encode() not in content
    assert token.encode() not in content
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_hashes_of_earlier_parameters_are_made_anew_at_the_next_login(tmp_path):
    file = tmp_path / "accounts.sqlite"
    old = Accounts(file, Passwords(CHEAP))
    old.register("Ann", PASSWORD)
    old.close()
    stronger = Passwords(argon2.PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    new = Accounts(file, stronger)
    new.log_in("Ann", PASSWORD)
    new.close()
    with sqlite3.connect(file) as database:
        (hashed,) = database.execute("SELECT password FROM accounts").fetchone()
    database.close()
    assert "t=2" in hashed


@pytest.mark.parametrize("name", ["ANN", " ann ", "\uff21nn"])
def test_a_name_that_has_an_account_is_given_to_nobody_else_however_it_is_written(accounts, name):
    accounts.register("Ann", PASSWORD)
    with pytest.raises(ValueRangeError, match="has an account"):
        accounts.register(name, "another password")


@pytest.mark.parametrize("name", ["", "x" * 41, "\u0410nn", "You", "guest", None, 7])
def test_names_that_nobody_can_read_or_that_are_nobodys_have_no_account(accounts, name):
    with pytest.raises(GammondError, match="name") as caught:
        accounts.register(name, PASSWORD)
    assert caught.value.field == "name"


def test_a_name_with_an_account_is_used_at_tables_by_who_is_logged_in_alone(accounts):
    accounts.register("Ann", PASSWORD)
    accounts.check_may_use("Ann", "Ann")
    accounts.check_may_use("Bob", None)
    accounts.check_may_use("Bob", "Ann")
    for user in (None, "Bob"):
        with pytest.raises(ValueRangeError, match="log in") as caught:
            accounts.check_may_use("aNN ", user)
        assert caught.value.field == "name"


def test_a_session_ends_when_it_is_not_used_and_at_last(accounts, clock):
    token = accounts.register("Ann", PASSWORD)
    started_s = clock.now_s
    while clock.now_s - started_s < MAX_AGE_S - IDLE_S:
        clock.now_s += IDLE_S - 10
        assert accounts.find_user(token) == "Ann"
    clock.now_s = started_s + MAX_AGE_S + 10
    assert accounts.find_user(token) is None
    idle = accounts.log_in("Ann", PASSWORD)
    clock.now_s += IDLE_S + 10
    assert accounts.find_user(idle) is None


def test_an_account_has_so_many_sessions_and_the_oldest_end_first(accounts, clock):
    tokens = [accounts.register("Ann", PASSWORD)]
    for _ in range(MAX_SESSIONS):
        clock.now_s += 1
        tokens.append(accounts.log_in("Ann", PASSWORD))
    assert accounts.find_user(tokens[0]) is None
    assert all(accounts.find_user(token) for token in tokens[1:])


def test_guessing_the_password_of_a_name_is_stopped_and_others_still_log_in(accounts):
    accounts.register("Ann", PASSWORD)
    accounts.register("Bob", PASSWORD)
    for _ in range(60):  # those that succeed do not count
        accounts.log_in("Ann", PASSWORD, "10.0.0.1")
    for _ in range(10):
        with pytest.raises(LoginError):
            accounts.log_in("Ann", "wrong password", "10.0.0.1")
    with pytest.raises(BusyError, match="try again in 15 min"):
        accounts.log_in("Ann", PASSWORD, "10.0.0.1")
    accounts.log_in("Bob", PASSWORD, "10.0.0.1")
    accounts.log_in("Ann", PASSWORD, "10.0.0.2")  # she herself is not locked out elsewhere


def guess_name(accounts, number, address):
    with pytest.raises(LoginError):
        accounts.log_in(f"name {number}", PASSWORD, address)


def make_account(accounts, number, address):
    accounts.register(f"name {number}", PASSWORD, address)


@pytest.mark.parametrize(("attempt", "most"), [(guess_name, 50), (make_account, 20)])
def test_one_address_guesses_and_makes_so_many_names_and_others_still_do(accounts, attempt, most):
    for number in range(most):
        attempt(accounts, number, "10.0.0.1")
    with pytest.raises(BusyError):
        attempt(accounts, most, "10.0.0.1")
    attempt(accounts, most, "10.0.0.2")


def test_a_name_that_is_too_long_to_be_one_is_neither_folded_nor_remembered(accounts):
    with pytest.raises(LoginError):
        accounts.log_in("\ufdfa" * 5000, PASSWORD, "10.0.0.1")
    held = [key for limit in (accounts._tries_here, accounts._tries_name) for key in limit._counted]
    assert held == [("10.0.0.1", ""), ""]


def test_attempts_at_the_same_moment_count_too(accounts):
    accounts.register("Ann", PASSWORD)
    outcomes = []

    def guess():
        try:
            accounts.log_in("Ann", "wrong password", "10.0.0.1")
        except (ValueRangeError, BusyError) as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=guess) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(ValueRangeError) <= 12
    assert outcomes.count(BusyError) >= 18


def test_the_window_of_attempts_moves_and_forgets(clock):
    limit = AttemptLimit(2, 60.0, clock)
    limit.count("a")
    clock.now_s += 50
    limit.count("a")
    assert limit.compute_wait_s("a") == pytest.approx(10.0)
    clock.now_s += 11
    check_attempts([(limit, "a")])
    for number in range(MAX_COUNTED + 10):
        limit.count(number)
    assert len(limit._counted) == MAX_COUNTED


def test_an_attempt_that_is_taken_back_leaves_those_before_it(clock):
    limit = AttemptLimit(2, 60.0, clock)
    limit.count("a")
    clock.now_s += 50
    limit.count("a")
    limit.take_back("a")
    check_attempts([(limit, "a")])
    limit.count("a")
    assert limit.compute_wait_s("a") == pytest.approx(10.0)


def test_too_many_passwords_at_a_time_are_refused_in_words(monkeypatch):
    monkeypatch.setattr("gammond.protocol.accounts.passwords._WAIT_S", 0.01)
    passwords = Passwords(CHEAP)
    while passwords._room.acquire(blocking=False):
        pass
    with pytest.raises(BusyError, match="too many log in"):
        passwords.hash(PASSWORD)


def test_the_administrator_lists_removes_and_resets(accounts):
    token = accounts.register("Ann", PASSWORD)
    accounts.register("Bob", PASSWORD)
    assert [(each.name, each.sessions) for each in accounts.list_accounts()] == [("Ann", 1), ("Bob", 1)]
    password = accounts.reset("ann")
    assert accounts.find_user(token) is None
    accounts.log_in("Ann", password)
    assert accounts.reset("nobody else") is None
    assert accounts.remove("ANN")
    assert not accounts.remove("Ann")
    assert [each.name for each in accounts.list_accounts()] == ["Bob"]
    accounts.register("Ann", PASSWORD)


def write_without_tables(file):
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE accounts (name)")
        database.execute("DROP TABLE accounts")
    database.close()


def write_damaged(file):
    Accounts(file, Passwords(CHEAP)).close()
    file.write_bytes(file.read_bytes()[:100] + b"\xff" * 5000)


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (write_damaged, "malformed"),
        (write_without_tables, ""),
        (lambda file: file.write_bytes(b""), ""),
        (lambda file: file.write_bytes(b"\0" * 4096), ""),
        (
            lambda file: file.write_text("notes of mine"),
            "expected a file of accounts, got a file that is no data",
        ),
    ],
    ids=["damaged", "without tables", "empty", "zeros", "text"],
)
def test_a_file_that_lost_its_accounts_or_is_none_is_left_alone_and_frees_no_name(tmp_path, write, reason):
    file = tmp_path / "accounts.sqlite"
    write(file)
    content = file.read_bytes()
    with pytest.raises(DataFileError, match=f"{reason}.*frees all names"):
        Accounts(file, Passwords(CHEAP))
    assert file.read_bytes() == content


def test_a_folder_that_was_named_is_not_made(tmp_path):
    with pytest.raises(DataFileError, match=r"there is no folder .*typo"):
        Accounts(tmp_path / "typo" / "accounts.sqlite", Passwords(CHEAP))
    assert not (tmp_path / "typo").exists()


def test_a_file_of_accounts_that_was_half_made_is_made_anew(tmp_path):
    (tmp_path / ".accounts.sqlite.new").write_bytes(b"half of it")
    accounts = Accounts(tmp_path / "accounts.sqlite", Passwords(CHEAP))
    accounts.register("Ann", PASSWORD)
    accounts.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == [".accounts.sqlite.lock", "accounts.sqlite"]


def test_a_login_while_the_clock_is_wrong_ends_no_session_of_others(accounts, clock):
    ann, bob = accounts.register("Ann", PASSWORD), accounts.register("Bob", PASSWORD)
    right_s = clock.now_s
    for ahead_s in (IDLE_S + 10, MAX_AGE_S + 10, -MAX_AGE_S):
        clock.now_s = right_s + ahead_s
        accounts.log_in("Ann", PASSWORD)
        accounts.register(f"visitor {ahead_s}", PASSWORD)
        clock.now_s = right_s
        assert (accounts.find_user(ann), accounts.find_user(bob)) == ("Ann", "Bob")


def test_a_file_that_fails_while_it_is_used_lets_nobody_in(accounts, monkeypatch):
    token = accounts.register("Ann", PASSWORD)

    def fail(*arguments):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(accounts_module.SqliteFile, "execute", fail)
    for attempt in (
        lambda: accounts.find_user(token),
        lambda: accounts.check_may_use("Ann", None),
        lambda: accounts.log_in("Ann", PASSWORD),
        lambda: accounts.register("Bob", PASSWORD),
    ):
        with pytest.raises(DataFileError, match="at the moment") as caught:
            attempt()
        assert "sqlite" not in caught.value.message


def test_two_servers_share_the_accounts_of_a_file(tmp_path):
    one, two = (Accounts(tmp_path / "accounts.sqlite", Passwords(CHEAP)) for _ in range(2))
    token = one.register("Ann", PASSWORD)
    assert two.find_user(token) == "Ann"
    two.log_out_everywhere("Ann")
    assert one.find_user(token) is None
    one.close()
    two.close()


def test_without_the_extra_the_error_says_which_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "argon2", None)
    with pytest.raises(UnsupportedError, match=r"argon2-cffi.*gammond\[web\]"):
        Passwords()


def test_hashing_lets_others_work_meanwhile(tmp_path):
    is_hashing, may_end = threading.Event(), threading.Event()

    class HeldHasher:
        hash, check_needs_rehash = CHEAP.hash, CHEAP.check_needs_rehash

        def verify(self, hashed, password):
            is_hashing.set()
            assert may_end.wait(60)
            return CHEAP.verify(hashed, password)

    accounts = Accounts(tmp_path / "accounts.sqlite", Passwords(HeldHasher()))
    token = accounts.register("Ann", PASSWORD)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        logging_in = pool.submit(accounts.log_in, "Ann", PASSWORD)
        try:
            assert is_hashing.wait(60)
            assert accounts.find_user(token) == "Ann"
        finally:
            may_end.set()
        logging_in.result(60)
    accounts.close()
