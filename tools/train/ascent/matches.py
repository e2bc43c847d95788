"""What an ascent learns: a vector of weights, and matches that tell which of two vectors plays better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.statistics import ValueWithError, mean_with_error
from gammond.tools.parallel.executor import Executor

Vector = NDArray[np.float64]
"""``float64[d]``: weights, in the order of their names."""

_NumberT = TypeVar("_NumberT", float, Vector)


@dataclass(frozen=True, eq=False)
class RatedVector:
    """A vector with its strength.

    Attributes:
        vector: ``float64[d]``.
        points: Points, or reward, per game against the reference, or another vector.
    """

    vector: Vector
    points: ValueWithError

    @classmethod
    def from_rewards(cls, vector: Vector, rewards: NDArray[np.float64]) -> RatedVector:
        """Rate a vector by its rewards in paired games, ``float64[games]``; 2i and 2i + 1 are a pair."""
        return cls(vector, mean_with_error(rewards.reshape(-1, 2).mean(axis=1)))


@dataclass(frozen=True)
class GameReward:
    """What a game counts: its points, and the lead in the average evaluation of its positions.

    Attributes:
        length_share: Share of the points that shrinks in proportion to the length of the game, 0 to 1.
        evaluation_weight: What an average evaluation counts that is better by `evaluation_spread`.
        evaluation_spread: Standard deviation of the evaluations of positions.
        typical_length: Of games, in turns; one of this length counts its points in full.
    """

    length_share: float = 0.0
    evaluation_weight: float = 0.0
    evaluation_spread: float = 1.0
    typical_length: float = 1.0

    def compute_share(self, length: _NumberT) -> _NumberT:
        """Compute the share of its points that a game of some length counts."""
        return 1.0 - self.length_share + self.length_share * self.typical_length / length

    def weigh_lead(self, lead: _NumberT) -> _NumberT:
        """Compute what a lead in the average evaluation counts."""
        return self.evaluation_weight / self.evaluation_spread * lead


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

    Args:
        space: The weights.
        start: The first vector of the run; that of the weights if it is empty.
        processes: Play.

    Attributes:
        play_batch: Plays games of a task; returns ``float64[games]``, the rewards of its first vector.
    """

    play_batch: Callable[[Any], NDArray[np.float64]]

    def __init__(self, space: LearnedWeights, start: Sequence[float], processes: Executor) -> None:
        self.space = space
        self.start: Vector = np.array(start) if start else space.start
        self.processes = processes

    @abstractmethod
    def rate(self, vector: Vector) -> RatedVector:
        """Measure a vector against the reference, always with the same dice or openings."""

    @abstractmethod
    def make_batches(self, first: Vector, second: Vector, seed: int) -> Iterable[Any]:
        """Divide the games of a vector that is tried against the present one into tasks of `play_batch`."""

    def score_changes(self, others: Sequence[Vector], now: Vector, seed: int) -> list[RatedVector]:
        """Play each of some vectors against the present one, and rate them by their rewards.

        Args:
            others: The vectors.
            now: The present one.
            seed: Of the dice or openings, the same for all of them.
        """
        batches = [list(self.make_batches(other, now, seed)) for other in others]
        parts = self.processes.map(self.play_batch, chain.from_iterable(batches))
        rewards = [np.concatenate(list(islice(parts, len(own)))) for own in batches]
        return [RatedVector.from_rewards(*each) for each in zip(others, rewards, strict=True)]

    @abstractmethod
    def report(self, best: RatedVector) -> str:
        """Measure the best vector with fresh games, and report it in a few lines."""


def format_weights(names: Sequence[str], before: Vector, after: Vector) -> str:
    """Format the weights of two vectors side by side, a line each."""
    width = max(map(len, names))
    rows = zip(names, before, after, strict=True)
    return "\n".join(f"  {name:<{width}} {old:9.3f} -> {new:9.3f}" for name, old, new in rows)
