"""The archive of a server: what outlasts its process, its disk and its file."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import threading

import pytest

from gammond.engine.errors import DataFileError
from gammond.protocol.archive.archive import GameArchive, describe_place, open_archive
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.archive.running_tables import MAX_SLOTS, TableSlots
from tests.protocol.archive.kept_games import (
    START_S,
    make_action,
    make_game,
    make_match_game,
    make_table,
    save_table,
)

KILLED = """
import os, sys
from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.options import ArchiveOptions
from tests.protocol.archive.kept_games import make_action, make_game, make_table
archive = GameArchive(ArchiveOptions(file=sys.argv[1]))
archive.save_table(make_table("T"))
for number in range(1, 100_000):
    archive.add_action("T", make_action(number))
    archive.keep_game(make_game(number=number, text_format="text", text="e2-e5"))
    if number % 10 == 0:
        archive.flush()
        print(number, flush=True)
"""


def count(archive):
    return len(archive.read(lambda database: database.list_matches(None, None, None, 10_000)))


def test_running_tables_are_taken_up_again_with_all_that_was_done_at_them(open_one):
    first = open_one()
    save_table(first, "T", actions=2)
    first.save_table(make_table("T", pace_ms=0))
    first.add_action("T", make_action(7))
    first.save_table(make_table("S"))
    first.save_table(make_table("U"))
    assert first.flush()
    first.drop_table("U")
    first.close()

    second = open_one()
    tables = {table.table_id: table for table in second.load_tables()}
    log = second.load_log("T")
    second.add_action("T", make_action(8))
    second.close()

    assert tables.keys() == {"S", "T"}
    assert [action.count for action in log] == [0, 1, 7]
    assert (tables["T"].hashes, tables["T"].pace_ms) == (make_table("T").hashes, 0)
    assert (tables["T"].active_s, tables["S"].active_s) == (START_S + 7, START_S)
    assert tables["T"].log_bytes > 3 * len(make_action(0)) > tables["S"].log_bytes == 0
    third = open_one()
    assert [len(third.load_log(table.table_id)) for table in third.load_tables()] == [0, 4]


def test_logs_that_nobody_asks_for_are_never_read_and_go_on_whatever_changes(open_one, monkeypatch):
    first = open_one()
    save_table(first, "T", actions=3)
    save_table(first, "S", actions=3)
    first.close()
    asked = []
    list_actions = ArchiveDatabase.list_actions
    monkeypatch.setattr(
        ArchiveDatabase, "list_actions", lambda self, table: asked.append(table) or list_actions(self, table)
    )
    second = open_one()
    changed, _ = second.load_tables()
    changed.fault = "the engine is gone"
    second.save_table(changed)
    second.add_action("T", make_action(3))  # it goes on in the file, whatever was read
    assert second.flush()
    assert asked == []
    second.close()
    third = open_one()
    assert [table.fault for table in third.load_tables()] == ["the engine is gone", ""]
    for table, count in (("S", 3), ("T", 4), ("T", 4)):  # also if it is asked for again
        assert [action.count for action in third.load_log(table)] == [*range(count)]
    assert asked == ["S", "T", "T"]


def test_a_server_killed_in_the_midst_of_writing_loses_nothing_that_was_flushed(options, open_one):
    command = [sys.executable, "-c", KILLED, options.file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(5)]
        process.kill()
        lines += process.stdout.readlines()
    flushed = int(lines[-1])

    archive = open_one()
    (table,) = archive.load_tables()

    numbers = [action.count for action in archive.load_log(table.table_id)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= flushed
    assert count(archive) >= flushed
    assert archive.read(lambda database: database.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"


def test_two_servers_with_one_file_keep_their_own_tables_and_share_the_games(options, open_one):
    one, two = open_one(), open_one()
    one.save_table(make_table("ONE"))
    two.save_table(make_table("TWO"))
    one.keep_game(make_game("ONE"))
    two.keep_game(make_game("TWO"))
    assert one.flush()
    assert two.flush()
    assert (count(one), count(two)) == (2, 2)
    one.close()

    third = open_one()
    assert [table.table_id for table in third.load_tables()] == ["ONE"]  # the other server runs
    two.close()
    fourth = open_one()
    assert [table.table_id for table in fourth.load_tables()] == ["TWO"]
    for server in (third, fourth):
        server.close()
    fifth = open_one()
    assert [table.table_id for table in fifth.load_tables()] == ["ONE", "TWO"]
    assert fifth.read(lambda database: database.list_slots()) == [0]


def test_servers_beyond_the_slots_keep_games_and_no_tables(options, open_one, caplog):
    slots = TableSlots(options.find_file())
    for slot in range(MAX_SLOTS):
        assert slots.try_to_take(slot)
    archive = open_one()
    archive.save_table(make_table())
    archive.keep_game(make_game())
    assert archive.flush()
    assert count(archive) == 1
    assert archive.read(lambda database: database.list_slots()) == []
    assert "at most 64 servers" in caplog.text
    slots.release()


def test_a_damaged_file_is_moved_aside_said_once_and_the_running_tables_are_in_the_new_one(
    options, open_one, archive, caplog
):
    save_table(archive, "T", actions=3)
    archive.keep_game(make_game())
    archive.flush()
    file = options.find_file()
    archive.read(lambda database: database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
    with file.open("r+b") as damaged:
        damaged.seek(100)
        damaged.write(b"\xff" * 30_000)

    for number in (2, 3, 4):
        archive.keep_game(make_game(number=number))
        archive.add_action("T", make_action(number))
    assert archive.flush(30)

    assert file.with_name("games.sqlite.damaged").exists()
    assert [record.levelno for record in caplog.records].count(logging.WARNING) <= 3
    assert count(archive) == 3
    archive.close()
    assert len(open_one().load_log("T")) == 6


def test_a_file_that_is_begun_anew_has_the_tables_whose_logs_were_loaded_and_the_others_are_said(
    options, open_one, caplog
):
    first = open_one()
    save_table(first, "T", actions=3)
    save_table(first, "S", actions=3)
    first.close()
    second = open_one()
    second.load_tables()
    second.load_log("T")
    save_table(second, "U", actions=2)
    assert second.flush()
    for file in options.find_file().parent.glob("games.sqlite*"):
        file.unlink()
    second.add_action("T", make_action(3))
    second.add_action("U", make_action(2))
    assert second.flush()
    with pytest.raises(DataFileError, match="moved aside or removed"):
        second.load_log("S")
    second.close()
    third = open_one()
    assert [table.table_id for table in third.load_tables()] == ["T", "U"]
    assert [action.count for action in third.load_log("T")] == [0, 1, 2, 3]
    assert [action.count for action in third.load_log("U")] == [0, 1, 2]
    assert "has not the 1 tables" in caplog.text


def test_a_file_that_was_damaged_before_the_start_is_moved_aside(options, open_one, caplog):
    open_one().close()
    file = options.find_file()
    file.write_bytes(file.read_bytes()[:100] + b"\xff" * 5000)
    archive = open_one()
    archive.keep_game(make_game())
    assert archive.flush()
    assert count(archive) == 1
    assert "is damaged" in caplog.text


def test_what_a_full_disk_refused_is_written_once_there_is_room(
    options, open_one, archive, caplog, monkeypatch
):
    archive.save_table(make_table("T"))
    archive.flush()
    is_full = True
    write = ArchiveDatabase.write

    def refuse(database):
        if is_full:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return write(database)

    monkeypatch.setattr(ArchiveDatabase, "write", refuse)
    for number in range(1, 4):
        archive.keep_game(make_game(number=number))
        archive.add_action("T", make_action(number))
        assert not archive.flush()
    assert archive._source.is_failing
    assert count(archive) == 0  # and it can be read meanwhile
    assert caplog.text.count("disk is full") == 1

    is_full = False
    assert archive.flush()
    assert not archive._source.is_failing
    assert (count(archive), archive._source.left_out) == (3, 0)
    archive.close()
    assert len(open_one().load_log("T")) == 3


def test_a_data_folder_that_cannot_be_made_leaves_games_unkept_and_is_said_once(
    tmp_path, caplog, monkeypatch
):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "file"))
    archive = GameArchive(ArchiveOptions())
    archive.save_table(make_table())
    archive.keep_game(make_game())
    assert not archive.flush()
    with pytest.raises(DataFileError, match="cannot be read"):
        count(archive)
    assert archive.load_tables() == []
    assert len(caplog.records) <= 2
    archive.close()
    assert archive._source.left_out == 1


def write_foreign(file, kind):
    """Write a file that is not gammond's; return its bytes."""
    if kind == "text":
        file.write_text("notes of mine")
    else:
        other = sqlite3.connect(file)
        other.execute(f"PRAGMA application_id = {77 if kind == 'marked' else 0}")
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
        other.close()
    return file.read_bytes()


