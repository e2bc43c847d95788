"""Evaluation of positions at n-ply: in one compiled loop, or in steps with evaluators that have none.

The average. The value of a position at k-ply is the mean over the 21 rolls, weighted by probability, of the
value of the best reply at (k - 1)-ply, from the opponent's side; at 0-ply it is the objective's own. A
settled position, such as a finished one, keeps its 0-ply value at any depth.

The replies considered, for each roll of each position (`Pruning`):

1. The pruner keeps the most promising legal plays: at most `keep`, none more than `margin` behind the best
   one. Without a pruner, or with `keep` None, these are all legal plays.
2. They are evaluated at 0-ply. At 1-ply the best of them is the reply.
3. Deeper, the best `width` of them, none more than `width_margin` behind the best one, are evaluated at
   (k - 1)-ply, and the best by those values is the reply. With a width of 1 that is the 0-ply choice, as in
   most analysis programs. With None all are followed: the value is the exact expectiminimax of the plays of
   step 1.

Memory. Levels are worked on depth first, in blocks of `BLOCK_POSITIONS` positions, or `BLOCK_UNPRUNED`
without pruning: a thread holds one block of each level. A block has at most `MAX_BLOCK_REPLIES` replies of
300 bytes, and 16 for each column. So any query takes less than 40 MiB for each level and thread, and 1 to
4 MiB with the usual pruning. The objective gets at most `EVALUATE_ROWS` positions at a time, the pruner
`PRUNE_POSITIONS` with all their rolls; the watch is checked before each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.evaluation.pruning import PlayPruner
from engine.kernels import as_kernel_array
from engine.kernels import objectives as kernel_objectives
from engine.kernels import search as kernel_search
from engine.kernels.search import SearchFrame
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.moves import expand_rolls
from engine.rules.position import Board
from engine.runtime.threads import Workers
from engine.search.cache import DistinctBoards, ValueCache, deduplicate_boards
from engine.search.compiled import CompiledEvaluator, CompiledSearch
from engine.search.objective import Objective, Values
from engine.search.watch import SearchWatch

MAX_PLIES = 4
MAX_KEEP = 48
BLOCK_POSITIONS = 48
BLOCK_UNPRUNED = 4
MAX_BLOCK_REPLIES = 100_440
"""Bound for `BLOCK_UNPRUNED` positions: 6 doubles of 3060 plays and 15 other rolls of 450.

`BLOCK_POSITIONS` of 21 rolls with `MAX_KEEP` replies are fewer.
"""

EVALUATE_ROWS = 4096
PRUNE_POSITIONS = 6
"""Where each roll has hundreds of plays, pruning those of this many positions takes 8 ms."""

_DICE = np.array(ROLLS, np.int8)
_NO_CACHE = ValueCache(2)
_MAX_COMPILED = 64
"""Objectives whose form for kernels is kept."""

_TASKS_PER_THREAD = 8
"""Threads that end early take from the others; smaller tasks have fewer positions in common."""

_MIN_PARALLEL_POSITIONS = 60
"""With fewer positions at 1-ply, 6 ms of work, threads cost more than they gain."""

_MIN_TASK_POSITIONS = 192, 8, 1, 1, 1
"""The smallest task for a thread by plies: about a millisecond."""


@dataclass(frozen=True)
class Pruning:
    """The replies that a search considers; see the module.

    Attributes:
        keep: Maximum number of replies kept for a roll, 1 to `MAX_KEEP`; None for all legal plays.
        margin: Maximum loss of a kept reply against the pruner's best one, in points.
        width: Maximum number of replies followed deeper; None for all that were kept.
        width_margin: Maximum loss of these against the best one at 0-ply, by the objective's score.

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
                raise ValueRangeError(
                    f"expected 1 to {MAX_KEEP} or none for {field}, got {count}", field=field
                )
        for field in ("margin", "width_margin"):
            points = getattr(self, field)
            if not points >= 0.0:
                raise ValueRangeError(f"expected 0 points or more for {field}, got {points}", field=field)


