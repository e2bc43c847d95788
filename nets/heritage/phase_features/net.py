"""A net with one output on the gated phase features, which scores plays.

*Source:* as `features`, section "Neural Network for Board Evaluation": 48 inputs, two hidden
layers of 64 ReLU units, one linear output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.nets.heritage.phase_features import kernels as kernel_features
from gammond.nets.heritage.phase_features.features import (
    FEATURE_MAXIMA,
    INPUTS,
    encode_gated_inputs,
    list_phase_features,
)
from gammond.nets.heritage.phase_features.kernels import PhaseNetWeights
from gammond.nets.onnx_layers import read_weights
from gammond.nets.onnx_model import OnnxModel

HIDDEN = (64, 64)

ACTIVATION = "relu"
"""Activation of the hidden units, as in the manifest."""

WEIGHT_NAMES = PhaseNetWeights._fields
"""Names of the weights in files."""


@dataclass(frozen=True, eq=False)
class PhaseNet:
    """The net as its weights; an `gammond.engine.evaluation.evaluator.Scorer`.

    Attributes:
        weights: As `PhaseNetWeights`.

    Raises:
        DataFileError: The shapes do not fit together, or a weight is not a finite float32.
    """

    weights: PhaseNetWeights

    def __post_init__(self) -> None:
        first, second = (len(bias) if bias.ndim == 1 else 0 for bias in (self.weights.b1, self.weights.b2))
        shapes = tuple(array.shape for array in self.weights)
        if not first * second or shapes != _layer_shapes((first, second)):
            raise DataFileError(
                f"expected weights of {INPUTS} inputs, two hidden layers and 1 output, got the shapes "
                f"{list(shapes)}",
                field="net",
            )
        if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in self.weights):
            raise DataFileError("expected finite float32 weights of a phase net", field="net")

    @classmethod
    def untrained(cls, generator: np.random.Generator, hidden: tuple[int, int] = HIDDEN) -> PhaseNet:
        """Make random weights: uniform within 1 / sqrt(inputs of the layer), like torch."""
        return cls(draw_weights(generator, INPUTS, hidden))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PhaseNet:
        """Make the net from the result of `to_arrays`, which may have other arrays too.

        Raises:
            DataFileError: An array is missing or faulty.
        """
        if missing := [name for name in WEIGHT_NAMES if name not in arrays]:
            raise DataFileError(
                f"expected the weights of a phase net, {' and '.join(missing)} missing", field="net"
            )
        return cls(PhaseNetWeights(*(np.ascontiguousarray(arrays[name]) for name in WEIGHT_NAMES)))

    @property
    def hidden(self) -> tuple[int, int]:
        """Sizes of the hidden layers."""
        return len(self.weights.b1), len(self.weights.b2)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all weights by name, for a file."""
        return self.weights._asdict()

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `Scorer.score_boards`; about 0 to 1."""
        scores = np.empty(len(boards), np.float32)
        kernel_features.score_with_net(as_kernel_array(boards, np.int8), FEATURE_MAXIMA, self.weights, scores)
        return scores

    def list_features(self, board: Board) -> dict[str, float | str]:
        """List the features, as `gammond.engine.evaluation.evaluator.FeatureScorer.list_features`."""
        return list_phase_features(board)


def draw_weights(generator: np.random.Generator, inputs: int, hidden: tuple[int, int]) -> PhaseNetWeights:
    """Draw random weights, as in `PhaseNet.untrained`.

    Args:
        generator: Draws the weights.
        inputs: The number of inputs.
        hidden: Sizes of the hidden layers.
    """
    sizes = zip(np.repeat((inputs, *hidden), 2), _layer_shapes(hidden, inputs), strict=True)
    return PhaseNetWeights(
        *(
            generator.uniform(-1.0 / np.sqrt(ins), 1.0 / np.sqrt(ins), shape).astype(np.float32)
            for ins, shape in sizes
        )
    )


def parse_phase_onnx(name: str, content: bytes, activation: str) -> PhaseNet:
    """Read a net from the bytes of its ONNX file, and check that it computes the same.

    Args:
        name: Its name in errors.
        content: The file, whose tensors are called as the attributes of `PhaseNet`.
        activation: `ACTIVATION`.

    Raises:
        DataFileError: It is another kind of net, or has another activation.
    """
    if activation != ACTIVATION:
        raise DataFileError(
            f"net {name}: expected the activation {ACTIVATION}, got {activation}", field="net"
        )
    model = OnnxModel(name, content, INPUTS, 1)
    model.check()
    try:
        net = PhaseNet(PhaseNetWeights(*read_weights(name, content, WEIGHT_NAMES)))
    except DataFileError as error:
        raise DataFileError(f"net {name}: {error.message}", field="net") from error
    start = STANDARD_RULES.starting_position.board[None]
    expected, found = net.score_boards(start)[0], model.run(encode_gated_inputs(start))[0, 0]
    if not np.isclose(found, expected, rtol=1e-4, atol=1e-4):
        raise DataFileError(f"expected {expected:g} of net {name}, got {found:g}", field="net")
    return net


def _layer_shapes(hidden: tuple[int, int], inputs: int = INPUTS) -> tuple[tuple[int, ...], ...]:
    first, second = hidden
    return (inputs, first), (first,), (first, second), (second,), (second,), (1,)
