"""Evaluation of positions at n-ply, in one compiled loop: `gammond.engine.kernels.nets.look_ahead`.

The average. The value of a position at k-ply is the mean over the 21 rolls, weighted by probability, of the
value of the best reply at (k - 1)-ply, from the opponent's side; at 0-ply it is the objective's own. A
settled position, such as a finished one, keeps its 0-ply value at any depth.

The replies considered, for each roll of each position (`Pruning`):

1. The pruner keeps the most promising legal plays: at most `keep`, none more than `margin` behind the best
   one; on the last of several plies, whose errors average out, `last_keep` and `last_margin`. Without a
   pruner, or with `keep` None, these are all legal plays.
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
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import pack_tables
from gammond.engine.cubeful import CUBELESS_GAME, CubeGame, select_exact_values
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import CubefulEvaluator, Evaluator, ExactEvaluator, find_solution
from gammond.engine.evaluation.leaves import find_leaves, open_question
from gammond.engine.evaluation.pruning import PlayPruner, Replies, find_pruning_nets
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import phases as kernel_phases
from gammond.engine.kernels.cubeful import MATCH, MONEY
from gammond.engine.kernels.nets.look_ahead import SearchNets, evaluate_positions
from gammond.engine.kernels.nets.play_evaluation import NO_NETS
from gammond.engine.kernels.search import NODES, ReplyLimits, SearchFrame
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.outcome import Outcomes, evaluate_finished
from gammond.engine.rules.position import Board, find_finished
from gammond.engine.runtime.threads import Workers, release_turn
from gammond.engine.search.cache import ValueCache, deduplicate_boards
from gammond.engine.search.watch import SearchWatch

Values = NDArray[np.float32]
"""``float32[n, k]``; the first five columns are the outcome."""


@dataclass(frozen=True)
class Objective:
    """Evaluates positions for the side on roll; safe to use from several threads.

    Its values are what a search carries from its leaves to its root. Their first five columns are the
    outcome. Where more than cubeless equity counts, a column for each state of the cube follows, and each has
    its own best plays.

    Equal objectives give bitwise equal values: a cache takes one for the other.

    Attributes:
        evaluator: Evaluates the leaves.
        game: The game, seen by the side on roll; without a cube cubeless money equity chooses the plays.
        exact: Evaluators from whose positions nothing is looked ahead, unless the cube counts in a match;
            each a `CubefulEvaluator` where the cube counts. A two-sided bearoff database; or the evaluator
            itself, if it knows all positions.
    """

    evaluator: Evaluator
    game: CubeGame = CUBELESS_GAME
    exact: tuple[ExactEvaluator, ...] = ()

    @cached_property
    def other(self) -> Objective:
        """The objective of the same game with the opponent on roll."""
        other = self.game.other
        return self if other is self.game else Objective(self.evaluator, other, self.exact)

    @cached_property
    def is_solved(self) -> bool:
        """Whether its evaluator knows the values of all its positions exactly."""
        return self.game.arrays.kind != MATCH and find_solution(self.evaluator, self.exact) is not None

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions at 0-ply, before the roll and before a double.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed, and evaluated exactly.

        Returns:
            ``float32[n, columns]`` of the game; each row depends on its own board alone.
        """
        outcomes = evaluate_outcomes(self.evaluator, boards)
        if not self.game.states:
            return outcomes
        if not self.game.is_cubeful:
            return np.concatenate([outcomes, self.game.evaluate(outcomes)], axis=1)
        efficiencies = self.game.efficiencies.for_boards(boards, outcomes)
        values = self.game.evaluate(outcomes, efficiencies)
        for evaluator in self.exact if self.game.arrays.kind == MONEY else ():
            covered = np.flatnonzero(evaluator.covers(boards))
            if covered.size:
                covered = covered[~find_finished(boards[covered])]
                equities = cast("CubefulEvaluator", evaluator).cubeful_equities(boards[covered])
                values[covered] = select_exact_values(equities, self.game.arrays)
        return np.concatenate([outcomes, values], axis=1)


def evaluate_outcomes(evaluator: Evaluator, boards: Board) -> Outcomes:
    """Evaluate positions; finished ones exactly.

    Args:
        evaluator: The evaluator.
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``float32[n, 5]``.
    """
    outcomes = evaluator.evaluate(boards)
    if kernel_phases.is_any_over(as_kernel_array(boards, np.int8)):
        over = find_finished(boards)
        outcomes = outcomes.copy()
        outcomes[over] = evaluate_finished(boards[over])
    return outcomes


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

