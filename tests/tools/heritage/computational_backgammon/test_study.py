"""Studies: each is a set of runs that go on where they were, and a table."""

import argparse

import pytest

from engine.errors import GammondError, StateError, UnsupportedError, ValueRangeError
from tools.files import read_records
from tools.heritage.computational_backgammon import study
from tools.heritage.computational_backgammon.study_runs import STUDIES

SHORT = ["--games", "50", "--checkpoint-every", "50", "--benchmark-games", "4", "--final-games", "4"]


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    study.add_arguments(parser)
    return study.main(parser.parse_args(arguments))


def test_a_study_trains_each_run_once_and_prints_its_table(tmp_path, capsys):
    run_command("symmetry", str(tmp_path), *SHORT)
    first = capsys.readouterr().out
    for name in ("normal", "symmetric"):
        assert [record["games"] for record in read_records(tmp_path / name / "log.jsonl")] == [50]
        assert first.count(f"\n{name} ") == 2
    assert "normal against symmetric" in first
    run_command("symmetry", str(tmp_path), *SHORT)
    assert capsys.readouterr().out == first
    with pytest.raises(StateError, match="other settings"):
        run_command("symmetry", str(tmp_path), *SHORT, "--seed", "2")


def test_a_study_with_parents_trains_them_first(tmp_path, capsys):
    run_command("freedom", str(tmp_path), *SHORT)
    assert "\nfreed " in capsys.readouterr().out


@pytest.mark.parametrize("name", STUDIES)
def test_the_settings_of_each_study_can_be(name):
    runs = STUDIES[name].make_runs(None, None, None, 1)
    assert len(runs) >= 2
    for run in runs.values():
        run.check()
        assert run.games == STUDIES[name].games
        assert not run.parent or run.parent in runs


def test_the_start_is_compared_with_the_reference(capsys):
    run_command("start", "default")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[-4:] == ["51.9", "15.1", "13.6", "0.0"]
    win, gammon, lost = map(float, lines[2].split()[1:4])
    assert (win, gammon, lost) == pytest.approx((52.0, 14.0, 13.0), abs=3.0)


def test_the_sizes_of_tables_are_printed(capsys):
    run_command("tables")
    assert "64,112,049" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["symmetry"], UnsupportedError),
        (["symmetry", "one", "two"], UnsupportedError),
        (["start", "pubeval"], ValueRangeError),
        (["start", "nobody"], GammondError),
        (["symmetry", "folder", "--games", "-5"], GammondError),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, monkeypatch, arguments, error):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        run_command(*arguments)
    assert not list(tmp_path.iterdir())
