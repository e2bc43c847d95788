"""Files that several processes share, and the thread that writes into one."""

import os
import sqlite3
import threading

import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.shared_file import SharedFile, Write
from gammond.engine.runtime.sqlite_file import Schema, SqliteFile, make_damage
from tests.support.waiting import in_time

THINGS = Schema("things", 77, ("CREATE TABLE things (name TEXT)",))


def connect(file):
    return SqliteFile(file, THINGS)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "things.sqlite"


@pytest.fixture
def share(file):
    """Make shared files, closed at the end."""
    made = []

    def make(**options):
        made.append(SharedFile(file, connect, "the file of things", **options))
        return made[-1]

    yield make
    for each in made:
        each.close(10.0)


def add(name, **options):
    return Write(lambda database: database.execute("INSERT INTO things VALUES (?)", (name,)), **options)


def fail(error):
    def act(_):
        raise error

    return act


def list_things(file):
    database = connect(file)
    try:
        return [row[0] for row in database.execute("SELECT name FROM things ORDER BY rowid")]
    finally:
        database.close()


def test_writes_are_made_in_order_and_of_those_about_one_thing_the_last(share, file):
    shared, made = share(gather_s=10.0), []
    writes = [add(name, on_made=lambda name=name: made.append(name)) for name in "abc"]
    shared.put(writes[0], "key")
    shared.put(writes[1])
    shared.put(writes[2], "key")
    assert in_time(shared.flush)
    assert list_things(file) == made == ["b", "c"]
    assert [write.is_made for write in writes] == [False, True, True]
    assert (shared.left_out, shared.is_failing) == (0, False)


def test_what_cannot_be_written_is_given_up_or_waits_for_a_file_that_can_be(share, file):
    fault = sqlite3.OperationalError("database or disk is full")
    for retry_s, left_out, found in ((None, 2, ["b"]), (60.0, 0, ["b", "a", "b"])):
        is_full, shared = True, share(gather_s=10.0, retry_s=retry_s)

        def act(database):
            if is_full:  # noqa: B023  (of this round)
                raise fault
            database.execute("INSERT INTO things VALUES ('a')")

        shared.put(Write(act))
        shared.put(add("x", is_needed=True), "x")
        assert in_time(shared.flush) == (retry_s is None)
        assert (shared.is_failing, shared.left_out) == (True, left_out)
        is_full = False
        shared.put(add("b"), "x")
        assert in_time(shared.flush)
        assert (shared.is_failing, shared.left_out) == (False, left_out)
        assert list_things(file) == found


def test_a_fault_of_one_write_keeps_no_other_from_the_file_unless_it_is_needed(share, file, caplog):
    shared = share()
    shared.put(Write(fail(ZeroDivisionError("by zero"))))
    shared.put(add("a"))
    assert in_time(shared.flush)
    assert (list_things(file), shared.left_out) == (["a"], 1)
    assert "ZeroDivisionError" in caplog.text
    needed = share(retry_s=60.0)
    needed.put(Write(fail(ZeroDivisionError("by zero")), is_needed=True), "key")
    needed.put(add("b"))
    assert not in_time(needed.flush)
    assert (list_things(file), needed.left_out) == (["a"], 0)
    needed.put(add("c"), "key")
    assert in_time(needed.flush)
    assert list_things(file) == ["a", "b", "c"]


def test_where_too_much_waits_the_oldest_are_given_up_that_are_not_needed(share, file):
    shared = share(gather_s=10.0, max_waiting=3)
    shared.put(add("needed", is_needed=True))
    for name in "abcd":
        shared.put(add(name))
    assert shared.left_out == 2
    assert in_time(shared.flush)
    assert list_things(file) == ["needed", "c", "d"]


