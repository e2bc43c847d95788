"""Nets that rate plays as ONNX files, none of which is written that the player would read otherwise."""

import numpy as np
import pytest

from engine.errors import DataFileError
from nets.heritage.gengammon.net import GengammonNet
from nets.heritage.phase_features.net import PhaseNet
from tools.train.weights import scorer_files
from tools.train.weights.scorer_files import make_scorer_onnx

pytest.importorskip("onnx")


def make_mimic(change: float) -> GengammonNet:
    weights = np.random.default_rng(1).normal(size=(26, 52)).astype(np.float32)
    weights[0, 5] += change
    return GengammonNet(weights, "softsign")


def make_phase_net(change: float) -> PhaseNet:
    arrays = PhaseNet.untrained(np.random.default_rng(1), (6, 5)).to_arrays()
    return PhaseNet.from_arrays({**arrays, "b3": arrays["b3"] + np.float32(change)})


@pytest.mark.parametrize(
    ("make", "writer"), [(make_mimic, "scorer_to_onnx"), (make_phase_net, "phase_net_to_onnx")]
)
@pytest.mark.parametrize("change", [1e-5, 1.0])
def test_a_file_with_other_weights_is_refused_however_little_they_differ(monkeypatch, make, writer, change):
    assert make_scorer_onnx(make(0.0), "mine")
    write = getattr(scorer_files, writer)
    monkeypatch.setattr(scorer_files, writer, lambda net, name: write(make(change), name))
    with pytest.raises(DataFileError, match="mine has other weights"):
        make_scorer_onnx(make(0.0), "mine")
