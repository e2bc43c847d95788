"""Blocks of chance nodes: their rolls and replies, with bounds of the value of each roll."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board
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
