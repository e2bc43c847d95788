"""An evaluator of one net by the runtime: encoder, ONNX file, outputs."""

from __future__ import annotations

import numpy as np

from engine.rules.outcome import Outcomes
from engine.rules.position import Board
from nets.encoders import Encoder
from nets.onnx_model import BATCH_ROWS, OnnxModel


class NetEvaluator:
    """A net with the five cumulative probabilities as outputs, for positions of any phase but finished ones.

    Args:
        name: Its name in replies.
        encoder: Makes its inputs.
        model: The net, with the encoder's inputs and five outputs.
    """

    plies = 0
    layers = None
    """The runtime alone knows them."""

    def __init__(self, name: str, encoder: Encoder, model: OnnxModel) -> None:
        self.name = name
        self.model = model
        self._encoder = encoder

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `Evaluator.evaluate`; the outputs are not sanitised."""
        outcomes = np.empty((len(boards), 5), np.float32)
        for start in range(0, len(boards), BATCH_ROWS):
            batch = slice(start, start + BATCH_ROWS)
            outcomes[batch] = self.model.run(self._encoder.encode(boards[batch]))
        return outcomes
