"""Entries as lines of text: the same after reading, and nothing else accepted."""

import dataclasses

import msgspec
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.store.database import StoreDatabase, StoreRow
from gammond.tools.store.exchange import check_header, format_rows, parse_row
from tests.engine.store.samples import ENGINE, make_entry, make_question

ROW = StoreRow(make_question(roll=(3, 1)), ENGINE, make_entry(rows=18), 7, 2_000, 1_000)


def format_row(row=ROW, **changed):
    line = list(format_rows([row]))[1]
    return msgspec.json.encode(msgspec.json.decode(line) | changed)


def test_a_row_reads_back_the_same_to_the_bit():
    read = parse_row(format_row())
    assert read.entry.is_same_as(ROW.entry)
    assert dataclasses.replace(read, entry=ROW.entry) == ROW


def test_the_first_line_names_the_format():
    header, _ = format_rows([ROW])
    check_header(header)
    for line in (b"", b"{}\n", b"\xff\n", header.replace(b"1", b"2")):
        with pytest.raises(DataFileError, match="gammond-store"):
            check_header(line)


@pytest.mark.parametrize(
    "changed",
    [
        {"xgid": "nothing"},
        {"values": [[0.5] * 8]},
        {"values": [[0.1] * 8] * 18},
        {"values": [[0.5] * 8] * 17 + [[0.5] * 7]},
        {"values": [[1e300] * 8] * 18},
        {"order": [0] * 18},
        {"order": [1 << 62] * 18},
        {"order": [1 << 70] * 18},
        {"depths": [300] * 18},
        {"plies": -1},
        {"survivors": 1 << 80},
        {"visits": -1},
        {"asked": 1 << 60},
        {"nets": "../../nets"},
        {"net": "\x1b[2J"},
        {"program": ""},
        {"more": 1},
        {"settings": "cubeful"},
    ],
)
def test_what_is_no_entry_is_refused(changed):
    with pytest.raises(DataFileError, match="expected"):
        parse_row(format_row(**changed))


def test_a_position_has_the_values_of_one_position():
    with pytest.raises(DataFileError, match="one position"):
        parse_row(format_row(dataclasses.replace(ROW, question=make_question())))


@pytest.mark.parametrize(
    "line", [b"", b"\xff\xfe", b"[" * 5000, b"[" * 100_000, b'{"xgid": 1}', b"x" * (1 << 22)]
)
def test_what_is_no_json_of_an_entry_is_refused(line):
    with pytest.raises(DataFileError, match="expected"):
        parse_row(line)


def test_of_rows_of_one_depth_the_first_stays_and_a_question_keeps_its_greatest_use(tmp_path):
    database = StoreDatabase(tmp_path / "store.sqlite")
    deeper = dataclasses.replace(ROW, entry=make_entry(3, rows=18), visits=2)
    again = dataclasses.replace(ROW, entry=make_entry(2, seed=5, rows=18), visits=9, asked=2_500)
    new = [database.put_row(row) for row in (ROW, deeper, ROW, again, deeper)]
    rows = list(database.iterate())
    database.close()
    assert new == [True, True, False, False, False]
    for row, first in zip(rows, (ROW, deeper), strict=True):
        assert row.entry.is_same_as(first.entry)
        assert (row.visits, row.asked, row.created) == (9, 2_500, ROW.created)
