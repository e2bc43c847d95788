"""What judges positions: the one seam between the engine and everything that evaluates."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.rules.moves import expand_rolls
from engine.rules.outcome import Outcomes, cubeless_equity
from engine.rules.position import Board


class Evaluator(Protocol):
    """Anything that gives outcomes for positions. Implementations are safe to call from several threads."""

    @property
    def name(self) -> str:
        """What replies call this judge."""
        ...

    @property
    def plies(self) -> int:
        """Plies of look-ahead in its values; 0 for a net alone."""
        ...

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, before the roll, for the player on roll.

        Args:
            boards: ``int8[n, 2, 26]``, contiguous; finished positions allowed.

        Returns:
            ``float32[n, 5]``, in input order; each row depends on its own board alone.
        """
        ...


class ExactEvaluator(Protocol):
    """A judge that knows some positions exactly, such as a bearoff database."""

    @property
    def name(self) -> str:
        """What documents and replies call it."""
        ...

    @property
    def is_optimal(self) -> bool:
        """Whether its values are those of best play by both sides, which looking ahead cannot improve."""
        ...

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Say which positions it knows: ``bool[n]`` for ``int8[n, 2, 26]``."""
        ...

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions that it covers: ``float32[n, 5]`` for ``int8[n, 2, 26]``."""
        ...


def choose_best_children(
    evaluator: Evaluator, boards: Board, dice: NDArray[np.int8]
) -> tuple[Board, NDArray[np.int64]]:
    """Choose the best play for each of many positions by cubeless money equity.

    Args:
        evaluator: The judge of the resulting positions.
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.

    Returns:
        The chosen children, ``int8[n, 2, 26]`` as the next mover sees them, and their places among the legal
        plays, ``int64[n]``. Ties go to the first.
    """
    children, _, offsets = expand_rolls(boards, dice)
    chosen = find_first_highest(-cubeless_equity(evaluator.evaluate(children)), offsets)
    return children[chosen], chosen - offsets[:-1]


def find_first_highest(scores: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the highest score of each stretch.

    Args:
        scores: ``float32[m]``, none of them nan.
        offsets: ``int64[n + 1]``; stretch i is ``offsets[i]:offsets[i + 1]`` and not empty.

    Returns:
        Their places in `scores`, ``int64[n]``. Ties go to the first.
    """
    highest = np.maximum.reduceat(scores, offsets[:-1])
    hits = np.flatnonzero(scores == np.repeat(highest, np.diff(offsets)))
    return hits[np.searchsorted(hits, offsets[:-1])]
