"""Bearoff databases in the form of the kernels, which look positions up in a loop with other work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.bearoff.one_sided import OneSidedTable
from engine.bearoff.two_sided import TwoSidedTable
from engine.evaluation.evaluator import ExactEvaluator
from engine.kernels.bearoff_one_sided import Distributions
from engine.kernels.bearoff_tables import BearoffTables

_S = TypeVar("_S", bound=np.generic)

_NO_RANKS = np.zeros((1, 1), np.int64)
_NO_BYTES = np.empty(0, np.uint8)
_NO_DISTRIBUTIONS = Distributions(
    0, np.empty(0, np.uint64), np.empty(0, np.float32), firsts=_NO_BYTES, counts=_NO_BYTES
)


def pack_tables(exact: Sequence[ExactEvaluator]) -> BearoffTables | None:
    """Pack databases for the kernels, which answer as the evaluators do in their order.

    Args:
        exact: Evaluators of bearoff positions.

    Returns:
        The databases; None unless they are at most a two-sided one and after it a one-sided one.
    """
    two_sided, one_sided, left = None, None, list(exact)
    if left and isinstance(left[0], TwoSidedTable):
        two_sided, left = left[0], left[1:]
    if left and isinstance(left[0], OneSidedTable):
        one_sided, left = left[0], left[1:]
    return None if left else _pack(two_sided, one_sided)


def pack_exact_table(exact: Sequence[ExactEvaluator]) -> BearoffTables | None:
    """Pack the database from whose positions nothing is looked ahead.

    Args:
        exact: Evaluators of positions under best play.

    Returns:
        The database; None unless it is none, or a two-sided one with the cube.
    """
    is_cubeful = all(isinstance(each, TwoSidedTable) and each.is_cubeful for each in exact)
    return pack_tables(exact) if is_cubeful else None


@lru_cache(maxsize=8)
def _pack(two_sided: TwoSidedTable | None, one_sided: OneSidedTable | None) -> BearoffTables:
    ranks, wins, equities = _NO_RANKS, np.empty((0, 0), np.float32), None
    if two_sided:
        ranks, wins, equities = two_sided.numbering.ranks, two_sided.wins, two_sided.equities
    rows = one_sided.distributions if one_sided else _NO_DISTRIBUTIONS
    return BearoffTables(
        _lock(ranks),
        _lock(wins),
        _lock(np.empty((0, 0, 3), np.float32) if equities is None else equities),
        _lock(one_sided.numbering.ranks if one_sided else _NO_RANKS),
        Distributions(
            rows.sides, _lock(rows.starts), _lock(rows.values), _lock(rows.firsts), _lock(rows.counts)
        ),
    )


def _lock(array: NDArray[_S]) -> NDArray[_S]:
    """Return a read-only view: the kernels have one signature for tables from files and from memory."""
    view = array.view()
    view.setflags(write=False)
    return view


NO_TABLES = _pack(None, None)
"""Databases that cover no positions."""
