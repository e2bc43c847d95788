"""Values of chance nodes: the average over the rolls of the best reply, or bounds where these suffice.

The value of a position at k plies is the mean over the 21 rolls, by their probabilities, of the best reply
at k - 1 plies seen from the other side, as in `gammond.engine.search.tree` when it searches all replies. A
node is searched with a window (alpha, beta): once its value is proved to be above beta or below alpha, the
rest of it is cut off, because it no longer matters to the node above.

Star1 proves this by bounds. Unsearched rolls have the bounds of the rules (`LeafEvaluator.bounds`), and each
searched roll gets the window that the others leave to it. Star2 first searches one promising reply to every
roll, which bounds each roll from below: if these bounds alone reach beta, all other replies are cut off.

All bounds are proofs: what is cut off is worse by at least `CUTOFF_MARGIN`, far more than the rounding errors
of sums of doubles. So every remaining value equals that without cut-offs, to the last bit.

Source: B. W. Ballard, "The *-minimax search procedure for trees containing chance nodes" (Artificial
Intelligence 21, 1983); T. Hauk, M. Buro and J. Schaeffer, "*-Minimax performance in backgammon" (2004). They
go node by node. Here nodes of one level and rolls of one node are searched together, so that leaves are
evaluated in batches: bounds are then a batch behind, and some more leaves are evaluated.
"""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.kernels import as_kernel_array
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.position import Board
from gammond.engine.search.cache import deduplicate_boards
from gammond.engine.search.watch import SearchWatch
from gammond.nets.heritage.astros.chance_nodes import ChanceNodes, Intervals
from gammond.nets.heritage.astros.leaf_evaluators import LeafEvaluator

MAX_STAR_PLIES = 2

_EVALUATE_ROWS = 4096
_BLOCK_NODES = (0, 256, 1)
"""Nodes of 1 and 2 plies that are searched together: some 100,000 positions each."""

_FIRST_ROLLS = 4
"""Rolls of a node that are searched together at first; the number doubles each time."""

_FIRST_REPLIES = 3
"""Replies to a roll that are searched together at first; then all others."""


class Cutoffs(enum.Enum):
    """Kinds of cut-offs."""

    NONE = "none"
    STAR1 = "star1"
    STAR2 = "star2"


