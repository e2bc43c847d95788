"""Gradient descent on squared errors, by Adam, of nets that become phase nets.

A net in training has one of several input encodings. Each becomes a `PhaseNet`, which plays: weights without
phases are repeated in the blocks of all phases, and those on counts are multiplied by the divisors of the
features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.rules.position import Board
from gammond.nets.heritage.phase_features.features import (
    FEATURES,
    INPUTS,
    compute_phase_features,
    encode_gated_inputs,
    get_divisors,
)
from gammond.nets.heritage.phase_features.kernels import PHASES, PhaseNetWeights
from gammond.nets.heritage.phase_features.net import PhaseNet


@dataclass(frozen=True)
class InputEncoding:
    """The encoding of a position.

    Attributes:
        is_gated: Whether each phase has inputs of its own.
        is_normalised: Whether features are divided by their largest values.
    """

    is_gated: bool = True
    is_normalised: bool = True

    @property
    def width(self) -> int:
        """The number of inputs."""
        return INPUTS if self.is_gated else FEATURES

    def encode(self, boards: Board) -> NDArray[np.float32]:
        """Encode positions after a play: ``float32[n, width]`` for ``int8[n, 2, 26]``, row 1 has played."""
        if self.is_gated:
            return encode_gated_inputs(boards, is_normalised=self.is_normalised)
        return compute_phase_features(boards, is_normalised=self.is_normalised)[0]

    def to_phase_net_layer(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first layer of the equivalent phase net.

        Args:
            weights: ``float32[width, h]``, the first layer of the net in training.

        Returns:
            ``float32[48, h]``.
        """
        every = weights if self.is_gated else np.tile(weights, (PHASES, 1))
        scale = np.ones(FEATURES) if self.is_normalised else get_divisors(True)
        layer: NDArray[np.float32] = every * np.tile(scale, PHASES).astype(np.float32)[:, None]
        return layer


GATED = InputEncoding()

INPUT_ENCODINGS: dict[str, InputEncoding] = {
    "gated": GATED,
    "plain": InputEncoding(is_gated=False),
    "counts": InputEncoding(is_normalised=False),
}
"""Encodings by name: that of the shipped net; without the phase; and gated, but not normalised."""


_DECAYS = (0.9, 0.999)
_TINY = 1e-8
_ENCODING_BATCH = 8192

_STATE = ("adam_mean", "adam_square", "adam_steps")
_OWN_FIRST = "inputs_w1"
"""The first layer on the net's own inputs, if the phase net's is derived from it."""


