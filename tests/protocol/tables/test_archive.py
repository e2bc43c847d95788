"""What archives keep of tables: actions, the log and its end."""

import pytest

from gammond.engine.errors import DataFileError
from gammond.protocol.tables import archive as table_archive
from gammond.protocol.tables.archive import SavedTable, TableAction, TokenHashes, add_log_facts, decode_log
from tests.protocol.tables.visiting import Party


@pytest.mark.parametrize("entry", [b"", b"{", b"[]", b"7", b"\xff", b'{"at":"x"}', b'{"act":"roll"}'])
def test_an_action_without_a_time_tells_none(entry):
    table = SavedTable("t", 1.0, {}, TokenHashes((None, None), ""))
    assert add_log_facts(table, entry, 1, len(entry)).active_s == 1.0


@pytest.mark.parametrize("entry", [b"", b"{", b"[]", b"7", b"\xff"])
def test_an_action_that_is_none_is_refused(entry):
    with pytest.raises(DataFileError, match="actions of a table"):
        decode_log([b'{"act":"roll"}', entry])


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


def test_an_action_is_kept_as_it_is_and_in_few_words():
    party = Party(dice="typed", clock={"bank_s": 60})
    party.act("dice", dice=[3, 1])
    party.site.now += 4.5
    party.act("play", play="8/5 6/5", help=True)
    _, dice, play = party.site.archive.load_log(party.table)
    assert dice == TableAction("do", 1000.0, (60.0, 60.0), line="dice 3 1")
    assert play == TableAction("do", 1004.5, (55.5, 60.0), seat=0, line="play 8/5 6/5", help=True)
    entry = b'{"act":"do","at":1000.0,"banks_s":[60.0,60.0],"line":"dice 3 1"}'
    assert party.site.archive.logs[party.table][1] == entry


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(("cap", "most"), [("MAX_ACTIONS", 3), ("MAX_BYTES", 200)])
def test_a_table_with_a_full_log_refuses_every_action_and_changes_nothing(monkeypatch, cap, most, is_kept):
    monkeypatch.setattr(table_archive, cap, most)
    party = Party(dice="typed")
    if not is_kept:
        party.site.hub.tables[party.table].log.stop_keeping()
    party.act("dice", dice=[3, 1])
    before = party.act("play", play="8/5 6/5")
    for act in ("dice", "double", "undo"):
        code, _, message = party.refuse(act, dice=[6, 1])
        assert (code, message) == ("bad_state", "this table has had 3 actions: create another")
    assert party.state == before
    assert len(party.site.archive.load_tables()) == is_kept
