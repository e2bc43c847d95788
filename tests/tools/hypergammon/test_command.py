from functools import partial

import pytest

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.hypergammon import solution
from gammond.engine.hypergammon.construction import build_table
from gammond.engine.hypergammon.table import HypergammonTable, write_table
from gammond.tools.hypergammon import command
from tests.support.commands import run_tool

run = partial(run_tool, command)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder."""
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    solution.forget_solutions()
    yield tmp_path
    solution.forget_solutions()


def test_build_says_its_needs_first_and_leaves_one_file(folder, capsys):
    assert run("build", "--checkers", 1, "--threads", 1) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("hypergammon with 1 a side: needs about 239.1 kB of memory")
    assert f"{folder / 'hypergammon-1.solution'}: hypergammon with 1 a side, 29.7 kB" in captured.out
    assert [path.name for path in folder.iterdir()] == ["hypergammon-1.solution"]


def test_status_shows_the_value_of_the_start_and_what_is_missing(folder, capsys):
    run("build", "--checkers", 1, "--threads", 1)
    capsys.readouterr()
    assert run("status") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("hypergammon-1.solution (29.7 kB, checksum correct)")
    assert lines[1].strip() == (
        "on roll at the start: outcome 0.6016 0.6016 0.0796 0.3984 0.0331; cube centred +0.5393, "
        "with Jacoby +0.4557, owned +0.5883, the opponent's +0.3864"
    )
    assert lines[3].startswith("3 a side: missing; `gammond hypergammon build --checkers 3` builds")


def test_status_names_a_damaged_file_and_goes_on(folder, capsys):
    (folder / "hypergammon-2.solution").write_bytes(b"GAMMHYPR")
    assert run("status") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["1 a side", "2 a side", "3 a side"]
    assert "expected at least 128 bytes, got 8; build it again with `gammond hypergammon build" in lines[1]


def test_verify_finds_that_the_engine_loses_nothing(folder, capsys):
    assert run("verify", "--checkers", 1, "--positions", 300) == 0
    out = capsys.readouterr().out
    assert "cube decisions of hypergammon-1: 0 wrong, 0.000000 points lost" in out
    assert out.endswith("PASS\n")


def test_verify_fails_where_a_value_is_wrong(folder, capsys):
    table = build_table(1)
    values = table.values.copy()
    values[12:, 12:, 5] += 0.01
    wrong = HypergammonTable(1, values, table.match_equities)
    write_table(solution.find_path(1), 1, wrong.arrays)
    assert run("verify", "--checkers", 1, "--positions", 300) == 1
    assert capsys.readouterr().out.endswith("FAIL\n")


def test_verify_of_a_solution_that_is_missing_names_the_command(folder):
    with pytest.raises(DataFileError, match="gammond hypergammon build --checkers 3"):
        run("verify", "--positions", 10)


def test_a_file_that_cannot_be_written_is_said(folder):
    (folder / "file").write_text("")
    with pytest.raises(DataFileError, match="cannot be written"):
        run("build", "--checkers", 1, "--output", folder / "file" / "below")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("verify", "--positions", 0), "--positions: expected a whole number 1..10000000, got 0"),
        (("verify", "--seed", -1), "--seed: expected a whole number 0...*, got -1"),
        (("build", "--threads", 0), "--threads: expected a whole number 1..256, got 0"),
    ],
)
def test_numbers_out_of_range_are_refused(folder, arguments, said):
    with pytest.raises(ValueRangeError, match=said):
        run(*arguments, "--checkers", 1)