_NO_CACHE = ValueCache(2)
_MAX_LOOPS = 64
"""Objectives whose form for the loop is cached."""

_TASKS_PER_THREAD = 8
"""Threads that end early take from the others; smaller tasks have fewer positions in common."""

_MIN_PARALLEL_POSITIONS = 60
"""With fewer positions at 1-ply, 6 ms of work, threads cost more than they gain."""

_MIN_TASK_POSITIONS = 8, 1, 1, 1
"""The smallest task for a thread by plies, from 1 on: about a millisecond."""


@dataclass(frozen=True)
class Pruning:
    """The replies that a search considers; see the module.

    Attributes:
        keep: Maximum number of replies kept for a roll, 1 to `MAX_KEEP`; None for all legal plays.
        margin: Maximum loss of a kept reply against the pruner's best one, in points.
        width: Maximum number of replies followed deeper; None for all that were kept.
        width_margin: Maximum loss of these against the best one at 0-ply, by the objective's score.
        last_keep: Maximum number kept on the last of several plies, if it is below `keep`.
        last_margin: Maximum loss of those, if it is below `margin`.

    Raises:
        ValueRangeError: A value is out of range.
    """

    keep: int | None = 8
    margin: float = 0.16
    width: int | None = 1
    width_margin: float = 0.02
    last_keep: int = 4
    last_margin: float = 0.1

    def __post_init__(self) -> None:
        for field in ("keep", "width", "last_keep"):
            count = getattr(self, field)
            if count is not None and not 1 <= count <= MAX_KEEP:
                raise ValueRangeError(
                    f"expected 1 to {MAX_KEEP} or none for {field}, got {count}", field=field
                )
        for field in ("margin", "width_margin", "last_margin"):
            points = getattr(self, field)
            if not points >= 0.0:
                raise ValueRangeError(f"expected 0 points or more for {field}, got {points}", field=field)

    @property
    def limits(self) -> tuple[ReplyLimits, ReplyLimits]:
        """The replies that pruning keeps, and those on the last of several plies."""
        limits = ReplyLimits(self.keep or 0, float(self.margin))
        last = ReplyLimits(min(limits.keep, self.last_keep), min(limits.margin, float(self.last_margin)))
        return limits, last


DEFAULT_PRUNING = Pruning()
"""The default of searches."""

UNPRUNED = Pruning(keep=None, width=None)
"""All legal plays, all followed to the full depth: the exact expectiminimax."""

