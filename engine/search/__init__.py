"""Looking ahead: values of positions and choices of plays some plies deep, around any evaluator."""

from gammond.engine.search.cache import ValueCache
from gammond.engine.search.filters import FILTERS, MoveFilter, find_move_filter
from gammond.engine.search.iterative import IterativeSearch, NPlyEvaluator
from gammond.engine.search.tree import DEFAULT_PRUNING, MAX_PLIES, UNPRUNED, Pruning, TreeSearch
from gammond.engine.search.watch import SearchProgress, SearchWatch

__all__ = [
    "DEFAULT_PRUNING",
    "FILTERS",
    "MAX_PLIES",
    "UNPRUNED",
    "IterativeSearch",
    "MoveFilter",
    "NPlyEvaluator",
    "Pruning",
    "SearchProgress",
    "SearchWatch",
    "TreeSearch",
    "ValueCache",
    "find_move_filter",
]