class StarEvaluator:
    """Evaluates the nodes of one search, counting the leaves.

    Args:
        leaf_evaluator: Evaluates the leaves.
        pruner: Names the reply to a roll that is searched first above the leaves; None for the first legal.
        cutoffs: The kind of cut-offs.
        watch: Counts leaves; checked before each batch of them.
    """

    def __init__(
        self, leaf_evaluator: LeafEvaluator, pruner: PlayPruner | None, cutoffs: Cutoffs, watch: SearchWatch
    ) -> None:
        self._leaf_evaluator = leaf_evaluator
        self._pruner = pruner
        self._cutoffs = cutoffs
        self._watch = watch

    def evaluate(self, boards: Board, plies: int, window: Intervals) -> Intervals:
        """Evaluate positions before the roll, for the side on roll.

        Args:
            boards: ``int8[n, 2, 26]``, finished positions allowed.
            plies: 0 to `MAX_STAR_PLIES`.
            window: The window of each.

        Returns:
            The value of each, or a bound outside its window.

        Raises:
            CancelledWork: The watch stopped it.
        """
        boards = as_kernel_array(boards, np.int8)
        if plies == 0:
            values = self.evaluate_leaves(boards)
            return Intervals(values, values)
        settled = self._leaf_evaluator.is_settled(boards)
        result = Intervals(np.empty(len(boards)), np.empty(len(boards)))
        if settled.any():
            result.low[settled] = result.high[settled] = self.evaluate_leaves(boards[settled])
        open_places = np.flatnonzero(~settled)
        for start in range(0, len(open_places), _BLOCK_NODES[plies]):
            places = open_places[start : start + _BLOCK_NODES[plies]]
            block = ChanceNodes(boards[places], window.take(places), self._leaf_evaluator)
            self._search_nodes(block, plies)
            result.low[places], result.high[places] = block.average_bounds()
        return result

    def evaluate_leaves(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions at 0-ply, equal ones once: ``float64[n]`` for the side on roll."""
        distinct = deduplicate_boards(boards)
        values = np.empty(len(distinct.boards))
        for start in range(0, len(values), _EVALUATE_ROWS):
            self._watch.check()
            rows = distinct.boards[start : start + _EVALUATE_ROWS]
            values[start : start + _EVALUATE_ROWS] = self._leaf_evaluator.evaluate(rows)
            self._watch.count(len(rows))
        return values[distinct.places]

    def _search_nodes(self, nodes: ChanceNodes, plies: int) -> None:
        """Narrow the bounds of a block until each node is known or outside its window."""
        is_cutting = self._cutoffs is not Cutoffs.NONE
        if plies > 1 and is_cutting:
            nodes.order_replies(self.evaluate_leaves(nodes.replies))
        if self._cutoffs is Cutoffs.STAR2:
            self._probe(nodes, plies)
        chunk = _FIRST_ROLLS if is_cutting else len(ROLLS)
        while True:
            rows = nodes.choose_next_rolls(chunk, is_cutting=is_cutting)
            if not len(rows):
                return
            if plies == 1:
                self._search_leaves(nodes, rows)
            else:
                self._search_deeper(nodes, rows, plies - 1)
            chunk *= 2

    def _probe(self, nodes: ChanceNodes, plies: int) -> None:
        """Search one reply to each roll."""
        if plies == 1:
            nodes.put_first(self._find_promising_replies(nodes))
        firsts = nodes.order[nodes.offsets[:-1]]
        boards = nodes.replies[firsts]
        values = self.evaluate(boards, plies - 1, Intervals.make_unbounded(len(boards)))
        nodes.record_probes(-values.low)

    def _find_promising_replies(self, nodes: ChanceNodes) -> NDArray[np.int64]:
        """Return the place of the most promising reply to each roll of each node, ``int64[n * 21]``."""
        if self._pruner is None:
            return nodes.offsets[:-1]
        found = self._pruner.prune_plays(*nodes.boards_and_dice, 1, 0.0)
        return nodes.find_places(found.children)

    def _search_leaves(self, nodes: ChanceNodes, rows: NDArray[np.int64]) -> None:
        """Evaluate all unsearched replies to some rolls, which are leaves."""
        places, of_row = nodes.list_unsearched_replies(rows)
        best = nodes.best_known[rows]
        if len(places):
            np.maximum.at(best, of_row, -self.evaluate_leaves(nodes.replies[places]))
        nodes.record_bounds(rows, best, best)

    def _search_deeper(self, nodes: ChanceNodes, rows: NDArray[np.int64], plies: int) -> None:
        """Search the unsearched replies to some rolls, the promising ones first."""
        roll_window = (
            nodes.compute_windows(rows)
            if self._cutoffs is not Cutoffs.NONE
            else Intervals.make_unbounded(len(rows))
        )
        places, of_row = nodes.list_unsearched_replies(rows)
        rank = np.arange(len(places)) - np.searchsorted(of_row, of_row)
        low, high = nodes.best_known[rows], nodes.best_known[rows]
        is_first = rank < _FIRST_REPLIES
        for wave in (is_first, ~is_first) if self._cutoffs is not Cutoffs.NONE else (rank >= 0,):
            left = np.flatnonzero(wave & (low < roll_window.high)[of_row])
            if not len(left):
                continue
            row = of_row[left]
            least = np.maximum(low, roll_window.low)[row]
            if self._cutoffs is Cutoffs.NONE:
                window = Intervals.make_unbounded(len(left))
            else:
                window = Intervals(-roll_window.high[row], -least)
            found = self.evaluate(nodes.replies[places[left]], plies, window)
            np.maximum.at(low, row, -found.high)
            np.maximum.at(high, row, -found.low)
        nodes.record_bounds(
            rows, low, np.where(low >= roll_window.high, nodes.high[rows], np.maximum(low, high))
        )
