"""The container of .xg files: parts, limits, and files that were cut short or altered."""

import tracemalloc

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.xg import container
from gammond.engine.match_files.xg.container import unpack_container
from tests.engine.match_files.xg import xg_files

RECORDS = [bytes([kind]) * 2560 for kind in range(40)]


def test_the_parts_are_what_was_packed():
    found = unpack_container(xg_files.make_file(RECORDS, ["one", "two"]))
    assert found.records == b"".join(RECORDS)
    assert found.comments == b"one\r\ntwo"
    assert found.faults == ()


@pytest.mark.parametrize("picture", [b"", bytes(5000)])
def test_the_picture_is_skipped(picture):
    assert unpack_container(xg_files.make_file(RECORDS, picture=picture)).records == b"".join(RECORDS)


def test_a_file_without_its_end_gives_the_records_before():
    whole = xg_files.make_file(RECORDS)
    found = unpack_container(whole[:-1])
    assert found.records == b"".join(RECORDS)
    assert "index" in found.faults[0]
    cut = unpack_container(whole[: 8232 + 7 + 120])
    assert b"".join(RECORDS).startswith(cut.records)
    assert cut.records
    assert any("expected more zlib data" in fault for fault in cut.faults)


@pytest.mark.parametrize("end", [0, 3, 4, 30, 39, 8232, 8238])
def test_a_file_without_any_record_is_refused(end):
    with pytest.raises(FormatError):
        unpack_container(xg_files.make_file(RECORDS, end=end))


def test_another_kind_of_file_is_refused():
    with pytest.raises(FormatError, match="begins with RGMH"):
        unpack_container(b" 5 point match\n")


def test_an_altered_part_is_a_fault():
    whole = bytearray(xg_files.make_file(RECORDS))
    whole[8232 + 7 + 30] ^= 0xFF
    found = unpack_container(bytes(whole))
    assert len(found.faults) == 1
    assert found.faults[0].startswith("temp.xg:")


def test_another_checksum_is_a_fault():
    found = unpack_container(xg_files.make_file(RECORDS, checksum=7))
    assert found.records == b"".join(RECORDS)
    assert "checksum" in found.faults[0]


def test_parts_grow_up_to_their_limit_and_no_further(monkeypatch):
    monkeypatch.setitem(container.MAX_PART_BYTES, "temp.xg", 1_000_000)
    bomb = xg_files.make_file([bytes(50_000_000)])
    tracemalloc.start()
    found = unpack_container(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.records) == 1_000_000
    assert "at most 1,000,000 bytes" in found.faults[0]
    assert peak < 12_000_000


@pytest.mark.parametrize("field", [8, 20])
def test_sizes_in_the_header_are_not_believed(field):
    data = bytearray(xg_files.make_file(RECORDS))
    data[field : field + 4] = b"\xff\xff\xff\xff"
    with pytest.raises(FormatError, match="cut short or altered"):
        unpack_container(bytes(data))
