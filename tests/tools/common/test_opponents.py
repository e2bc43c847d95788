"""Opponents by name, gnubg-nn being missing; with it: tests/peers/test_gnubg_nets_as_opponents.py."""

import hashlib
import sys

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, FormatError, UnsupportedError, ValueRangeError
from gammond.engine.play.decider import SearchPlayer
from gammond.nets.catalogue import collect_net_hashes
from gammond.tools import cli
from gammond.tools.common.files import write_arrays
from gammond.tools.common.opponents import load_opponent
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet
from gammond.tools.train.weights.random_positions import sample_random_positions


@pytest.fixture(autouse=True)
def _no_gnubg_nn(monkeypatch):
    """Hide the package where it is installed."""
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)


def test_other_players_are_those_of_the_nets():
    assert load_opponent("pubeval").name == "pubeval"
    assert load_opponent("pubeval").nets == {}
    assert load_opponent("default").nets == collect_net_hashes("default") != {}
    assert not load_opponent("default").is_deep
    player = load_opponent("default:plies=1")
    assert isinstance(player, SearchPlayer)
    assert player.is_deep


def test_a_missing_package_is_named_with_the_command_that_installs_it(capsys):
    with pytest.raises(UnsupportedError, match="pip install gnubg-nn"):
        load_opponent("gnubg")
    assert cli.main(["tournament", "gnubg", "random", "--games", "4"]) == cli.EXIT_USAGE
    assert "pip install gnubg-nn" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gnubg:", "gnubg:filter=narrow", "gnubg:plies=", "gnubg:plies=1,seed=3"])
def test_gnubg_has_no_other_options_than_plies(name):
    with pytest.raises(FormatError, match="plies alone") as caught:
        load_opponent(name)
    assert caught.value.field == "player"


def test_gnubg_looks_two_plies_ahead_at_most():
    with pytest.raises(ValueRangeError, match="expected 0 to 2, got 3") as caught:
        load_opponent("gnubg:plies=3")
    assert caught.value.field == "plies"


@pytest.fixture
def run(tmp_path):
    """The folder of a run whose last and best nets differ; returned with the sets of both."""
    pytest.importorskip("onnx", reason="nets are run as ONNX files (extra 'train')")
    folder, sets = tmp_path / "learner", {}
    for name, seed in (("checkpoint", 1), ("best", 2)):
        generator = np.random.default_rng(seed)
        nets = {
            phase: LayeredNet.make_untrained("tesauro196", (6,), generator) for phase in ("contact", "race")
        }
        sets[name] = NetSet("learner", nets)
        write_arrays(folder / f"{name}.npz", sets[name].to_arrays())
    return folder, sets


@pytest.mark.parametrize(
    ("place", "kind"), [("", "best"), ("/best.npz", "best"), ("/checkpoint.npz", "checkpoint")]
)
def test_the_nets_of_a_run_play(run, place, kind):
    folder, sets = run
    player = load_opponent(f"run:{folder}{place}")
    boards = sample_random_positions(50, seed=3)
    np.testing.assert_array_equal(
        player.evaluator.evaluate(boards), sets[kind].make_evaluator().evaluate(boards)
    )
    assert player.name == "learner"
    assert not player.is_deep
    file = folder / f"{kind}.npz"
    assert player.nets == {str(file): hashlib.sha256(file.read_bytes()).hexdigest()}


def test_a_run_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(DataFileError, match=r"checkpoint\.npz cannot be read"):
        load_opponent(f"run:{tmp_path}")
