"""Expectiminimax with Star1 and Star2 cut-offs: the choice of the full average, with fewer leaves judged."""

from engine.search.star.leaves import EquityLeaves, Leaves, ScoreLeaves
from engine.search.star.nodes import MAX_STAR_PLIES, Cutoffs
from engine.search.star.search import StarFound, StarPlay, StarSearch

__all__ = [
    "MAX_STAR_PLIES",
    "Cutoffs",
    "EquityLeaves",
    "Leaves",
    "ScoreLeaves",
    "StarFound",
    "StarPlay",
    "StarSearch",
]
