"""The log of a table: what is in it, and that it ends."""

from __future__ import annotations

import pytest

from engine.errors import StateError
from protocol.tables import table_log
from protocol.tables.archive import MemoryArchive, SavedTable, TokenHashes
from protocol.tables.table_log import TableLog
from tests.protocol.tables.visiting import PERSON, Site

BOB = {"kind": "person", "name": "Bob"}


def make_log():
    archive = MemoryArchive()
    archive.save_table(SavedTable("t", 0.0, {}, TokenHashes((None, None), "")))
    return TableLog("t", archive, lambda: 5.0), archive


def test_an_action_is_kept_with_its_time_and_the_clock():
    log, archive = make_log()
    log.add("do", [60.0, 55.5], seat=0, line="roll")
    log.add("pause", None)
    assert archive.load_log("t") == [
        {"act": "do", "at": 5.0, "seat": 0, "line": "roll", "banks_s": [60.0, 55.5]},
        {"act": "pause", "at": 5.0},
    ]


def test_what_is_done_again_is_not_kept_again():
    log, archive = make_log()
    log.is_replaying = True
    log.add("do", None)
    assert archive.load_log("t") == []


def test_a_full_log_takes_no_more_actions(monkeypatch):
    monkeypatch.setattr(table_log, "MAX_ACTIONS", 2)
    log, _ = make_log()
    for _ in range(2):
        log.check_room()
        log.add("do", None)
    with pytest.raises(StateError, match="2 actions"):
        log.check_room()


def test_a_log_ends_at_so_many_bytes_too(monkeypatch):
    log, _ = make_log()
    log.add("do", None, line="x" * 1000)
    assert 1000 < log.size_bytes < 1200
    monkeypatch.setattr(table_log, "MAX_BYTES", log.size_bytes)
    with pytest.raises(StateError, match="1 actions"):
        log.check_room()


def test_a_log_that_is_kept_no_longer_still_ends(monkeypatch):
    log, archive = make_log()
    log.add("do", None)
    log.stop_keeping()
    log.add("do", None)
    assert archive.load_tables() == []
    monkeypatch.setattr(table_log, "MAX_ACTIONS", 2)
    assert log.is_full


def test_a_table_with_a_full_log_refuses_every_action_and_changes_nothing(monkeypatch):
    site = Site()
    guest = site.visit()
    table = guest.create(PERSON, BOB, dice="typed")["table"]
    guest.get("act", table=table, act="dice", dice=[3, 1])
    guest.get("act", table=table, act="play", play="8/5 6/5")
    before = guest.state
    monkeypatch.setattr(table_log, "MAX_ACTIONS", 1)
    for act in ("dice", "double", "undo"):
        assert guest.refuse("act", table=table, act=act, dice=[6, 1])[0] == "bad_state"
    assert guest.state == before
