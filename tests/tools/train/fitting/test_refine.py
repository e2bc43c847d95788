"""Refining: a net learns from its own look-ahead, and a killed run goes on to the same net."""

import argparse
import re

import pytest

from gammond.engine.errors import GammondError, StateError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer
from gammond.tools.common.files import read_records, write_arrays
from gammond.tools.train.fitting import refine
from gammond.tools.train.fitting.net_set_fitter import compute_fit_metrics
from gammond.tools.train.labels.label_tasks import LabelPlan, label_shard
from gammond.tools.train.labels.sampling import parse_sources
from gammond.tools.train.labels.shards import LABELS, read_newest_labels
from gammond.tools.train.runs import run as run_module
from gammond.tools.train.runs.run_folder import begin_run
from gammond.tools.train.runs.settings import read_settings
from gammond.tools.train.td.self_play import SelfPlay, TdSettings
from gammond.tools.train.weights.net_set import load_net_set, read_net_set
from tests.tools.train.shards import make_shard

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


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    refine.add_arguments(parser)
    return refine.main(parser.parse_args([*arguments, "--threads", "1"]))


def options(parent, *more: str) -> list[str]:
    small = ["--generations", "2", "--positions", "120", "--sources", "selfplay", "--batch", "32"]
    return ["--from", str(parent), "--games", "8", "--opponents", "random", *small, *more]


@pytest.mark.slow
def test_a_net_that_refines_itself_agrees_with_its_look_ahead_and_beats_its_parent(parent, tmp_path):
    generations = ["--generations", "4", "--positions", "6000", "--window", "3", "--rate", "3e-3"]
    learning = ["--epochs", "2", "--batch", "128", "--average", "0.98", "--hidden", "32", "--games", "0"]
    run = tmp_path / "run"
    assert run_command(str(run), *options(parent, *generations, *learning, "--encoder", "expert248")) == 0
    before, after = load_net_set(str(parent)), read_net_set(run / "checkpoint.npz")
    errors = []
    for nets in (before, after):
        plan = LabelPlan(nets, parse_sources(["selfplay"]), "contact", 1, 99)
        make_shard(label_shard, plan.make_tasks(tmp_path / nets.name / "fresh", 2000)[0])
        labels = read_newest_labels(tmp_path / nets.name / "fresh")
        errors.append(compute_fit_metrics(nets.nets["contact"], labels).equity_rmse)
    assert errors[1] < 0.75 * errors[0]
    result = play_games(
        EvaluatorPlayer(after.make_evaluator()), EvaluatorPlayer(before.make_evaluator()), 1000, 5
    )
    assert result.points_per_game > 4 * result.standard_error


def test_the_best_measured_net_is_kept_with_its_strength(parent, tmp_path, capsys):
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
    best = read_array_file(run / "best.npz")
    measured = {record["generation"]: record["ppg"] for record in log if "ppg" in record}
    assert float(best["ppg"][0]) == max(measured.values()) == measured[int(best["generation"])]
    assert read_net_set(run / "best.npz").nets["race"].digest == load_net_set(str(parent)).nets["race"].digest


@pytest.mark.parametrize(
    ("module", "killed_in", "last_call"), [(run_module, "append_new_record", 2), (refine, "label_shard", 5)]
)
def test_a_run_that_was_killed_goes_on_to_the_same_net(
    parent, tmp_path, monkeypatch, module, killed_in, last_call
):
    monkeypatch.setattr("gammond.tools.train.labels.label_tasks.SHARD_POSITIONS", 50)
    whole, run = tmp_path / "run", tmp_path / "other" / "run"
    run_command(str(whole), *options(parent))
    real, calls = getattr(module, killed_in), []

    def kill_in_the_second_generation(*arguments):
        calls.append(arguments)
        if len(calls) == last_call:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(module, killed_in, kill_in_the_second_generation)
    with pytest.raises(KeyboardInterrupt):
        run_command(str(run), *options(parent))
    monkeypatch.setattr(module, killed_in, real)
    assert len(LABELS.list_in(run)) == (4 if killed_in == "label_shard" else 6)
    assert run_command(str(run), "--resume") == 0
    one, other = (read_net_set(folder / "checkpoint.npz") for folder in (whole, run))
    assert one.digest == other.digest
    assert [record["generation"] for record in read_records(run / "log.jsonl")] == [1, 2]


def test_a_refinement_reports_its_strength_and_draws_itself(parent, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="pictures need the package matplotlib")
    reported, picture = [], tmp_path / "picture.png"
    update = refine.Progress.update

    def watch(self, done, extra=""):
        reported.append(extra)
        update(self, done, extra)

    monkeypatch.setattr(refine.Progress, "update", watch)
    run_command(str(tmp_path / "run"), *options(parent, "--measure-every", "1"), "--plot", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
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


def test_a_folder_says_how_the_run_was_made(parent, tmp_path):
    run = tmp_path / "run"
    run_command(str(run), *options(parent, "--generations", "1", "--hidden", "20,16"))
    settings = read_settings(run / "run.toml", refine.RefineSettings)
    assert (settings.parent, settings.hidden, settings.generations) == (str(parent), (20, 16), 1)
    assert f"gammond train td {parent.parent}" in (run / "run.toml").read_text()
    with pytest.raises(StateError, match="--resume"):
        run_command(str(run), *options(parent))


@pytest.mark.parametrize(
    "more",
    [
        ["--from", "nobody"],
        ["--hidden", "0"],
        ["--generations", "0"],
        ["--sources", "nowhere"],
        ["--opponents", "nobody"],
        ["--games", "7"],
        ["--plies", "4"],
    ],
)
def test_a_command_that_cannot_be_leaves_no_run_behind(parent, tmp_path, more):
    with pytest.raises(GammondError):
        run_command(str(tmp_path / "run"), *options(parent, *more))
    assert not (tmp_path / "run").exists()
