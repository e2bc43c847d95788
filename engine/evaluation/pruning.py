"""Play pruning: the promising replies to a roll, which search and rollouts consider."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.nets.play_evaluation import PruningNets
from gammond.engine.kernels.outcomes import keep_best
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Board


@dataclass(frozen=True)
class Replies:
    """The plays of one roll that pruning kept, in each of many positions.

    Attributes:
        children: ``int8[m, 2, 26]``, as the next mover sees them; the best of each position first.
        moves: ``int8[m, 8]``, the checker moves of each.
        equities: ``float32[m]``, in points, for the *next* mover: the least is best.
        offsets: ``int64[n + 1]``; position i has at least one reply; its replies are at
            ``offsets[i]:offsets[i + 1]``.
    """

    children: Board
    moves: NDArray[np.int8]
    equities: NDArray[np.float32]
    offsets: NDArray[np.int64]


class PlayPruner(Protocol):
    """Keeps the promising plays of a roll. Implementations are safe to use from several threads."""

    @property
    def name(self) -> str:
        """The pruner's name in documents and replies."""
        ...

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Keep the most promising plays of one roll in each of many positions.

        Args:
            boards: ``int8[n, 2, 26]``, none of them over.
            dice: ``int8[n, 2]``.
            keep: Maximum number of replies kept in each position, 1 or more.
            margin: Maximum loss of a kept reply against the best one, in points of equity.

        Returns:
            The replies; those of a position depend on that position and its roll alone. Ties go to the first
            in the order of the legal plays.
        """
        ...


def find_pruning_nets(pruner: PlayPruner | None) -> PruningNets | None:
    """Return the nets of a pruner that consists of two, its ``weights``; loops ask others."""
    weights: PruningNets | None = getattr(pruner, "weights", None)
    return weights


class EvaluatorPruner:
    """Prunes by evaluating all legal plays.

    Args:
        evaluator: Evaluates the positions after the plays.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._evaluator.name

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Prune plays, as `PlayPruner.prune_plays`."""
        children, moves, offsets = expand_rolls(boards, dice)
        equities = cubeless_equity(self._evaluator.evaluate(children))
        return _keep_best(Replies(children, moves, equities, offsets), keep, margin)


class ShortlistPruner:
    """Prunes by evaluating a short list of plays; with an n-ply evaluator, rollouts play at n-ply.

    Args:
        pruner: Makes the short list.
        evaluator: Evaluates the positions after the listed plays.
        shortlist_size: Maximum number of plays in the list, 1 or more.
        margin: Maximum loss of a listed play against the best one, in points by the pruner.
    """

    def __init__(
        self, pruner: PlayPruner, evaluator: Evaluator, shortlist_size: int = 6, margin: float = 0.16
    ) -> None:
        self.pruner = pruner
        self.evaluator = evaluator
        self.shortlist_size = shortlist_size
        self.margin = margin

    @property
    def name(self) -> str:
        """Both names, with the size of the list and the depth of the choice."""
        choice = f"{self.evaluator.name} {self.evaluator.plies}-ply"
        return f"{choice} of {self.shortlist_size} within {self.margin:g} by {self.pruner.name}"

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Prune plays, as `PlayPruner.prune_plays`; there are never more than are listed."""
        listed = self.pruner.prune_plays(boards, dice, self.shortlist_size, self.margin)
        return _keep_best(replace(listed, equities=self._evaluate_shortlist(listed)), keep, margin)

    def _evaluate_shortlist(self, listed: Replies) -> NDArray[np.float32]:
        """Evaluate the listed plays for the next mover; a single one keeps the pruner's equity."""
        equities = listed.equities.copy()
        counts = np.diff(listed.offsets)
        open_rows = np.flatnonzero(np.repeat(counts, counts) > 1)
        if len(open_rows):
            children = np.ascontiguousarray(listed.children[open_rows])
            equities[open_rows] = cubeless_equity(self.evaluator.evaluate(children))
        return equities


def _keep_best(replies: Replies, keep: int, margin: float) -> Replies:
    """Keep the best replies in each position, best first, at most `keep` and none beyond `margin`."""
    equities = as_kernel_array(replies.equities, np.float32)
    kept, offsets = keep_best(equities, replies.offsets, keep, np.float32(margin))
    return Replies(replies.children[kept], replies.moves[kept], equities[kept], offsets)
