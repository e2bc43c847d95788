"""Nets that rate plays and give no outcomes, as ONNX files that are compared with them."""

from __future__ import annotations

import numpy as np

from engine.errors import DataFileError
from nets.heritage.gengammon.net import GengammonNet, encode_counts, parse_onnx_net
from nets.heritage.phase_features.features import encode_gated_inputs
from nets.heritage.phase_features.net import ACTIVATION, PhaseNet, parse_phase_onnx
from nets.onnx_model import OnnxModel
from tools.train.weights.onnx_files import phase_net_to_onnx, scorer_to_onnx
from tools.train.weights.random_positions import sample_random_positions

TOLERANCE = 1e-5
"""Largest difference of an exported net from its weights, as a share of the largest rating."""

ScorerNet = GengammonNet | PhaseNet


def find_player_kind(net: ScorerNet) -> str:
    """Return the player kind that plays a net."""
    return "phase-net" if isinstance(net, PhaseNet) else "gengammon"


def find_activation(net: ScorerNet) -> str:
    """Return what the hidden units of a net do, as manifests have it."""
    return ACTIVATION if isinstance(net, PhaseNet) else net.activation


def make_scorer_onnx(net: ScorerNet, name: str) -> bytes:
    """Make the ONNX file of a net, and compare it with the net on positions of random games.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
        DataFileError: The file differs from the net.
    """
    boards = sample_random_positions(2000, seed=1)
    if isinstance(net, PhaseNet):
        content, inputs = phase_net_to_onnx(net, name), encode_gated_inputs(boards)
        read_back: ScorerNet = parse_phase_onnx(name, content, ACTIVATION)
    else:
        content, inputs = scorer_to_onnx(net, name), encode_counts(boards)
        read_back = parse_onnx_net(name, content, net.activation)
    expected = net.score_boards(boards)
    if not np.array_equal(read_back.score_boards(boards), expected):
        raise DataFileError(f"{name} has other weights than the net that it is made of")
    found = OnnxModel(name, content, inputs.shape[1], 1).run(inputs)[:, 0]
    difference = float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30))
    if not difference <= TOLERANCE:
        raise DataFileError(f"{name} differs from its weights by {difference} of the largest rating")
    return content
