"""Entries that hold only what a search can find."""

import dataclasses

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.store.entries import EngineIdentity, StoreEntry
from tests.engine.store.samples import ENGINE, OTHER_NET, make_entry, make_question


def test_an_engine_with_another_net_table_or_program_has_another_digest_and_its_name_has_no_part():
    digests = {ENGINE.digest, OTHER_NET.digest}
    digests |= {dataclasses.replace(ENGINE, tables="d" * 64).digest}
    digests |= {dataclasses.replace(ENGINE, program="2.0").digest}
    assert len(digests) == 4
    assert dataclasses.replace(ENGINE, net="again").digest == ENGINE.digest
    assert isinstance(ENGINE, EngineIdentity)


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (20, 9), (3060, 16)])
def test_an_entry_reads_back_to_the_bit(rows, columns):
    entry = make_entry(3, rows=rows, columns=columns)
    read = StoreEntry.decode(3, entry.encode())
    assert read.is_same_as(entry)
    assert read.values.tobytes() == entry.values.tobytes()
    assert read.order.tolist() == entry.order.tolist()


def test_entries_that_differ_in_one_bit_or_in_depth_are_not_the_same():
    entry = make_entry()
    values = entry.values.copy()
    values[0, -1] = np.nextafter(values[0, -1], np.float32(2))
    assert not dataclasses.replace(entry, values=values).is_same_as(entry)
    assert not dataclasses.replace(entry, plies=1).is_same_as(entry)


def with_value(value, column=0):
    values = make_entry().values.copy()
    values[0, column] = value
    return values


@pytest.mark.parametrize(
    "changed",
    [
        {"values": with_value(np.nan)},
        {"values": with_value(np.inf, -1)},
        {"values": with_value(1.01)},
        {"values": with_value(-0.01)},
        {"values": np.zeros((1, 4), np.float32)},
        {"values": np.zeros((0, 8), np.float32)},
        {"values": np.zeros((2, 8), np.float32)},
        {"values": np.zeros((1, 8))},
        {"values": np.zeros((8000, 16), np.float32)},
        {"order": np.array([1])},
        {"depths": np.array([], np.int8)},
        {"plies": 0},
        {"survivors": 0},
        {"survivors": 2},
    ],
)
def test_impossible_values_are_refused(changed):
    with pytest.raises(DataFileError, match="expected the values of a search"):
        dataclasses.replace(make_entry(), **changed)


@pytest.mark.parametrize("cut", [0, 5, -1])
def test_bytes_of_another_length_are_refused(cut):
    payload = make_entry().encode()
    with pytest.raises(DataFileError):
        StoreEntry.decode(2, payload[:cut])
    with pytest.raises(DataFileError):
        StoreEntry.decode(2, payload + b"\0")


def test_samples_are_different_questions():
    assert len({make_question(number) for number in range(4000)}) == 4000
