"""Reports on classic nets: runs that are compared, the opening position, sizes of tables."""

from functools import partial

import pytest

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.tools import cli
from gammond.tools.heritage.computational_backgammon import report
from tests.support.commands import run_tool

SHORT = ["--games", "50", "--checkpoint-every", "50", "--benchmark-games", "4", "--hidden", "10"]
run_command = partial(run_tool, report)


def test_varied_runs_are_tabulated_and_play_each_other(tmp_path, capsys):
    vary = ["train", "vary", "classic", str(tmp_path), "layout=normal,symmetric", *SHORT]
    assert cli.main(vary) == 0
    folders = [str(tmp_path / name) for name in ("normal", "symmetric")]
    assert f"gammond heritage classic-report runs {' '.join(folders)}" in capsys.readouterr().out
    run_command("runs", *folders, "--final-games", "4")
    text = capsys.readouterr().out
    for name in ("normal", "symmetric"):
        assert f"\n{text}".count(f"\n{name} ") == 2
    assert "normal against symmetric" in text


def test_nets_go_on_from_those_of_another_run_with_settings_varied(tmp_path):
    assert cli.main(["heritage", "classic", str(tmp_path / "first"), "--layout", "symmetric", *SHORT]) == 0
    vary = ["train", "vary", "classic", str(tmp_path / "on"), "layout=normal,symmetric", *SHORT]
    assert cli.main([*vary, "--from", str(tmp_path / "first")]) == 0
    assert sorted(folder.name for folder in (tmp_path / "on").iterdir()) == ["normal", "symmetric"]


def test_classic_nets_with_their_options_can_be_compared_at_the_start(capsys):
    names = ["classic", "classic:hidden=10,outputs=2,races=own"]
    run_command("start", *names)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == names
    assert all(45 < float(row[1]) < 58 for row in rows)


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
        (["runs"], UnsupportedError),
        (["runs", "nowhere"], GammondError),
        (["start", "pubeval"], ValueRangeError),
        (["start", "nobody"], GammondError),
        (["runs", "folder", "--final-games", "-5"], GammondError),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, monkeypatch, arguments, error):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        run_command(*arguments)
    assert not list(tmp_path.iterdir())
