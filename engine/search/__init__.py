"""Looking ahead: values of positions and choices of plays some plies deep, around any evaluator."""

from engine.search.cache import ValueCache
from engine.search.filters import FILTERS, MoveFilter, move_filter
from engine.search.n_ply import NPlyEvaluator
from engine.search.plays import MoveSearch, PlaysFound, SearchedPlay, cubeless_search
from engine.search.tree import MAX_PLIES, UNPRUNED, USUAL_PRUNING, Pruning, TreeSearch
from engine.search.watch import SearchProgress, SearchWatch

__all__ = [
    "FILTERS",
    "MAX_PLIES",
    "UNPRUNED",
    "USUAL_PRUNING",
    "MoveFilter",
    "MoveSearch",
    "NPlyEvaluator",
    "PlaysFound",
    "Pruning",
    "SearchProgress",
    "SearchWatch",
    "SearchedPlay",
    "TreeSearch",
    "ValueCache",
    "cubeless_search",
    "move_filter",
]