def test_what_is_to_be_done_at_an_opening_and_in_a_step_is_done_in_the_thread_that_writes(share, file):
    seen = []

    def note(what):
        return lambda *_: seen.append((what, threading.current_thread() is threading.main_thread()))

    shared = share(on_opened=note("opened"), on_step=note("step"), on_written=note("written"))
    for name in "ab":
        shared.put(add(name))
        assert in_time(shared.flush)
    file.unlink()
    shared.put(add("c"))
    assert in_time(shared.flush)
    assert [what for what, _ in seen] == ["opened", *["step", "written"] * 2, "opened", "step", "written"]
    assert not any(is_main for _, is_main in seen)
    assert list_things(file) == ["c"]


@pytest.mark.parametrize("when", ["on_opened", "on_step", "is_current", "write"])
@pytest.mark.parametrize("error", [RuntimeError("out of order"), sqlite3.OperationalError("out of order")])
def test_what_fails_around_a_step_fails_the_step_and_is_done_again(
    share, file, caplog, monkeypatch, when, error
):
    """A fault of the program, too; those who wait are told, and the next write is tried."""
    problems, done = [], []

    def spoil(*_):
        if problems:
            raise problems.pop()
        done.append(when)

    options = {when: spoil} if when.startswith("on_") else {}
    shared = share(gather_s=10.0, retry_s=60.0, **options)
    if not options:
        shared.put(add("first"))
        assert in_time(shared.flush)
        whole = getattr(SqliteFile, when)
        monkeypatch.setattr(SqliteFile, when, lambda database: spoil() or whole(database))
    problems.append(error)
    shared.put(add("a"))
    assert not in_time(shared.flush)
    assert in_time(shared.flush)
    assert list_things(file) == (["a"] if options else ["first", "a"])
    assert done == [when] or not options
    assert "out of order" in caplog.text


def count_things(database):
    return database.execute("SELECT count(*) FROM things").fetchone()[0]


def test_what_is_read_is_of_the_file_that_is_there_now(share, file):
    shared = share()
    assert (shared.read(count_things), shared.read_apart(count_things)) == (0, 0)
    shared.put(add("a"))
    assert in_time(shared.flush)
    first = shared._reader
    assert (shared.read(count_things), shared.read_apart(count_things), shared._reader is first) == (
        1,
        1,
        True,
    )
    for each in file.parent.glob("things.sqlite*"):
        each.unlink()
    assert (shared.read(count_things), shared._reader is first) == (0, False)


def test_who_reads_waits_for_nobody_for_long_and_after_the_end_not_at_all(share):
    shared = share(read_wait_s=0.05)
    with shared._reading, pytest.raises(DataFileError, match="cannot be read: it is being opened"):
        shared.read(count_things)
    assert shared.read(count_things) == 0
    shared.close()
    with pytest.raises(DataFileError, match="cannot be read"):
        shared.read(count_things)


@pytest.mark.parametrize("is_busy", [True, False])
def test_a_file_that_cannot_be_read_is_opened_again_unless_it_is_busy(share, caplog, is_busy):
    shared, error = share(), sqlite3.OperationalError("out of order")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY if is_busy else sqlite3.SQLITE_IOERR
    shared.begin_reading()
    first = shared._reader
    with pytest.raises(DataFileError, match="cannot be read: out of order"):
        shared.read(fail(error))
    assert (shared.read(count_things), shared._reader is first) == (0, is_busy)
    assert "out of order" in caplog.text


def test_a_file_that_another_program_wrote_over_is_not_moved(file):
    connect(file).close()
    source = SharedFile(file, connect, "the file of things")
    database = source.open()
    file.write_bytes(b"notes of mine " * 1000)
    assert source._replace(database, make_damage("its pages are no pages")) is None
    assert file.read_bytes() == b"notes of mine " * 1000
    assert not list(file.parent.glob("*.damaged*"))


@pytest.mark.parametrize("is_open", [True, False])
def test_a_file_of_another_user_is_said_to_be_closed(tmp_path, caplog, monkeypatch, is_open):
    def refuse(file):
        raise sqlite3.OperationalError("unable to open database file")

    (file := tmp_path / "store.sqlite").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: path != file or is_open)
    assert SharedFile(file, refuse, "the store").open() is None
    assert caplog.messages[-1].endswith("database file" if is_open else "database file: permission denied")
