"""The options of a store, and its opening when it is first asked for."""

import sqlite3
import threading
import time
from functools import partial
from pathlib import Path

import filelock
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.store import options as store_options
from gammond.engine.store import store as store_module
from gammond.engine.store.options import NO_STORE, StoreOptions, open_store, read_store_options
from gammond.engine.store.store import AnalysisStore
from tests.engine.store.samples import ENGINE, make_entry, make_question
from tests.support.waiting import wait_until

NO_BOOK = Path("no-book.sqlite")


@pytest.fixture(autouse=True)
def opened(monkeypatch):
    """Stores of this test alone, closed after it."""
    found = {}
    monkeypatch.setattr(store_options, "_opened", found)
    yield found
    for store in found.values():
        store.close()


def test_it_is_in_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    monkeypatch.delenv("GAMMOND_STORE", raising=False)
    assert read_store_options().find_file() == tmp_path / "analyses.sqlite"
    monkeypatch.setenv("GAMMOND_STORE", "file=~/kept.sqlite")
    assert read_store_options().find_file() == Path.home() / "kept.sqlite"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", StoreOptions()),
        ("on", StoreOptions()),
        ("off", NO_STORE),
        ("file=/x,megabytes=7,book=off", StoreOptions(file="/x", megabytes=7, book=False)),
    ],
)
def test_options_are_parsed(text, options, monkeypatch):
    assert StoreOptions.parse(text) == options
    monkeypatch.setenv("GAMMOND_STORE", text)
    assert read_store_options() == options


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("maybe", FormatError, "expected an option of the store (on, file, megabytes, book"),
        ("megabytes=0", ValueRangeError, "expected a whole number 1..1000000 for megabytes, got '0'"),
    ],
)
def test_a_wrong_option_is_named(text, error, message):
    with pytest.raises(error) as caught:
        StoreOptions.parse(text)
    assert message in caught.value.message


def test_there_is_one_store_for_the_same_options(tmp_path, opened):
    options = StoreOptions(file=str(tmp_path / "store.sqlite"), megabytes=3)
    opener = partial(open_store, options, NO_BOOK)
    assert not opened
    threads = [threading.Thread(target=opener) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opener() is open_store(options, NO_BOOK)
    assert list(opened) == [(options, "")]


def test_what_is_asked_most_is_read_ahead(tmp_path, monkeypatch):
    file = tmp_path / "store.sqlite"
    with AnalysisStore(file) as store:
        for number in range(40):
            store.keep(make_question(number), ENGINE, make_entry(seed=number), visits=1 + (number >= 30))
    monkeypatch.setattr(store_module, "MAX_READ_AHEAD", 10)
    with AnalysisStore(file, is_patient=False) as store:
        wait_until(lambda: len(store._entries) == 10)
        assert all(store.recall(make_question(number), ENGINE, 2) for number in range(30, 40))
        assert store.recall(make_question(1), ENGINE, 2) is None
        assert store.find(make_question(1), ENGINE, 2).is_same_as(make_entry(seed=1))


def test_who_asks_waits_a_moment_for_a_file_that_opens_and_not_for_one_that_is_held(tmp_path):
    file = tmp_path / "store.sqlite"
    with AnalysisStore(file) as store:
        store.keep(make_question(1), ENGINE, make_entry(seed=1))
    with AnalysisStore(file, is_patient=False) as store:
        assert store.find(make_question(1), ENGINE, 2)
    with filelock.FileLock(tmp_path / ".store.sqlite.lock"):
        store = AnalysisStore(file, is_patient=False)
        began_s = time.monotonic()
        assert [store.find(make_question(1), ENGINE, 2) for _ in range(5)] == [None] * 5
        assert time.monotonic() - began_s < 20.0
    wait_until(lambda: store.find(make_question(1), ENGINE, 2))
    store.close()


def test_a_process_that_ends_does_not_wait_for_a_file_that_is_held(tmp_path):
    file = tmp_path / "store.sqlite"
    store = AnalysisStore(file)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    store.keep(make_question(1), ENGINE, make_entry())
    began_s = time.monotonic()
    store.close(timeout_s=0.3)
    assert time.monotonic() - began_s < 20.0
    holder.close()
