"""Backpropagation: a softmax over the plays of each roll, with the expert's play as the target."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import cos, pi

import numpy as np
from numpy.typing import NDArray

from gammond.engine.formats.array_file import Arrays, read_array, read_count
from gammond.nets.heritage.gengammon.kernels import INPUTS, PADDED_UNITS
from gammond.nets.heritage.gengammon.net import ACTIVATIONS, HIDDEN_UNITS, GengammonNet
from gammond.tools.common.journal import Record
from gammond.tools.heritage.gengammon.agreement import count_moves
from gammond.tools.heritage.gengammon.kernels import mimic as kernel
from gammond.tools.heritage.gengammon.kernels.mimic import PackedMoves
from gammond.tools.heritage.gengammon.learners import MimicLearner

_MOMENTUM = 0.9
_SQUARE_DECAY = 0.999
_GRADIENT_PARTS = 4
"""Parts of a step that are summed, however many the threads, so that the result does not depend on them."""

_INITIAL_SPREAD = 0.3
"""Standard deviation of the initial weights; the input of a hidden unit is then of the order of 1."""


class BackpropLearner(MimicLearner):
    """Epochs of backpropagation, by Adam, at a learning rate that falls to 0 as a half cosine.

    *Source:* D. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2015.
    """

    unit = "epoch"

    def begin(self) -> None:
        """Draw the first weights, as `MimicLearner.begin`."""
        seed = [self._settings.seed, 0]
        first = np.random.default_rng(seed).normal(0.0, _INITIAL_SPREAD, (INPUTS, HIDDEN_UNITS))
        self._epoch = 0
        self._weights = np.zeros((INPUTS, PADDED_UNITS), np.float32)
        self._weights[:, :HIDDEN_UNITS] = first
        self._mean = np.zeros_like(self._weights)
        self._square = np.zeros_like(self._weights)
        self._take_net()

    def _take_net(self) -> None:
        weights = np.ascontiguousarray(self._weights[:, :HIDDEN_UNITS].T)
        self.net = GengammonNet(weights, self._settings.activation)

    @property
    def steps_done(self) -> int:
        """Epochs done."""
        return self._epoch

    def learn(self) -> Record:
        """Train on all moves once, as `MimicLearner.learn`."""
        loss = self.train_epoch(self.learned, self._threads)
        agreement, moves = self.measure_agreement(self.learned), count_moves(self.learned)
        return {
            "loss": loss, "fitness": agreement.fitness, "first": agreement.ranked_first, "ranked": moves
        }  # fmt: skip

    def state_dict(self) -> Arrays:
        """Return weights and moments, three times ``float32[52, PADDED_UNITS]``, as `Learner.state_dict`."""
        moments = {"weights": self._weights, "mean": self._mean, "square": self._square}
        return {**moments, "epoch": np.array(self._epoch)}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Restore weights and moments, as `Learner.load_state_dict`."""
        self._epoch = read_count(arrays, "epoch")
        self._weights, self._mean, self._square = (
            read_array(arrays, name, self._weights.shape) for name in ("weights", "mean", "square")
        )
        self._take_net()

    def train_epoch(self, packed: PackedMoves, threads: int) -> float:
        """Train on all expert moves once, in random order.

        Returns:
            The mean cross entropy of the steps, in nats.
        """
        count, size = count_moves(packed), self._settings.batch
        order = np.random.default_rng([self._settings.seed, 1, self._epoch]).permutation(count)
        steps = -(-count // size)
        loss = 0.0
        with ThreadPoolExecutor(threads) as pool:
            for step in range(steps):
                share = (self._epoch + step / steps) / self._settings.epochs
                rate = 0.5 * self._settings.rate * (1.0 + cos(pi * share))
                gradient, each = self._compute_gradient(packed, order[step * size : (step + 1) * size], pool)
                self._apply_adam(gradient, rate, self._epoch * steps + step + 1)
                loss += each
        self._epoch += 1
        self._take_net()
        return loss / count

    def _compute_gradient(
        self, packed: PackedMoves, moves: NDArray[np.int64], pool: ThreadPoolExecutor
    ) -> tuple[NDArray[np.float32], float]:
        """Return the mean gradient of some moves, and the sum of their cross entropies."""
        gradients = np.zeros((_GRADIENT_PARTS, INPUTS, PADDED_UNITS), np.float32)

        def add(part: int) -> float:
            share = np.ascontiguousarray(moves[part::_GRADIENT_PARTS])
            activation, sharpness = ACTIVATIONS[self._settings.activation], self._settings.sharpness
            return kernel.add_gradient(packed, share, self._weights, activation, sharpness, gradients[part])

        loss = sum(pool.map(add, range(_GRADIENT_PARTS)))
        gradient = gradients.sum(axis=0) / np.float32(len(moves))
        gradient[:, HIDDEN_UNITS:] = 0.0
        return gradient, loss

    def _apply_adam(self, gradient: NDArray[np.float32], rate: float, number: int) -> None:
        self._mean = np.float32(_MOMENTUM) * self._mean + np.float32(1 - _MOMENTUM) * gradient
        self._square = np.float32(_SQUARE_DECAY) * self._square + np.float32(1 - _SQUARE_DECAY) * gradient**2
        mean = self._mean / np.float32(1 - _MOMENTUM**number)
        square = self._square / np.float32(1 - _SQUARE_DECAY**number)
        self._weights = self._weights - np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
