"""``wildbg:FOLDER``: the nets of wildbg, another open engine: ``contact.onnx``, ``race.onnx`` in a folder.

*Source:* C. Wenderdel, https://github.com/carsten-wenderdel/wildbg (MIT or Apache 2.0), its nets CC0.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, FormatError, missing_package
from gammond.engine.play.player import EvaluatorPlayer
from gammond.engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from gammond.engine.runtime.files import read_data_file
from gammond.nets.encoders import Encoder, get_encoder
from gammond.nets.onnx_model import MAX_NET_BYTES, OUTPUT_NAME, NetEvaluator, OnnxModel
from gammond.nets.player_specs import WILDBG, KindSpec
from gammond.nets.router import Router

_OUTCOME_CLASSES = 6
_ENCODER_IDS = {"contact": "wildbg202", "race": "wildbg186"}
"""The encoder of each net."""


class WildbgSpec(KindSpec, frozen=True):
    """The folder of the nets."""

    name = f"{WILDBG}:FOLDER"
    summary = "wildbg's nets, contact.onnx and race.onnx in the folder"

    folder: Path

    @classmethod
    def parse(cls, text: str) -> WildbgSpec:
        """Parse the name.

        Raises:
            FormatError: It names no folder.
        """
        _, _, folder = text.partition(":")
        if not folder:
            raise FormatError(f"expected {cls.name}, got {text!r}", field="player")
        return cls(Path(folder))

    def make(self) -> EvaluatorPlayer:
        """Make the player: the race net for races, the contact net elsewhere, no bearoff database.

        Raises:
            UnsupportedError: The package onnx is missing.
            DataFileError: A file is missing or is not a net of wildbg.
        """
        contact, race = (
            make_wildbg_net(f"{WILDBG} {kind}", get_encoder(encoder), self._read(kind))
            for kind, encoder in _ENCODER_IDS.items()
        )
        return EvaluatorPlayer(Router(WILDBG, contact=contact, race=race))

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hashes of both files.

        Raises:
            DataFileError: A file cannot be read.
        """
        return {f"{WILDBG} {kind}": hashlib.sha256(self._read(kind)).hexdigest() for kind in _ENCODER_IDS}

    def _read(self, kind: str) -> bytes:
        file = self.folder / f"{kind}.onnx"
        return read_data_file(file, MAX_NET_BYTES, str(file), "net")


def make_wildbg_net(name: str, encoder: Encoder, content: bytes) -> NetEvaluator:
    """Make the evaluator of one net.

    Args:
        name: Its name in errors.
        encoder: Makes its inputs.
        content: The bytes of its file.

    Raises:
        UnsupportedError: The package onnx is missing.
        DataFileError: The bytes are not a net with these inputs and six outputs.
    """
    model = OnnxModel(name, _free_batch_size(name, content), encoder.inputs, _OUTCOME_CLASSES)
    model.check()
    return NetEvaluator(name, encoder, model, to_cumulative)


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
