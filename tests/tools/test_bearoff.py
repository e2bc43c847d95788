from dataclasses import replace
from functools import partial

import pytest

from gammond.engine.bearoff import open_table
from gammond.engine.bearoff.databases import DEFAULT_BYTES
from gammond.engine.errors import DataFileError, LimitError
from gammond.engine.runtime import machine
from gammond.tools import bearoff
from tests.support.commands import run_tool

run = partial(run_tool, bearoff)


@pytest.mark.parametrize(
    ("options", "kind", "memory", "size"),
    [([], "cubeful", "34.4 kB", "6.5 kB"), (["--cubeless"], "cubeless", "21.6 kB", "1.7 kB")],
)
def test_make_writes_a_database_and_says_its_memory_first(tmp_path, capsys, options, kind, memory, size):
    path = tmp_path / "small.bearoff"
    make = ["make", "--kind", "two-sided", "--points", 3, "--checkers", 3, "--output", path]
    assert run(*make, *options) == 0
    table = open_table(path)
    assert str(table.header) == f"two-sided 3x3 {kind}"
    assert table.is_cubeful == (not options)
    captured = capsys.readouterr()
    assert captured.err == f"two-sided 3x3 {kind}: needs about {memory} of memory, the file about {size}\n"
    assert captured.out.startswith(f"{path}: two-sided 3x3 {kind}, {size}")


@pytest.fixture
def small_defaults(monkeypatch):
    """Let the default databases be of 3 points for a while: those of 6 take a second or two to build."""
    assert set(bearoff._DEFAULTS.values()) == set(DEFAULT_BYTES)
    small = {kind: replace(header, points=3) for kind, header in bearoff._DEFAULTS.items()}
    monkeypatch.setattr(bearoff, "_DEFAULTS", small)


def test_make_without_options_writes_both_default_databases(tmp_path, small_defaults, monkeypatch, capsys):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    assert run("make") == 0
    names = sorted(path.name for path in (tmp_path / "data").iterdir())
    assert names == ["one-sided-3x15.bearoff", "two-sided-3x6-cubeful.bearoff"]
    assert capsys.readouterr().out.count("\n") == 2


def test_a_kind_alone_is_the_default_of_that_kind(tmp_path, small_defaults, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    run("make", "--kind", "two-sided")
    assert [path.name for path in tmp_path.iterdir()] == ["two-sided-3x6-cubeful.bearoff"]
    run("make", "--kind", "two-sided", "--cubeless")
    assert (tmp_path / "two-sided-3x6.bearoff").exists()


def test_make_builds_larger_one_sided_tables(tmp_path, capsys):
    path = tmp_path / "eight"
    run("make", "--kind", "one-sided", "--points", 8, "--checkers", 5, "--output", path, "--threads", 1)
    assert str(open_table(path).header) == "one-sided 8x5"


def test_a_database_that_does_not_fit_into_memory_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machine, "count_memory_bytes", lambda: 10_000_000)
    with pytest.raises(LimitError, match=r"needs 399\.3 MB of memory, this machine has 10\.0 MB"):
        run("make", "--kind", "two-sided", "--checkers", 8, "--output", tmp_path / "x")
    assert "needs about 399.3 MB" in capsys.readouterr().err
    with pytest.raises(LimitError, match=r"needs 110\.7 MB of memory"):
        run("make", "--kind", "two-sided", "--checkers", 8, "--cubeless", "--output", tmp_path / "x")


def test_an_output_that_cannot_be_written_is_found_out_before_the_work(tmp_path, monkeypatch):
    def build(*args, **kwargs):
        raise AssertionError("nothing is to be built")

    monkeypatch.setattr(bearoff, "build_two_sided", build)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataFileError, match="cannot be written"):
        run("make", "--kind", "two-sided", "--output", tmp_path / "file" / "x")


def test_info_says_what_a_file_holds(tmp_path, capsys):
    path = tmp_path / "small"
    run("make", "--kind", "two-sided", "--points", 3, "--checkers", 3, "--output", path)
    capsys.readouterr()
    assert run("info", path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == ["kind      two-sided", "points    1 to 3", "checkers  up to 3 per side"]
    assert lines[4:7] == [
        "sides     20 including the empty one",
        "holds     winning chances, and money equities with the cube centred, own and the opponent's",
        "records   400; 361 without the empty side",
    ]
    assert lines[7].startswith("longest   the side on roll has a winning chance of 0.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--kind two-sided --points 2 --checkers 2 --cubeless", "holds     winning chances\n"),
        ("--kind one-sided --points 1 --checkers 3", "1.8333 rolls"),
    ],
)
def test_info_tells_each_kind_from_the_others(tmp_path, capsys, options, said):
    path = tmp_path / "small"
    run("make", *options.split(), "--output", path)
    run("info", path)
    assert said in capsys.readouterr().out


def test_info_refuses_an_altered_file(tmp_path):
    path = tmp_path / "small"
    run("make", "--kind", "one-sided", "--points", 2, "--checkers", 2, "--output", path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataFileError, match="checksum"):
        run("info", path)
