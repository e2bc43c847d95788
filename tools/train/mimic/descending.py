"""The same net by backpropagation: a softmax over the plays of each roll, and the expert's as the target."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import cos, pi

import numpy as np
from numpy.typing import NDArray

from nets.gengammon import ACTIVATIONS, UNITS, GengammonNet
from nets.kernels.gengammon import INPUTS, LANES
from tools.train.kernels import mimic as kernel
from tools.train.kernels.mimic import Packed
from tools.train.mimic.packing import count_of
from tools.train.mimic.settings import MimicSettings

_MOMENTUM = 0.9
_SQUARES = 0.999
_SHARES = 4
"""Parts of a step that are added up, whatever the threads: so the result does not depend on them."""

_SPREAD = 0.3
"""Of the first weights: what comes into a unit is some units large then."""


class Descender:
    """A net that learns by Adam, at a rate that falls to nothing by half a cosine.

    *Source:* D. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2015.

    Args:
        settings: How.
    """

    def __init__(self, settings: MimicSettings) -> None:
        self.epoch = 0
        self._settings = settings
        first = np.random.default_rng([settings.seed, 0]).normal(0.0, _SPREAD, (INPUTS, UNITS))
        self._weights = np.zeros((INPUTS, LANES), np.float32)
        self._weights[:, :UNITS] = first
        self._mean = np.zeros_like(self._weights)
        self._square = np.zeros_like(self._weights)

    @property
    def net(self) -> GengammonNet:
        """The net as it is."""
        return GengammonNet(np.ascontiguousarray(self._weights[:, :UNITS].T), self._settings.activation)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """The state from which it goes on, beside `epoch`: three times ``float32[52, LANES]``."""
        return {"weights": self._weights, "mean": self._mean, "square": self._square}

    def go_on_from(self, epoch: int, arrays: dict[str, NDArray[np.float32]]) -> None:
        """Take back what `arrays` gave."""
        self.epoch = epoch
        self._weights, self._mean, self._square = (
            np.ascontiguousarray(arrays[name]) for name in ("weights", "mean", "square")
        )

    def learn(self, packed: Packed, threads: int) -> float:
        """Go through all expert moves once, in random order.

        Returns:
            The mean cross entropy of the steps, in nats.
        """
        count, size = count_of(packed), self._settings.batch
        order = np.random.default_rng([self._settings.seed, 1, self.epoch]).permutation(count)
        steps = -(-count // size)
        loss = 0.0
        with ThreadPoolExecutor(threads) as pool:
            for step in range(steps):
                share = (self.epoch + step / steps) / self._settings.epochs
                rate = 0.5 * self._settings.rate * (1.0 + cos(pi * share))
                gradient, each = self._gradient(packed, order[step * size : (step + 1) * size], pool)
                self._step(gradient, rate, self.epoch * steps + step + 1)
                loss += each
        self.epoch += 1
        return loss / count

    def _gradient(
        self, packed: Packed, moves: NDArray[np.int64], pool: ThreadPoolExecutor
    ) -> tuple[NDArray[np.float32], float]:
        """The mean gradient of some moves, and the sum of their cross entropies."""
        gradients = np.zeros((_SHARES, INPUTS, LANES), np.float32)

        def add(part: int) -> float:
            share = np.ascontiguousarray(moves[part::_SHARES])
            activation, sharpness = ACTIVATIONS[self._settings.activation], self._settings.sharpness
            return kernel.add_gradient(packed, share, self._weights, activation, sharpness, gradients[part])

        loss = sum(pool.map(add, range(_SHARES)))
        gradient = gradients.sum(axis=0) / np.float32(len(moves))
        gradient[:, UNITS:] = 0.0
        return gradient, loss

    def _step(self, gradient: NDArray[np.float32], rate: float, number: int) -> None:
        self._mean = np.float32(_MOMENTUM) * self._mean + np.float32(1 - _MOMENTUM) * gradient
        self._square = np.float32(_SQUARES) * self._square + np.float32(1 - _SQUARES) * gradient**2
        mean = self._mean / np.float32(1 - _MOMENTUM**number)
        square = self._square / np.float32(1 - _SQUARES**number)
        self._weights = self._weights - np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
