"""Lookup of positions in the bearoff databases of an evaluator."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff import number_position
from gammond.engine.kernels.bearoff_one_sided import Distributions, write_outcome

_S = TypeVar("_S", bound=np.generic)


class BearoffTables(NamedTuple):
    """A two-sided and a one-sided database, as `gammond.engine.bearoff.pack_tables` makes them.

    All arrays are read-only. The ranks of a database that is missing cover no checkers.

    Attributes:
        pair_ranks: ``int64[points + 1, checkers + 1]``, of the two-sided database.
        wins: ``float32[sides, sides]``.
        equities: ``float32[sides, sides, 3]``, or empty.
        side_ranks: ``int64[points + 1, checkers + 1]``, of the one-sided database.
        distributions: Its contents.
    """

    pair_ranks: NDArray[np.int64]
    wins: NDArray[np.float32]
    equities: NDArray[np.float32]
    side_ranks: NDArray[np.int64]
    distributions: Distributions


def lock(array: NDArray[_S]) -> NDArray[_S]:
    """Return a read-only view: the kernels have one signature for tables from files and from memory."""
    view = array.view()
    view.setflags(write=False)
    return view


NO_RANKS = lock(np.zeros((1, 1), np.int64))
"""The ranks of a database that is missing."""

NO_DISTRIBUTIONS = Distributions(
    0,
    lock(np.empty(0, np.uint64)),
    lock(np.empty(0, np.float32)),
    firsts=lock(np.empty(0, np.uint8)),
    counts=lock(np.empty(0, np.uint8)),
)
"""The contents of a one-sided database that is missing."""

NO_TABLES = BearoffTables(
    NO_RANKS,
    lock(np.empty((0, 0), np.float32)),
    lock(np.empty((0, 0, 3), np.float32)),
    NO_RANKS,
    NO_DISTRIBUTIONS,
)
"""Databases that cover no positions."""


@kernel
def look_up_outcome(
    tables: BearoffTables, boards: NDArray[np.int8], at: int, outcomes: NDArray[np.float32]
) -> bool:
    """Write the outcome of a position that a database covers, the two-sided one first.

    Args:
        tables: The databases.
        boards: ``int8[n, 2, 26]``.
        at: The place of the position, which is not over.
        outcomes: out, ``float32[n, 5]``; the row is left alone if no database covers the position.

    Returns:
        Whether one does.
    """
    own, other = number_position(boards, at, tables.pair_ranks)
    if own >= 0:
        outcomes[at, 0] = tables.wins[own, other]
        for column in range(1, 5):
            outcomes[at, column] = 0.0
        return True
    own, other = number_position(boards, at, tables.side_ranks)
    if own >= 0:
        write_outcome(tables.distributions, own, other, outcomes, at)
    return own >= 0
