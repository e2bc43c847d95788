"""SQLite files that say what they hold."""

import os
import sqlite3
import stat
import sys

import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.sqlite_file import Schema, SqliteFile


def test_a_file_of_an_earlier_version_is_brought_up_with_all_that_it_has(tmp_path):
    file, first = tmp_path / "file", "CREATE TABLE things (name TEXT)"
    old = SqliteFile(file, Schema("things", 77, (first,)))
    old.execute("INSERT INTO things VALUES ('kept')")
    old.close()

    second = "ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 3"
    new = SqliteFile(file, Schema("things", 77, (first, second)))

    assert tuple(new.execute("SELECT * FROM things").fetchone()) == ("kept", 3)
    assert new.execute("PRAGMA user_version").fetchone()[0] == 2
    new.close()
    again = SqliteFile(file, Schema("things", 77, (first, second)))
    assert again.execute("SELECT count(*) FROM things").fetchone()[0] == 1
    again.close()


def test_a_step_to_a_later_version_that_fails_leaves_the_file_as_it_was(tmp_path):
    file, first = tmp_path / "file", "CREATE TABLE things (name TEXT)"
    SqliteFile(file, Schema("things", 77, (first,))).close()
    broken = "ALTER TABLE things ADD COLUMN size INTEGER; ALTER TABLE nothing ADD COLUMN size INTEGER"
    with pytest.raises(sqlite3.OperationalError, match="nothing"):
        SqliteFile(file, Schema("things", 77, (first, broken)))
    old = SqliteFile(file, Schema("things", 77, (first,)))
    assert [row["name"] for row in old.execute("PRAGMA table_info(things)")] == ["name"]
    old.close()


def test_a_file_of_a_later_version_or_of_another_program_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "file"
    SqliteFile(file, Schema("things", 77, ("CREATE TABLE a (x)", "CREATE TABLE b (x)"))).close()
    content = file.read_bytes()
    with pytest.raises(DataFileError, match="version 1, got version 2"):
        SqliteFile(file, Schema("things", 77, ("CREATE TABLE a (x)",)))
    with pytest.raises(DataFileError, match="another program"):
        SqliteFile(file, Schema("others", 78, ("CREATE TABLE a (x)",)))
    assert file.read_bytes() == content


@pytest.fixture
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes")
@pytest.mark.parametrize("is_there", [False, True])
def test_nobody_else_reads_a_file_or_what_sqlite_writes_beside_it(tmp_path, usual_umask, is_there):
    tmp_path.chmod(0o755)
    file = tmp_path / "file"
    if is_there:
        SqliteFile(file, Schema("things", 77, ("CREATE TABLE a (x)",))).close()
        file.chmod(0o644)
    opened = SqliteFile(file, Schema("things", 77, ("CREATE TABLE a (x)",)))
    opened.execute("INSERT INTO a VALUES (1)")
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    opened.close()
    assert modes == {"file": 0o600, "file-wal": 0o600, "file-shm": 0o600}


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes")
def test_a_file_of_another_program_keeps_its_mode(tmp_path):
    file = tmp_path / "file"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE a (x)")
    database.close()
    file.chmod(0o644)
    with pytest.raises(DataFileError, match="another program"):
        SqliteFile(file, Schema("things", 77, ("CREATE TABLE b (x)",)))
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_an_empty_file_is_refused_where_it_may_not_be_new(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DataFileError, match="empty"):
        SqliteFile(file, Schema("things", 77, ("CREATE TABLE a (x)",)), may_be_new=False)
    assert file.read_bytes() == b""
