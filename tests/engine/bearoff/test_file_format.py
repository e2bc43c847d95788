import struct
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind, open_database, write_database
from gammond.engine.errors import DataFileError
from gammond.engine.formats.database_file import HEADER_BYTES

HEADER = BearoffHeader(BearoffKind.TWO_SIDED, 1, 2, cubeful=True)
ONE_SIDED = BearoffHeader(BearoffKind.ONE_SIDED, 1, 2)
PAYLOAD_BYTES = 144
ANY_COMMAND = "--kind KIND --points N --checkers N"


@pytest.fixture
def arrays():
    return np.arange(9, dtype="<f4").reshape(3, 3), np.arange(27, dtype="<f4").reshape(3, 3, 3)


@pytest.fixture
def path(tmp_path, arrays):
    path = tmp_path / "some.bearoff"
    write_database(path, HEADER, arrays)
    return path


def test_what_was_written_is_read(path, arrays):
    header, payload = open_database(path)
    assert header == HEADER
    assert bytes(payload) == b"".join(array.tobytes() for array in arrays)
    assert payload.readonly
    assert path.stat().st_size == HEADER_BYTES + PAYLOAD_BYTES


def test_the_header_is_laid_out_as_documented(path):
    content = path.read_bytes()
    assert content[:8] == b"GAMMBOFF"
    assert struct.unpack_from("<4H", content, 8) == (1, 2, 1, 2)
    assert content[16:32] == b"win f4 cube 3f4".ljust(16, b"\0")
    assert struct.unpack_from("<Q", content, 32) == (PAYLOAD_BYTES,)
    assert content[40:96] == bytes(56)


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(DataFileError) as error:
        open_database(path)
    assert str(path) in error.value.message
    assert "gammond bearoff make --kind " in error.value.message
    assert f" --output {path}`" in error.value.message
    return error.value.message


@pytest.mark.parametrize("kept", [0, 7, HEADER_BYTES - 1])
def test_a_file_cut_within_its_header_is_refused(path, kept):
    message = refused(path, path.read_bytes()[:kept])
    assert "expected at least 128 bytes" in message
    assert ANY_COMMAND in message
    assert "KIND: one-sided or two-sided" in message


@pytest.mark.parametrize(
    ("header", "place", "value", "said"),
    [
        *((HEADER, 12, points, "no two-sided database has") for points in (0, 13, 19)),
        *((HEADER, 14, checkers, "no two-sided database has") for checkers in (0, 15)),
        (HEADER, 13, 1, "no two-sided database has 257 points"),
        (ONE_SIDED, 12, 19, "no one-sided database has"),
        (ONE_SIDED, 14, 16, "no one-sided database has"),
        *((HEADER, *change, "impossible for a") for change in ((12, 12), (14, 14), (32, 145), (39, 1))),
        (HEADER, 8, 2, "expected version 1, got 2"),
        (HEADER, 10, 1, "kind 1 with layout"),
        (HEADER, 10, 9, "kind 9 with layout"),
    ],
)
def test_no_command_is_advised_by_a_header_that_cannot_be(path, header, place, value, said):
    write_database(path, header, [np.zeros(PAYLOAD_BYTES, np.uint8)])
    content = bytearray(path.read_bytes())
    content[place] = value
    message = refused(path, content)
    assert said in message
    assert ANY_COMMAND in message


def test_a_database_larger_than_any_machine_builds_is_not_believed(path):
    largest = BearoffHeader(BearoffKind.TWO_SIDED, 12, 14)
    content = bytearray(path.read_bytes())
    struct.pack_into("<2H16sQ", content, 12, 12, 14, largest.layout.encode(), largest.min_payload_bytes)
    assert ANY_COMMAND in refused(path, content)


def test_a_reader_who_knows_what_a_file_should_hold_advises_that(path):
    content = bytearray(path.read_bytes())
    content[12] = 13
    path.write_bytes(content)
    with pytest.raises(DataFileError, match="make --kind two-sided --points 1 --checkers 2 --output"):
        open_database(path, HEADER)


def test_a_cubeless_database_is_refused_where_a_cubeful_one_is_expected(path):
    cubeless = BearoffHeader(BearoffKind.TWO_SIDED, 1, 2)
    write_database(path, cubeless, [np.zeros(9, "<f4")])
    assert open_database(path)[0] == cubeless
    with pytest.raises(
        DataFileError, match="expected a two-sided 1x2 cubeful database, got two-sided 1x2 cubeless"
    ):
        open_database(path, HEADER)


@pytest.mark.parametrize(
    ("header", "command"),
    [
        (HEADER, "gammond bearoff make --kind two-sided --points 1 --checkers 2"),
        (
            BearoffHeader(BearoffKind.TWO_SIDED, 8, 4),
            "gammond bearoff make --kind two-sided --points 8 --checkers 4 --cubeless",
        ),
        (ONE_SIDED, "gammond bearoff make --kind one-sided --points 1 --checkers 2"),
    ],
)
def test_the_command_of_a_database_builds_that_one(header, command):
    assert header.command_line == command


@pytest.mark.parametrize("size", [0, PAYLOAD_BYTES - 1, PAYLOAD_BYTES + 1])
def test_a_payload_of_another_size_is_refused(path, size):
    message = refused(path, (path.read_bytes() + b"x")[: HEADER_BYTES + size])
    assert f"expected 144 bytes after the header, got {size}" in message
    assert HEADER.command_line in message


def test_any_altered_byte_is_noticed(path):
    content = path.read_bytes()
    for place in range(len(content)):
        altered = bytearray(content)
        altered[place] ^= 1
        refused(path, altered)


def test_an_altered_payload_does_not_match_its_checksum(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 128
    message = refused(path, content)
    assert "its checksum does not match" in message
    assert HEADER.command_line in message


def test_another_programs_file_is_refused(path):
    for content in (b"gnubg-TS-06-06-1".ljust(200, b"x"), b"dear diary"):
        assert f"{path} cannot be used: it is not a gammond bearoff database;" in refused(path, content)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(DataFileError, match="it cannot be read"):
            open_database(path)


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    before = path.read_bytes()

    def interrupt(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_database(path, HEADER, [np.zeros(4, "<f4")])
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
