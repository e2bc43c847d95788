"""Runs of ``gammond heritage mimic`` as players, and their nets as ONNX files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from gammond.nets.heritage.gengammon.net import (
    WEIGHTS_NAME,
    GengammonNet,
    GengammonPlayer,
    encode_counts,
    parse_onnx_net,
    read_net_text,
)
from gammond.nets.onnx_model import OUTPUT_NAME
from gammond.tools.common.wings import ExportedScorer
from gammond.tools.train.weights.onnx_files import OnnxNode, check_scorer_onnx, make_onnx

NET_FILE = "net.txt"
"""The present net of a run as text, in its folder."""


def load_run_player(file: Path) -> GengammonPlayer:
    """Load a net as a player with the name of its folder, or of the file if that is not `NET_FILE`.

    Raises:
        DataFileError: The file cannot be read, or holds no net.
    """
    name = file.parent.name if file.name == NET_FILE else file.stem
    return GengammonPlayer(name, read_net_text(file))


def read_exported_net(file: Path) -> ExportedScorer:
    """Read a net as ``gammond export`` takes it.

    Raises:
        DataFileError: As `load_run_player`.
    """
    net = read_net_text(file)
    return ExportedScorer(net.activation, "gengammon", partial(_make_checked_onnx, net))


def _make_checked_onnx(net: GengammonNet, name: str) -> bytes:
    content = gengammon_to_onnx(net, name)
    return check_scorer_onnx(name, content, net, parse_onnx_net(name, content, net.activation), encode_counts)


def gengammon_to_onnx(net: GengammonNet, name: str) -> bytes:
    """Make the ONNX file of a net: ``inputs float32[n, 52]`` to ``outcome float32[n, 1]``.

    Raises:
        UnsupportedError: As `make_onnx`.
    """
    weights = np.ascontiguousarray(net.weights.T)
    units = "Softsign" if net.activation == "softsign" else "Identity"
    nodes = [
        OnnxNode("MatMul", ["inputs", WEIGHTS_NAME], ["sums"]),
        OnnxNode(units, ["sums"], ["hidden"]),
        OnnxNode("ReduceSum", ["hidden", "axes"], [OUTPUT_NAME], {"keepdims": 1}),
    ]
    return make_onnx(name, (len(weights), 1), nodes, {WEIGHTS_NAME: weights, "axes": np.array([1], np.int64)})
