"""Plays by two judges: a fast one that makes a short list, and a slower one, of any depth, that chooses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator
from engine.evaluation.pruning import PlayPruner, Replies
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Board


class ShortlistPruner:
    """Finds replies by evaluating a short list of them; with an n-ply evaluator rollouts play at n plies.

    Args:
        pruner: Makes the short list.
        evaluator: Judges the positions after the listed plays.
        shortlist_size: The most plays in the list, 1 or more.
        margin: How many points a listed play may be behind the best one in the finder's judgement.
    """

    def __init__(
        self, pruner: PlayPruner, evaluator: Evaluator, shortlist_size: int = 8, margin: float = 0.2
    ) -> None:
        self._pruner = pruner
        self._evaluator = evaluator
        self._shortlist_size = shortlist_size
        self._margin = margin

    @property
    def name(self) -> str:
        """Both names, with the size of the list and the depth of the choice."""
        choice = f"{self._evaluator.name} {self._evaluator.plies}-ply"
        return f"{choice} of {self._shortlist_size} within {self._margin:g} by {self._pruner.name}"

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Choose replies, as `PlayPruner.prune_plays`; there are no more than are listed."""
        replies = self._pruner.prune_plays(boards, dice, self._shortlist_size, self._margin)
        counts = np.diff(replies.offsets)
        position_of = np.repeat(np.arange(len(boards)), counts)
        equities = self._evaluate_shortlist(replies, counts, position_of)
        order = np.lexsort((equities, position_of))
        rank = np.arange(len(order)) - np.repeat(replies.offsets[:-1], counts)
        best = np.repeat(equities[order[replies.offsets[:-1]]], counts)
        kept = order[(rank < keep) & (equities[order] <= best + np.float32(margin))]
        starts = np.zeros(len(boards) + 1, np.int64)
        np.cumsum(np.bincount(position_of[kept], minlength=len(boards)), out=starts[1:])
        return Replies(replies.children[kept], replies.moves[kept], equities[kept], starts)

    def _evaluate_shortlist(
        self, replies: Replies, counts: NDArray[np.int64], position_of: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Equities of the listed plays for the next mover; the finder's own where only one is listed."""
        equities = replies.equities.copy()
        open_rows = np.flatnonzero(counts[position_of] > 1)
        if len(open_rows):
            children = np.ascontiguousarray(replies.children[open_rows])
            equities[open_rows] = cubeless_equity(self._evaluator.evaluate(children))
        return equities
