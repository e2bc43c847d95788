"""Files that the program looks for: regular ones alone, of a bounded size."""

from __future__ import annotations

import os

import pytest

from engine.runtime.regular_files import open_regular, read_regular


def test_a_file_is_read_up_to_its_bound(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_regular(file, 5) == b"12345"
    with pytest.raises(OSError, match="expected at most 4 bytes"):
        read_regular(file, 4)
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
def test_anything_else_is_an_error_of_the_system_and_nothing_is_waited_for(tmp_path, kind, message):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(OSError, match=message):
        read_regular(tmp_path / kind, 10)
