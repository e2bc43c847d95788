"""Pruning nets: small nets that name the promising plays, with moves, evaluation and choice in one loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.evaluation.pruning import Replies
from engine.kernels import as_kernel_array
from engine.rules.position import Board
from engine.runtime.thread_turns import release_turn
from nets.kernels.pruning import prune_plays
from nets.kernels.sparse import OneLayerWeights
from nets.kernels.tesauro196 import INPUTS
from nets.onnx_layers import Layer

_NO_NET: OneLayerWeights = (
    np.zeros((1, 1), np.float32),
    np.zeros(1, np.float32),
    np.zeros((1, 1), np.float32),
    np.zeros(1, np.float32),
)
NO_NETS = _NO_NET, _NO_NET
"""The weights for kernels that consider all legal plays."""


def read_net_weights(name: str, layers: Sequence[Layer] | None) -> OneLayerWeights:
    """Return the weights of a net with one hidden layer, in the form of the kernels.

    Args:
        name: The net's name in errors.
        layers: Its layers, None if they are not known.

    Raises:
        DataFileError: It is another kind of net.
    """
    shapes = [layer.weights.shape for layer in layers or ()]
    activations = [layer.activation for layer in layers or ()]
    is_known = len(shapes) == 2 and shapes[0][0] == INPUTS and shapes[1][1] == 5
    if not layers or not is_known or activations != ["Relu", "Sigmoid"]:
        raise DataFileError(
            f"net {name}: expected one hidden layer of ReLU on {INPUTS} inputs and five outputs, got weights "
            f"of the shapes {', '.join(map(str, shapes)) or '(unknown)'}",
            field="net",
        )
    first, second = layers
    return first.weights, first.biases, np.ascontiguousarray(second.weights.T), second.biases


class PruningNet:
    """Prunes plays with a contact and a race net on `tesauro196` inputs; a `PlayPruner`.

    Its equities are those of the bare nets: only finished positions are exact.

    Args:
        name: Its name in documents and replies.
        contact: Weights of the net for contact.
        race: Weights of the net for races.

    Attributes:
        weights: Those of the nets for contact and for races.
    """

    def __init__(self, name: str, contact: OneLayerWeights, race: OneLayerWeights) -> None:
        self.name = name
        self.weights = contact, race

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Return promising plays, as `engine.evaluation.pruning.PlayPruner.prune_plays`."""
        boards = as_kernel_array(boards, np.int8)
        dice = as_kernel_array(dice, np.int8)
        count, done = len(boards), 0
        rows = min(count * keep, 16 * count + 4096)
        children, moves = np.empty((rows, 2, 26), np.int8), np.empty((rows, 8), np.int8)
        equities, offsets = np.empty(rows, np.float32), np.zeros(count + 1, np.int64)
        while True:
            replies = children, moves, equities, offsets
            with release_turn():
                done = prune_plays(self.weights, keep, margin, boards, dice, done, replies)
            if done == count:
                break
            rows = 2 * rows + 4096
            children, moves = np.resize(children, (rows, 2, 26)), np.resize(moves, (rows, 8))
            equities = np.resize(equities, rows)
        used = int(offsets[-1])
        return Replies(children[:used], moves[:used], equities[:used], offsets)
