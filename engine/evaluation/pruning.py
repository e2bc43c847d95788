"""Finding the promising replies to rolls: what search and rollouts expand positions with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator
from engine.rules.moves import expand_rolls
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Board


@dataclass(frozen=True)
class Replies:
    """Chosen plays of one roll in each of many positions.

    Attributes:
        children: ``int8[m, 2, 26]``, as the next mover sees them; of each position the best first.
        moves: ``int8[m, 8]``, the checker moves of each.
        equities: ``float32[m]``, the finder's judgement in points, for the *next* mover: the least is best.
        offsets: ``int64[n + 1]``; position i has at least one reply, and they lie at
            ``offsets[i]:offsets[i + 1]``.
    """

    children: Board
    moves: NDArray[np.int8]
    equities: NDArray[np.float32]
    offsets: NDArray[np.int64]


class PlayPruner(Protocol):
    """Anything that finds the promising replies. Implementations are safe to call from several threads."""

    @property
    def name(self) -> str:
        """What documents and replies call it."""
        ...

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Choose the most promising plays of one roll in each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.
            keep: The most replies to keep for each position, 1 or more.
            margin: How many points of equity a kept reply may be behind the best one.

        Returns:
            The replies; those of a position depend on that position and its roll alone. Ties go to the first
            in the order of the legal plays.
        """
        ...


class EvaluatorPruner:
    """Finds replies by evaluating all legal plays.

    Args:
        evaluator: The judge of the positions after the plays.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._evaluator.name

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Choose replies, as `PlayPruner.prune_plays`."""
        children, moves, offsets = expand_rolls(boards, dice)
        equities = cubeless_equity(self._evaluator.evaluate(children))
        counts = np.diff(offsets)
        position_of = np.repeat(np.arange(len(boards)), counts)
        order = np.lexsort((equities, position_of))
        rank = np.arange(len(order)) - np.repeat(offsets[:-1], counts)
        best = np.repeat(equities[order[offsets[:-1]]], counts)
        kept = order[(rank < keep) & (equities[order] <= best + np.float32(margin))]
        starts = np.concatenate([[0], np.cumsum(np.bincount(position_of[kept], minlength=len(boards)))])
        return Replies(children[kept], moves[kept], equities[kept], starts.astype(np.int64))
