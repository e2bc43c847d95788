"""What an ascent learns: a vector of weights, and matches that tell which of two vectors plays better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError

Vector = NDArray[np.float64]
"""``float64[d]``: weights, in the order of their names."""


@dataclass(frozen=True, eq=False)
class RatedVector:
    """A vector with its strength.

    Attributes:
        vector: ``float64[d]``.
        points_per_game: Points per game against the reference.
        standard_error: Its standard error.
    """

    vector: Vector
    points_per_game: float
    standard_error: float


@dataclass(frozen=True)
class MeanReward:
    """The mean reward of the first of two vectors.

    Attributes:
        mean: Reward per game.
        standard_error: Its standard error, from the pairs.
    """

    mean: float
    standard_error: float

    @classmethod
    def from_rewards(cls, rewards: NDArray[np.float64]) -> MeanReward:
        """Return the mean reward of paired games, ``float64[games]``: games 2i and 2i + 1 are a pair."""
        pairs = rewards.reshape(-1, 2).mean(axis=1)
        error = pairs.std(ddof=1) / np.sqrt(len(pairs)) if len(pairs) > 1 else np.nan
        return cls(float(rewards.mean()), float(error))


@dataclass(frozen=True)
class LearnedWeights:
    """The weights of a vector.

    Attributes:
        title: Whose weights they are.
        names: Names of the weights.
        start: Their initial values, ``float64[d]``.
        scales: The unit of each: changes and gradients are measured in these.
        low: Their lower bounds.
        high: Their upper bounds.
    """

    title: str
    names: tuple[str, ...]
    start: Vector
    scales: Vector
    low: Vector
    high: Vector

    def clip(self, vector: Vector) -> Vector:
        """Return the nearest vector within the bounds."""
        return np.clip(vector, self.low, self.high)

    def parse(self, arrays: Mapping[str, NDArray[Any]], key: str) -> Vector:
        """Read a vector from a file's arrays.

        Args:
            arrays: What the file holds.
            key: The name of the array.

        Raises:
            DataFileError: It is missing, or not as many numbers as there are weights.
        """
        vector = arrays.get(key, np.empty(0))
        expected = (len(self.names),)
        if vector.dtype.kind != "f" or vector.shape != expected or not np.isfinite(vector).all():
            raise DataFileError(
                f"expected {key} as {len(self.names)} finite weights of {self.title}, "
                f"got {vector.dtype}{list(vector.shape)}"
            )
        return vector.astype(np.float64)


class VectorMatches(ABC):
    """Measures vectors by games; equal questions get equal answers.

    Attributes:
        space: The weights.
    """

    space: LearnedWeights

    @abstractmethod
    def rate(self, vector: Vector) -> RatedVector:
        """Measure a vector against the reference, always with the same dice or openings."""

    @abstractmethod
    def score_changes(self, others: Sequence[Vector], now: Vector, seed: int) -> list[MeanReward]:
        """Play each of some vectors against the present one, and return their mean rewards.

        Args:
            others: The vectors.
            now: The present one.
            seed: Of the dice or openings, the same for all of them.
        """

    @abstractmethod
    def report(self, best: RatedVector) -> str:
        """Measure the best vector with fresh games, and report it in a few lines."""


def format_weights(names: Sequence[str], before: Vector, after: Vector) -> str:
    """Format the weights of two vectors side by side, a line each."""
    width = max(map(len, names))
    rows = zip(names, before, after, strict=True)
    return "\n".join(f"  {name:<{width}} {old:9.3f} -> {new:9.3f}" for name, old, new in rows)
