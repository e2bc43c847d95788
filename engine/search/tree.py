"""Evaluation of positions at n-ply, level by level in batches.

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
from functools import lru_cache, partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.evaluation.pruning import PlayPruner
from engine.kernels import as_kernel_array
from engine.kernels import search as kernel_search
from engine.kernels.search import SearchFrame
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.moves import expand_rolls
from engine.rules.position import Board
from engine.runtime.threads import Workers
from engine.search.cache import ValueCache
from engine.search.compiled import CompiledSearch, compile_search
from engine.search.deduplication import deduplicate_boards
from engine.search.objective import Objective, Values
from engine.search.watch import SearchWatch

_Part = TypeVar("_Part")

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

_MIN_TASK_POSITIONS = 8
"""The smallest task for a thread at 1-ply: a millisecond."""

_MIN_TASK_LEAVES = 192
"""The smallest task for a thread at 0-ply."""


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


@dataclass(frozen=True)
class _DistinctValues:
    """Values of distinct positions, and the place among them of each position asked for."""

    values: Values
    places: NDArray[np.int64]


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
        self._cache = cache
        self._workers = Workers(threads)
        self._block_positions = BLOCK_UNPRUNED if self._pruner is None else BLOCK_POSITIONS
        self._frame = SearchFrame(
            keep=0 if self._pruner is None else pruning.keep or 0,
            margin=float(pruning.margin),
            width=pruning.width or 0,
            width_margin=float(pruning.width_margin),
            block=self._block_positions,
            batch=PRUNE_POSITIONS,
            evaluate_rows=EVALUATE_ROWS,
            dice=_DICE,
            weights=ROLL_WEIGHTS,
            cache_keys=(cache or _NO_CACHE).arrays.keys,
            cache_values=(cache or _NO_CACHE).arrays.values,
            cache_lock=(cache or _NO_CACHE).arrays.lock,
            counters=np.empty(0, np.int64),
            question=0,
        )
        self._compile: Callable[..., CompiledSearch | None] = lru_cache(_MAX_COMPILED)(self._compile_search)

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
        if not len(boards):
            return np.empty((0, objective.columns), np.float32)
        boards, watch = as_kernel_array(boards, np.int8), watch or SearchWatch()
        is_parallel = self._workers.threads > 1 and _count_work(boards, plies) >= _MIN_PARALLEL_POSITIONS
        compiled = self._compile(objective) if plies else None
        if compiled and not is_parallel:
            return compiled.evaluate(boards, plies, watch)
        distinct = self._evaluate_distinct(objective, boards, plies, watch, is_parallel)
        return distinct.values[distinct.places]

    def _evaluate_distinct(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_parallel: bool
    ) -> _DistinctValues:
        """Evaluate distinct positions, with the cache."""
        distinct = deduplicate_boards(boards)
        cache = self._cache
        tag = self._assign_tag(objective, plies)
        if cache is None or tag < 0:
            values = self._evaluate_missing(objective, distinct.boards, plies, watch, is_parallel)
            return _DistinctValues(values, distinct.places)
        values = np.empty((len(distinct.boards), objective.columns), np.float32)
        missing = cache.look_up(distinct.keys, tag, values)
        if len(missing):
            boards = distinct.boards if len(missing) == len(values) else distinct.boards[missing]
            computed = self._evaluate_missing(objective, boards, plies, watch, is_parallel)
            cache.store(distinct.keys, missing, tag, computed)
            values[missing] = computed
        return _DistinctValues(values, distinct.places)

    def _assign_tag(self, objective: Objective, plies: int) -> int:
        """Return the tag of values in the cache, -1 if they are not cached.

        Values at 0-ply are not: looking one up costs about as much as computing it.
        """
        cache = self._cache
        if cache is None or plies == 0 or cache.columns < objective.columns:
            return -1
        return cache.assign_tag((objective, self._pruner, self._pruning, plies))

    def _compile_search(self, objective: Objective) -> CompiledSearch | None:
        depths = range(MAX_PLIES + 1)
        sides = objective, objective.other
        tags = np.array([[self._assign_tag(each, plies) for plies in depths] for each in sides], np.int64)
        return compile_search(objective, self._pruner, self._frame, tags)

    def _evaluate_missing(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_parallel: bool
    ) -> Values:
        if plies == 0:
            return self._evaluate_leaves(objective, boards, watch, is_parallel)
        settled = objective.is_settled(boards)
        if not settled.any():
            return self._evaluate_deep(objective, boards, plies, watch, is_parallel)
        values = np.empty((len(boards), objective.columns), np.float32)
        values[settled] = self._evaluate_leaves(objective, boards[settled], watch, is_parallel)
        if not settled.all():
            values[~settled] = self._evaluate_deep(objective, boards[~settled], plies, watch, is_parallel)
        return values

    def _evaluate_leaves(
        self, objective: Objective, boards: Board, watch: SearchWatch, is_parallel: bool
    ) -> Values:
        def evaluate(rows: Board) -> Values:
            watch.check()
            values = objective.evaluate(rows)
            watch.count(len(rows))
            return values

        size = min(EVALUATE_ROWS, self._choose_task_size(boards, _MIN_TASK_LEAVES, is_parallel))
        parts = self._map(evaluate, _cut(boards, size), is_parallel)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _evaluate_deep(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_parallel: bool
    ) -> Values:
        """Evaluate positions that are not settled, block by block."""
        compiled = self._compile(objective)
        is_worth_it = is_parallel and _count_work(boards, plies) >= _MIN_PARALLEL_POSITIONS
        handed_out = is_worth_it and (plies == 1 or len(boards) >= 2 * self._workers.threads)
        least = _MIN_TASK_POSITIONS if plies == 1 else 1
        size = min(self._block_positions, self._choose_task_size(boards, least, handed_out))

        def averages(block: Board) -> Values:
            if compiled and (handed_out or not is_worth_it):
                return compiled.evaluate(block, plies, watch)
            return self._average_rolls(objective, block, plies, watch, is_worth_it and not handed_out)

        parts = self._map(averages, _cut(boards, size), handed_out)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _choose_task_size(self, boards: Board, least: int, is_parallel: bool) -> int:
        """Return the size of a task for a thread; all positions where threads do not share the work."""
        tasks = _TASKS_PER_THREAD * self._workers.threads
        return max(least, -(-len(boards) // tasks)) if is_parallel else len(boards)

    def _map(self, work: Callable[[Board], _Part], pieces: list[Board], is_parallel: bool) -> list[_Part]:
        return self._workers.map(work, pieces) if is_parallel else [work(each) for each in pieces]

    def _average_rolls(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_parallel: bool
    ) -> Values:
        """Average the best replies to all rolls in a block of positions."""
        replies, offsets = self._expand(boards, watch, is_parallel)
        other, width = objective.other, self._pruning.width
        if plies > 1 and width is not None:
            leaf = self._evaluate_with_double_option(other, replies, 0, watch, is_parallel)
            chosen = np.empty(len(replies), np.int64)
            offsets_before, offsets = offsets, np.empty_like(offsets)
            kernel_search.choose_replies(
                leaf.values,
                leaf.places,
                offsets_before,
                objective.backup_rule.scores,
                width,
                self._pruning.width_margin,
                chosen,
                offsets,
            )
            replies = replies[chosen[: offsets[-1]]]
        return _back_up(
            objective,
            self._evaluate_with_double_option(other, replies, plies - 1, watch, is_parallel),
            offsets,
        )

    def _expand(
        self, boards: Board, watch: SearchWatch, is_parallel: bool
    ) -> tuple[Board, NDArray[np.int64]]:
        """List the replies considered: ``int8[m, 2, 26]``, ``int64[n * 21 + 1]`` offsets, roll by roll."""
        size = min(PRUNE_POSITIONS, self._choose_task_size(boards, 1, is_parallel))
        pieces = self._map(partial(self._expand_batch, watch=watch), _cut(boards, size), is_parallel)
        if len(pieces) == 1:
            return pieces[0]
        offsets = [np.zeros(1, np.int64)]
        for _, piece_offsets in pieces:
            offsets.append(offsets[-1][-1] + piece_offsets[1:])
        return np.concatenate([children for children, _ in pieces]), np.concatenate(offsets)

    def _expand_batch(self, boards: Board, watch: SearchWatch) -> tuple[Board, NDArray[np.int64]]:
        """List replies, as `_expand`, of at most `PRUNE_POSITIONS` positions."""
        watch.check()
        boards = np.repeat(boards, len(ROLLS), axis=0)
        dice = np.tile(_DICE, (len(boards) // len(ROLLS), 1))
        if self._pruner is None or self._pruning.keep is None:
            children, _, offsets = expand_rolls(boards, dice)
            return children, offsets
        replies = self._pruner.prune_plays(boards, dice, self._pruning.keep, self._pruning.margin)
        return replies.children, replies.offsets

    def _evaluate_with_double_option(
        self, objective: Objective, boards: Board, plies: int, watch: SearchWatch, is_parallel: bool
    ) -> _DistinctValues:
        distinct = self._evaluate_distinct(objective, boards, plies, watch, is_parallel)
        return _DistinctValues(objective.apply_double_option(distinct.values), distinct.places)


def check_plies(plies: int) -> int:
    """Check a depth of search and return it.

    Raises:
        ValueRangeError: It is not 0 to `MAX_PLIES`.
    """
    if not 0 <= plies <= MAX_PLIES:
        raise ValueRangeError(f"expected 0 to {MAX_PLIES} plies, got {plies}", field="plies")
    return plies


def _count_work(boards: Board, plies: int) -> int:
    """Return about how many positions at 1-ply a search evaluates."""
    return len(boards) * len(ROLLS) ** (plies - 1) if plies else 0


def _cut(boards: Board, size: int) -> list[Board]:
    return [boards[start : start + size] for start in range(0, len(boards), size)]


def _back_up(objective: Objective, replies: _DistinctValues, offsets: NDArray[np.int64]) -> Values:
    rule = objective.backup_rule
    values = np.empty(((len(offsets) - 1) // len(ROLLS), objective.columns), np.float32)
    kernel_search.average_best_replies(
        replies.values,
        replies.places,
        offsets,
        rule.scores,
        rule.score_of,
        rule.opponent_column,
        rule.factors,
        rule.shifts,
        ROLL_WEIGHTS,
        values,
    )
    return values
