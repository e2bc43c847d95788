"""The board evaluation vector: twelve integers, by which the conditions of a position are weighed.

*Source:* the technology page of the Barca project (Astros, University of California, Irvine), section "Board
evaluation": six heuristics, two of them arrays of four numbers. Where it leaves something open, the fields of
`EvaluationVector` say what is counted here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.kernels.evaluation import VECTOR_SIZE, count_conditions, evaluate_squares
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.errors import ValueRangeError

MAX_WEIGHT = 10_000
"""The bound of each number: no evaluation then comes near the score of a win."""

_SEPARATOR = "/"
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")

Four = tuple[int, int, int, int]


@dataclass(frozen=True)
class EvaluationVector:
    """The numbers that the conditions of a side are worth; the opponent's count as much against it.

    Attributes:
        watering_holes: For holding none, one, two and three watering holes.
        watering_holes_next_turn: For each way to a hole next turn, by how many holes the side could hold
            then: as many as now, and one more if an animal that is on none has a way to one. A way is a free
            line from an animal to an unoccupied hole, along which it can travel, with no enemy beside the
            hole that it fears. The first number, for none, never counts: who has a way can hold one.
        adjacency_to_watering_hole: For each animal on a square beside a watering hole.
        fear: For each animal that is scared.
        center_proximity: For each step from the edge of the board towards its centre, of each animal: 0 on
            the edge to 4 on e5, e6, f5 and f6.
        adjacency_to_complementary_teammates: For each pair of neighbours of different kinds: of two kinds,
            one always deters what scares the other.

    Raises:
        ValueRangeError: A number is beyond `MAX_WEIGHT`.
    """

    watering_holes: Four
    watering_holes_next_turn: Four
    adjacency_to_watering_hole: int
    fear: int
    center_proximity: int
    adjacency_to_complementary_teammates: int

    def __post_init__(self) -> None:
        worst = max(map(abs, self.to_list()))
        if worst > MAX_WEIGHT:
            raise ValueRangeError(
                f"expected weights from -{MAX_WEIGHT} to {MAX_WEIGHT}, got {worst}", field="weights"
            )

    @classmethod
    def from_list(cls, numbers: Sequence[int]) -> EvaluationVector:
        """Make a vector of twelve integers in the order of the fields.

        Raises:
            ValueRangeError: They are not twelve, or one is beyond `MAX_WEIGHT`.
        """
        if len(numbers) != VECTOR_SIZE:
            raise ValueRangeError(f"expected {VECTOR_SIZE} weights, got {len(numbers)}", field="weights")
        a, b, c, d, e, f, g, h, *single = (int(number) for number in numbers)
        return cls((a, b, c, d), (e, f, g, h), *single)

    def to_list(self) -> list[int]:
        """Return the twelve integers in the order of the fields."""
        return [int(number) for number in self.to_array()]

    def to_text(self) -> str:
        """Return the twelve integers as `load_weights` reads them."""
        return _SEPARATOR.join(map(str, self.to_list()))

    def to_array(self) -> NDArray[np.int64]:
        """Return the twelve integers as ``int64[12]``."""
        return np.hstack(astuple(self)).astype(np.int64)


HAND_WEIGHTS = EvaluationVector(
    watering_holes=(-60, -20, 60, 10_000),
    watering_holes_next_turn=(0, 5, 15, 60),
    adjacency_to_watering_hole=6,
    fear=-12,
    center_proximity=3,
    adjacency_to_complementary_teammates=4,
)
"""Weights set by hand, in hundredths of about a hole."""

LEARNED_WEIGHTS = EvaluationVector(
    watering_holes=(-67, -8, 53, 10_000),
    watering_holes_next_turn=(0, 12, 20, 13),
    adjacency_to_watering_hole=6,
    fear=-46,
    center_proximity=17,
    adjacency_to_complementary_teammates=6,
)
"""Weights that ``gammond train barca-fit runs/fit --generations 4`` made."""

_VECTORS = {"hand": HAND_WEIGHTS, "learned": LEARNED_WEIGHTS}
WEIGHTS = tuple(_VECTORS)
"""The names of the vectors that come with the program."""

WEIGHTS_FORM = "N/N/N/N/N/N/N/N/N/N/N/N"
"""How any vector is written, by its twelve numbers in the order of `EvaluationVector.to_list`."""

DEFAULT_WEIGHTS = "hand"


def load_weights(name: str = DEFAULT_WEIGHTS) -> EvaluationVector:
    """Return a vector by its name or its numbers.

    Args:
        name: One of `WEIGHTS`, or as in `WEIGHTS_FORM`.

    Raises:
        ValueRangeError: None has this name, or a number is beyond `MAX_WEIGHT`.
    """
    if name in _VECTORS:
        return _VECTORS[name]
    numbers = name.split(_SEPARATOR)
    if len(numbers) != VECTOR_SIZE or not all(map(_NUMBER.fullmatch, numbers)):
        raise ValueRangeError(
            f"expected {' or '.join(WEIGHTS)}, or {VECTOR_SIZE} integers as {WEIGHTS_FORM} for weights, "
            f"got {name[:40]!r}",
            field="weights",
        )
    return EvaluationVector.from_list([int(number) for number in numbers])


def evaluate(position: BarcaPosition, weights: EvaluationVector = HAND_WEIGHTS) -> int:
    """Evaluate a position without look-ahead, for the side to move."""
    value, _, _ = evaluate_squares(position.squares.copy(), weights.to_array())
    return int(value if position.side == 0 else -value)


def list_conditions(position: BarcaPosition) -> NDArray[np.int64]:
    """Return what each number of the vector is multiplied by.

    Returns:
        ``int64[2, 12]``, White's row first, in the order of `EvaluationVector.to_list`.
    """
    counts = np.empty((2, VECTOR_SIZE), np.int64)
    count_conditions(position.squares.copy(), counts)
    return counts
