"""Nets that rate plays as ONNX files, none of which is written that the player would read otherwise."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.heritage.gengammon.net import GengammonNet, format_net
from gammond.nets.heritage.phase_features.net import PhaseNet
from gammond.tools.common.files import write_arrays
from gammond.tools.common.wings import find_wings
from gammond.tools.heritage.gengammon import runs as gengammon
from gammond.tools.heritage.phase_features import files as phase_features

pytest.importorskip("onnx")


def make_mimic(change: float) -> GengammonNet:
    weights = np.random.default_rng(1).normal(size=(26, 52)).astype(np.float32)
    weights[0, 5] += change
    return GengammonNet(weights, "softsign")


def make_phase_net(change: float) -> PhaseNet:
    arrays = PhaseNet.untrained(np.random.default_rng(1), (6, 5)).to_arrays()
    return PhaseNet.from_arrays({**arrays, "b3": arrays["b3"] + np.float32(change)})


@pytest.mark.parametrize(
    ("kind", "make", "module", "writer"),
    [
        (".txt", make_mimic, gengammon, "gengammon_to_onnx"),
        ("heuristic-net", make_phase_net, phase_features, "phase_net_to_onnx"),
    ],
)
@pytest.mark.parametrize("change", [1e-5, 1.0])
def test_a_file_with_other_weights_is_refused_however_little_they_differ(
    tmp_path, monkeypatch, kind, make, module, writer, change
):
    file = tmp_path / ("net.txt" if kind == ".txt" else "best.npz")
    net = make(0.0)
    file.write_text(format_net(net)) if kind == ".txt" else write_arrays(file, net.to_arrays())
    (read,) = (wing.net_readers[kind] for wing in find_wings() if kind in wing.net_readers)
    assert read(file).make_onnx("mine")
    write = getattr(module, writer)
    monkeypatch.setattr(module, writer, lambda net, name: write(make(change), name))
    with pytest.raises(DataFileError, match="mine has other weights"):
        read(file).make_onnx("mine")
