"""Tests of the archive in memory."""

import pytest

from engine.errors import DataFileError
from protocol.tables.archive import (
    MemoryArchive,
    NoArchive,
    SavedTable,
    TokenHashes,
    add_log_facts,
    decode_log,
)

HASHES = TokenHashes(("a" * 64, None), "b" * 64)


def make_table(table_id="t1"):
    return SavedTable(table_id, 1.0, {"variant": "backgammon"}, HASHES)


def test_a_table_comes_back_with_its_log_in_order():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.add_action("t1", b'{"act":"roll","at":4}')
    archive.save_table(make_table())
    archive.add_action("t1", b'{"act":"play","play":"8/5 6/5","at":5.5}')
    (table,) = archive.load_tables()
    assert table.spec == {"variant": "backgammon"}
    assert table.active_s == 5.5
    assert [entry["act"] for entry in archive.load_log("t1")] == ["roll", "play"]


def test_what_was_loaded_does_not_change_what_is_kept():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.load_tables()[0].fault = "changed"
    archive.load_log("t1").append({"act": "roll"})
    assert archive.load_tables()[0].fault == ""
    assert archive.load_log("t1") == []


@pytest.mark.parametrize("entry", [b"", b"{", b"[]", b"7", b"\xff", b'{"at":"x"}', b'{"act":"roll"}'])
def test_an_action_without_a_time_tells_none(entry):
    assert add_log_facts(make_table(), entry, 1, len(entry)).active_s == 1.0


@pytest.mark.parametrize("entry", [b"", b"{", b"[]", b"7", b"\xff"])
def test_an_action_that_is_none_is_refused(entry):
    with pytest.raises(DataFileError, match="actions of a table"):
        decode_log([b'{"act":"roll"}', entry])


def test_a_dropped_table_is_gone_and_may_be_dropped_again():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.drop_table("t1")
    archive.drop_table("t1")
    assert archive.load_tables() == []


def test_no_archive_keeps_nothing():
    archive = NoArchive()
    archive.save_table(make_table())
    archive.add_action("t1", b'{"act":"roll"}')
    assert archive.load_tables() == archive.load_log("t1") == []