_Loop = tuple[SearchNets, SearchFrame, tuple[Evaluator, ...]]
"""What evaluates and prunes in the compiled loop, what else it uses, and the evaluators that it asks."""


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
        self._pruning = pruning if pruner is not None else replace(pruning, keep=None)
        self._cache = cache or _NO_CACHE
        self._workers = Workers(threads)
        self._make_loop: Callable[[Objective], _Loop] = lru_cache(_MAX_LOOPS)(self._prepare_loop)

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
        if not len(boards):
            return np.empty((0, objective.game.columns), np.float32)
        if not plies or objective.is_solved:
            return _evaluate_leaves(objective, boards, watch)
        return self._evaluate(objective, plies, watch or SearchWatch(), boards)

    def _evaluate(
        self, objective: Objective, plies: int, watch: SearchWatch, boards: Board, is_inner: bool = False
    ) -> Values:
        """Evaluate positions, of a deeper search or not; if the work is long enough, in several threads."""
        run = partial(self._run_loop, objective, plies, watch, is_inner)
        threads = self._workers.threads
        work = len(boards) * len(ROLLS) ** (plies - 1)
        if threads == 1 or work < _MIN_PARALLEL_POSITIONS:
            return run(boards)
        distinct, _, places = deduplicate_boards(boards)
        count = len(distinct)
        if plies > 1 and count < 2 * threads:  # they share the replies
            return run(boards, is_shared=True)
        size = max(_MIN_TASK_POSITIONS[plies - 1], -(-count // (_TASKS_PER_THREAD * threads)))
        tasks = [distinct[start : start + size] for start in range(0, count, size)]
        parts = self._workers.map(run, tasks)
        values: Values = np.concatenate(parts)[places]
        return values

    def _run_loop(
        self,
        objective: Objective,
        plies: int,
        watch: SearchWatch,
        is_inner: bool,
        boards: Board,
        is_shared: bool = False,
    ) -> Values:
        """Evaluate positions in the compiled loop.

        Args:
            objective: Evaluates the leaves.
            plies: 1 or more.
            watch: Counts nodes and stops the work.
            is_inner: Whether the positions are those of a deeper search.
            boards: ``int8[n, 2, 26]``.
            is_shared: Whether threads share the replies to the root.
        """
        watch.check()
        nets, frame, asked = self._make_loop(objective)
        evaluate: list[Callable[[Board], Values]] = [each.evaluate for each in asked]
        if is_shared:
            nets = nets._replace(sharer=len(evaluate))
            evaluate.append(partial(self._evaluate, objective.other, plies - 1, watch, is_inner=True))

        def ask(nodes: int) -> None:
            watch.count(nodes)
            watch.check()

        prune = [partial(self._prune_plays, each) for each in self._pruning.limits]
        question = open_question(ask, evaluate, prune if nets.asks_plays else ())
        counters = np.zeros(3, np.int64)
        frame = frame._replace(is_inner=is_inner, counters=counters, question=question.cells)
        with release_turn():
            own, other = objective.game.arrays, objective.other.game.arrays
            values = evaluate_positions(nets, frame, own, other, boards, plies)
        watch.count(int(counters[NODES]))
        question.check()
        return values

    def _prune_plays(self, limits: ReplyLimits, boards: Board, dice: NDArray[np.int8]) -> Replies:
        assert self._pruner is not None  # the loop asks for it
        return self._pruner.prune_plays(boards, dice, limits.keep, limits.margin)

    def _assign_tag(self, objective: Objective, plies: int, is_inner: bool) -> int:
        """Return the tag of values in the cache, -1 if they are not cached.

        Values at 0-ply are not: looking one up costs about as much as computing it.
        """
        if self._cache is _NO_CACHE or plies == 0 or self._cache.columns < objective.game.columns:
            return -1
        is_last = is_inner and plies == 1  # of deeper values the last ply is one of several anyway
        return self._cache.assign_tag((objective, self._pruner, self._pruning, plies, is_last))

    def _prepare_loop(self, objective: Objective) -> _Loop:
        """Return what the loop takes for an objective beside its game, and the cells of a call."""
        pruning, nets = self._pruning, find_pruning_nets(self._pruner)
        leaves = find_leaves(objective.evaluator)
        kind = objective.game.arrays.kind
        settled = () if kind == MATCH else objective.exact
        sides = objective, objective.other
        depths = range(MAX_PLIES + 1)
        tags = [[self._assign_tag(side, plies, is_inner=True) for plies in depths] for side in sides]
        tags.append([self._assign_tag(objective, plies, is_inner=False) for plies in depths])
        frame = SearchFrame(
            limits=pruning.limits,
            is_inner=False,
            width=pruning.width or 0,
            width_margin=float(pruning.width_margin),
            block=BLOCK_UNPRUNED if self._pruner is None else BLOCK_POSITIONS,
            batch=PRUNE_POSITIONS,
            evaluate_rows=EVALUATE_ROWS,
            cache=self._cache.arrays,
            tags=np.array(tags, np.int64),
            counters=np.empty(0, np.int64),
            question=np.empty(0, np.int64),
        )
        search_nets = SearchNets(
            leaves.nets,
            pack_tables(settled, cubeful=kind == MONEY),
            NO_NETS if nets is None else nets,
            asks_plays=self._pruner is not None and nets is None,
            sharer=-1,
        )
        return search_nets, frame, leaves.asked


def _evaluate_leaves(objective: Objective, boards: Board, watch: SearchWatch | None) -> Values:
    """Evaluate positions at 0-ply, without compiling the loop."""
    if len(boards) == 1 and watch is None:  # nothing in it is repeated or stopped
        return objective.evaluate(boards)
    watch = watch or SearchWatch()
    distinct, _, places = deduplicate_boards(boards)
    values = np.empty((len(distinct), objective.game.columns), np.float32)
    for start in range(0, len(distinct), EVALUATE_ROWS):
        watch.check()
        rows = distinct[start : start + EVALUATE_ROWS]
        values[start : start + EVALUATE_ROWS] = objective.evaluate(rows)
        watch.count(len(rows))
    return values[places]


def check_plies(plies: int) -> int:
    """Check a depth of search and return it.

    Raises:
        ValueRangeError: It is not 0 to `MAX_PLIES`.
    """
    if not 0 <= plies <= MAX_PLIES:
        raise ValueRangeError(f"expected 0 to {MAX_PLIES} plies, got {plies}", field="plies")
    return plies
