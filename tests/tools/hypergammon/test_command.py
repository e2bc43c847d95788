from functools import partial

import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.hypergammon import solution
from gammond.engine.hypergammon.construction import build_table
from gammond.engine.hypergammon.table import HypergammonTable, write_table
from gammond.tools.hypergammon import command
from gammond.tools.hypergammon.command import SolvingProgress
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


def test_a_line_says_what_is_computed_the_step_and_the_largest_change(capsys):
    now = [0.0]
    bar = SolvingProgress(lambda: now[0])
    bar.show(0.42, "4 of 6 owned cube, step 1")
    assert capsys.readouterr().err == ""
    now[0] += 61.0
    bar.show(0.588, "4 of 6 owned cube, step 14, largest change 8.3e-05, goal 1.0e-08")
    line = "58 %  4 of 6 owned cube, step 14, largest change 8.3e-05, goal 1.0e-08  1:01"
    assert capsys.readouterr().err == f"gammond hypergammon: {line}\n"
    assert bar.format_line(79) == f" {line}"


def test_the_first_step_has_no_change_and_the_end_is_the_whole(capsys):
    bar = SolvingProgress(lambda: 0.0)
    bar.show(0.0, "1 of 6 equity, step 1")
    assert bar.format_line() == "[........................]   0 %  1 of 6 equity, step 1  0:00"
    bar.finish()
    assert bar.format_line() == "[########################] 100 %  solved  0:00"
