import copy
import errno
import mmap
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.bearoff import databases as loading
from gammond.engine.bearoff import defer_bearoff, load_bearoff, open_table, save_table
from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind, write_database
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import DataFileError
from tests.support.boards import position

NAMES = ["one-sided-6x15.bearoff", "two-sided-6x6-cubeful.bearoff"]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path, one_sided, two_sided):
    """A data folder with both default databases."""
    for table in (one_sided, two_sided):
        save_table(table, tmp_path / table.header.file_name)
    return tmp_path


@pytest.fixture
def no_building(monkeypatch):
    def build(*args, **kwargs):
        raise AssertionError("nothing is to be built")

    monkeypatch.setattr(loading, "build_two_sided", build)
    monkeypatch.setattr(loading, "build_one_sided", build)


@pytest.fixture
def quick_building(monkeypatch, one_sided, two_sided):
    """Build copies of the default tables, which takes no time; one test builds small ones for real."""
    monkeypatch.setattr(loading, "build_two_sided", lambda *_: copy.copy(two_sided))
    monkeypatch.setattr(loading, "build_one_sided", lambda *_: copy.copy(one_sided))


def test_missing_databases_are_built_and_kept(small_defaults, capsys):
    folder = small_defaults / "new" / "folder"
    for made, built in zip(
        load_bearoff(folder), (build_two_sided(3, 3), build_one_sided(3, 15)), strict=True
    ):
        assert [array.tobytes() for array in made.arrays] == [array.tobytes() for array in built.arrays]
    assert {path.name for path in folder.iterdir()} == {
        path.name for path in small_defaults.glob("*.bearoff")
    }
    captured = capsys.readouterr()
    assert captured.err.count("building the") == 2
    assert str(folder) in captured.err
    assert captured.out == ""


def test_databases_that_are_in_the_data_folder_are_opened_silently(
    folder, no_building, monkeypatch, capsys, one_sided, two_sided
):
    monkeypatch.setenv("GAMMOND_DATA", str(folder))
    bearoff = load_bearoff()
    for read, built in zip(bearoff, (two_sided, one_sided), strict=True):
        for array, same in zip(read.arrays, built.arrays, strict=True):
            assert array.tobytes() == same.tobytes()
    assert capsys.readouterr().err == ""


def test_the_exact_table_is_asked_first(folder):
    assert [(table.name, table.plies) for table in load_bearoff(folder)] == [
        ("bearoff two-sided 6x6 cubeful", 0),
        ("bearoff one-sided 6x15", 0),
    ]


def alter(content: bytearray) -> bytearray:
    content[5000] ^= 1
    return content


def truncate(content: bytearray) -> bytearray:
    return content[: len(content) // 2]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("damage", "said"), [(alter, "its checksum does not match"), (truncate, "it was truncated")]
)
def test_a_damaged_database_is_built_in_memory_and_its_file_left(
    folder, name, damage, said, quick_building, capsys, one_sided, two_sided
):
    damaged = bytes(damage(bytearray((folder / name).read_bytes())))
    (folder / name).write_bytes(damaged)
    for read, built in zip(load_bearoff(folder), (two_sided, one_sided), strict=True):
        assert [array.tobytes() for array in read.arrays] == [array.tobytes() for array in built.arrays]
    warning = capsys.readouterr().err
    assert f"{folder / name} cannot be used" in warning
    assert said in warning
    assert "build it again with `gammond bearoff make" in warning
    assert (folder / name).read_bytes() == damaged
    with pytest.raises(DataFileError, match=said):
        open_table(folder / name)


@pytest.mark.parametrize("name", NAMES)
def test_a_default_database_may_be_cut_while_it_is_in_use(folder, name):
    boards = np.stack([position({6: 3, 2: 1}, {20: 2, 24: 3}).board, position({1: 6}, {19: 5}).board])
    bearoff = load_bearoff(folder)
    before = [table.evaluate(boards).tolist() for table in bearoff]
    (folder / name).write_bytes(b"")
    assert [table.evaluate(boards).tolist() for table in bearoff] == before


def test_a_database_of_another_kind_or_size_is_built_in_memory(folder, quick_building, capsys, two_sided):
    path = folder / NAMES[1]
    others = {"one-sided 6x15": folder / NAMES[0]}
    for table in (build_two_sided(3, 3), build_two_sided(2, 2, cubeful=False)):
        others[str(table.header)] = folder / f"{table.header}"
        save_table(table, others[str(table.header)])
    for number, (what, other) in enumerate(others.items()):
        (folder / str(number)).mkdir()
        shutil.copy(other, folder / str(number) / path.name)
        assert load_bearoff(folder / str(number)).two_sided.arrays[0].tobytes() == two_sided.wins.tobytes()
        warning = capsys.readouterr().err.splitlines()[0]
        assert f"expected a two-sided 6x6 cubeful database, got {what}; build it again with" in warning
        assert "--cubeless" not in warning