@pytest.mark.parametrize("kind", ["text", "database", "marked"])
def test_a_file_that_is_not_gammonds_is_left_alone_and_refused_where_it_was_named(
    kind, tmp_path, caplog, monkeypatch
):
    file = tmp_path / "games.sqlite"
    content = write_foreign(file, kind)
    with pytest.raises(DataFileError, match="expected an archive of games, got a"):
        GameArchive(ArchiveOptions(file=str(file)))

    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    archive = GameArchive(ArchiveOptions())
    archive.keep_game(make_game())
    assert not archive.flush()
    archive.close()
    assert file.read_bytes() == content
    assert not list(tmp_path.glob("*.damaged*"))
    assert caplog.text.count("expected an archive of games, got a") == 1


def test_a_folder_that_was_named_is_not_made(tmp_path):
    with pytest.raises(DataFileError, match=r"there is no folder .*typo"):
        GameArchive(ArchiveOptions(file=str(tmp_path / "typo" / "games.sqlite")))
    assert not (tmp_path / "typo").exists()


def test_the_match_of_a_table_that_is_dropped_waits_for_its_analysis(archive):
    archive.save_table(make_table("M"))
    archive.keep_game(make_match_game(1, [0]))
    archive.flush()
    assert archive.read(ArchiveDatabase.find_waiting) is None
    archive.drop_table("M")
    archive.flush()
    assert archive.read(ArchiveDatabase.find_waiting)[0] == 1


