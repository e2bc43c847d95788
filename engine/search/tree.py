"""Values some plies deep, level by level in batches.

What is averaged. The value of a position at k plies is the mean over the 21 rolls, by their probabilities, of
the value of the best reply at k - 1 plies, seen from the other side; at 0 plies it is the judgement's own. A
position that is settled, such as a finished one, keeps its value at 0 plies at any depth.

Which replies are looked at, for each roll of each position (`Pruning`):

1. The reply finder names the most promising legal plays: at most `keep`, none more than `margin` behind its
   best one. Without a finder, or with `keep` None, these are all legal plays.
2. They are valued at 0 plies. At 1 ply the best of them is the reply.
3. Deeper, the best `width` of them, none more than `width_margin` behind the best one, are valued at k - 1
   plies, and the best by those values is the reply. With a width of 1 that is the choice of the judgement at
   0 plies, as in most analysis programs. With None all are followed: the value is the exact expectiminimax
   of the plays of step 1.

Memory. Levels are worked on depth first, in blocks of `BLOCK_POSITIONS` positions, `BLOCK_UNPRUNED` where all
legal plays are looked at: a thread holds one block of each level. A block has at most `MAX_BLOCK_REPLIES`
replies, of 300 bytes and 16 for each column at most. So a query takes less than 40 MiB for each level and
thread whatever it is, and 1 to 4 MiB with the usual pruning. The judgement gets at most `EVALUATE_ROWS`
positions at a time, the finder `FIND_POSITIONS` with all their rolls; the watch is asked before each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.dice import ROLL_WEIGHTS, ROLLS
from engine.errors import ValueRangeError
from engine.kernels import search as kernel_search
from engine.moves import expand_rolls
from engine.position import Board
from engine.replies import ReplyFinder
from engine.search.cache import ValueCache
from engine.search.judgement import Judgement, Values
from engine.search.positions import distinct_boards
from engine.search.watch import SearchWatch
from engine.search.workers import Workers

MAX_PLIES = 4
MAX_KEEP = 48
BLOCK_POSITIONS = 48
BLOCK_UNPRUNED = 4
MAX_BLOCK_REPLIES = 100_440
"""Of `BLOCK_UNPRUNED` positions: 6 doubles of 3060 plays and 15 other rolls of 450, if there were any such.

