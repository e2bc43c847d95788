"""Judges by name: nets, runs, other engines; players who only choose plays are none."""

import numpy as np
import pytest

from engine.errors import UnsupportedError, ValueRangeError
from engine.outcome import cubeless_equity
from engine.position import Position, turned
from nets.loading import load_evaluator
from tests.peers.gnubg_nets import gnubg_nn
from tools.train.judges import load_judge
from tools.train.layers import LayeredNet
from tools.train.net_set import NetSet
from tools.train.positions import sample_positions


def test_evaluators_of_the_manifest_judge():
    boards = sample_positions(40, seed=1)
    expected = load_evaluator().evaluate(boards)
    np.testing.assert_array_equal(load_judge("default").evaluate(boards), expected)


@pytest.mark.parametrize("form", ["{}", "run:{}", "{}/checkpoint.npz"])
def test_runs_judge(tmp_path, form):
    pytest.importorskip("onnx", reason="nets are run as ONNX files (extra 'train')")
    generator = np.random.default_rng(1)
    nets = NetSet(
        "run", {phase: LayeredNet.untrained("tesauro196", (4,), generator) for phase in ("contact", "race")}
    )
    nets.save(tmp_path / "checkpoint.npz")
    boards = sample_positions(40, seed=1)
    judged = load_judge(form.format(tmp_path)).evaluate(boards)
    np.testing.assert_array_equal(judged, nets.evaluator().evaluate(boards))


@pytest.mark.parametrize("name", ["pubeval", "random", "default:plies=1"])
def test_players_are_no_judges(name):
    with pytest.raises(ValueRangeError, match="gives no values of positions"):
        load_judge(name)


def test_gnubg_is_judged_by_where_its_package_is(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gnubg_nn", None)
    with pytest.raises(UnsupportedError, match="gnubg-nn"):
        load_judge("gnubg")


@pytest.mark.peer
def test_gnubg_judges_for_the_side_on_roll():
    gnubg_nn()
    gnubg = load_judge("gnubg")
    opening = gnubg.evaluate(Position.start().board[None])[0]
    assert opening.tolist() == pytest.approx([0.5215, 0.1542, 0.0076, 0.1297, 0.0075], abs=5e-5)
    boards = sample_positions(300, seed=2)
    ours, theirs, other_side = (
        cubeless_equity(judge.evaluate(each))
        for judge, each in (
            (load_judge("default"), boards),
            (gnubg, boards),
            (gnubg, np.stack([turned(board) for board in boards])),
        )
    )
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95
    assert np.corrcoef(ours, other_side)[0, 1] < 0.0
