"""A slow, obvious twin of the search's loop: the steps of its definition, one call after the other."""

import numpy as np

from gammond.engine.kernels import objectives as kernel_objectives
from gammond.engine.kernels.cubeful import MATCH
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import find_finished

BLOCK_POSITIONS = 200
DICE = np.array(ROLLS, np.int8)


class SteppedSearch:
    """Evaluates positions as `gammond.engine.search.tree.TreeSearch`, without a cache and without threads.

    Attributes:
        pruner: Keeps the promising replies; None for all legal plays.
        pruning: Which replies it considers.
    """

    def __init__(self, pruner, pruning) -> None:
        self.pruner = pruner if pruning.keep is not None else None
        self.pruning = pruning

    def evaluate(self, objective, boards, plies, watch=None, is_inner=False):
        """``float32[n, columns]`` for ``int8[n, 2, 26]``."""
        values = objective.evaluate(np.ascontiguousarray(boards))
        settled = find_finished(boards)
        for exact in objective.exact if objective.game.arrays.kind != MATCH else ():
            settled |= exact.covers(boards)
        deep = np.flatnonzero(~settled) if plies else np.empty(0, np.int64)
        for start in range(0, len(deep), BLOCK_POSITIONS):
            rows = deep[start : start + BLOCK_POSITIONS]
            values[rows] = self._back_up(objective, boards[rows], plies, is_inner)
        return values

    def _back_up(self, objective, boards, plies, is_inner):
        rows, dice = (
            np.repeat(boards, len(ROLLS), axis=0),
            np.tile(DICE, (len(boards), 1)),
        )
        if self.pruner is None:
            replies, _, offsets = expand_rolls(rows, dice)
        else:
            limits = self.pruning.limits[plies == 1 and is_inner]
            kept = self.pruner.prune_plays(rows, dice, *limits)
            replies, offsets = kept.children, kept.offsets
        other, width = objective.other, self.pruning.width
        if plies > 1 and width is not None:
            leaves = other.game.with_double(other.evaluate(np.ascontiguousarray(replies)))
            chosen, offsets = kernel_objectives.choose_replies(
                objective.game.arrays.kind, leaves, offsets, width, self.pruning.width_margin
            )
            replies = replies[chosen]
        values = other.game.with_double(self.evaluate(other, replies, plies - 1, is_inner=True))
        return kernel_objectives.average_best_replies(
            objective.game.arrays.kind, values, offsets, ROLL_WEIGHTS
        )
