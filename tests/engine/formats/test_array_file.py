"""Files of arrays: whatever is wrong with one, the error is typed and names it, and memory stays bounded."""

import io
import random
import tracemalloc
import zipfile

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import load_arrays, read_array, read_array_file, read_count


@pytest.fixture
def file(tmp_path):
    np.savez(tmp_path / "arrays.npz", a=np.arange(50.0), name=np.array("x"), none=np.empty((0, 3)))
    return tmp_path / "arrays.npz"


def write_member(file, header: bytes, content: bytes) -> None:
    magic = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", magic + header + content)


def refused(file) -> str:
    with pytest.raises(DataFileError) as caught:
        read_array_file(file)
    assert str(file) in caught.value.message
    return caught.value.message


def test_arrays_come_back(file):
    arrays = read_array_file(file)
    assert arrays["a"].tolist() == list(range(50))
    assert (arrays["name"].item(), arrays["none"].shape) == ("x", (0, 3))
    assert list(read_array_file(file, ["name"])) == ["name"]


def test_arrays_that_are_missing_are_named(file):
    with pytest.raises(DataFileError, match=r"b\.npy"):
        read_array_file(file, ["a", "b"])


def test_cuts_and_alterations_are_seen_wherever_they_are(file):
    whole = file.read_bytes()
    before = read_array_file(file)
    for cut in range(0, len(whole), 7):
        file.write_bytes(whole[:cut])
        refused(file)
    generator = random.Random(1)
    for _ in range(500):
        altered = bytearray(whole)
        for _ in range(generator.choice([1, 1, 2, 20])):
            altered[generator.randrange(len(whole))] = generator.randrange(256)
        file.write_bytes(altered)
        try:
            found = read_array_file(file)
        except DataFileError:
            continue
        assert all(np.array_equal(found[name], before[name]) for name in found.keys() & before.keys())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e39, 1e308])
def test_numbers_that_are_not_finite_are_refused(tmp_path, value):
    np.savez(tmp_path / "arrays.npz", good=np.ones(3), w1=np.array([[1.0, value]]))
    assert "w1 has numbers that are not finite" in refused(tmp_path / "arrays.npz")


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,)}\n",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -8)}\n",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}\n",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (1.5,)}\n",
        b"{'descr': [], 'fortran_order': False, 'shape': (2,)}\n",
        b"(" * 5000,
        b"\xff\xfe" * 20,
        b"__import__('os').abort()\n",
    ],
)
def test_hostile_headers_are_refused(tmp_path, header):
    write_member(tmp_path / "arrays.npz", header, b"\0" * 64)
    tracemalloc.start()
    try:
        refused(tmp_path / "arrays.npz")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("gammond.engine.formats.array_file.MAX_ARRAY_FILE_BYTES", 10_000_000)
    content = io.BytesIO()
    np.savez_compressed(content, a=np.zeros(2_000_000))
    (tmp_path / "arrays.npz").write_bytes(content.getvalue())
    assert "expected at most 10,000,000 bytes, got 16,000," in refused(tmp_path / "arrays.npz")


def test_other_files_are_refused(tmp_path):
    for content in (b"", b"no archive", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00"):
        (tmp_path / "arrays.npz").write_bytes(content)
        refused(tmp_path / "arrays.npz")
    assert "No such file" in refused(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    ("load", "said"),
    [
        (lambda arrays: arrays["epoch"], "cannot be used: it has no array 'epoch'"),
        (lambda arrays: int(arrays["name"]), "cannot be used: invalid literal"),
        (lambda arrays: read_array(arrays, "a", (3,)), "expected a of shape [3], got [50]"),
        (lambda arrays: read_count(arrays, "games"), "expected games as one whole number of 0 or more, got"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_with_the_name_of_the_file(load, said, file):
    with pytest.raises(DataFileError) as caught:
        load_arrays(file, load)
    assert caught.value.message.startswith(str(file))
    assert said in caught.value.message
    assert load_arrays(file, lambda arrays: read_array(arrays, "a", (50,))).sum() == 1225
