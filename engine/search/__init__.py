"""Looking ahead: values of positions and choices of plays some plies deep, around any evaluator."""

from engine.search.cache import ValueCache
from engine.search.filters import FILTERS, MoveFilter, find_move_filter
from engine.search.n_ply import NPlyEvaluator
from engine.search.plays import PlaySearch, make_cubeless_search
from engine.search.positions import PositionSearch
from engine.search.results import SearchProgress
from engine.search.tree import DEFAULT_PRUNING, MAX_PLIES, UNPRUNED, Pruning, TreeSearch
from engine.search.watch import SearchWatch

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
