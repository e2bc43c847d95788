"""Evaluators as compiled loops have them: nets as arrays, and those that a loop asks, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.evaluation.pruning import Replies
from gammond.engine.kernels.bearoff_tables import NO_TABLES
from gammond.engine.kernels.interrupts import (
    QUESTION_CELLS,
    RESULTS,
    WHO,
    Question,
    read_plays_request,
    read_request,
)
from gammond.engine.kernels.nets.packed_nets import NO_NETS
from gammond.engine.kernels.nets.routing import NET_CLASSES, LeafNets
from gammond.engine.rules.position import Board
from gammond.engine.runtime.threads import retake_turn


class Leaves(NamedTuple):
    """What evaluates the leaves of a loop.

    Attributes:
        nets: The nets, and which of those that are asked evaluates what they do not.
        asked: Those that are asked, by number.
    """

    nets: LeafNets
    asked: tuple[Evaluator, ...] = ()


_ASKS_FIRST = LeafNets(NO_NETS, np.full(NET_CLASSES, -1), NO_TABLES, asks_all=True)
"""One evaluator is asked for all positions."""


def find_leaves(evaluator: Evaluator) -> Leaves:
    """Return an evaluator as loops have it: its ``leaves``, if it has nets for them; else it is asked."""
    leaves: Leaves | None = getattr(evaluator, "leaves", None)
    return Leaves(_ASKS_FIRST, (evaluator,)) if leaves is None else leaves


def open_question(
    ask: Callable[[int], object],
    evaluate: Sequence[Callable[[Board], NDArray[np.float32]]],
    prune: Sequence[Callable[[Board, NDArray[np.int8]], Replies]] = (),
) -> Question:
    """Return the question of a loop to those that it asks.

    Args:
        ask: Returns whether to stop, given the work since it was last called; before each evaluation too.
        evaluate: Return results of ``int8[n, 2, 26]``, ``float32[n, k]``, by the number of who is asked.
        prune: Prune plays of ``int8[n, 2, 26]`` positions with ``int8[n, 2]`` dice, likewise.
    """
    if not evaluate and not prune:
        return Question(ask)
    cells = np.zeros(QUESTION_CELLS, np.int64)

    def answer(said: int) -> object:
        if said >= 0 or ask(0):
            return said < 0 or ask(said)
        with retake_turn():
            if said == RESULTS:
                boards, results = read_request(cells)
                results[:] = evaluate[cells[WHO]](boards.copy())
                return False
            boards, dice, children, moves, equities, offsets = read_plays_request(cells)
            replies = prune[cells[WHO]](boards.copy(), dice.copy())
            count = len(replies.children)
            children[:count], moves[:count] = replies.children, replies.moves
            equities[:count], offsets[1:] = replies.equities, replies.offsets[1:]
        return False

    return Question(answer, cells)
