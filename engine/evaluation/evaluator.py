"""Evaluators: outcomes of positions, and scores of plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import Outcomes, cubeless_equity
from gammond.engine.rules.position import Board


class Evaluator(Protocol):
    """Estimates the outcomes of positions. Implementations are safe to use from several threads."""

    @property
    def name(self) -> str:
        """The evaluator's name in replies."""
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
    """Knows some positions exactly, such as a bearoff database."""

    @property
    def name(self) -> str:
        """The evaluator's name in documents and replies."""
        ...

    @property
    def is_optimal(self) -> bool:
        """Whether its values assume best play by both sides, so that look-ahead cannot improve them."""
        ...

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions it knows: ``bool[n]`` for ``int8[n, 2, 26]``."""
        ...

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions that it covers: ``float32[n, 5]`` for ``int8[n, 2, 26]``."""
        ...


_ExactT = TypeVar("_ExactT", bound=ExactEvaluator)


class CubefulEvaluator(ExactEvaluator, Protocol):
    """Knows some positions exactly, with the cube too, such as a two-sided bearoff database."""

    def cubeful_equities(self, boards: Board) -> NDArray[np.float32]:
        """Evaluate positions in money play, before the roll, without a double on this roll.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 3]`` in points for a cube of 1: in the middle, owned by the side on roll, owned by
            the opponent. Where gammons are possible ``float32[n, 4]``: then in the middle with the Jacoby
            rule too.
        """
        ...


def find_solution(evaluator: object, exact: Sequence[_ExactT]) -> _ExactT | None:
    """Return an evaluator that is itself one of the exact ones: it knows all positions of its games."""
    return next((each for each in exact if each is evaluator), None)


class Scorer(Protocol):
    """Gives each play a number on a scale of its own; it estimates no outcomes."""

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play.

        Args:
            boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played.

        Returns:
            ``float32[n]``, higher is better for the side that has played, never nan; each depends on its own
            board alone.
        """
        ...


@runtime_checkable
class FeatureScorer(Scorer, Protocol):
    """A scorer that can list what it sees in a position."""

    def list_features(self, board: Board) -> Mapping[str, float | str]:
        """List the features of a position by name: ``int8[2, 26]``, as for `score_boards`."""
        ...


def choose_best_children(
    evaluator: Evaluator, boards: Board, dice: NDArray[np.int8]
) -> tuple[Board, NDArray[np.int64]]:
    """Choose the best play in each of many positions by cubeless money equity.

    Args:
        evaluator: Evaluates the positions after the plays.
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.

    Returns:
        The chosen children, ``int8[n, 2, 26]`` as the next mover sees them, and their places among the legal
        plays, ``int64[n]``. Ties go to the first.
    """
    children, _, offsets = expand_rolls(boards, dice)
    chosen = find_first_highest(-cubeless_equity(evaluator.evaluate(children)), offsets)
    return children[chosen], chosen - offsets[:-1]


def find_first_highest(scores: NDArray[np.floating[Any]], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the highest score in each segment.

    Args:
        scores: ``float[m]``, none of them nan.
        offsets: ``int64[n + 1]``; segment i is ``offsets[i]:offsets[i + 1]`` and not empty.

    Returns:
        Their places in `scores`, ``int64[n]``. Ties go to the first.
    """
    highest = np.maximum.reduceat(scores, offsets[:-1])
    hits = np.flatnonzero(scores == np.repeat(highest, np.diff(offsets)))
    return hits[np.searchsorted(hits, offsets[:-1])]