`BLOCK_POSITIONS` of 21 rolls with `MAX_KEEP` replies are fewer.
"""

EVALUATE_ROWS = 4096
FIND_POSITIONS = 6
"""Where each roll has hundreds of plays, finding replies to so many takes 8 ms."""

_DICE = np.array(ROLLS, np.int8)
_TASKS_FOR_EACH_THREAD = 4
_LEAST_SPREAD = 400
"""With fewer positions to look ahead from for 1 ply, threads cost more than they give."""

_MIN_TASK_POSITIONS = 5
"""Fewer positions than this are not worth handing to a thread at 1 ply."""


@dataclass(frozen=True)
class Pruning:
    """Which replies a search looks at; see the module.

    Attributes:
        keep: The most replies the finder names for a roll, 1 to `MAX_KEEP`; None for all legal plays.
        margin: How far behind the finder's best reply they may be, in points.
        width: The most replies that are followed deeper; None for all that were named.
        width_margin: How far behind the best one at 0 plies those may be, by the judgement's score.

    Raises:
        ValueRangeError: A value is out of range.
    """

    keep: int | None = 8
    margin: float = 0.16
    width: int | None = 1
    width_margin: float = 0.02

    def __post_init__(self) -> None:
        for field in ("keep", "width"):
            count = getattr(self, field)
            if count is not None and not 1 <= count <= MAX_KEEP:
                raise ValueRangeError(f"{field} is 1 to {MAX_KEEP} or none, not {count}", field=field)
        for field in ("margin", "width_margin"):
            points = getattr(self, field)
            if not points >= 0.0:
                raise ValueRangeError(f"{field} is 0 points or more, not {points}", field=field)


USUAL_PRUNING = Pruning()
"""What most searches are made with."""

UNPRUNED = Pruning(keep=None, width=None)
"""All legal plays, all followed to the full depth: the exact expectiminimax."""


@dataclass(frozen=True)
class _Valued:
    """Values of distinct positions, and which of them each of the positions asked for is."""

    values: Values
    places: NDArray[np.int64]


class TreeSearch:
    """Looks ahead from positions; safe to use from several threads.

    Args:
        finder: Names the promising replies; None to look at all legal plays.
        pruning: Which replies are looked at.
        cache: Where values of 1 ply and more are kept; None for nowhere. Results do not depend on it.
        threads: How many threads work on one query. Results do not depend on it.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """

    def __init__(
        self,
        finder: ReplyFinder | None = None,
        pruning: Pruning = USUAL_PRUNING,
        cache: ValueCache | None = None,
        threads: int = 1,
    ) -> None:
        self._finder = finder if pruning.keep is not None else None
        self._pruning = pruning
        self._cache = cache
        self._workers = Workers(threads)
        self._block = BLOCK_UNPRUNED if self._finder is None else BLOCK_POSITIONS

    def values(
        self, judgement: Judgement, boards: Board, plies: int, watch: SearchWatch | None = None
    ) -> Values:
        """Value positions some plies deep, before the roll, for the side on roll.

        Args:
            judgement: Values the leaves, for the side on roll at the root.
            boards: ``int8[n, 2, 26]``, finished positions allowed.
            plies: 0 to `MAX_PLIES`.
            watch: Counts nodes and stops the work.

        Returns:
            ``float32[n, columns]``; each row depends on its own board alone, to the last bit.

        Raises:
            ValueRangeError: The plies are out of range.
            CancelledWork: The watch stopped it.
        """
        check_plies(plies)
        if not len(boards):
            return np.empty((0, judgement.columns), np.float32)
        boards = np.require(boards, np.int8, ["C", "W"])  # one signature of the kernels, compiled once
        spread = self._workers.threads > 1
        valued = self._values(judgement, boards, plies, watch or SearchWatch(), spread)
        return valued.values[valued.places]

    def _values(
        self, judgement: Judgement, boards: Board, plies: int, watch: SearchWatch, spread: bool
    ) -> _Valued:
        """Value distinct positions, from the cache as far as it goes.

        Values without look-ahead are not worth a place in it: finding one costs about as much as making it.
        """
        distinct = distinct_boards(boards)
        cache = self._cache
        if cache is None or plies == 0 or cache.columns < judgement.columns:
            values = self._new_values(judgement, distinct.boards, plies, watch, spread)
            return _Valued(values, distinct.places)
        tag = cache.tag((judgement, self._finder, self._pruning, plies))
        values = np.empty((len(distinct.boards), judgement.columns), np.float32)
        missing = cache.look_up(distinct.keys, tag, values)
        if len(missing):
            boards = distinct.boards if len(missing) == len(values) else distinct.boards[missing]
            found = self._new_values(judgement, boards, plies, watch, spread)
            cache.store(distinct.keys, missing, tag, found)
            values[missing] = found
        return _Valued(values, distinct.places)

    def _new_values(
        self, judgement: Judgement, boards: Board, plies: int, watch: SearchWatch, spread: bool
    ) -> Values:
        if plies == 0:
            return self._leaf_values(judgement, boards, watch)
        settled = judgement.settled(boards)
        if not settled.any():
            return self._deep_values(judgement, boards, plies, watch, spread)
        values = np.empty((len(boards), judgement.columns), np.float32)
        values[settled] = self._leaf_values(judgement, boards[settled], watch)
        if not settled.all():
            values[~settled] = self._deep_values(judgement, boards[~settled], plies, watch, spread)
        return values

    def _leaf_values(self, judgement: Judgement, boards: Board, watch: SearchWatch) -> Values:
        parts = []
        for start in range(0, len(boards), EVALUATE_ROWS):
            rows = boards[start : start + EVALUATE_ROWS]
            watch.check()
            parts.append(judgement.values(rows))
            watch.count(len(rows))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _deep_values(
        self, judgement: Judgement, boards: Board, plies: int, watch: SearchWatch, spread: bool
    ) -> Values:
        """Value positions that are not settled, block by block."""
        size = self._block
        tasks = _TASKS_FOR_EACH_THREAD * self._workers.threads
        is_worth_it = len(boards) * len(ROLLS) ** (plies - 1) >= _LEAST_SPREAD
        handed_out = spread and is_worth_it and (plies == 1 or len(boards) >= tasks)
        if handed_out:
            least = _MIN_TASK_POSITIONS if plies == 1 else 1
            size = min(size, max(least, -(-len(boards) // tasks)))
        blocks = [boards[start : start + size] for start in range(0, len(boards), size)]

        def averages(block: Board) -> Values:
            return self._averages(judgement, block, plies, watch, spread and not handed_out)

        parts = (
            self._workers.map(averages, blocks, watch.check)
            if handed_out
            else [averages(block) for block in blocks]
        )
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _averages(
        self, judgement: Judgement, boards: Board, plies: int, watch: SearchWatch, spread: bool
    ) -> Values:
        """Average the best replies to all rolls in a block of positions."""
        replies, offsets = self._replies(boards, watch)
        other, width = judgement.other, self._pruning.width
        if plies > 1 and width is not None:
            leaf = self._carried(other, replies, 0, watch, spread)
            chosen = np.empty(len(replies), np.int64)
            offsets_before, offsets = offsets, np.empty_like(offsets)
            kernel_search.choose_replies(
                leaf.values,
                leaf.places,
                offsets_before,
                judgement.reduction.scores,
                width,
                self._pruning.width_margin,
                chosen,
                offsets,
            )
            replies = replies[chosen[: offsets[-1]]]
        return _reduced(judgement, self._carried(other, replies, plies - 1, watch, spread), offsets)

    def _replies(self, boards: Board, watch: SearchWatch) -> tuple[Board, NDArray[np.int64]]:
        """List the replies to look at: ``int8[m, 2, 26]``, ``int64[n * 21 + 1]`` offsets, roll by roll."""
        if len(boards) <= FIND_POSITIONS:
            return self._found(boards, watch)
        pieces, offsets = [], [np.zeros(1, np.int64)]
        for start in range(0, len(boards), FIND_POSITIONS):
            children, piece_offsets = self._found(boards[start : start + FIND_POSITIONS], watch)
            pieces.append(children)
            offsets.append(offsets[-1][-1] + piece_offsets[1:])
        return np.concatenate(pieces), np.concatenate(offsets)

    def _found(self, boards: Board, watch: SearchWatch) -> tuple[Board, NDArray[np.int64]]:
        """List replies as `_replies`, all at once."""
        watch.check()
        boards = np.repeat(boards, len(ROLLS), axis=0)
        dice = np.tile(_DICE, (len(boards) // len(ROLLS), 1))
        if self._finder is None or self._pruning.keep is None:
            children, _, offsets = expand_rolls(boards, dice)
            return children, offsets
        found = self._finder.best_replies(boards, dice, self._pruning.keep, self._pruning.margin)
        return found.children, found.offsets

    def _carried(
        self, judgement: Judgement, boards: Board, plies: int, watch: SearchWatch, spread: bool
    ) -> _Valued:
        valued = self._values(judgement, boards, plies, watch, spread)
        return _Valued(judgement.carried(valued.values), valued.places)


def check_plies(plies: int) -> int:
    """Return a depth of search as it was given.

    Raises:
        ValueRangeError: It is not 0 to `MAX_PLIES`.
    """
    if not 0 <= plies <= MAX_PLIES:
        raise ValueRangeError(f"plies are 0 to {MAX_PLIES}, not {plies}", field="plies")
    return plies


def _reduced(judgement: Judgement, replies: _Valued, offsets: NDArray[np.int64]) -> Values:
    reduction = judgement.reduction
    values = np.empty(((len(offsets) - 1) // len(ROLLS), judgement.columns), np.float32)
    kernel_search.average_best(
        replies.values,
        replies.places,
        offsets,
        reduction.scores,
        reduction.score_of,
        reduction.turned_from,
        reduction.factors,
        reduction.shifts,
        ROLL_WEIGHTS,
        values,
    )
    return values
