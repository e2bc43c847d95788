"""Nets of ``gammond train mimic`` as ONNX files, with the manifest entries that they need."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.errors import DataFileError
from nets.gengammon import GengammonNet, inputs, net_of_onnx, read_net_text
from nets.kernels.gengammon import INPUTS
from nets.onnx_model import OnnxModel
from tools.train.manifest_entries import place_of
from tools.train.onnx_files import scorer_onnx_bytes
from tools.train.positions import sample_positions
from tools.train.scorer_files import write_scorer

TOLERANCE = 1e-5
"""The most that an exported net may differ from its text, as a share of the largest rating."""


def export_scorer(run: Path, net_file: Path, name: str, folder: Path, *, force: bool) -> str:
    """Write the net of a run as an ONNX file.

    Args:
        run: Its folder.
        net_file: The net, as text.
        name: Of the net; the file is ``NAME.onnx``.
        folder: Where to.
        force: Whether to replace a net of this name.

    Returns:
        The ``[[training]]`` and ``[[scorer]]`` entries of the manifest.

    Raises:
        GammondError: The name cannot be, its file exists and is not to be replaced, the run cannot be read,
            or the net came out different; nothing is written then.
    """
    file = place_of(folder, name, ".onnx", force=force)
    net = read_net_text(net_file)
    content = scorer_onnx_bytes(net, name)
    difference = largest_difference(net, content)
    if not difference <= TOLERANCE:
        raise DataFileError(f"{name} differs from its text by {difference} of the largest rating")
    return write_scorer(run, file, content, net.activation)


def largest_difference(net: GengammonNet, content: bytes) -> float:
    """Compare an ONNX file with its net on positions of random games, as a share of the largest rating."""
    boards = sample_positions(2000, seed=1)
    expected = net.scores(boards)
    read_back = net_of_onnx("export", content, net.activation)
    found = OnnxModel("export", content, INPUTS, 1).run(inputs(boards))[:, 0]
    if not np.array_equal(read_back.weights, net.weights):
        return float("inf")
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30))
