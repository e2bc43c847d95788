"""The weights of a player in training: a contact net and a race net, each with one hidden layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.rules.outcome import Outcomes
from engine.rules.position import Board
from nets.encoders import encode_tesauro196
from nets.router import Router
from tools.files import read_arrays, write_arrays

ENCODER = "tesauro196"
INPUTS = 196
OUTPUTS = 5

INITIAL_OUTPUT_BIASES = np.array([0.0, -1.2, -5.0, -1.2, -5.0], np.float32)
"""Output biases of an untrained net: the logits of even chances, a quarter gammons, hardly a backgammon."""

TdNetWeights = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""The arrays of a net in order: ``w1``, ``b1``, ``w2``, ``b2``."""


@dataclass(frozen=True)
class TdNet:
    """One net: ReLU hidden units, sigmoid outputs, the cumulative outcome.

    Attributes:
        w1: ``float32[196, h]``.
        b1: ``float32[h]``.
        w2: ``float32[5, h]``.
        b2: ``float32[5]``.
    """

    w1: NDArray[np.float32]
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]
    b2: NDArray[np.float32]

    @classmethod
    def make_untrained(cls, hidden: int, generator: np.random.Generator) -> TdNet:
        """Make random weights, about thirty inputs being active at a time."""
        return cls(
            generator.normal(0.0, np.sqrt(1.0 / 30.0), (INPUTS, hidden)).astype(np.float32),
            np.zeros(hidden, np.float32),
            generator.normal(0.0, np.sqrt(1.0 / hidden), (OUTPUTS, hidden)).astype(np.float32),
            INITIAL_OUTPUT_BIASES.copy(),
        )

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return len(self.b1)

    @property
    def weights(self) -> TdNetWeights:
        """All weights, in the order that the training kernel takes them."""
        return (self.w1, self.b1, self.w2, self.b2)

    def copy(self) -> TdNet:
        """Return independent weights of the same values."""
        return TdNet(*(array.copy() for array in self.weights))

    def add_changes(self, before: TdNet, after: TdNet) -> None:
        """Add the difference of two nets to this one, in place."""
        for own, old, new in zip(self.weights, before.weights, after.weights, strict=True):
            own += new - old

    def forward(self, inputs: NDArray[np.float32]) -> Outcomes:
        """Run the net.

        Args:
            inputs: ``float32[n, 196]``.

        Returns:
            ``float32[n, 5]``.
        """
        hidden = np.maximum(inputs @ self.w1 + self.b1, np.float32(0.0))
        return sigmoid(hidden @ self.w2.T + self.b2)


def sigmoid(logits: NDArray[np.float32]) -> Outcomes:
    """1 / (1 + exp(-x)) of each of many numbers; 0 where exp grows beyond all numbers.

    Args:
        logits: ``float32[n, 5]``.

    Returns:
        ``float32[n, 5]``.
    """
    with np.errstate(over="ignore"):
        outcomes: Outcomes = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
    return outcomes


@dataclass(frozen=True)
class TdNetEvaluator:
    """A network alone as an evaluator; it knows no phases and no end of games.

    Attributes:
        name: What measurements call it.
        net: The weights.
    """

    name: str
    net: TdNet

    @property
    def plies(self) -> int:
        """No look-ahead."""
        return 0

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions; see `engine.evaluation.evaluator.Evaluator`."""
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
    contact: TdNet
    race: TdNet

    @property
    def plies(self) -> int:
        """No look-ahead."""
        return 0

    def copy(self) -> TdNets:
        """Return an independent trainee of the same weights."""
        return TdNets(self.name, self.contact.copy(), self.race.copy())

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions; see `engine.evaluation.evaluator.Evaluator`."""
        contact = TdNetEvaluator(f"{self.name}-contact", self.contact)
        return Router(self.name, contact, TdNetEvaluator(f"{self.name}-race", self.race)).evaluate(boards)

    def save(self, path: Path, **extra: NDArray[Any]) -> None:
        """Write all weights and other arrays of a checkpoint to an ``.npz`` file, whole or not at all.

        Raises:
            DataFileError: It cannot be written.
        """
        write_arrays(path, {**extra, **self.to_arrays()})

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all weights as named arrays for a file."""
        return {
            f"{phase}_{name}": array
            for phase, net in (("contact", self.contact), ("race", self.race))
            for name, array in zip(("w1", "b1", "w2", "b2"), net.weights, strict=True)
        }


def load_td_nets(path: Path) -> tuple[TdNets, dict[str, NDArray[Any]]]:
    """Read what `TdNets.save` wrote.

    Returns:
        The nets, named after the folder, and the other arrays of the checkpoint.

    Raises:
        DataFileError: The file is missing, damaged, or no checkpoint.
    """
    arrays = read_arrays(path)
    try:
        return td_nets_from_arrays(path.parent.name, arrays)
    except DataFileError as error:
        raise DataFileError(f"{path}: {error.message}", field="net") from error


def td_nets_from_arrays(
    name: str, arrays: Mapping[str, NDArray[Any]]
) -> tuple[TdNets, dict[str, NDArray[Any]]]:
    """Make nets of the arrays of a checkpoint.

    Args:
        name: Of the nets.
        arrays: All that the checkpoint holds.

    Returns:
        As `load_td_nets`.

    Raises:
        DataFileError: The arrays are not what `TdNets.save` wrote.
    """
    others = dict(arrays)
    try:
        nets = [
            TdNet(*(others.pop(f"{phase}_{array}") for array in ("w1", "b1", "w2", "b2")))
            for phase in ("contact", "race")
        ]
    except KeyError as error:
        raise DataFileError(
            f"expected the arrays of a `gammond train td` checkpoint, missing {error}"
        ) from error
    for net in nets:
        hidden = net.w1.shape[-1:]
        shapes = [array.shape for array in net.weights]
        if shapes != [(INPUTS, *hidden), hidden, (OUTPUTS, *hidden), (OUTPUTS,)]:
            raise DataFileError(f"weights of the wrong shapes: {shapes}")
        if any(array.dtype != np.float32 for array in net.weights):
            raise DataFileError("expected weights of float32")
    return TdNets(name, *nets), others
