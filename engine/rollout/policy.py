"""Plays by two judges: a fast one that makes a short list, and a slower one, of any depth, that chooses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.evaluator import Evaluator
from engine.outcome import cubeless_equity
from engine.position import Board
from engine.replies import Replies, ReplyFinder


class ShortlistedReplies:
    """Finds replies by evaluating a short list of them; with an n-ply evaluator rollouts play at n plies.

    Args:
        finder: Makes the short list.
        evaluator: Judges the positions after the listed plays.
        listed: The most plays in the list, 1 or more.
        margin: How many points a listed play may be behind the best one in the finder's judgement.
    """

    def __init__(
        self, finder: ReplyFinder, evaluator: Evaluator, listed: int = 8, margin: float = 0.2
    ) -> None:
        self._finder = finder
        self._evaluator = evaluator
        self._listed = listed
        self._margin = margin

    @property
    def name(self) -> str:
        """Both names, with the size of the list and the depth of the choice."""
        choice = f"{self._evaluator.name} {self._evaluator.plies}-ply"
        return f"{choice} of {self._listed} within {self._margin:g} by {self._finder.name}"

    def best_replies(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Choose replies, as `ReplyFinder.best_replies`; there are no more than are listed."""
        replies = self._finder.best_replies(boards, dice, self._listed, self._margin)
        counts = np.diff(replies.offsets)
        position_of = np.repeat(np.arange(len(boards)), counts)
        equities = self._judged(replies, counts, position_of)
        order = np.lexsort((equities, position_of))
        rank = np.arange(len(order)) - np.repeat(replies.offsets[:-1], counts)
        best = np.repeat(equities[order[replies.offsets[:-1]]], counts)
        kept = order[(rank < keep) & (equities[order] <= best + np.float32(margin))]
        starts = np.zeros(len(boards) + 1, np.int64)
        np.cumsum(np.bincount(position_of[kept], minlength=len(boards)), out=starts[1:])
        return Replies(replies.children[kept], replies.moves[kept], equities[kept], starts)

    def _judged(
        self, replies: Replies, counts: NDArray[np.int64], position_of: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Equities of the listed plays for the next mover; the finder's own where only one is listed."""
        equities = replies.equities.copy()
        open_rows = np.flatnonzero(counts[position_of] > 1)
        if len(open_rows):
            children = np.ascontiguousarray(replies.children[open_rows])
            equities[open_rows] = cubeless_equity(self._evaluator.evaluate(children))
        return equities
