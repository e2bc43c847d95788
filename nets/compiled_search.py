"""Searches in one compiled loop, with the nets of a router at the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from engine.bearoff.tables import pack_exact_table
from engine.evaluation.evaluator import ExactEvaluator
from engine.evaluation.pruning import PlayPruner
from engine.kernels.bearoff_tables import BearoffTables
from engine.search.compiled import SearchKernel
from nets.compiled_net import CompiledRoutes
from nets.kernels.look_ahead import SearchNets, evaluate_positions
from nets.kernels.sparse import OneLayerWeights
from nets.pruning_net import PruningNet

_NO_NET: OneLayerWeights = (
    np.zeros((1, 1), np.float32),
    np.zeros(1, np.float32),
    np.zeros((1, 1), np.float32),
    np.zeros(1, np.float32),
)


def make_search_kernel(
    routes: CompiledRoutes,
    tables: BearoffTables,
    pruner: PlayPruner | None,
    exact: Sequence[ExactEvaluator],
) -> SearchKernel | None:
    """Return the loop of searches with some nets.

    Args:
        routes: Evaluate the leaves.
        tables: Evaluate the races that they cover.
        pruner: Keeps the promising replies; None for all legal plays.
        exact: Evaluators from whose positions nothing is looked ahead.

    Returns:
        The loop; None if one of these has no compiled form.
    """
    settled = pack_exact_table(exact)
    if settled is None or (pruner is not None and not isinstance(pruner, PruningNet)):
        return None
    contact, race = pruner.weights if pruner else (_NO_NET, _NO_NET)
    return partial(evaluate_positions, SearchNets(*routes, tables, settled, contact, race))
