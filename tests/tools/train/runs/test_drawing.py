"""Pictures of runs: they are drawn, show the logs, and are refused before work begins."""

import importlib.util

import pytest

from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.tools.common.figures import check_plot_file
from gammond.tools.common.journal import Journal
from gammond.tools.train.runs import plot
from gammond.tools.train.runs import run as run_module
from gammond.tools.train.runs.curves import Curve, RunCurves, _draw_strengths, draw_runs
from gammond.tools.train.td import command as td
from tests.support.commands import run_tool

SMALL = ["--games", "64", "--hidden", "8", "--race-hidden", "4", "--round-games", "16", "--threads", "1"]


@pytest.fixture
def run(tmp_path):
    records = []
    for games in (100, 200, 300):
        strength = {"opponent": "pubeval", "ppg": games / 1000, "ppg_error": 0.02, "ppg_games": 100}
        record = {"games": games, "error_points": 20 / games, "seconds": 9.0}
        records.append({**record, **strength, "others": []})
    return write_log(tmp_path / "td", *records)


def write_log(folder, *records):
    folder.mkdir()
    with Journal(folder / "log.jsonl") as log:
        for record in records:
            log.append(record)
    return folder


@pytest.fixture
def matplotlib():
    return pytest.importorskip("matplotlib", reason="pictures need the package matplotlib")


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PDF", b"%PDF")])
@pytest.mark.usefixtures("matplotlib")
def test_a_picture_has_the_format_of_its_name(run, tmp_path, name, begins):
    file = tmp_path / "pictures" / name
    draw_runs([run], file)
    assert file.read_bytes().startswith(begins)
    assert [each.name for each in file.parent.iterdir()] == [name]


@pytest.mark.usefixtures("matplotlib")
def test_a_picture_shows_measurements_with_errors_averages_and_the_error_below(run, tmp_path):
    draw_runs([run], tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    for words in ("points per game", "error, points (RMS)", "games of self-play", f"{run} against pubeval"):
        assert f">{words}</text>" in text


def test_several_runs_have_a_colour_each_and_opponents_a_marker(matplotlib):
    from matplotlib.figure import Figure

    curve = Curve((1, 2), (0.1, 0.3), (0.1, 0.1))
    runs = [RunCurves(name, {"pubeval": curve, "random": curve}, curve) for name in ("a", "b")]
    axes = Figure().subplots()
    _draw_strengths(axes, runs, 1)
    lines = [line for line in axes.lines if line.get_label().startswith(("a", "b"))]
    assert [line.get_label() for line in lines] == [
        "a against pubeval",
        "a against random",
        "b against pubeval",
        "b against random",
    ]
    assert [line.get_color() for line in lines] == ["C0", "C0", "C1", "C1"]
    assert [line.get_marker() for line in lines] == ["o", "s", "o", "s"]
    assert list(lines[0].get_ydata()) == [0.1, 0.3]
    assert len(axes.containers) == 4


@pytest.mark.usefixtures("matplotlib")
def test_a_run_draws_itself_at_each_checkpoint(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(run_module, "draw_runs", lambda folders, file: drawn.append((folders, file)))
    picture = tmp_path / "a.png"
    options = ["--checkpoint-every", "32", "--benchmark-games", "0", "--plot", str(picture)]
    run_tool(td, str(tmp_path / "run"), *SMALL, *options)
    assert drawn == [([tmp_path / "run"], picture)] * 2


@pytest.mark.usefixtures("matplotlib")
def test_the_command_draws_runs_together(run, tmp_path):
    file = tmp_path / "a.svg"
    assert run_tool(plot, str(run), str(run), "--output", str(file), "--against", "hours") == 0
    assert ">hours</text>" in file.read_text()


@pytest.mark.usefixtures("matplotlib")
def test_runs_that_mimic_experts_are_drawn_by_their_agreement(tmp_path):
    for name in ("one", "other"):
        later = {"generation": 9, "first": 0.4, "unseen_first": 0.35, "seconds": 60.0}
        write_log(tmp_path / name, {"generation": 5, "first": 0.3, "seconds": 60.0}, later)
    file = tmp_path / "a.svg"
    assert run_tool(plot, str(tmp_path / "one"), str(tmp_path / "other"), "--output", str(file)) == 0
    for name in ("one", "other"):
        assert f">{name}: ranked first, unseen matches</text>" in file.read_text()
    with pytest.raises(UnsupportedError, match="against minutes: remove --against"):
        run_tool(plot, str(tmp_path / "one"), "--output", str(file), "--against", "hours")


@pytest.mark.usefixtures("matplotlib")
def test_a_run_that_measured_nothing_says_so(tmp_path):
    run = write_log(tmp_path / "run", {"games": 5, "error_points": 0.2, "seconds": 1.0})
    draw_runs([run], tmp_path / "a.svg")
    assert "no strength was measured" in (tmp_path / "a.svg").read_text()


def test_what_cannot_be_drawn_is_refused(run, tmp_path):
    with pytest.raises(UnsupportedError, match=r"\.png, \.svg, \.pdf, got 'a\.gif'"):
        check_plot_file(tmp_path / "a.gif")
    with pytest.raises(ValueRangeError) as caught:
        run_tool(plot, str(run), "--output", str(tmp_path / "a.png"), "--rolling", "0")
    assert caught.value.field == "rolling"
    check_plot_file(None)


@pytest.mark.usefixtures("matplotlib")
def test_a_folder_without_a_log_is_named(tmp_path):
    with pytest.raises(DataFileError, match=r"log\.jsonl has no record"):
        run_tool(plot, str(tmp_path), "--output", str(tmp_path / "a.png"))


def test_without_matplotlib_a_run_does_not_begin(tmp_path, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "matplotlib" else real(name, *more)
    )
    with pytest.raises(UnsupportedError, match=r"pip install '.\[plots\]' in the checkout"):
        run_tool(td, str(tmp_path / "run"), *SMALL, "--plot", str(tmp_path / "a.png"))
    assert not (tmp_path / "run").exists()
