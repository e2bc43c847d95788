"""Searches in one compiled loop, with evaluators that offer one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner
from engine.kernels.interrupts import Question
from engine.kernels.objectives import ObjectiveRules
from engine.kernels.search import NODES, SearchFrame
from engine.rules.position import Board
from engine.runtime.thread_turns import release_turn
from engine.search.objective import Values
from engine.search.watch import SearchWatch


class SearchLoop(Protocol):
    """A compiled loop that evaluates positions at n-ply, to the bit as `engine.search.tree` does in steps."""

    def __call__(
        self, frame: SearchFrame, own: ObjectiveRules, other: ObjectiveRules, boards: Board, plies: int
    ) -> Values:
        """Return the values of positions, ``float32[n, k]``; anything once the search is stopped.

        Args:
            frame: What the search uses.
            own: The rules of the side on roll.
            other: Those of the opponent.
            boards: ``int8[n, 2, 26]``, as `engine.kernels.as_kernel_array` returns them.
            plies: 1 or more.
        """
        ...


@runtime_checkable
class CompiledEvaluator(Evaluator, Protocol):
    """An evaluator that may be part of a compiled loop."""

    def make_search_loop(
        self, pruner: PlayPruner | None, exact: tuple[ExactEvaluator, ...]
    ) -> SearchLoop | None:
        """Return the loop of searches with this evaluator at the leaves.

        Args:
            pruner: Keeps the promising replies; None for all legal plays.
            exact: Evaluators from whose positions nothing is looked ahead.

        Returns:
            The loop; None if one of these has no compiled form.
        """
        ...


class CompiledSearch:
    """A loop with an objective; safe to use from several threads.

    Args:
        loop: The loop.
        frame: What it uses; the counters and the question are those of each call.
        own: The rules of the side on roll.
        other: Those of the opponent.
    """

    def __init__(
        self, loop: SearchLoop, frame: SearchFrame, own: ObjectiveRules, other: ObjectiveRules
    ) -> None:
        self._loop = loop
        self._frame = frame
        self._sides = own, other

    def evaluate(self, boards: Board, plies: int, watch: SearchWatch) -> Values:
        """Evaluate positions, as `engine.search.tree.TreeSearch.evaluate`."""
        watch.check()

        def ask(nodes: int) -> None:
            watch.count(nodes)
            watch.check()

        question, counters = Question(ask), np.zeros(3, np.int64)
        frame = self._frame._replace(counters=counters, question=question.cells)
        with release_turn():
            values = self._loop(frame, *self._sides, boards, plies)
        watch.count(int(counters[NODES]))
        question.check()
        return values
