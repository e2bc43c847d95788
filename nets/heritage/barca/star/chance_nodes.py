"""Chance nodes in a block: their rolls and replies, what is known of each, and what that leaves open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.moves import expand_rolls
from engine.rules.position import Board
from nets.heritage.barca.star.leaf_evaluators import LeafEvaluator

CUTOFF_MARGIN = 1e-9
"""By how much, in the unit of the leaves, a value has to be outside its window to be cut off."""

_DICE = np.array(ROLLS, np.int8)
_WEIGHTS = np.asarray(ROLL_WEIGHTS, np.float64)


@dataclass(frozen=True)
class Window:
    """What values have to be told from: ``float64[n]`` each."""

    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]

    @classmethod
    def make_unbounded(cls, count: int) -> Window:
        """One that everything is within."""
        return cls(np.full(count, -np.inf), np.full(count, np.inf))

    def take(self, places: NDArray[np.int64] | slice) -> Window:
        """Some of them."""
        return Window(self.alpha[places], self.beta[places])


class ChanceNodes:
    """Some chance nodes, their replies, and what is known of each roll. A row is a roll of a node.

    Args:
        boards: ``int8[n, 2, 26]``, none of them settled.
        window: Of each node.
        leaf_evaluator: Bounds the values.
    """

    def __init__(self, boards: Board, window: Window, leaf_evaluator: LeafEvaluator) -> None:
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
        """What is known of the nodes, low and high."""
        return _average_rolls(self._low), _average_rolls(self.high)

    def order_replies(self, values: NDArray[np.float64]) -> None:
        """Put the replies to each roll in an order, those first whose next mover has the least value."""
        row = np.repeat(np.arange(len(self.best_known)), np.diff(self.offsets))
        self.order = np.lexsort((values, row))

    def put_first(self, places: NDArray[np.int64]) -> None:
        """Put a reply to each roll before the others; ``int64[n * 21]``, places among the replies."""
        firsts = self.offsets[:-1]
        self.order[places], self.order[firsts] = self.order[firsts], places

    def find_places(self, boards: Board) -> NDArray[np.int64]:
        """Find a reply to each roll by its position, ``int8[n * 21, 2, 26]``."""
        wanted = np.repeat(_view_as_words(boards), np.diff(self.offsets), axis=0)
        return np.flatnonzero((_view_as_words(self.replies) == wanted).all(axis=1))

    def record_probes(self, values: NDArray[np.float64]) -> None:
        """Note what the first reply to each roll is worth; where it is the only one, the roll is known."""
        self._is_probed = True
        self.best_known = values
        self._low = np.maximum(self._low, values)
        known = np.diff(self.offsets) == 1
        self.high[known] = self._low[known] = values[known]
        self._is_searched |= known

    def record_bounds(
        self, rows: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> None:
        """Note what some rolls are worth; a value stands as it is, though rounded past a bound."""
        is_known = low == high
        self._low[rows] = np.where(is_known, low, np.maximum(self._low[rows], low))
        self.high[rows] = np.where(is_known, high, np.minimum(self.high[rows], high))
        self._is_searched[rows] = True

    def choose_next_rolls(self, count: int, *, is_cutting: bool) -> NDArray[np.int64]:
        """Choose rolls to look at, of each node those that may change it the most.

        Args:
            count: How many of each node.
            is_cutting: Whether nodes outside their windows are left alone.

        Returns:
            ``int64[r]``, rows; none where all is known.
        """
        is_open = ~self._is_searched.reshape(-1, len(ROLLS))
        if is_cutting:
            low, high = self.average_bounds()
            is_cut = (low >= self._window.beta + CUTOFF_MARGIN) | (high <= self._window.alpha - CUTOFF_MARGIN)
            is_open &= ~is_cut[:, None]
        gap = np.where(is_open, _weigh_gaps(self._low, self.high), -1.0)
        chosen = np.argsort(-gap, axis=1, kind="stable")[:, :count]
        taken = np.take_along_axis(is_open, chosen, axis=1)
        rows: NDArray[np.int64] = (chosen + len(ROLLS) * np.arange(len(gap))[:, None])[taken]
        return np.sort(rows)

    def compute_windows(self, rows: NDArray[np.int64]) -> Window:
        """What the other rolls of a node leave open to a roll, with the margin that a proof takes."""
        node, weight = rows // len(ROLLS), _WEIGHTS[rows % len(ROLLS)]
        low, high = (_sum_other_rolls(bounds, node, rows % len(ROLLS)) for bounds in (self._low, self.high))
        return Window(
            _limit_for_roll(self._window.alpha[node] - CUTOFF_MARGIN, high, weight, -np.inf),
            _limit_for_roll(self._window.beta[node] + CUTOFF_MARGIN, low, weight, np.inf),
        )

    def list_unsearched_replies(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """List the replies to some rolls that were not looked at, in their order, and to which each is."""
        starts = self.offsets[rows] + self._is_probed
        counts = self.offsets[rows + 1] - starts
        of_row = np.repeat(np.arange(len(rows)), counts)
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
        return self.order[places], of_row


def _average_rolls(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average rolls of nodes, ``float64[n * 21]`` to ``float64[n]``, always adding in the same order."""
    columns = values.reshape(-1, len(ROLLS))
    total = np.zeros(len(columns))
    for roll, weight in enumerate(_WEIGHTS):
        total += weight * columns[:, roll]
    return total


def _sum_other_rolls(
    bounds: NDArray[np.float64], node: NDArray[np.int64], roll: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Add up the bounds of all rolls of a node but one."""
    rows = bounds.reshape(-1, len(ROLLS))[node]
    rows[np.arange(len(rows)), roll] = 0.0
    return _average_rolls(rows.reshape(-1))


def _limit_for_roll(
    limit: NDArray[np.float64], others: NDArray[np.float64], weight: NDArray[np.float64], nothing: float
) -> NDArray[np.float64]:
    """What is left of a limit for a roll; nothing where the others, or the limit, are infinite."""
    is_known = np.isfinite(limit) & np.isfinite(others)
    return np.where(
        is_known, (np.where(is_known, limit, 0.0) - np.where(is_known, others, 0.0)) / weight, nothing
    )


def _weigh_gaps(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much rolls may still change their nodes, ``float64[n, 21]``."""
    gaps: NDArray[np.float64] = (high - low).reshape(-1, len(ROLLS)) * _WEIGHTS
    return gaps


def _view_as_words(boards: Board) -> NDArray[np.int32]:
    """The same boards in fewer, longer numbers: ``int32[n, 13]``."""
    return np.ascontiguousarray(boards).reshape(len(boards), -1).view(np.int32)
