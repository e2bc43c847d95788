"""The nets of a player in self-play: a contact net and a race net, each with one hidden layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board
from gammond.nets.encoders import encode_tesauro196
from gammond.nets.router import Router
from gammond.tools.train.weights.layers import ENCODER, INITIAL_OUTPUT_BIASES, OUTPUTS, LayeredNet

INPUTS = 196

_ARRAYS = ("w1", "b1", "w2", "b2")


def make_untrained_td_net(hidden: int, generator: np.random.Generator) -> LayeredNet:
    """Make a net with random weights, about thirty inputs being active at a time."""
    return _make_net(
        generator.normal(0.0, np.sqrt(1.0 / 30.0), (INPUTS, hidden)).astype(np.float32),
        np.zeros(hidden, np.float32),
        generator.normal(0.0, np.sqrt(1.0 / hidden), (OUTPUTS, hidden)).astype(np.float32),
        INITIAL_OUTPUT_BIASES.copy(),
    )


def _make_net(
    w1: NDArray[np.float32], b1: NDArray[np.float32], w2: NDArray[np.float32], b2: NDArray[np.float32]
) -> LayeredNet:
    """Make a net of the arrays that the training kernel changes; it shares their memory."""
    return LayeredNet(ENCODER, ((w1, b1), (w2.T, b2)))


@dataclass(frozen=True)
class _NetEvaluator:
    """A net alone as an evaluator; it knows no phases and no end of games."""

    name: str
    net: LayeredNet

    @property
    def plies(self) -> int:
        """No look-ahead."""
        return 0

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions; see `gammond.engine.evaluation.evaluator.Evaluator`."""
        return self.net.forward(encode_tesauro196(boards))


@dataclass(frozen=True)
class TdNets:
    """A player in training, and an evaluator of itself.

    Attributes:
        name: What measurements call it.
        contact: The net for positions with contact.
        race: The net for races.
    """

    name: str
    contact: LayeredNet
    race: LayeredNet

    @property
    def plies(self) -> int:
        """No look-ahead."""
        return 0

    def copy(self) -> TdNets:
        """Return independent nets of the same weights."""
        return TdNets(self.name, self.contact.copy(), self.race.copy())

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions; see `gammond.engine.evaluation.evaluator.Evaluator`."""
        contact = _NetEvaluator(f"{self.name}-contact", self.contact)
        return Router(self.name, contact, _NetEvaluator(f"{self.name}-race", self.race)).evaluate(boards)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all weights as named arrays for a file."""
        return {
            f"{phase}_{name}": array
            for phase, net in (("contact", self.contact), ("race", self.race))
            for name, array in zip(_ARRAYS, net.one_layer_weights, strict=True)
        }


def td_nets_from_arrays(
    name: str, arrays: Mapping[str, NDArray[Any]]
) -> tuple[TdNets, dict[str, NDArray[Any]]]:
    """Make nets of the arrays of a checkpoint.

    Args:
        name: Of the nets.
        arrays: All that the checkpoint holds.

    Returns:
        The nets, and the other arrays.

    Raises:
        DataFileError: The arrays are not those of `TdNets.to_arrays`.
    """
    others = dict(arrays)
    try:
        parts = [[others.pop(f"{phase}_{array}") for array in _ARRAYS] for phase in ("contact", "race")]
    except KeyError as error:
        raise DataFileError(f"expected a checkpoint of `gammond train td`, missing {error}") from error
    for weights in parts:
        hidden = weights[0].shape[-1:]
        shapes = [array.shape for array in weights]
        if shapes != [(INPUTS, *hidden), hidden, (OUTPUTS, *hidden), (OUTPUTS,)]:
            raise DataFileError(
                f"expected weights of a net on {INPUTS} inputs with one hidden layer, got shapes {shapes}"
            )
        if any(array.dtype != np.float32 for array in weights):
            raise DataFileError("expected float32 weights")
    contact, race = (_make_net(*weights) for weights in parts)
    return TdNets(name, contact, race), others
