"""An evaluator of one net: encoder, ONNX file, outputs."""

from __future__ import annotations

import numpy as np

from engine.rules.outcome import Outcomes
from engine.rules.position import Board
from nets.encoders import Encoder
from nets.onnx_model import BATCH_ROWS, OnnxModel


class NetEvaluator:
    """A net alone, with the five cumulative probabilities as outputs; it knows no phases and no end of games.

    Args:
        name: What replies call it.
        encoder: What its inputs are.
        model: The net; its inputs are the encoder's, its outputs five.
    """

    plies = 0

    def __init__(self, name: str, encoder: Encoder, model: OnnxModel) -> None:
        self.name = name
        self.model = model
        self._encoder = encoder

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions by the net, as `Evaluator.evaluate`; nothing is sanitised."""
        outcomes = np.empty((len(boards), 5), np.float32)
        for start in range(0, len(boards), BATCH_ROWS):
            batch = slice(start, start + BATCH_ROWS)
            outcomes[batch] = self.model.run(self._encoder.encode(boards[batch]))
        return outcomes
