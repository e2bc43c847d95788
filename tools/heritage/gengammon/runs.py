"""Runs of ``gammond heritage mimic`` as players and as ONNX files, and their agreement with experts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path

import numpy as np

from gammond.engine.errors import DataFileError
from gammond.nets.heritage.gengammon.net import (
    WEIGHTS_NAME,
    GengammonNet,
    GengammonPlayer,
    encode_counts,
    parse_onnx_net,
    read_net_text,
)
from gammond.nets.onnx_model import OUTPUT_NAME
from gammond.tools.common.figures import PlotLine, draw_lines
from gammond.tools.common.journal import read_records
from gammond.tools.common.wings import ExportedScorer
from gammond.tools.train.runs.run_folder import LOG_FILE
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


_SHARES = {"unseen_first": "ranked first, unseen matches", "first": "ranked first, learned moves"}
_FITNESSES = {"unseen_fitness": "fitness, unseen matches", "fitness": "fitness, learned moves"}


def has_agreement(folder: Path) -> bool:
    """Return whether a run's log has the agreement with experts.

    Raises:
        DataFileError: The log cannot be read.
    """
    return any("unseen_first" in record for record in read_records(folder / LOG_FILE))


def draw_agreement(folders: Sequence[Path], file: Path) -> None:
    """Draw the share of experts' plays that are ranked first, and the fitness below it, against minutes.

    Args:
        folders: Of runs.
        file: The picture; it appears whole or not at all.

    Raises:
        DataFileError: A log cannot be read or is empty, or the picture cannot be written.
        UnsupportedError: The package ``matplotlib`` is not installed, or the file is of another format.
    """
    above = [line for folder in folders for line in _make_lines(folder, _SHARES)]
    below = [line for folder in folders for line in _make_lines(folder, _FITNESSES)]
    draw_lines([("share of experts' plays", above), ("fitness", below)], "minutes", file)


def _make_lines(folder: Path, fields: dict[str, str]) -> list[PlotLine]:
    records = read_records(folder / LOG_FILE)
    if not records:
        raise DataFileError(f"{folder / LOG_FILE} has no record: nothing was learned yet")
    minutes = [seconds / 60 for seconds in accumulate(float(record["seconds"]) for record in records)]
    lines = []
    for field, meaning in fields.items():
        points = [
            (at, float(record[field])) for at, record in zip(minutes, records, strict=True) if field in record
        ]
        if points:
            at, values = zip(*points, strict=True)
            lines.append(PlotLine(f"{folder.name}: {meaning}", at, values, is_faint="unseen" not in field))
    return lines
