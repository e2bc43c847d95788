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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.kernels import as_kernel_array
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board
from gammond.engine.search.cache import deduplicate_boards
from gammond.engine.search.watch import SearchWatch
from gammond.nets.heritage.astros.leaf_evaluators import LeafEvaluator

CUTOFF_MARGIN = 1e-9
"""How far outside its window a value has to be for a cut-off, in the unit of the leaves."""

_DICE = np.array(ROLLS, np.int8)
_WEIGHTS = np.asarray(ROLL_WEIGHTS, np.float64)


@dataclass(frozen=True)
class Intervals:
    """Intervals of values, ``float64[n]`` each: windows (alpha, beta), or bounds, equal for exact values."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def make_unbounded(cls, count: int) -> Intervals:
        """Make intervals that contain every value."""
        return cls(np.full(count, -np.inf), np.full(count, np.inf))

    def take(self, places: NDArray[np.int64] | slice) -> Intervals:
        """Return some of the intervals."""
        return Intervals(self.low[places], self.high[places])


class ChanceNodes:
    """Chance nodes, their replies, and bounds of each roll. A row is a roll of a node.

    Args:
        boards: ``int8[n, 2, 26]``, none of them settled.
        window: The window of each node.
        leaf_evaluator: Bounds the values.
    """

    def __init__(self, boards: Board, window: Intervals, leaf_evaluator: LeafEvaluator) -> None:
        count = len(boards)
        self._window = window
        self.boards_and_dice = np.repeat(boards, len(ROLLS), axis=0), np.tile(_DICE, (count, 1))
        self.replies, _, self.offsets = expand_rolls(*self.boards_and_dice)
        self.order = np.arange(len(self.replies))
        low, high = leaf_evaluator.bounds(boards)
        self._low = np.repeat(low, len(ROLLS))
        self.high = np.repeat(high, len(ROLLS))
        self.best_known = np.full(count * len(ROLLS), -np.inf)
        self._is_probed = False
        self._is_searched = np.zeros(count * len(ROLLS), np.bool_)

    def average_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and the upper bounds of the nodes."""
        return _average_rolls(self._low), _average_rolls(self.high)

    def order_replies(self, values: NDArray[np.float64]) -> None:
        """Order the replies to each roll by the value for the next mover, the lowest first."""
        row = np.repeat(np.arange(len(self.best_known)), np.diff(self.offsets))
        self.order = np.lexsort((values, row))

    def put_first(self, places: NDArray[np.int64]) -> None:
        """Put a reply to each roll before the others; ``int64[n * 21]``, places among the replies."""
        firsts = self.offsets[:-1]
        self.order[places], self.order[firsts] = self.order[firsts], places

    def find_places(self, boards: Board) -> NDArray[np.int64]:
        """Return the places of replies, one for each roll, given their positions ``int8[n * 21, 2, 26]``."""
        wanted = np.repeat(_view_as_words(boards), np.diff(self.offsets), axis=0)
        return np.flatnonzero((_view_as_words(self.replies) == wanted).all(axis=1))

    def record_probes(self, values: NDArray[np.float64]) -> None:
        """Record the value of the first reply to each roll; a roll with a single reply is then known."""
        self._is_probed = True
        self.best_known = values
        self._low = np.maximum(self._low, values)
        known = np.diff(self.offsets) == 1
        self.high[known] = self._low[known] = values[known]
        self._is_searched |= known

    def record_bounds(
        self, rows: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> None:
        """Record bounds of some rolls; an exact value is kept even if rounding puts it past a bound."""
        is_known = low == high
        self._low[rows] = np.where(is_known, low, np.maximum(self._low[rows], low))
        self.high[rows] = np.where(is_known, high, np.minimum(self.high[rows], high))
        self._is_searched[rows] = True

    def choose_next_rolls(self, count: int, *, is_cutting: bool) -> NDArray[np.int64]:
        """Choose rolls to search, in each node those that may change it the most.

        Args:
            count: The number for each node.
            is_cutting: Whether to skip nodes outside their windows.

        Returns:
            ``int64[r]``, rows; none if all are known.
        """
        is_open = ~self._is_searched.reshape(-1, len(ROLLS))
        if is_cutting:
            low, high = self.average_bounds()
            is_cut = (low >= self._window.high + CUTOFF_MARGIN) | (high <= self._window.low - CUTOFF_MARGIN)
            is_open &= ~is_cut[:, None]
        gap = np.where(is_open, _weigh_gaps(self._low, self.high), -1.0)
        chosen = np.argsort(-gap, axis=1, kind="stable")[:, :count]
        taken = np.take_along_axis(is_open, chosen, axis=1)
        rows: NDArray[np.int64] = (chosen + len(ROLLS) * np.arange(len(gap))[:, None])[taken]
        return np.sort(rows)

    def compute_windows(self, rows: NDArray[np.int64]) -> Intervals:
        """Return the window that the other rolls of a node leave to a roll, with the margin of a proof."""
        node, weight = rows // len(ROLLS), _WEIGHTS[rows % len(ROLLS)]
        low, high = (_sum_other_rolls(bounds, node, rows % len(ROLLS)) for bounds in (self._low, self.high))
        return Intervals(
            _limit_for_roll(self._window.low[node] - CUTOFF_MARGIN, high, weight, -np.inf),
            _limit_for_roll(self._window.high[node] + CUTOFF_MARGIN, low, weight, np.inf),
        )

    def list_unsearched_replies(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """List the unsearched replies to some rolls, in order, and the roll of each."""
        starts = self.offsets[rows] + self._is_probed
        counts = self.offsets[rows + 1] - starts
        of_row = np.repeat(np.arange(len(rows)), counts)
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
        return self.order[places], of_row


def _average_rolls(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average the rolls of nodes, ``float64[n * 21]`` to ``float64[n]``, always adding in the same order."""
    columns = values.reshape(-1, len(ROLLS))
    total = np.zeros(len(columns))
    for roll, weight in enumerate(_WEIGHTS):
        total += weight * columns[:, roll]
    return total


def _sum_other_rolls(
    bounds: NDArray[np.float64], node: NDArray[np.int64], roll: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weighted sum of the bounds of all rolls of a node but one."""
    rows = bounds.reshape(-1, len(ROLLS))[node]
    rows[np.arange(len(rows)), roll] = 0.0
    return _average_rolls(rows.reshape(-1))


def _limit_for_roll(
    limit: NDArray[np.float64], others: NDArray[np.float64], weight: NDArray[np.float64], nothing: float
) -> NDArray[np.float64]:
    """Return the limit that is left for a roll; `nothing` if the other rolls or the limit are infinite."""
    is_known = np.isfinite(limit) & np.isfinite(others)
    return np.where(
        is_known, (np.where(is_known, limit, 0.0) - np.where(is_known, others, 0.0)) / weight, nothing
    )


def _weigh_gaps(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much rolls may still change their nodes, ``float64[n, 21]``."""
    gaps: NDArray[np.float64] = (high - low).reshape(-1, len(ROLLS)) * _WEIGHTS
    return gaps


def _view_as_words(boards: Board) -> NDArray[np.int32]:
    """View boards as fewer, longer numbers: ``int32[n, 13]``."""
    return np.ascontiguousarray(boards).reshape(len(boards), -1).view(np.int32)


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
