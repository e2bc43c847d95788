import os
import tracemalloc

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, PositionError
from gammond.engine.formats import database_file
from gammond.engine.hypergammon.construction import build_file, estimate_memory
from gammond.engine.hypergammon.layouts import VARIANTS, count_layouts, list_rows, number_rows
from gammond.engine.hypergammon.solution import find_path, forget_solutions, load_solution
from gammond.engine.hypergammon.table import open_file, write_table

START = VARIANTS[1].starting_position.board[None]


@pytest.fixture(autouse=True)
def no_open_solutions(tmp_path, monkeypatch):
    """The data folder is an empty one, and no solution is open."""
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    forget_solutions()
    yield
    forget_solutions()


@pytest.fixture
def path(one_checker):
    """The file of the solution for one checker."""
    path = find_path(1)
    write_table(path, 1, one_checker.arrays)
    return path


@pytest.mark.slow
def test_a_small_solution_is_solved_once_and_said(tmp_path, monkeypatch, capsys, one_checker):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "new"))
    table = load_solution(1)
    assert table.values.tobytes() == one_checker.values.tobytes()
    assert "building the solution of hypergammon with 1 a side once" in capsys.readouterr().err
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["hypergammon-1.solution"]
    forget_solutions()
    assert load_solution(1).values.tobytes() == table.values.tobytes()
    assert capsys.readouterr().err == ""


def test_a_missing_solution_for_three_checkers_is_an_error_that_names_the_command(tmp_path):
    with pytest.raises(DataFileError, match="`gammond hypergammon build --checkers 3`") as raised:
        load_solution(3)
    assert str(tmp_path) in raised.value.message
    public = raised.value.public_message
    assert public.startswith("the solution of hypergammon with 3 checkers a side is missing: build it with")
    assert str(tmp_path) not in public
    assert list(tmp_path.iterdir()) == []


def test_a_file_evaluates_as_the_table_that_it_keeps(path, one_checker):
    table = open_file(path, 1)
    assert table.evaluate(START).tolist() == one_checker.evaluate(START).tolist()
    assert table.cubeful_equities(START).tolist() == one_checker.cubeful_equities(START).tolist()
    equities, kept = table.match_equities, one_checker.match_equities
    assert equities.pre_crawford.tolist() == kept.pre_crawford.tolist()
    assert equities.post_crawford.tolist() == kept.post_crawford.tolist()


def alter(content):
    content[5000] ^= 1
    return content


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (alter, "its checksum does not match"),
        (lambda content: content[:8] + b"\x09" + content[9:], "expected version 1, got 9"),
        (lambda content: b"", "expected at least 128 bytes, got 0"),
    ],
)
def test_a_damaged_file_is_refused_and_a_small_one_solved_in_memory(path, damage, said, capsys, one_checker):
    path.write_bytes(bytes(damage(bytearray(path.read_bytes()))))
    damaged = path.read_bytes()
    with pytest.raises(DataFileError, match=said) as raised:
        open_file(path, 1)
    assert str(path) in raised.value.message
    assert str(path) not in raised.value.public_message
    assert load_solution(1).values.tobytes() == one_checker.values.tobytes()
    assert said in capsys.readouterr().err
    assert path.read_bytes() == damaged


def test_a_file_for_other_checkers_is_refused(path):
    with pytest.raises(DataFileError, match="expected a solution for 2 checkers, got 1"):
        open_file(path, 2)


@pytest.mark.parametrize("size", [None, 0])
def test_a_mapped_file_that_is_altered_or_cut_in_use_is_an_error_and_not_the_end(path, size, monkeypatch):
    monkeypatch.setattr(database_file, "READ_BYTES", 1000)
    table = open_file(path, 1)
    before = table.evaluate(START)
    if size is None:
        with path.open("r+b") as file:
            file.seek(3000)
            file.write(b"xx")
        os.utime(path, ns=(0, 1))
    else:
        os.truncate(path, size)
    with pytest.raises(DataFileError, match="it was altered while this program used it"):
        table.evaluate(START)
    assert before.shape == (1, 5)


def test_match_equities_are_those_of_two_equal_sides(one_checker):
    table = one_checker.match_equities
    assert np.allclose(table.pre_crawford + table.pre_crawford.T, 1.0)
    assert (np.diff(table.post_crawford) <= 1e-12).all()
    assert ((table.pre_crawford > 0.0) & (table.pre_crawford < 1.0)).all()
    assert table.mwc(1, 1) == 0.5
    assert table.mwc(3, 5) == pytest.approx(1.0 - table.mwc(5, 3))


@pytest.mark.slow
def test_building_takes_the_memory_that_is_said(tmp_path):
    build_file(tmp_path / "first", 1)
    tracemalloc.start()
    try:
        build_file(tmp_path / "hypergammon-2.solution", 2, threads=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.7 < peak / estimate_memory(2) < 1.0


@pytest.mark.parametrize(("checkers", "start"), [(1, 24), (2, 346)])
def test_the_start_has_the_number_that_gnubg_gives_it(checkers, start):
    assert number_rows(VARIANTS[checkers].starting_position.board, checkers).tolist() == [start, start]


@pytest.mark.parametrize("checkers", [1, 2, 3])
def test_every_layout_has_its_place_in_the_order(checkers):
    rows = list_rows(checkers)
    assert len(rows) == len({row.tobytes() for row in rows}) == count_layouts(checkers)
    assert (rows.sum(axis=1) == checkers).all()
    assert (number_rows(rows, checkers) == np.arange(len(rows))).all()
    points = [(checkers - row[0], *np.repeat(np.arange(1, 26), row[1:])) for row in rows]
    assert points == sorted(points)


def test_a_position_with_other_checkers_is_refused(one_checker):
    boards = np.stack([VARIANTS[checkers].starting_position.board for checkers in (1, 2)])
    assert one_checker.covers(boards).tolist() == [True, False]
    with pytest.raises(PositionError, match="expected 1 checkers a side for hypergammon-1; position 1 has"):
        one_checker.evaluate(boards)
