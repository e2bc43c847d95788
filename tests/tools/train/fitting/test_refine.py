"""Refining: a net learns from its own look-ahead."""

import re

import pytest

from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import read_records
from gammond.tools.train.fitting import refine
from gammond.tools.train.runs.run_folder import begin_run
from gammond.tools.train.td.self_play import SelfPlay, TdSettings
from gammond.tools.train.weights.net_set import load_net_set, read_net_set
from tests.support.commands import run_tool

pytestmark = [pytest.mark.slow, pytest.mark.training]
pytest.importorskip("onnx", reason="nets are run as ONNX files (extra 'train')")


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    """A net after some seconds of self-play, which has much to learn."""
    file = tmp_path_factory.mktemp("td") / "checkpoint.npz"
    shape = {"hidden": 16, "race_hidden": 12, "threads": 1}
    run = SelfPlay(TdSettings(games=8000, learning_rate=0.05, final_rate=0.01, trace=0.7, **shape))
    begin_run(file.parent, "train td", run.settings, ())
    for _ in run.play_rounds():
        pass
    write_arrays(file, {**run.nets.to_arrays(), **run.state_dict()})
    return file


def run_command(*words):
    return run_tool(refine, *words, "--threads", "1")


def options(parent, *more: str) -> list[str]:
    small = ["--generations", "2", "--positions", "120", "--sources", "selfplay", "--batch", "32"]
    return ["--from", str(parent), "--games", "8", "--opponents", "random", *small, *more]


def test_a_window_of_generations_is_learned_and_some_are_measured(parent, tmp_path, capsys):
    run = tmp_path / "run"
    run_command(str(run), *options(parent, "--generations", "3", "--measure-every", "2"))
    first, second, _ = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"generation 1, .* labels/s, \d+ s", first)
    assert re.fullmatch(r"generation 2, .* labels/s, \d+ s, \S+ ± \S+ against random", second)
    log = read_records(run / "log.jsonl")
    assert [record["generation"] for record in log] == [1, 2, 3]
    assert [record["labelled"] for record in log] == [120, 120, 120]
    assert [record["learned"] for record in log] == [120, 240, 360]
    assert ["ppg" in record for record in log] == [False, True, True]
    assert read_net_set(run / "best.npz").nets["race"].digest == load_net_set(str(parent)).nets["race"].digest


def test_a_bar_shows_the_strength_so_far(parent, tmp_path, monkeypatch):
    reported = []
    monkeypatch.setattr(refine.Progress, "update", lambda bar, done, extra="": reported.append(extra))
    run_command(str(tmp_path / "run"), *options(parent, "--measure-every", "1"))
    losses = [text for text in reported if text.startswith("loss")]
    assert "strength" not in losses[0]
    assert ", strength " in losses[-1]


def test_a_race_net_is_refined_on_races_and_the_contact_net_stays(parent, tmp_path):
    run = tmp_path / "run"
    run_command(str(run), *options(parent, "--phase", "race", "--generations", "1"))
    before, after = load_net_set(str(parent)), read_net_set(run / "checkpoint.npz")
    assert before.nets["contact"].digest == after.nets["contact"].digest
    assert before.nets["race"].digest != after.nets["race"].digest


def test_a_net_for_crashed_positions_begins_as_the_contact_net(parent, tmp_path):
    run = tmp_path / "run"
    run_command(
        str(run), *options(parent, "--phase", "crashed", "--generations", "1", "--sources", "crashed")
    )
    after = read_net_set(run / "checkpoint.npz")
    assert set(after.nets) == {"contact", "crashed", "race"}
    assert after.nets["crashed"].hidden == after.nets["contact"].hidden
    assert after.nets["crashed"].digest != after.nets["contact"].digest
