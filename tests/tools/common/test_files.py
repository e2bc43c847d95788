"""Files that appear whole, and places that one process writes."""

import subprocess
import sys

import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.tools.common.files import write_atomically
from gammond.tools.common.locks import hold_lock


def test_a_file_that_a_kill_interrupts_keeps_its_content(tmp_path, monkeypatch):
    file = tmp_path / "a" / "file"
    write_atomically(file, b"old")

    def killed(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFileError, match="file/a cannot be written"):
        write_atomically(tmp_path / "file" / "a", b"")


HOLD = """
import sys
from pathlib import Path
from gammond.tools.common.locks import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_place_that_another_process_writes_is_refused_until_that_one_is_gone(tmp_path):
    place = tmp_path / "out.csv"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLD, place], stdin=pipe, stdout=pipe) as other:
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(StateError, match="another process writes") as caught,
            hold_lock(tmp_path / "sub" / ".." / "out.csv", "output"),
        ):
            pass
        assert caught.value.field == "output"
        with hold_lock(tmp_path / "other.csv"):
            pass
        other.kill()
    with hold_lock(place):
        pass
    assert list(tmp_path.iterdir()) == []


def test_where_no_lock_can_be_made_the_work_goes_on(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("GAMMOND_CACHE", str(tmp_path / "cache"))
    done = []
    with hold_lock(tmp_path / "out.csv"):
        done.append(1)
    assert done == [1]
