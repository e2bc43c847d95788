"""Nets of ``gammond heritage mimic`` as ONNX files, with the manifest entries that they need."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.errors import DataFileError
from nets.heritage.gengammon.kernels.net import INPUTS
from nets.heritage.gengammon.net import GengammonNet, encode_counts, parse_onnx_net, read_net_text
from nets.onnx_model import OnnxModel
from tools.train.runs.manifest_entries import check_net_file, write_scorer
from tools.train.weights.onnx_files import scorer_to_onnx
from tools.train.weights.random_positions import sample_random_positions

TOLERANCE = 1e-5
"""Largest difference of an exported net from its text, as a share of the largest rating."""


def export_scorer(run: Path, net_file: Path, name: str, folder: Path, *, force: bool) -> str:
    """Write the net of a run as an ONNX file.

    Args:
        run: Its folder.
        net_file: The net, as text.
        name: Of the net; the file is ``NAME.onnx``.
        folder: The folder of the file.
        force: Whether to replace a net of this name.

    Returns:
        The entries of the manifest and the provenance file.

    Raises:
        GammondError: The name is invalid, its file exists and ``force`` is not set, the run cannot be read,
            or the exported net differs; nothing is written then.
    """
    file = check_net_file(folder, name, ".onnx", force=force)
    net = read_net_text(net_file)
    content = scorer_to_onnx(net, name)
    difference = measure_largest_difference(net, content)
    if not difference <= TOLERANCE:
        raise DataFileError(f"{name} differs from its text by {difference} of the largest rating")
    return write_scorer(run, file, content, net.activation)


def measure_largest_difference(net: GengammonNet, content: bytes) -> float:
    """Compare an ONNX file with its net on positions of random games, as a share of the largest rating."""
    boards = sample_random_positions(2000, seed=1)
    expected = net.score_boards(boards)
    read_back = parse_onnx_net("export", content, net.activation)
    found = OnnxModel("export", content, INPUTS, 1).run(encode_counts(boards))[:, 0]
    if not np.array_equal(read_back.weights, net.weights):
        return float("inf")
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30))
