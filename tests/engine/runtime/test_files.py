"""Files that programs read and write: regular ones alone, none in place of what is not theirs, each whole."""

import os
import stat
import sys

import pytest

from gammond.engine.errors import DataFileError, StateError, ValueRangeError
from gammond.engine.runtime.files import (
    begins_with,
    check_output,
    check_output_folder,
    identify_files,
    open_output,
    open_regular,
    read_data_file,
)


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("notes of mine")
    return file


def test_what_is_there_is_written_over_by_force_alone(mine):
    with pytest.raises(StateError, match="already exists, with 13 bytes: --force overwrites it") as caught:
        check_output(mine, field="csv")
    assert caught.value.field == "csv"
    check_output(mine, force=True)
    with pytest.raises(StateError, match="choose another name, or move it away"):
        check_output(mine, force=None)
    with pytest.raises(StateError, match="--resume goes on, --force overwrites it"):
        check_output(mine, instead="--resume goes on")


def test_a_new_file_and_an_empty_one_may_be_written(tmp_path):
    check_output(tmp_path / "new")
    (tmp_path / "empty").touch()
    check_output(tmp_path / "empty")


def test_what_is_read_is_never_written_over_by_whatever_path(mine, tmp_path):
    (tmp_path / "link").symlink_to(mine)
    os.link(mine, tmp_path / "other name")
    inputs = identify_files([mine, tmp_path / "missing"])
    for file in (mine, tmp_path / "link", tmp_path / "other name", tmp_path / "." / "mine.txt"):
        with pytest.raises(ValueRangeError, match="the output would overwrite the input"):
            check_output(file, inputs, force=True)
    with pytest.raises(ValueRangeError, match="would overwrite the input"):
        check_output(mine, identify_files([tmp_path]), force=True)


def test_standard_input_is_read_too(mine, monkeypatch):
    with mine.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(ValueRangeError, match="would overwrite the input"):
            check_output(mine, identify_files([None]), force=True)
    monkeypatch.setattr(sys, "stdin", None)
    assert identify_files([None]) == frozenset()


def test_a_file_that_the_program_made_may_be_made_again(mine):
    check_output(mine, is_own=begins_with(b"notes"))
    with pytest.raises(StateError):
        check_output(mine, is_own=begins_with(b"notes of mine, and more"))


def test_a_folder_that_is_missing_is_not_made_and_one_that_is_there_is_no_file(tmp_path):
    with pytest.raises(DataFileError, match=r"there is no folder .*typo: make it, or correct the name"):
        check_output(tmp_path / "typo" / "a.csv")
    assert not (tmp_path / "typo").exists()
    check_output(tmp_path / "run" / "a.csv", new_folder=tmp_path / "run")
    with pytest.raises(DataFileError, match="is a folder"):
        check_output(tmp_path, force=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")
def test_devices_and_pipes_are_written_as_they_are(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", type(tmp_path)(os.devnull)):
        check_output(place)
    with open_output(type(tmp_path)(os.devnull)) as out:
        out.write(b"nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_folder_with_files_is_for_their_tool_alone(tmp_path, mine):
    with pytest.raises(StateError, match="already holds files: choose another folder, --force overwrites"):
        check_output_folder(tmp_path)
    check_output_folder(tmp_path, force=True)
    with pytest.raises(DataFileError, match="cannot be written"):
        check_output_folder(mine)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".hidden").touch()
    check_output_folder(tmp_path / "new")
    check_output_folder(tmp_path / "missing")


def test_a_file_appears_whole_with_its_rights_and_leaves_nothing_beside_it(mine, tmp_path):
    mine.chmod(0o640)
    rights = mine.stat().st_mode
    (tmp_path / "mine.txt.part").write_text("a download")
    with open_output(mine) as out:
        out.write(b"new")
        assert mine.read_text() == "notes of mine"
    assert mine.read_text() == "new"
    assert mine.stat().st_mode == rights

    def fail():
        with open_output(mine) as out:
            out.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert mine.read_text() == "new"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mine.txt", "mine.txt.part"]


def test_a_link_stays_one(mine, tmp_path):
    (tmp_path / "latest").symlink_to(mine)
    with open_output(tmp_path / "latest") as out:
        out.write(b"new")
    assert (tmp_path / "latest").is_symlink()
    assert mine.read_text() == "new"


def test_a_name_as_long_as_the_system_takes_can_be_written(tmp_path):
    file = tmp_path / ("x" * 250)
    with open_output(file) as out:
        out.write(b"whole")
    assert file.read_bytes() == b"whole"


def test_a_file_is_read_up_to_its_bound(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_data_file(file, 5, "the file", "f") == b"12345"
    with pytest.raises(DataFileError, match="the file cannot be read: expected at most 4 bytes"):
        read_data_file(file, 4, "the file", "f")
    (tmp_path / "link").symlink_to(file)
    with open_regular(tmp_path / "link") as opened:
        assert opened.read() == b"12345"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("pipe", "expected a regular file"),
        ("folder", "expected a regular file"),
        ("device", "expected a regular file"),
        ("missing", "No such file"),
        ("no\0name", "no file can have this name"),
    ],
)
def test_anything_else_is_an_error_and_nothing_is_waited_for(tmp_path, kind, message):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(DataFileError, match=f"the file cannot be read: {message}"):
        read_data_file(tmp_path / kind, 10, "the file", "f")
