"""Validation sets: made as asked, and compared with."""

import argparse
import json
from functools import partial

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, StateError, ValueRangeError
from gammond.engine.evaluation.results import Evaluation
from gammond.engine.rules.outcome import Outcome
from gammond.nets.catalogue import load_evaluator
from gammond.tools.train.labels.shards import LABELS, Labels, ShardMetadata, write_shard
from gammond.tools.train.runs.settings import read_settings
from gammond.tools.train.validation import build_set as validation_set
from gammond.tools.train.validation import validate
from gammond.tools.train.validation.build_set import ValidationSettings
from gammond.tools.train.validation.positions import read_positions
from gammond.tools.train.validation.rollout_labels import (
    ROLLOUTS,
    RolloutLabels,
    read_all_rollouts,
    write_rollouts,
)
from gammond.tools.train.validation.validate import compare_nets, evaluate_opening
from tests.support.commands import run_tool

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")

MATCH = """\
 1 point match

 Game 1
 white : 0                         black : 0
  1) 31: 8/5 6/5                    64: 24/18 13/9
  2) 65: 24/18 18/13                21: 13/11 6/5
"""

OPTIONS = ["--classes", "contact=4,backgame=3", "--trials", "36", "--truncate", "6", "--threads", "1"]
make = partial(run_tool, validation_set)


