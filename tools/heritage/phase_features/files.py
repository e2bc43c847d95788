"""Files of a run of ``gammond heritage heuristic-net``: their names, and the net that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.formats.array_file import load_arrays
from gammond.engine.play.player import Player, ScorerPlayer
from gammond.nets.heritage.phase_features.features import INPUTS, encode_gated_inputs
from gammond.nets.heritage.phase_features.net import ACTIVATION, PhaseNet, parse_phase_onnx
from gammond.nets.onnx_model import OUTPUT_NAME
from gammond.tools.common.wings import ExportedScorer
from gammond.tools.train.runs.run import BEST_FILE, CHECKPOINT_FILE
from gammond.tools.train.weights.onnx_files import OnnxNode, check_scorer_onnx, make_onnx

IMITATION = "imitation.npz"

_NAMED_BY_FOLDER = (CHECKPOINT_FILE, BEST_FILE)


def make_phase_net_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    """Make the player of a phase net.

    Args:
        file: Names the player, by its folder and, for another net than the run's, itself; for messages.
        arrays: What the file holds.

    Raises:
        DataFileError: There is no phase net, or it has the wrong shapes.
    """
    folder = file.resolve().parent.name
    name = folder if file.name in _NAMED_BY_FOLDER else f"{folder}-{file.stem}"
    return ScorerPlayer(name, load_arrays(file, PhaseNet.from_arrays, arrays, field="net"))


def read_exported_net(file: Path) -> ExportedScorer:
    """Read the net of a file as ``gammond export`` takes it.

    Raises:
        DataFileError: The file cannot be read, or holds no phase net.
    """
    net = load_arrays(file, PhaseNet.from_arrays, field="net")
    return ExportedScorer(ACTIVATION, "phase-net", partial(_make_checked_onnx, net))


def _make_checked_onnx(net: PhaseNet, name: str) -> bytes:
    content = phase_net_to_onnx(net, name)
    read_back = parse_phase_onnx(name, content, ACTIVATION)
    return check_scorer_onnx(name, content, net, read_back, encode_gated_inputs)


def phase_net_to_onnx(net: PhaseNet, name: str) -> bytes:
    """Make the ONNX file of a net: ``inputs float32[n, 48]`` to ``outcome float32[n, 1]``.

    Raises:
        UnsupportedError: As `make_onnx`.
    """
    nodes = [
        OnnxNode("Gemm", ["inputs", "w1", "b1"], ["sums"]),
        OnnxNode("Relu", ["sums"], ["hidden"]),
        OnnxNode("Gemm", ["hidden", "w2", "b2"], ["sums2"]),
        OnnxNode("Relu", ["sums2"], ["hidden2"]),
        OnnxNode("Unsqueeze", ["w3", "axes"], ["column"]),
        OnnxNode("Gemm", ["hidden2", "column", "b3"], [OUTPUT_NAME]),
    ]
    return make_onnx(name, (INPUTS, 1), nodes, net.to_arrays() | {"axes": np.array([1], np.int64)})