DEFAULT_PRUNING = Pruning()
"""The default of searches."""

UNPRUNED = Pruning(keep=None, width=None)
"""All legal plays, all followed to the full depth: the exact expectiminimax."""


class TreeSearch:
    """Looks ahead from positions; safe to use from several threads.

    Args:
        pruner: Keeps the promising replies; None for all legal plays.
        pruning: Which replies the search considers.
        cache: Keeps values of 1-ply and deeper, if given. Results do not depend on it.
        threads: Number of threads that work on one query. Results do not depend on it.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """

    def __init__(
        self,
        pruner: PlayPruner | None = None,
        pruning: Pruning = DEFAULT_PRUNING,
        cache: ValueCache | None = None,
        threads: int = 1,
    ) -> None:
        self._pruner = pruner if pruning.keep is not None else None
        self._pruning = pruning
        self._cache = cache or _NO_CACHE
        self._workers = Workers(threads)
        self._frame = SearchFrame(
            keep=0 if self._pruner is None else pruning.keep or 0,
            margin=float(pruning.margin),
            width=pruning.width or 0,
            width_margin=float(pruning.width_margin),
            block=BLOCK_UNPRUNED if self._pruner is None else BLOCK_POSITIONS,
            batch=PRUNE_POSITIONS,
            evaluate_rows=EVALUATE_ROWS,
            dice=_DICE,
            weights=ROLL_WEIGHTS,
            cache=self._cache.arrays,
            tags=np.empty((2, 0), np.int64),
            counters=np.empty(0, np.int64),
            question=np.empty(0, np.int64),
        )
        self._compile: Callable[[Objective], CompiledSearch | None] = lru_cache(_MAX_COMPILED)(
            self._compile_search
        )

    def evaluate(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch | None = None
    ) -> Values:
        """Evaluate positions at n-ply, before the roll, for the side on roll.

        Args:
            objective: Evaluates the leaves, for the side on roll at the root.
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
        boards = as_kernel_array(boards, np.int8)
        if len(boards) == 1 and not plies and watch is None:  # nothing in it is repeated, shared or stopped
            return objective.evaluate(boards)
        if not len(boards):
            return np.empty((0, objective.columns), np.float32)
        return self._evaluate(objective, boards, plies, watch or SearchWatch(), is_shared=plies > 0)

    def _evaluate(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_shared: bool
    ) -> Values:
        """Evaluate positions, each once; if the work may be shared and is long enough, in several threads."""
        threads = self._workers.threads
        work = len(boards) * len(ROLLS) ** (plies - 1)
        is_shared = is_shared and threads > 1 and work >= _MIN_PARALLEL_POSITIONS
        compiled = None if is_shared or not plies else self._compile(objective)
        if compiled:
            return compiled.evaluate(boards, plies, watch)
        distinct = deduplicate_boards(boards)
        count = len(distinct.boards)
        if is_shared and (plies < 2 or count >= 2 * threads):
            size = max(_MIN_TASK_POSITIONS[plies], -(-count // (_TASKS_PER_THREAD * threads)))
            tasks = [distinct.boards[start : start + size] for start in range(0, count, size)]
            parts = self._workers.map(
                lambda task: self._evaluate(objective, task, plies, watch, is_shared=False), tasks
            )
            values = np.concatenate(parts)
        elif plies:
            values = self._look_ahead(objective, distinct, plies, watch, is_shared)
        else:
            values = _evaluate_leaves(objective, distinct.boards, watch)
        return values[distinct.places]

    def _look_ahead(
        self, objective: Objective, distinct: DistinctBoards, plies: int, watch: SearchWatch, is_shared: bool
    ) -> Values:
        """Evaluate positions with the cache: settled ones, then the others block by block."""
        tag = self._assign_tag(objective, plies)
        values = np.empty((len(distinct.boards), objective.columns), np.float32)
        missing = kernel_search.look_up(self._cache.arrays, distinct.keys, tag, values)
        is_settled = objective.is_settled(distinct.boards[missing])
        settled, deep = missing[is_settled], missing[~is_settled]
        values[settled] = _evaluate_leaves(objective, distinct.boards[settled], watch)
        for start in range(0, len(deep), self._frame.block):
            rows = deep[start : start + self._frame.block]
            values[rows] = self._back_up(objective, distinct.boards[rows], plies, watch, is_shared)
        kernel_search.store(self._cache.arrays, distinct.keys, missing, tag, values)
        return values

    def _back_up(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_shared: bool
    ) -> Values:
        """Average the best replies to all rolls in a block of positions."""
        replies, offsets = self._list_replies(boards, watch)
        other, width = objective.other, self._pruning.width
        if plies > 1 and width is not None:
            leaves = other.add_double_option(self._evaluate(other, replies, 0, watch, is_shared))
            chosen, offsets = kernel_objectives.choose_replies(
                objective.kind, leaves, offsets, width, self._frame.width_margin
            )
            replies = replies[chosen]
        values = other.add_double_option(self._evaluate(other, replies, plies - 1, watch, is_shared))
        return kernel_objectives.average_best_replies(objective.kind, values, offsets, ROLL_WEIGHTS)

    def _list_replies(self, boards: Board, watch: SearchWatch) -> tuple[Board, NDArray[np.int64]]:
        """List the replies considered: ``int8[m, 2, 26]``, ``int64[n * 21 + 1]`` offsets, roll by roll."""
        found, offsets = [], [np.zeros(1, np.int64)]
        for start in range(0, len(boards), PRUNE_POSITIONS):
            watch.check()
            batch = boards[start : start + PRUNE_POSITIONS]
            rows, dice = np.repeat(batch, len(ROLLS), axis=0), np.tile(_DICE, (len(batch), 1))
            if self._pruner is None:
                children, _, ends = expand_rolls(rows, dice)
            else:
                replies = self._pruner.prune_plays(rows, dice, self._frame.keep, self._frame.margin)
                children, ends = replies.children, replies.offsets
            found.append(children)
            offsets.append(offsets[-1][-1] + ends[1:])
        return np.concatenate(found), np.concatenate(offsets)

    def _assign_tag(self, objective: Objective, plies: int) -> int:
        """Return the tag of values in the cache, -1 if they are not cached.

        Values at 0-ply are not: looking one up costs about as much as computing it.
        """
        if self._cache is _NO_CACHE or plies == 0 or self._cache.columns < objective.columns:
            return -1
        return self._cache.assign_tag((objective, self._pruner, self._pruning, plies))

    def _compile_search(self, objective: Objective) -> CompiledSearch | None:
        """Return the search in one compiled loop, None if something in it has no compiled form."""
        if not isinstance(objective.evaluator, CompiledEvaluator):
            return None
        loop = objective.evaluator.make_search_loop(self._pruner, objective.exact)
        if loop is None:
            return None
        sides = objective, objective.other
        tags = [[self._assign_tag(side, plies) for plies in range(MAX_PLIES + 1)] for side in sides]
        frame = self._frame._replace(tags=np.array(tags, np.int64))
        return CompiledSearch(loop, frame, *(side.make_rules() for side in sides))


def _evaluate_leaves(objective: Objective, boards: Board, watch: SearchWatch) -> Values:
    values = np.empty((len(boards), objective.columns), np.float32)
    for start in range(0, len(boards), EVALUATE_ROWS):
        watch.check()
        rows = boards[start : start + EVALUATE_ROWS]
        values[start : start + EVALUATE_ROWS] = objective.evaluate(rows)
        watch.count(len(rows))
    return values


def check_plies(plies: int) -> int:
    """Check a depth of search and return it.

    Raises:
        ValueRangeError: It is not 0 to `MAX_PLIES`.
    """
    if not 0 <= plies <= MAX_PLIES:
        raise ValueRangeError(f"expected 0 to {MAX_PLIES} plies, got {plies}", field="plies")
    return plies
