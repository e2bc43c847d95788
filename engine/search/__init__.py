"""Looking ahead: values of positions and choices of plays some plies deep, around any evaluator."""

from gammond.engine.search.cache import ValueCache
from gammond.engine.search.filters import FILTERS, MoveFilter, find_move_filter
from gammond.engine.search.plays import PlaySearch, make_cubeless_search
from gammond.engine.search.positions import NPlyEvaluator, PositionSearch
from gammond.engine.search.tree import DEFAULT_PRUNING, MAX_PLIES, UNPRUNED, Pruning, TreeSearch
from gammond.engine.search.watch import SearchProgress, SearchWatch

__all__ = [
    "DEFAULT_PRUNING",
    "FILTERS",
    "MAX_PLIES",
    "UNPRUNED",
    "MoveFilter",
    "NPlyEvaluator",
    "PlaySearch",
    "PositionSearch",
    "Pruning",
    "SearchProgress",
    "SearchWatch",
    "TreeSearch",
    "ValueCache",
    "find_move_filter",
    "make_cubeless_search",
]
