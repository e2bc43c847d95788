"""Files that appear whole."""

import pytest

from gammond.engine.errors import DataFileError
from gammond.tools.common.files import write_atomically


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