def report(capsys, *words):
    assert run_tool(validate, *words) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished set of several shards."""
    folder = tmp_path_factory.mktemp("sets") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gammond.tools.train.validation.rollout_tasks.SHARD_POSITIONS", 3)
        make(folder, *OPTIONS)
    return folder


def test_a_set_is_what_was_asked_for(folder):
    settings = read_settings(folder / "run.toml", ValidationSettings)
    assert settings == ValidationSettings(classes=("contact=4", "backgame=3"), trials=36, truncate=6)
    labels = read_all_rollouts(folder)
    drawn = read_positions(folder)
    assert drawn is not None
    np.testing.assert_array_equal(labels.positions.boards, drawn[0].boards)
    assert np.bincount(labels.positions.classes).tolist() == [4, 3]
    assert labels.positions.class_names == ("contact", "backgame")
    assert (labels.trials == 36).all()
    assert ((labels.equity_errors > 0) & (labels.equity_errors < 0.3)).all()
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [record["labelled"] for record in log] == [3, 3, 1]
    assert sum(record["trials"] for record in log) == 7 * 36


def test_a_set_of_other_nets_is_not_gone_on_with(folder, tmp_path, monkeypatch):
    make(str(tmp_path / "a"), *OPTIONS, "--classes", "race=1")
    pruner = argparse.Namespace(net_hashes={"finder": "another"})
    monkeypatch.setattr(validation_set, "find_pruner", lambda: pruner)
    with pytest.raises(StateError, match="started with other nets"):
        make(str(tmp_path / "a"), "--resume", "--threads", "1")


def test_gnubg_rolls_out_positions_of_matches_in_place_of_the_net(tmp_path, monkeypatch, capsys):
    def roll_out(boards, plies, settings, seeds, folder):
        assert (plies, settings.trials, settings.truncation) == (0, 36, 6)
        assert len(set(seeds)) == len(boards)
        outcome, errors = Outcome(0.5, 0.1, 0.0, 0.1, 0.0), Outcome(*(0.01,) * 5)
        return [Evaluation(0.0, outcome, "rollout", 0.02, 36, outcome_errors=errors)] * len(boards)

    monkeypatch.setattr("gammond.tools.train.validation.rollout_tasks.roll_out_with_gnubg", roll_out)
    (tmp_path / "match.mat").write_text(MATCH)
    words = [tmp_path / "a", *OPTIONS, "--net", "gnubg", "--matches", tmp_path / "match.mat", "--classes"]
    with pytest.raises(ValueRangeError, match="class backgame, got 0 among the 4 positions"):
        make(*words, "contact=3,backgame=1")
    assert not (tmp_path / "a").exists()
    assert make(*words, "contact=4") == 0
    labels = read_all_rollouts(tmp_path / "a")
    assert len(labels) == 4
    assert (labels.equity_errors == np.float32(0.02)).all()
    capsys.readouterr()
    assert "rolled out by gnubg at 0-ply" in report(capsys, str(tmp_path / "a"), "default")
    assert make(str(tmp_path / "a"), "--resume", "--threads", "1") == 0


class Shifted:
    """Returns the labels with a shift of the equity, as winning chances."""

    plies = 0
    name = "shifted"

    def __init__(self, labels: RolloutLabels, points: float) -> None:
        self._known = {
            board.tobytes(): row
            for board, row in zip(labels.positions.boards, labels.outcomes.copy(), strict=True)
        }
        for row in self._known.values():
            row[0] += points / 2

    def evaluate(self, boards):
        """Look the positions up; the opening is even."""
        return np.stack([self._known.get(board.tobytes(), np.zeros(5, np.float32)) for board in boards])


def test_nets_are_compared_class_by_class_and_over_all(folder):
    labels = read_all_rollouts(folder)
    quiet = RolloutLabels(
        labels.positions, labels.outcomes, labels.errors, np.zeros(7, np.float32), labels.trials
    )
    nets = {"far": Shifted(labels, 0.2), "near": Shifted(labels, -0.1)}
    found = compare_nets(quiet, nets)
    assert [(each.name, each.positions) for each in found] == [
        ("contact", 4),
        ("backgame", 3),
        ("all", 7),
    ]
    for each in found:
        far, near = each.nets
        assert (far.rmse.value, near.rmse.value) == pytest.approx((0.2, 0.1), rel=1e-4)
        assert (far.bias.value, near.bias.value) == pytest.approx((0.2, -0.1), rel=1e-4)
        assert near.ratio.value == pytest.approx(0.5, rel=1e-4)
        assert near.mse_difference.value == pytest.approx(-0.03, rel=1e-4)
        assert (each.trials, each.label_error) == (36.0, 0.0)
    assert evaluate_opening(nets)["far"] == Outcome(0.0, 0.0, 0.0, 0.0, 0.0)


def test_the_errors_of_the_labels_are_subtracted(folder, capsys):
    reported = json.loads(report(capsys, str(folder), "default", "--json"))
    everything = reported["classes"][-1]
    net = everything["nets"][0]
    labels = read_all_rollouts(folder)
    errors = labels.equities - (2 * (o := load_evaluator().evaluate(labels.positions.boards))[:, 0] - 1)
    errors -= o[:, 1] + o[:, 2] - o[:, 3] - o[:, 4]
    assert net["raw_rmse"] ** 2 == pytest.approx(float(np.square(errors).mean()), rel=1e-3)
    expected = max(net["raw_rmse"] ** 2 - everything["label_error"] ** 2, 0.0)
    assert net["rmse"]["value"] ** 2 == pytest.approx(expected, rel=1e-3, abs=1e-9)
    assert net["bias"]["value"] == pytest.approx(-float(errors.mean()), rel=1e-3)
    assert (reported["rolled_out_by"], reported["truncated"], reported["left_out"]) == ("default", 6, 0)
    assert 0.45 < reported["opening"]["default"]["win"] < 0.6


def test_the_tables_show_each_class_and_each_net(folder, capsys):
    lines = report(capsys, str(folder), "default").splitlines()
    assert lines[0].endswith("rolled out by default at 0-ply, truncated after 6 plies")
    assert [line.partition(":")[0] for line in lines if " positions, 36 games each" in line] == [
        "contact",
        "backgame",
        "all",
    ]
    assert sum(line.startswith("default ") for line in lines) == 4


def test_a_set_that_is_still_being_made_can_be_compared_with(folder, tmp_path, capsys):
    (tmp_path / "run.toml").write_bytes((folder / "run.toml").read_bytes())
    part = read_all_rollouts(folder)[np.arange(7) < 3]
    write_rollouts(ROLLOUTS.find(tmp_path, 1), part)
    assert json.loads(report(capsys, str(tmp_path), "default", "--json"))["classes"][-1]["positions"] == 3


def test_positions_that_were_learned_are_left_out(folder, tmp_path, capsys):
    boards = read_all_rollouts(folder).positions.boards
    labels = Labels(boards[:2], np.full((2, 5), 0.1, np.float32), np.zeros(2, np.uint8), ("selfplay",))
    write_shard(LABELS.find(tmp_path, 0), labels, ShardMetadata("net", 1, 1))
    reported = json.loads(report(capsys, str(folder), "default", "--not-in", str(tmp_path), "--json"))
    assert (reported["left_out"], reported["classes"][-1]["positions"]) == (2, 5)
    all_of_them = Labels(boards, np.full((7, 5), 0.1, np.float32), np.zeros(7, np.uint8), ("selfplay",))
    write_shard(LABELS.find(tmp_path, 0), all_of_them, ShardMetadata("net", 1, 1))
    with pytest.raises(ValueRangeError, match="expected positions outside --not-in"):
        report(capsys, str(folder), "default", "--not-in", str(tmp_path))


def test_a_comparison_that_cannot_be_is_an_error(folder, tmp_path, capsys):
    with pytest.raises(ValueRangeError, match="named twice"):
        report(capsys, str(folder), "default", "default")
    with pytest.raises(ValueRangeError, match="expected an evaluator"):
        report(capsys, str(folder), "pubeval")
    with pytest.raises(DataFileError, match=r"run\.toml"):
        report(capsys, str(tmp_path), "default")


def test_a_summary_has_a_line_for_each_class_and_a_column_for_each_net(folder, capsys):
    whole = json.loads(report(capsys, str(folder), "default", "fast", "--json"))
    lines = report(capsys, str(folder), "default", "fast", "--summary").splitlines()
    assert lines[2].split()[-2:] == ["default", "fast"]
    assert [line.split()[0] for line in lines[3:]] == ["contact", "backgame", "all"]
    rmse = whole["classes"][0]["nets"][1]["rmse"]["value"]
    assert f"{rmse:.4f}" in lines[3]
