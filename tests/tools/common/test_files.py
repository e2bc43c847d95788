"""Files that appear whole, and logs that survive a kill."""

import pytest

from gammond.engine.errors import DataFileError
from gammond.tools.common.files import append_new_record, append_record, read_records, write_atomically


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


def test_a_line_that_a_kill_cut_short_is_left_out_and_then_replaced(tmp_path):
    log = tmp_path / "log.jsonl"
    append_record(log, {"n": 1})
    append_record(log, {"n": 2})
    whole = log.read_bytes()
    for cut in range(9, len(whole)):
        log.write_bytes(whole[:cut])
        assert read_records(log) == [{"n": 1}]
        append_record(log, {"n": 2})
        assert log.read_bytes() == whole


def test_a_record_that_is_there_is_not_written_again(tmp_path):
    log = tmp_path / "log.jsonl"
    for number in (1, 1, 2, 2):
        append_new_record(log, {"epoch": number}, "epoch")
    assert [record["epoch"] for record in read_records(log)] == [1, 2]


@pytest.mark.parametrize("line", ["{", "[1]", "\x00"])
def test_a_damaged_line_is_named(tmp_path, line):
    log = tmp_path / "log.jsonl"
    log.write_text('{"n": 5}\n' + line + "\n" + '{"n": 10}\n')
    with pytest.raises(DataFileError, match=r"log\.jsonl line 2"):
        read_records(log)
