"""The nets of wildbg, another open engine, as an opponent: ``contact.onnx`` and ``race.onnx`` in one folder.

*Source:* C. Wenderdel, https://github.com/carsten-wenderdel/wildbg (MIT or Apache 2.0), its nets CC0.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError, missing_package
from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from engine.rules.position import Board
from engine.runtime.regular_files import read_regular
from nets.encoders import Encoder, get_encoder
from nets.onnx_model import BATCH_ROWS, MAX_NET_BYTES, OUTPUT_NAME, OnnxModel
from nets.router import Router

NAME_PREFIX = "wildbg:"
"""Before the folder, in the name of the evaluator."""

_OUTCOME_CLASSES = 6
_ENCODER_IDS = {"contact": "wildbg202", "race": "wildbg186"}
"""The encoder of each net."""


class WildbgNet:
    """One net of wildbg.

    Its six outputs exclude each other: win a single game, a gammon, a backgammon, and lose likewise.

    Args:
        name: Its name in errors.
        encoder: Makes its inputs.
        content: The bytes of its file.

    Raises:
        UnsupportedError: The package onnx is missing.
        DataFileError: The bytes are not a net with these inputs and six outputs.
    """

    plies = 0

    def __init__(self, name: str, encoder: Encoder, content: bytes) -> None:
        self.name = name
        self._encoder = encoder
        self._model = OnnxModel(name, _free_batch_size(name, content), encoder.inputs, _OUTCOME_CLASSES)
        self._model.check()

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `Evaluator.evaluate`; the outputs are not sanitised."""
        outcomes = np.empty((len(boards), 5), np.float32)
        for start in range(0, len(boards), BATCH_ROWS):
            batch = slice(start, start + BATCH_ROWS)
            outcomes[batch] = to_cumulative(self._model.run(self._encoder.encode(boards[batch])))
        return outcomes


def to_cumulative(classes: NDArray[np.float32]) -> Outcomes:
    """Convert six exclusive classes to five cumulative probabilities.

    Args:
        classes: ``float32[n, 6]``: win single, gammon, backgammon; lose single, gammon, backgammon.

    Returns:
        ``float32[n, 5]``.
    """
    outcomes = np.empty((len(classes), 5), np.float32)
    outcomes[:, WIN_BG] = classes[:, 2]
    outcomes[:, WIN_G] = classes[:, 1] + classes[:, 2]
    outcomes[:, WIN] = classes[:, 0] + outcomes[:, WIN_G]
    outcomes[:, LOSE_BG] = classes[:, 5]
    outcomes[:, LOSE_G] = classes[:, 4] + classes[:, 5]
    return outcomes


def load_wildbg(folder: Path) -> Router:
    """Load both nets: the race net for races, the contact net elsewhere, no bearoff database.

    Args:
        folder: Where ``contact.onnx`` and ``race.onnx`` are.

    Raises:
        UnsupportedError: The package onnx is missing.
        DataFileError: A file is missing or is not a net of wildbg.
    """
    contact, race = (
        WildbgNet(f"wildbg {kind}", get_encoder(encoder), _read_net_file(folder, kind))
        for kind, encoder in _ENCODER_IDS.items()
    )
    return Router("wildbg", contact=contact, race=race)


def hash_wildbg_nets(folder: Path) -> dict[str, str]:
    """Return sha256 of both files by name of the net.

    Raises:
        DataFileError: A file cannot be read.
    """
    return {
        f"wildbg {kind}": hashlib.sha256(_read_net_file(folder, kind)).hexdigest() for kind in _ENCODER_IDS
    }


def _read_net_file(folder: Path, kind: str) -> bytes:
    file = folder / f"{kind}.onnx"
    try:
        return read_regular(file, MAX_NET_BYTES)
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="net") from error


def _free_batch_size(name: str, content: bytes) -> bytes:
    """Return the net for any number of rows, with the name of the output that `OnnxModel` runs.

    The files are made for one row, which takes ten times as long per position as a batch.
    """
    try:
        import onnx
    except ImportError:
        raise missing_package("wildbg's nets need", "onnx", "export", field="net") from None
    try:
        model = onnx.load_model_from_string(content)
        output = model.graph.output[0]
        for port in (model.graph.input[0], output):
            port.type.tensor_type.shape.dim[0].dim_param = "n"
        for node in model.graph.node:
            node.output[:] = [OUTPUT_NAME if made == output.name else made for made in node.output]
        output.name = OUTPUT_NAME
        changed: bytes = model.SerializeToString()
    except Exception as error:  # the errors of onnx for bytes that are not a net are not documented
        raise DataFileError(
            f"net {name} is not a model that onnx can read: {str(error)[:200]}", field="net"
        ) from error
    return changed
