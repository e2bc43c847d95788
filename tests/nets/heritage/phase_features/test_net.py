"""The net on phase features as its weights."""

from __future__ import annotations

import hashlib

import msgspec
import numpy as np
import pytest

from engine.errors import DataFileError
from nets.heritage.phase_features.features import encode_gated_inputs
from nets.heritage.phase_features.net import PhaseNet, load_phase_net
from nets.manifest import ScorerEntry
from tests import boards

SAMPLE = boards.random_boards(300, seed=1)


def untrained(seed=1):
    return PhaseNet.untrained(np.random.default_rng(seed))


def test_it_is_48_64_64_1_with_a_linear_output():
    net = untrained()
    assert [array.shape for array in net.arrays] == [(48, 64), (64,), (64, 64), (64,), (64,), (1,)]
    lifted = PhaseNet.from_arrays(net.to_arrays() | {"b3": net.b3 + np.float32(5)})
    np.testing.assert_allclose(lifted.score_boards(SAMPLE) - net.score_boards(SAMPLE), 5.0, atol=1e-5)


def test_scores_are_those_of_the_gated_inputs_whatever_the_batch():
    net = untrained()
    first = np.maximum(encode_gated_inputs(SAMPLE) @ net.w1 + net.b1, 0)
    expected = np.maximum(first @ net.w2 + net.b2, 0) @ net.w3 + net.b3
    np.testing.assert_allclose(net.score_boards(SAMPLE), expected, atol=1e-5)
    np.testing.assert_array_equal(net.score_boards(SAMPLE[7:8]), net.score_boards(SAMPLE)[7:8])


def test_it_comes_back_from_its_arrays():
    net = untrained()
    again = PhaseNet.from_arrays(net.to_arrays() | {"more": np.zeros(3)})
    np.testing.assert_array_equal(again.score_boards(SAMPLE), net.score_boards(SAMPLE))


def test_it_comes_back_from_its_weights_in_a_row_and_shares_them():
    net = untrained()
    flat = net.flat_weights
    again = PhaseNet.from_flat(flat)
    assert (flat.shape, again.hidden) == ((7361,), (64, 64))
    np.testing.assert_array_equal(again.score_boards(SAMPLE), net.score_boards(SAMPLE))
    flat[-1] += 5
    np.testing.assert_allclose(again.score_boards(SAMPLE) - net.score_boards(SAMPLE), 5.0, atol=1e-5)
    with pytest.raises(DataFileError, match=r"7361 weights of a phase net 48-64-64-1, got \[7360\]"):
        PhaseNet.from_flat(flat[:-1])


def entry_of(content: bytes):
    return ScorerEntry("mine", "mine.npy", "relu", hashlib.sha256(content).hexdigest(), "mine")


def test_a_net_of_the_manifest_is_a_numpy_file_of_its_weights(tmp_path):
    np.save(tmp_path / "mine.npy", untrained().flat_weights)
    entry = entry_of((tmp_path / "mine.npy").read_bytes())
    np.testing.assert_array_equal(load_phase_net(entry, tmp_path).flat_weights, untrained().flat_weights)


def test_a_net_of_the_manifest_with_other_hidden_units_is_refused(tmp_path):
    np.save(tmp_path / "mine.npy", untrained().flat_weights)
    entry = entry_of((tmp_path / "mine.npy").read_bytes())
    with pytest.raises(DataFileError, match="net mine: expected the activation relu, got softsign"):
        load_phase_net(msgspec.structs.replace(entry, activation="softsign"), tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a numpy file"),
        (b"weights", "not a numpy file"),
        (b"\x93NUMPY\x01\x00", "not a numpy file"),
        (np.zeros(7, np.float32), "expected 7361 weights"),
        (np.zeros(7361), "finite float32"),
        (np.full(7361, np.inf, np.float32), "finite float32"),
        (np.array([None]), "not a numpy file"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    if isinstance(content, np.ndarray):
        np.save(tmp_path / "mine.npy", content, allow_pickle=True)
    else:
        (tmp_path / "mine.npy").write_bytes(content)
    entry = entry_of((tmp_path / "mine.npy").read_bytes())
    with pytest.raises(DataFileError, match=message) as caught:
        load_phase_net(entry, tmp_path)
    assert caught.value.message.startswith("net mine")


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
