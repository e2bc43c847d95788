"""The net on phase features as its weights, and its players."""

import hashlib

import msgspec
import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.play.player import ScorerPlayer
from gammond.nets.catalogue import load_player
from gammond.nets.heritage.gengammon.net import GengammonNet
from gammond.nets.heritage.phase_features.features import INPUTS, FeaturePhase, encode_gated_inputs
from gammond.nets.heritage.phase_features.net import PhaseNet, parse_phase_onnx
from gammond.nets.heritage.phase_features.players import PhaseHeuristicScorer, UniformChoicePlayer
from gammond.nets.manifest import ScorerEntry, read_net_file
from gammond.nets.onnx_model import OnnxModel
from gammond.tools.heritage.gengammon.runs import gengammon_to_onnx
from gammond.tools.heritage.phase_features.files import phase_net_to_onnx
from tests.support import boards
from tests.support.players import rank_choices

SAMPLE = boards.random_boards(300, seed=1)


def untrained(seed=1):
    return PhaseNet.untrained(np.random.default_rng(seed))


def test_it_is_48_64_64_1():
    net = untrained()
    assert [array.shape for array in net.weights] == [(48, 64), (64,), (64, 64), (64,), (64,), (1,)]


@pytest.mark.nojit
@pytest.mark.parametrize("hidden", [(64, 64), (7, 5)])
def test_scores_are_those_of_the_gated_inputs_whatever_the_batch(hidden):
    net, sample = PhaseNet.untrained(np.random.default_rng(9), hidden), SAMPLE[:40]
    first = np.maximum(encode_gated_inputs(sample) @ net.weights.w1 + net.weights.b1, 0)
    expected = np.maximum(first @ net.weights.w2 + net.weights.b2, 0) @ net.weights.w3 + net.weights.b3
    np.testing.assert_allclose(net.score_boards(sample), expected, atol=1e-5)
    np.testing.assert_array_equal(net.score_boards(sample[7:8]), net.score_boards(sample)[7:8])


def load_phase_net(entry, folder):
    return parse_phase_onnx(entry.name, read_net_file(entry, folder), entry.activation)


def write_net(folder, net):
    pytest.importorskip("onnx", reason="files of nets need the package onnx (extra 'export')")
    content = phase_net_to_onnx(net, "mine")
    (folder / "mine.onnx").write_bytes(content)
    return ScorerEntry("mine", "mine.onnx", "relu", hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize("hidden", [(64, 64), (5, 3)])
def test_a_net_of_the_manifest_is_an_onnx_file_that_computes_and_holds_its_weights(tmp_path, hidden):
    net = PhaseNet.untrained(np.random.default_rng(4), hidden)
    read = load_phase_net(write_net(tmp_path, net), tmp_path)
    for name, array in net.to_arrays().items():
        np.testing.assert_array_equal(read.to_arrays()[name], array)
    model = OnnxModel("mine", (tmp_path / "mine.onnx").read_bytes(), INPUTS, 1)
    ratings = model.run(encode_gated_inputs(SAMPLE))[:, 0]
    np.testing.assert_allclose(ratings, net.score_boards(SAMPLE), rtol=1e-5, atol=1e-5)


def test_a_net_of_the_manifest_with_other_hidden_units_is_refused(tmp_path):
    entry = write_net(tmp_path, untrained())
    with pytest.raises(DataFileError, match="net mine: expected the activation relu, got softsign"):
        load_phase_net(msgspec.structs.replace(entry, activation="softsign"), tmp_path)


def test_a_net_of_another_kind_is_refused(tmp_path):
    pytest.importorskip("onnx", reason="files of nets need the package onnx (extra 'export')")
    weights = np.zeros((26, 52), np.float32)
    content = gengammon_to_onnx(GengammonNet(weights), "mine")
    with pytest.raises(DataFileError, match="net mine has an input of shape"):
        parse_phase_onnx("mine", content, "relu")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w2": None}, "w2 missing"),
        ({"w1": np.zeros((52, 64), np.float32)}, "expected weights of 48 inputs"),
        ({"w2": np.zeros((64, 32), np.float32)}, "expected weights of 48 inputs"),
        ({"b1": np.float32(1)}, "expected weights of 48 inputs"),
        ({"b3": np.zeros(5, np.float32)}, "expected weights of 48 inputs"),
        ({"w3": np.zeros(64)}, "finite float32"),
        ({"b2": np.full(64, np.nan, np.float32)}, "finite float32"),
    ],
)
def test_weights_that_make_no_such_net_are_refused(changes, message):
    arrays = untrained().to_arrays()
    for name, array in changes.items():
        arrays.pop(name) if array is None else arrays.update({name: array})
    with pytest.raises(DataFileError, match=message) as caught:
        PhaseNet.from_arrays(arrays)
    assert caught.value.field == "net"


DICE = boards.random_rolls(300, seed=2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ScorerPlayer("", PhaseHeuristicScorer())),
        (":phase=late", ScorerPlayer("", PhaseHeuristicScorer(FeaturePhase.LATE))),
        (":normalised=false", ScorerPlayer("", PhaseHeuristicScorer(is_normalised=False))),
        (":among=4,seed=7", UniformChoicePlayer("", PhaseHeuristicScorer(), 4, 7)),
        (":phase=mid,among=3", UniformChoicePlayer("", PhaseHeuristicScorer(FeaturePhase.MID), 3)),
    ],
)
def test_options_set_its_weights_and_its_choice(options, expected):
    player = load_player(f"phase-heuristic{options}")
    assert player.name == f"phase-heuristic{options}"
    np.testing.assert_array_equal(player.choose(SAMPLE, DICE), expected.choose(SAMPLE, DICE))


def test_among_one_it_plays_the_best():
    best = ScorerPlayer("best", PhaseHeuristicScorer())
    among_one = UniformChoicePlayer("few", PhaseHeuristicScorer(), 1, seed=3)
    np.testing.assert_array_equal(among_one.choose(SAMPLE, DICE), best.choose(SAMPLE, DICE))


def test_it_plays_each_of_the_four_best_about_equally_often():
    scorer = PhaseHeuristicScorer()
    player = UniformChoicePlayer("few", scorer, 4, seed=1)
    found, counts = rank_choices(player, SAMPLE, DICE, scorer.score_boards)
    assert (found < np.minimum(counts, 4)).all()
    shares = np.bincount(found[counts >= 4], minlength=4) / (counts >= 4).sum()
    assert (np.abs(shares - 0.25) < 4 * np.sqrt(0.25 * 0.75 / (counts >= 4).sum())).all()
    assert (counts < 4).sum() > 0
