"""Nets of any depth: ReLU hidden layers, five sigmoid outputs, the cumulative outcome."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.engine.kernels.nets import patterns as kernel_patterns
from gammond.engine.kernels.nets.sparse import OneLayerWeights
from gammond.engine.rules.outcome import Outcomes
from gammond.nets.encoders import Inputs, get_encoder
from gammond.nets.onnx_layers import AddedRows
from gammond.tools.train.weights.random_positions import sample_random_positions

ENCODER = "tesauro196"
OUTPUTS = 5

INITIAL_OUTPUT_BIASES = np.array([0.0, -1.2, -5.0, -1.2, -5.0], np.float32)
"""Output biases of an untrained net: the logits of even chances, a quarter gammons, hardly a backgammon."""

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weights ``float32[ins, outs]`` and biases ``float32[outs]``."""

_CHECKED_POSITIONS = 64


@dataclass(frozen=True, eq=False)
class LayeredNet:
    """A net as its weights.

    Attributes:
        encoder_id: What its inputs are; see `gammond.nets.encoders`.
        layers: From the inputs to the outputs, at least one hidden layer. The first has as many rows of
            weights as the encoder has.

    Raises:
        DataFileError: The encoder does not exist, or the shapes do not fit it or each other.
    """

    encoder_id: str
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        sizes = [get_encoder(self.encoder_id).rows, *(len(bias) for _, bias in self.layers)]
        shapes = [weights.shape for weights, _ in self.layers]
        expected = list(pairwise(sizes))
        if len(self.layers) < 2 or sizes[-1] != OUTPUTS or shapes != expected:
            raise DataFileError(
                f"expected layers from the {sizes[0]} rows of {self.encoder_id} to {OUTPUTS} outputs, "
                f"got weights of shapes {shapes} and biases of {sizes[1:]}",
                field="net",
            )
        if any(array.dtype != np.float32 for layer in self.layers for array in layer):
            raise DataFileError("expected float32 weights", field="net")

    @classmethod
    def make_untrained(
        cls, encoder_id: str, hidden: Sequence[int], generator: np.random.Generator
    ) -> LayeredNet:
        """Make random weights; about thirty inputs are active at a time.

        Raises:
            DataFileError: The encoder does not exist.
            ValueRangeError: There is no hidden layer, or one without units.
        """
        sizes = [get_encoder(encoder_id).rows, *_check_hidden(hidden), OUTPUTS]
        spreads = [30.0, *(size / 2 for size in sizes[1:-2]), float(sizes[-2])]
        layers = [
            (_random_weights(generator, ins, outs, spread), np.zeros(outs, np.float32))
            for ins, outs, spread in zip(sizes, sizes[1:], spreads, strict=False)
        ]
        layers[-1] = (layers[-1][0], INITIAL_OUTPUT_BIASES.copy())
        return cls(encoder_id, tuple(layers))

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return get_encoder(self.encoder_id).inputs

    @property
    def hidden(self) -> tuple[int, ...]:
        """Sizes of the hidden layers."""
        return tuple(len(bias) for _, bias in self.layers[:-1])

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, different for nets of different weights."""
        content = hashlib.sha256(self.encoder_id.encode())
        for layer in self.layers:
            for array in layer:
                content.update(np.ascontiguousarray(array).tobytes())
        return content.hexdigest()[:16]

    @property
    def one_layer_weights(self) -> OneLayerWeights:
        """The weights of a net with one hidden layer as kernels take them; they share the net's memory.

        The last layer is ``float32[5, h]``, contiguous where the net was made for training by kernels.
        """
        (w1, b1), (w2, b2) = self.layers
        return w1, b1, w2.T, b2

    def copy(self, *, is_contiguous: bool = False) -> LayeredNet:
        """Return independent weights of the same values, in the same memory layout or C-contiguous."""
        order: Literal["C", "K"] = "C" if is_contiguous else "K"
        layers = ((weights.copy(order), bias.copy()) for weights, bias in self.layers)
        return LayeredNet(self.encoder_id, tuple(layers))

    def add_changes(self, before: LayeredNet, after: LayeredNet) -> None:
        """Add the difference of two nets to this one, in place."""
        for own_layer, old_layer, new_layer in zip(self.layers, before.layers, after.layers, strict=True):
            for own, old, new in zip(own_layer, old_layer, new_layer, strict=True):
                own += new - old

    def forward(self, inputs: Inputs) -> Outcomes:
        """Run the net.

        Args:
            inputs: ``float32[n, inputs]``.

        Returns:
            ``float32[n, 5]``.
        """
        weights, bias = self.layers[-1]
        return sigmoid(self.run_hidden(inputs)[-1] @ weights + bias)

    def run_hidden(self, inputs: Inputs) -> list[NDArray[np.float32]]:
        """Run the hidden layers.

        Args:
            inputs: ``float32[n, inputs]``.

        Returns:
            Of each hidden layer the values of its units, ``float32[n, units]``.
        """
        values, (rows, bias) = get_encoder(self.encoder_id).values, self.layers[0]
        sums = inputs[:, :values] @ rows[:values] + bias
        for numbers in inputs[:, values:].T.astype(np.int64):
            sums += rows[values + numbers]
        units = [np.maximum(sums, np.float32(0.0))]
        for weights, bias in self.layers[1:-1]:
            units.append(np.maximum(units[-1] @ weights + bias, np.float32(0.0)))
        return units

    def has_patterns_of(self, other: LayeredNet) -> bool:
        """Return whether the rows of patterns are those of another net, which have as many units."""
        if self.encoder_id != other.encoder_id:
            return False
        values = get_encoder(self.encoder_id).values
        return np.array_equal(self.layers[0][0][values:], other.layers[0][0][values:])

    def quantize_patterns(self) -> tuple[AddedRows, NDArray[np.float32]]:
        """Round the rows of patterns to 8 bits, with a scale for each unit, as files have them.

        The rows of patterns without checkers, the first of each pattern, go into the biases before.

        Returns:
            The rows, and the biases of the layer, ``float32[units]``.
        """
        rows, biases = self.layers[0]
        patterns = rows[get_encoder(self.encoder_id).values :]
        empty = patterns[kernel_patterns.EMPTY_ROWS]
        patterns = patterns - np.repeat(empty, kernel_patterns.ROWS_OF_PATTERN, axis=0)
        scales = np.abs(patterns).max(axis=0) / np.float32(127.0)
        numbers = np.rint(patterns / np.where(scales > 0, scales, np.float32(1.0))).astype(np.int8)
        return AddedRows(numbers, scales), biases + empty.sum(axis=0)

    def round_patterns(self) -> LayeredNet:
        """Return the net as its file has it: the rows of patterns rounded, those without checkers 0."""
        encoder = get_encoder(self.encoder_id)
        if not encoder.patterns:
            return self
        (numbers, scales), biases = self.quantize_patterns()
        rows = np.concatenate([self.layers[0][0][: encoder.values], numbers.astype(np.float32) * scales])
        return LayeredNet(self.encoder_id, ((rows, biases), *self.layers[1:]))

    def with_encoder(self, encoder_id: str) -> LayeredNet:
        """Read other inputs of which the first are the present ones; the further ones count nothing yet.

        Raises:
            DataFileError: The encoder does not exist.
            UnsupportedError: The encoder does not begin with the present inputs.
        """
        if encoder_id == self.encoder_id:
            return self
        boards = sample_random_positions(_CHECKED_POSITIONS, seed=1)
        own, other = get_encoder(self.encoder_id), get_encoder(encoder_id)
        alike = np.array_equal(own.encode(boards), other.encode(boards)[:, : own.inputs])
        if own.patterns or other.values < own.values or not alike:
            raise UnsupportedError(
                f"expected an encoder that begins with the inputs of {self.encoder_id}, got {encoder_id}",
                field="encoder",
            )
        weights, bias = self.layers[0]
        more = np.zeros((other.rows - own.rows, len(bias)), np.float32)
        return LayeredNet(encoder_id, ((np.concatenate([weights, more]), bias), *self.layers[1:]))

    def widen(self, hidden: Sequence[int], generator: np.random.Generator) -> LayeredNet:
        """Add hidden units that see everything and count nothing yet; the outputs stay as they are.

        Args:
            hidden: Sizes of the hidden layers, each at least the present one.
            generator: Of the weights by which new units see.

        Raises:
            ValueRangeError: A layer would shrink, or their number change.
        """
        if len(hidden) != len(self.hidden) or any(
            new < old for new, old in zip(hidden, self.hidden, strict=True)
        ):
            raise ValueRangeError(
                f"expected hidden layers at least as wide as {_format_hidden(self.hidden)}, "
                f"got {_format_hidden(hidden)}",
                field="hidden",
            )
        encoder = get_encoder(self.encoder_id)
        sizes = [encoder.rows, *hidden, OUTPUTS]
        layers = []
        for i, (weights, bias) in enumerate(self.layers):
            ins, outs = sizes[i], sizes[i + 1]
            more = outs - len(bias)
            wide = np.zeros((ins, outs), np.float32)
            wide[: len(weights), : len(bias)] = weights
            seen = ins if i else encoder.values  # patterns count nothing yet for new units
            wide[:seen, len(bias) :] = _random_weights(generator, seen, more, ins / 2 if i else 30.0)
            layers.append((wide, np.concatenate([bias, np.zeros(more, np.float32)])))
        return LayeredNet(self.encoder_id, tuple(layers))

    def deepen(self) -> LayeredNet:
        """Add a last hidden layer that passes on what comes in; the outputs stay as they are."""
        size = self.hidden[-1]
        passing = (np.eye(size, dtype=np.float32), np.zeros(size, np.float32))
        return LayeredNet(self.encoder_id, (*self.layers[:-1], passing, self.layers[-1]))

    def expand(self, encoder_id: str, hidden: Sequence[int], generator: np.random.Generator) -> LayeredNet:
        """Give the net other inputs, more layers and more units, while its outputs stay as they are.

        Args:
            encoder_id: As `with_encoder` takes it.
            hidden: Sizes of the hidden layers: each at least the present one, further ones at least the
                present last one.
            generator: Of the weights by which new units see.

        Raises:
            DataFileError: The encoder does not exist.
            UnsupportedError: The encoder does not begin with the present inputs.
            ValueRangeError: A layer would shrink, or there would be fewer.
        """
        net = self.with_encoder(encoder_id)
        while len(net.hidden) < len(hidden):
            net = net.deepen()
        return net.widen(hidden, generator)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the net as named arrays for a file."""
        arrays: dict[str, NDArray[Any]] = {f"{prefix}_encoder": np.array(self.encoder_id)}
        for i, (weights, bias) in enumerate(self.layers):
            arrays[f"{prefix}_w{i}"], arrays[f"{prefix}_b{i}"] = weights, bias
        return arrays

    @classmethod
    def from_arrays(cls, prefix: str, arrays: Mapping[str, NDArray[Any]]) -> LayeredNet:
        """Make a net of what `to_arrays` returned.

        Raises:
            DataFileError: An array is missing, or they make no net.
        """
        count = sum(name.startswith(f"{prefix}_w") for name in arrays)
        try:
            layers = tuple((arrays[f"{prefix}_w{i}"], arrays[f"{prefix}_b{i}"]) for i in range(count))
            encoder_id = str(arrays[f"{prefix}_encoder"])
        except KeyError as error:
            raise DataFileError(f"expected an array {error.args[0]}, got none", field="net") from error
        if any(weights.ndim != 2 or bias.ndim != 1 for weights, bias in layers):
            raise DataFileError("expected weights of two dimensions and biases of one", field="net")
        return cls(encoder_id, layers)


def sigmoid(logits: NDArray[np.float32]) -> Outcomes:
    """Compute 1 / (1 + exp(-x)) of each number; 0 where exp overflows.

    Args:
        logits: ``float32[n, 5]``.

    Returns:
        ``float32[n, 5]``.
    """
    with np.errstate(over="ignore"):
        outcomes: Outcomes = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
    return outcomes


def _random_weights(
    generator: np.random.Generator, ins: int, outs: int, active_inputs: float
) -> NDArray[np.float32]:
    """Draw weights for inputs of which a number are active at a time."""
    return generator.normal(0.0, np.sqrt(1.0 / active_inputs), (ins, outs)).astype(np.float32)


def _check_hidden(hidden: Sequence[int]) -> Sequence[int]:
    if not hidden or min(hidden) < 1:
        raise ValueRangeError(
            f"expected one hidden layer or more, of 1 unit or more, got {_format_hidden(hidden) or 'none'}",
            field="hidden",
        )
    return hidden


def _format_hidden(hidden: Sequence[int]) -> str:
    return ",".join(map(str, hidden))
