"""Tests of the archive in memory."""

from protocol.tables.archive import MemoryArchive, NoArchive, SavedTable, TokenHashes

HASHES = TokenHashes(("a" * 64, None), "b" * 64)


def make_table(table_id="t1"):
    return SavedTable(table_id, 1.0, {"variant": "backgammon"}, HASHES)


def test_a_table_comes_back_with_its_log_in_order():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.add_action("t1", {"act": "roll"})
    archive.add_action("t1", {"act": "play", "play": "8/5 6/5"})
    (table,) = archive.load_tables()
    assert table.spec == {"variant": "backgammon"}
    assert [entry["act"] for entry in table.log] == ["roll", "play"]


def test_what_was_loaded_does_not_change_what_is_kept():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.load_tables()[0].log.append({"act": "roll"})
    assert archive.load_tables()[0].log == []


def test_a_dropped_table_is_gone_and_may_be_dropped_again():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.drop_table("t1")
    archive.drop_table("t1")
    assert archive.load_tables() == []


def test_no_archive_keeps_nothing():
    archive = NoArchive()
    archive.save_table(make_table())
    archive.add_action("t1", {"act": "roll"})
    assert archive.load_tables() == []