class PhaseNetTrainer:
    """A net in training.

    *Source:* D. Kingma, J. Ba, "Adam: a method for stochastic optimization" (2015), with its own defaults.

    Args:
        layers: The initial layers; they are copied.
        encoding: The input encoding; the first layer has as many rows.
        state: From `state_dict`, to resume; a fresh optimizer if None.

    Raises:
        DataFileError: The state belongs to another net.
    """

    def __init__(
        self,
        layers: PhaseNetWeights,
        encoding: InputEncoding = GATED,
        state: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self._encoding = encoding
        self._weights = np.concatenate([layer.ravel() for layer in layers])
        self._gradient = np.zeros_like(self._weights)
        self._layers = _split_like(self._weights, layers)
        self._slopes = _split_like(self._gradient, layers)
        self._mean = np.zeros_like(self._weights)
        self._square = np.zeros_like(self._weights)
        self._steps = 0
        if state is not None:
            self._restore(state)

    @classmethod
    def resume(
        cls, net: PhaseNet, encoding: InputEncoding, state: Mapping[str, NDArray[Any]]
    ) -> PhaseNetTrainer:
        """Resume from a net and what `state_dict` returned.

        Raises:
            DataFileError: The state belongs to another net, or to another encoding.
        """
        first = net.weights.w1 if encoding == GATED else state.get(_OWN_FIRST, np.empty(0))
        if (_OWN_FIRST in state) != (encoding != GATED) or first.shape != (encoding.width, net.hidden[0]):
            raise DataFileError(
                "expected the optimizer state of a net on these inputs, got another one", field="net"
            )
        return cls(net.weights._replace(w1=first.astype(np.float32)), encoding, state)

    @property
    def net(self) -> PhaseNet:
        """A copy of the present net."""
        layers = PhaseNetWeights(*(layer.copy() for layer in self._layers))
        return PhaseNet(layers._replace(w1=self._encoding.to_phase_net_layer(layers.w1)))

    def with_fresh_optimizer(self) -> PhaseNetTrainer:
        """Return a trainer of the same net with a fresh optimizer."""
        return PhaseNetTrainer(self._layers, self._encoding)

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return the state of the optimizer, to resume from beside the net."""
        own_first = {} if self._encoding == GATED else {_OWN_FIRST: self._layers[0].copy()}
        moments = (self._mean, self._square, np.array(self._steps))
        return {**dict(zip(_STATE, moments, strict=True)), **own_first}

    def train_epoch(
        self,
        boards: Board,
        targets: NDArray[np.float32],
        batch: int,
        rate: Callable[[float], float],
        generator: np.random.Generator,
    ) -> float:
        """Train on positions once, in random order.

        Args:
            boards: ``int8[n, 2, 26]``, at least one; row 1 has played.
            targets: ``float32[n]``, the targets of the net.
            batch: Positions of a step.
            rate: The learning rate as a function of the share of positions done.
            generator: Of the order.

        Returns:
            The mean squared error of each position before its step.
        """
        order, total = generator.permutation(len(boards)), 0.0
        at_once = max(1, _ENCODING_BATCH // batch) * batch
        for begin in range(0, len(order), at_once):
            rows = order[begin : begin + at_once]
            inputs, wanted = self._encoding.encode(boards[rows]), targets[rows]
            for start in range(0, len(rows), batch):
                part = slice(start, start + batch)
                total += self._train_batch(inputs[part], wanted[part], rate((begin + start) / len(order)))
        return total / len(order)

    def _train_batch(self, inputs: NDArray[np.float32], targets: NDArray[np.float32], rate: float) -> float:
        """Take one step; return the sum of squared errors before it."""
        w1, b1, w2, b2, w3, b3 = self._layers
        d1, e1, d2, e2, d3, e3 = self._slopes
        first = np.maximum(inputs @ w1 + b1, np.float32(0.0))
        second = np.maximum(first @ w2 + b2, np.float32(0.0))
        errors = second @ w3 + b3 - targets
        back = errors * np.float32(2.0 / len(targets))
        np.matmul(back, second, out=d3)
        e3[0] = back.sum()
        behind_second = np.outer(back, w3) * (second > 0)
        np.matmul(first.T, behind_second, out=d2)
        behind_second.sum(axis=0, out=e2)
        behind_first = (behind_second @ w2.T) * (first > 0)
        np.matmul(inputs.T, behind_first, out=d1)
        behind_first.sum(axis=0, out=e1)
        self._apply_adam(rate)
        return float(np.square(errors).sum())

    def _apply_adam(self, rate: float) -> None:
        self._steps += 1
        keep_mean, keep_square = (np.float32(decay) for decay in _DECAYS)
        self._mean *= keep_mean
        self._mean += (1 - keep_mean) * self._gradient
        self._square *= keep_square
        self._square += (1 - keep_square) * np.square(self._gradient)
        mean_share, square_share = (1 - decay**self._steps for decay in _DECAYS)
        spread = np.sqrt(self._square / np.float32(square_share)) + np.float32(_TINY)
        self._weights -= np.float32(rate / mean_share) * self._mean / spread

    def _restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        if missing := [name for name in _STATE if name not in state]:
            raise DataFileError(f"expected an optimizer state, missing {', '.join(missing)}", field="net")
        mean, square, steps = (state[name] for name in _STATE)
        if mean.shape != self._mean.shape or square.shape != self._mean.shape or steps.shape != ():
            raise DataFileError("expected an optimizer state of this net, got another one", field="net")
        self._mean, self._square = mean.astype(np.float32), square.astype(np.float32)
        self._steps = int(steps)


def _split_like(flat: NDArray[np.float32], layers: PhaseNetWeights) -> PhaseNetWeights:
    """Return views of a flat array in the shapes of layers."""
    parts = np.split(flat, np.cumsum([layer.size for layer in layers])[:-1])
    return PhaseNetWeights(*(part.reshape(layer.shape) for part, layer in zip(parts, layers, strict=True)))