def test_a_folder_that_cannot_be_written_costs_only_the_building(tmp_path, quick_building, capsys):
    (tmp_path / "file").write_text("in the way")
    bearoff = load_bearoff(tmp_path / "file")
    outcome = bearoff.two_sided.evaluate(position({6: 1}, {24: 1}).board[None])[0]
    assert outcome[0] == pytest.approx(0.75)
    said = capsys.readouterr().err
    assert said.count("is built in memory at each start") == said.count("\n") == 2
    assert "once" not in said
    assert "set GAMMOND_DATA to a folder that this user can write" in said


def test_a_full_disk_is_told_from_a_folder_that_cannot_be_written(
    tmp_path, quick_building, capsys, monkeypatch
):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(loading, "save_table", fail)
    load_bearoff(tmp_path)
    said = capsys.readouterr().err
    assert said.count("building the") == said.count("No space left on device") == 2
    assert "make room for 14 MB there, or set GAMMOND_DATA to a folder on another disk" in said


def test_the_sizes_of_the_default_databases_are_those_of_their_files(folder):
    sizes = {header: (folder / header.file_name).stat().st_size for header in loading.DEFAULT_BYTES}
    assert sizes == loading.DEFAULT_BYTES


def test_a_database_that_cannot_be_kept_is_built_once_in_a_process(tmp_path, quick_building, capsys):
    (tmp_path / "file").write_text("in the way")
    bearoff = load_bearoff(tmp_path / "file")
    capsys.readouterr()
    deferred, again = defer_bearoff(tmp_path / "file"), load_bearoff(tmp_path / "file")
    for first, second, third in zip(bearoff, deferred, again, strict=True):
        assert third is first
        assert all(a is b for a, b in zip(first.arrays, second.arrays, strict=True))
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_two_processes_that_build_at_once_do_not_harm_each_other(tmp_path):
    code = "from gammond.engine.bearoff import load_bearoff; load_bearoff()"
    environment = {**os.environ, "GAMMOND_DATA": str(tmp_path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
    assert sorted(path.name for path in tmp_path.iterdir()) == NAMES


@pytest.mark.parametrize(
    "table",
    [
        build_two_sided(3, 4),
        build_two_sided(3, 4, cubeful=False),
        build_one_sided(7, 3),
        build_one_sided(1, 15),
    ],
    ids=["two-sided", "two-sided cubeless", "one-sided", "one-sided of one point"],
)
def test_any_table_comes_back_from_its_file(tmp_path, table):
    path = tmp_path / table.header.file_name
    save_table(table, path)
    read = open_table(path)
    assert read.header == table.header
    for array, same in zip(read.arrays, table.arrays, strict=True):
        assert array.tolist() == same.tolist()
        assert not array.flags.writeable


def test_a_rightly_checksummed_file_that_holds_nonsense_is_refused(tmp_path):
    path = tmp_path / "nonsense"
    for header in (BearoffHeader(BearoffKind.TWO_SIDED, 6, 6), BearoffHeader(BearoffKind.ONE_SIDED, 99, 2)):
        write_database(path, header, [np.zeros(3, "<f4")])
        with pytest.raises(DataFileError, match="nonsense cannot be used"):
            open_table(path)
    write_database(path, BearoffHeader(BearoffKind.ONE_SIDED, 1, 2), [np.full(58, 9, np.uint8)])
    with pytest.raises(DataFileError, match="outside the values; build it again with `gammond bearoff make"):
        open_table(path)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1.1, -2.0])