def test_a_table_whose_rows_cannot_be_read_harms_no_other_and_stays_in_the_file(options, open_one, caplog):
    first = open_one()
    first.save_table(make_table("GOOD"))
    save_table(first, "BAD", actions=1)
    save_table(first, "WORSE", actions=1)
    first.close()
    database = ArchiveDatabase(options.find_file())
    database.execute("UPDATE actions SET entry = x'00' WHERE table_id = 'BAD'")
    database.execute("UPDATE tables SET head = x'00' WHERE id = 'WORSE'")
    database.close()
    second = open_one()
    assert [table.table_id for table in second.load_tables()] == ["BAD", "GOOD"]
    with pytest.raises(DataFileError, match="actions of a table"):
        second.load_log("BAD")
    assert "the table WORSE cannot be set up again" in caplog.text
    second.close()
    rows = open_one().read(lambda base: base.list_tables(0))
    assert [row["id"] for row in rows] == ["BAD", "GOOD", "WORSE"]


def test_a_game_that_ends_again_and_again_waits_once_for_the_disk(archive, monkeypatch):
    archive.save_table(make_table("T"))
    archive.flush()
    kept = []
    monkeypatch.setattr(ArchiveDatabase, "put_game", lambda _, game, record: kept.append(game.points))
    with archive._source._changed:  # the disk is slow
        for number in range(1, 5001):
            archive.keep_game(make_game("T", number % 2 + 1, points=number))
        assert len(archive._source._writes) == 2
    assert archive.flush()
    assert (sorted(kept), archive._source.left_out) == ([4999, 5000], 0)


@pytest.mark.parametrize("what", ["evict", "add_actions", "is_current", "write"])
def test_whatever_fails_in_the_thread_that_writes_it_goes_on_and_loses_nothing(
    open_one, archive, monkeypatch, caplog, what
):
    """A fault of the program, too: what came is written as soon as that works again."""
    archive.save_table(make_table("T"))
    assert archive.flush()
    with monkeypatch.context() as patched:

        def fail(*_):
            raise RuntimeError("out of order")

        patched.setattr(ArchiveDatabase, what, fail)
        archive.add_action("T", make_action(7))
        archive.keep_game(make_game())
        ended = threading.Thread(target=archive.flush, daemon=True)
        ended.start()
        ended.join(60)
        assert not ended.is_alive()
        assert archive._source.is_failing
    assert archive.flush()
    assert count(archive) == 1
    archive.close()
    assert [action.count for action in open_one().load_log("T")] == [7]
    assert "out of order" in caplog.text


def test_keeping_something_waits_for_no_disk(archive, monkeypatch):
    archive.save_table(make_table("T"))
    with archive._source._reading:
        for number in range(1000):
            archive.add_action("T", make_action(number))
    assert archive.flush()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("off", ArchiveOptions(on=False)),
        ("", ArchiveOptions()),
        ("my games.sqlite", ArchiveOptions(file="my games.sqlite")),
        ("megabytes=5", ArchiveOptions(megabytes=5)),
        ("file=g.sqlite,megabytes=7", ArchiveOptions(file="g.sqlite", megabytes=7)),
    ],
)
def test_options_are_a_path_a_word_or_pairs(text, wanted):
    assert ArchiveOptions.parse(text) == wanted


def test_the_file_is_in_the_data_folder_unless_the_options_say_otherwise(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    assert ArchiveOptions().find_file() == tmp_path / "games.sqlite"
    assert ArchiveOptions(file="/a/b").find_accounts_file().name == "accounts.sqlite"
    assert ArchiveOptions(megabytes=2).max_bytes == 2 << 20


def test_an_archive_that_is_off_is_none(options, open_one):
    assert open_archive(ArchiveOptions(on=False)) is None
    assert describe_place(None) == "games are not kept"
    assert describe_place(open_one()) == f"games are kept in {options.file}"
