"""Bearoff databases in the form of the kernels, which look positions up in a loop with other work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gammond.engine.bearoff.one_sided import OneSidedTable
from gammond.engine.bearoff.two_sided import TwoSidedTable
from gammond.engine.evaluation.evaluator import ExactEvaluator
from gammond.engine.kernels.bearoff_tables import NO_TABLES, BearoffTables, lock


def pack_tables(exact: Sequence[ExactEvaluator], *, cubeful: bool = False) -> BearoffTables:
    """Pack databases for the kernels, which answer as the evaluators do in their order.

    Args:
        exact: At most a two-sided database, and after it a one-sided one.
        cubeful: Whether they have to know the cube.

    Raises:
        TypeError: They are others.
    """
    two_sided, one_sided = None, None
    for table in exact:
        if isinstance(table, TwoSidedTable) and (table.is_cubeful or not cubeful) and table is exact[0]:
            two_sided = table
        elif isinstance(table, OneSidedTable) and one_sided is None and not cubeful:
            one_sided = table
        else:
            raise TypeError(f"expected a two-sided and then a one-sided bearoff database, got {table}")
    return _pack(two_sided, one_sided)


@lru_cache(maxsize=8)
def _pack(two_sided: TwoSidedTable | None, one_sided: OneSidedTable | None) -> BearoffTables:
    tables = NO_TABLES
    if two_sided:
        tables = tables._replace(pair_ranks=lock(two_sided.numbering.ranks), wins=lock(two_sided.wins))
        if two_sided.equities is not None:
            tables = tables._replace(equities=lock(two_sided.equities))
    if one_sided:
        rows = one_sided.distributions
        locked = rows._replace(
            starts=lock(rows.starts),
            values=lock(rows.values),
            firsts=lock(rows.firsts),
            counts=lock(rows.counts),
        )
        tables = tables._replace(side_ranks=lock(one_sided.numbering.ranks), distributions=locked)
    return tables
