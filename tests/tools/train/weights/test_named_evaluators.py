"""Evaluators by name: nets, runs, other engines; players that only choose plays are none."""

import numpy as np
import pytest

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position, swap_sides
from gammond.engine.search import NPlyEvaluator
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.tools.common.files import write_arrays
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet, load_named_evaluator
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.peers.gnubg_nets import gnubg_nn


def test_evaluators_of_the_manifest_evaluate():
    boards = sample_random_positions(40, seed=1)
    expected = load_evaluator().evaluate(boards)
    np.testing.assert_array_equal(load_named_evaluator("default").evaluate(boards), expected)


@pytest.mark.parametrize("form", ["{}", "run:{}", "{}/checkpoint.npz"])
def test_runs_are_evaluators(tmp_path, form):
    pytest.importorskip("onnx", reason="nets are run as ONNX files (extra 'train')")
    generator = np.random.default_rng(1)
    nets = NetSet(
        "run",
        {phase: LayeredNet.make_untrained("tesauro196", (4,), generator) for phase in ("contact", "race")},
    )
    write_arrays(tmp_path / "checkpoint.npz", nets.to_arrays())
    boards = sample_random_positions(40, seed=1)
    evaluated = load_named_evaluator(form.format(tmp_path)).evaluate(boards)
    np.testing.assert_array_equal(evaluated, nets.make_evaluator().evaluate(boards))


@pytest.mark.parametrize("name", ["pubeval", "random"])
def test_players_are_no_evaluators(name):
    with pytest.raises(ValueRangeError, match="expected an evaluator"):
        load_named_evaluator(name)


def test_gnubg_is_an_evaluator_where_its_package_is_installed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gnubg_nn", None)
    with pytest.raises(UnsupportedError, match="gnubg-nn"):
        load_named_evaluator("gnubg")


@pytest.mark.peer
def test_gnubg_evaluates_for_the_side_on_roll():
    gnubg_nn()
    gnubg = load_named_evaluator("gnubg")
    opening = gnubg.evaluate(Position.start().board[None])[0]
    assert opening.tolist() == pytest.approx([0.5215, 0.1542, 0.0076, 0.1297, 0.0075], abs=5e-5)
    boards = sample_random_positions(300, seed=2)
    ours, theirs, other_side = (
        cubeless_equity(evaluator.evaluate(each))
        for evaluator, each in (
            (load_named_evaluator("default"), boards),
            (gnubg, boards),
            (gnubg, np.stack([swap_sides(board) for board in boards])),
        )
    )
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95
    assert np.corrcoef(ours, other_side)[0, 1] < 0.0


def test_an_evaluator_looks_ahead():
    boards = sample_random_positions(600, seed=2)[::50]
    deep = load_named_evaluator("default:plies=1").evaluate(boards)
    expected = NPlyEvaluator(load_evaluator(), load_pruner(), 1).evaluate(boards)
    np.testing.assert_allclose(deep, expected, atol=1e-6)
    assert np.abs(deep - load_evaluator().evaluate(boards)).max() > 0.005


@pytest.mark.parametrize("name", ["default:plies=0", "default:plies=3", "default:plies=", "nobody:plies=1"])
def test_other_depths_and_unknown_names_are_refused(name):
    with pytest.raises(GammondError):
        load_named_evaluator(name)