def test_a_rightly_checksummed_file_with_impossible_numbers_is_refused(tmp_path, number):
    path = tmp_path / "impossible"
    for table in (build_two_sided(2, 3), build_one_sided(2, 3)):
        arrays = [array.copy() for array in table.arrays]
        place = next(place for place, array in enumerate(arrays) if array.dtype.kind == "f")
        arrays[place].reshape(-1)[3] = number
        write_database(path, table.header, arrays)
        with pytest.raises(DataFileError, match="numbers that are neither chances nor equities; build it ag"):
            open_table(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_with_the_name_of_a_larger_database_is_left_out(small_defaults, capsys):
    os.mkfifo(small_defaults / BearoffHeader(BearoffKind.ONE_SIDED, 7, 15).file_name)
    default = loading.DEFAULT_ONE_SIDED
    assert loading.find_largest(small_defaults, default) == default
    said = capsys.readouterr().err
    assert "it cannot be read (expected a regular file); build it again with" in said
    assert "until then a smaller one is used" in said


def test_deferred_databases_are_opened_at_the_first_look_up(folder, no_building, two_sided, one_sided):
    boards = np.stack([position({6: 3, 2: 1}, {20: 2, 24: 3}).board])
    later = folder / "not there yet"
    bearoff = defer_bearoff(later)
    assert [table.header for table in bearoff] == [two_sided.header, one_sided.header]
    assert bearoff.two_sided.is_cubeful
    assert [table.covers(boards).tolist() for table in bearoff] == [[True], [True]]
    later.mkdir()
    for name in NAMES:
        (folder / name).rename(later / name)
    assert bearoff.two_sided.evaluate(boards).tolist() == two_sided.evaluate(boards).tolist()
    assert bearoff.one_sided.evaluate(boards).tolist() == one_sided.evaluate(boards).tolist()
    cubeful = bearoff.two_sided.cubeful_equities(boards)
    assert cubeful.tolist() == two_sided.cubeful_equities(boards).tolist()
    assert defer_bearoff(later) is bearoff


@pytest.fixture
def small_defaults(monkeypatch, tmp_path):
    """A folder with default databases of 3 points, which are the default ones for a while."""
    tables = build_two_sided(3, 3), build_one_sided(3, 15)
    monkeypatch.setattr(loading, "DEFAULT_TWO_SIDED", tables[0].header)
    monkeypatch.setattr(loading, "DEFAULT_ONE_SIDED", tables[1].header)
    monkeypatch.setattr(loading, "DEFAULT_BYTES", {table.header: 0 for table in tables})
    for table in tables:
        save_table(table, tmp_path / table.header.file_name)
    return tmp_path


def test_larger_databases_in_the_folder_take_the_place_of_the_default_ones(small_defaults, capsys):
    larger = build_two_sided(3, 4), build_one_sided(4, 15)
    unused = build_two_sided(4, 4, cubeful=False), build_two_sided(2, 9), build_one_sided(9, 3)
    for table in (build_two_sided(4, 3), *larger, *unused):
        save_table(table, small_defaults / table.header.file_name)
    (small_defaults / "two-sided-3x04-cubeful.bearoff").write_bytes(b"")
    bearoff = defer_bearoff(small_defaults)
    assert [table.header for table in bearoff] == [
        BearoffHeader(BearoffKind.TWO_SIDED, 4, 3, cubeful=True),
        BearoffHeader(BearoffKind.ONE_SIDED, 4, 15),
    ]
    boards = np.stack([position({4: 2, 2: 1}, {22: 2, 24: 1}).board, position({1: 3}, {21: 1}).board])
    built = build_two_sided(4, 3)
    assert bearoff.two_sided.evaluate(boards).tolist() == built.evaluate(boards).tolist()
    assert bearoff.two_sided.cubeful_equities(boards).tolist() == built.cubeful_equities(boards).tolist()
    assert bearoff.one_sided.evaluate(boards).tolist() == larger[1].evaluate(boards).tolist()
    defaults = defer_bearoff(small_defaults, is_default=True)
    assert [str(table.header) for table in defaults] == ["two-sided 3x3 cubeful", "one-sided 3x15"]
    assert capsys.readouterr().err == ""


def test_the_largest_database_is_the_one_of_the_most_sides(small_defaults):
    more_points, more_sides = build_two_sided(5, 3), build_two_sided(3, 6)
    for table in (more_points, more_sides):
        save_table(table, small_defaults / table.header.file_name)
    assert loading.find_largest(small_defaults, loading.DEFAULT_TWO_SIDED) == more_sides.header


def test_a_larger_database_is_mapped_and_not_read(small_defaults):
    table = build_two_sided(4, 3)
    path = small_defaults / table.header.file_name
    save_table(table, path)
    path.write_bytes(bytes(alter(bytearray(path.read_bytes()))))
    memory = defer_bearoff(small_defaults).two_sided.wins
    while isinstance(memory, np.ndarray):
        memory = memory.base
    assert isinstance(memory.obj, mmap.mmap)
    with pytest.raises(DataFileError, match="its checksum does not match"):
        open_table(path)


def test_a_larger_database_that_is_cut_or_another_is_left_out(small_defaults, capsys):
    table = build_two_sided(4, 3)
    cut = small_defaults / table.header.file_name
    save_table(table, cut)
    cut.write_bytes(truncate(bytearray(cut.read_bytes())))
    save_table(build_one_sided(4, 3), small_defaults / "one-sided-4x15.bearoff")
    assert [str(table.header) for table in defer_bearoff(small_defaults)] == [
        "two-sided 3x3 cubeful",
        "one-sided 3x15",
    ]
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 2
    assert "it was truncated; build it again with `gammond bearoff make" in warnings[0]
    assert "expected a one-sided 4x15 database, got one-sided 4x3" in warnings[1]
