"""What archives keep of tables: actions, the log and its end; the archive in memory of other tests."""

import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.protocol.tables import archive as table_archive
from gammond.protocol.tables.archive import (
    Archive,
    SavedTable,
    TableAction,
    TableLog,
    TokenHashes,
    add_log_facts,
    decode_log,
)
from tests.protocol.tables.visiting import PERSON, MemoryArchive, Site

BOB = {"kind": "person", "name": "Bob"}
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
    assert [action.act for action in archive.load_log("t1")] == ["roll", "play"]


def test_what_was_loaded_does_not_change_what_is_kept():
    archive = MemoryArchive()
    archive.save_table(make_table())
    archive.load_tables()[0].fault = "changed"
    archive.load_log("t1").append(TableAction("roll"))
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


def test_an_archive_of_no_kind_keeps_nothing():
    archive = Archive()
    archive.save_table(make_table())
    archive.add_action("t1", b'{"act":"roll"}')
    assert archive.load_tables() == archive.load_log("t1") == []


@pytest.mark.parametrize(
    ("entry", "action"),
    [
        (b'{"act":"commit","at":5.0,"secret":"ab"}', TableAction("commit", 5.0, secret="ab")),
        (b'{"act":"start","at":5.0,"seeds":["Ann-1",""]}', TableAction("start", 5.0, seeds=("Ann-1", ""))),
        (
            b'{"act":"do","at":5.5,"seat":null,"line":"roll","help":false,"banks_s":[60,55.5]}',
            TableAction("do", 5.5, (60.0, 55.5), line="roll"),
        ),
        (b'{"act":"pause","at":5.0,"seat":0}', TableAction("pause", 5.0, seat=0)),
    ],
)
def test_actions_that_former_versions_wrote_are_read(entry, action):
    assert decode_log([entry]) == [action]


def make_log():
    archive = MemoryArchive()
    archive.save_table(SavedTable("t", 0.0, {}, TokenHashes((None, None), "")))
    return TableLog("t", archive), archive


def test_an_action_is_kept_as_it_is_and_in_few_words():
    log, archive = make_log()
    actions = [TableAction("do", 5.0, (60.0, 55.5), seat=0, line="roll"), TableAction("redo", 6.0, count=1)]
    for action in actions:
        log.add(action)
    assert archive.load_log("t") == actions
    assert archive.logs["t"][1] == b'{"act":"redo","at":6.0,"count":1}'


def test_a_full_log_takes_no_more_actions(monkeypatch):
    monkeypatch.setattr(table_archive, "MAX_ACTIONS", 2)
    log, _ = make_log()
    for _ in range(2):
        log.check_room()
        log.add(TableAction("do"))
    with pytest.raises(StateError, match="2 actions"):
        log.check_room()


def test_a_log_ends_at_so_many_bytes_too(monkeypatch):
    log, _ = make_log()
    log.add(TableAction("do", line="x" * 1000))
    assert 1000 < log.size_bytes < 1200
    monkeypatch.setattr(table_archive, "MAX_BYTES", log.size_bytes)
    with pytest.raises(StateError, match="1 actions"):
        log.check_room()


def test_a_log_that_is_kept_no_longer_still_ends(monkeypatch):
    log, archive = make_log()
    log.add(TableAction("do"))
    log.stop_keeping()
    log.add(TableAction("do"))
    assert archive.load_tables() == []
    monkeypatch.setattr(table_archive, "MAX_ACTIONS", 2)
    assert log.is_full


def test_a_table_with_a_full_log_refuses_every_action_and_changes_nothing(monkeypatch):
    site = Site()
    guest = site.visit()
    table = guest.create(PERSON, BOB, dice="typed")["table"]
    guest.get("act", table=table, act="dice", dice=[3, 1])
    guest.get("act", table=table, act="play", play="8/5 6/5")
    before = guest.state
    monkeypatch.setattr(table_archive, "MAX_ACTIONS", 1)
    for act in ("dice", "double", "undo"):
        assert guest.refuse("act", table=table, act=act, dice=[6, 1])[0] == "bad_state"
    assert guest.state == before
