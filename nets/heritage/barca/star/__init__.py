"""Expectiminimax with Star1 and Star2 cut-offs: the choices of the full average from fewer leaves."""

from nets.heritage.barca.star.leaf_evaluators import EquityLeafEvaluator, LeafEvaluator, ScorerLeafEvaluator
from nets.heritage.barca.star.search import StarPlay, StarSearch, StarSearchResult
from nets.heritage.barca.star.star_evaluator import MAX_STAR_PLIES, Cutoffs

__all__ = [
    "MAX_STAR_PLIES",
    "Cutoffs",
    "EquityLeafEvaluator",
    "LeafEvaluator",
    "ScorerLeafEvaluator",
    "StarPlay",
    "StarSearch",
    "StarSearchResult",
]
