"""The three fitness functions of the GenGammon project: how well a net agrees with experts.

Each maps an expert move to 0..1, by the net's rating of the position that the expert chose against its
ratings of the roll's other results. The fitness of a net is the mean over the moves.

*Source:* GenGammon's description (`docs/lab/history/1-gengammon.md`), which leaves some cases open. Here:

- Ties count as if broken at random: a play that shares ranks takes their mean.
- Where the roll leaves one play, there is nothing to agree on, and the fitness is 1.
- Where all plays are rated the same, version 1 is 1/2: rated lowest and highest at once.
- Version 3 divides by the highest rating, which it assumes to be positive. Here its absolute value counts,
  and the quotient is at most 1 (and 1 where the highest rating is 0 and the expert's is lower), so that the
  second term stays below one rank.
- The term that version 3 adds grows with the distance from the highest rating, although its author explains
  at length that it should shrink. ``3-nearness`` follows the explanation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MoveScores = NDArray[np.float64]
"""``float64[..., n]``, one for each expert move."""


@dataclass(frozen=True, eq=False)
class ExpertRankings:
    """The ranks that nets give experts' choices among all plays; the last axis is the expert move.

    Attributes:
        candidates: ``int[n]`` or ``int[..., n]``, number of plays, the expert's included.
        above: ``int[..., n]``, number of plays rated higher than the expert's.
        equal: ``int[..., n]``, number of *others* rated the same as the expert's.
        rating: ``float[..., n]``, rating of the expert's play.
        lowest: ``float[..., n]``, lowest rating of a play.
        highest: ``float[..., n]``, highest rating.
    """

    candidates: NDArray[Any]
    above: NDArray[Any]
    equal: NDArray[Any]
    rating: NDArray[Any]
    lowest: NDArray[Any]
    highest: NDArray[Any]


def compute_ranked_first(rankings: ExpertRankings) -> MoveScores:
    """Compute the probability that the net chooses the expert's play, ties at random: ``float64[..., n]``."""
    return np.where(rankings.above == 0, 1.0 / (1.0 + rankings.equal), 0.0)


def fitness_by_rating(rankings: ExpertRankings) -> MoveScores:
    """Return version 1, the rating's place between the lowest and the highest: ``float64[..., n]``."""
    over_lowest, span = (
        _subtract_lowest(rankings.rating, rankings),
        _subtract_lowest(rankings.highest, rankings),
    )
    shares: MoveScores = np.divide(over_lowest, span, out=np.full_like(over_lowest, 0.5), where=span > 0)
    return np.where(rankings.candidates == 1, 1.0, shares)


def fitness_by_rank(rankings: ExpertRankings) -> MoveScores:
    """Return version 2, ``(plays - rank) / (plays - 1)``: ``float64[..., n]``."""
    others = np.maximum(rankings.candidates - 1, 1)
    behind: MoveScores = rankings.above + rankings.equal / 2.0
    ranked: MoveScores = 1.0 - behind / others
    return ranked


def fitness_by_rank_and_distance(rankings: ExpertRankings) -> MoveScores:
    """Return version 3 to the letter: version 2, plus ``(highest - rating) / (plays * highest)``.

    Of two nets that give the same rank, it prefers the one whose rating is *farther* from the highest.

    Returns:
        ``float64[..., n]``; the added term is less than one rank.
    """
    highest = np.abs(np.asarray(rankings.highest, np.float64))
    distance = np.asarray(rankings.highest, np.float64) - rankings.rating
    held = np.minimum(distance, highest)
    quotients: MoveScores = np.divide(held, highest, out=np.sign(distance), where=highest > 0)
    ranked: MoveScores = fitness_by_rank(rankings) + quotients / rankings.candidates
    return ranked


def fitness_by_rank_and_nearness(rankings: ExpertRankings) -> MoveScores:
    """Return version 3 as its author means it: the nearer to the next rank, the better.

    It is version 2, plus version 1 divided by the number of plays wherever the expert's play is not first.

    Returns:
        ``float64[..., n]``; the added term is less than one rank.
    """
    nearness = np.where(rankings.above > 0, fitness_by_rating(rankings), 0.0)
    ranked: MoveScores = fitness_by_rank(rankings) + nearness / rankings.candidates
    return ranked


def _subtract_lowest(ratings: NDArray[Any], rankings: ExpertRankings) -> MoveScores:
    over: MoveScores = np.asarray(ratings, np.float64) - rankings.lowest
    return over


FITNESSES: dict[str, Callable[[ExpertRankings], MoveScores]] = {
    "1": fitness_by_rating,
    "2": fitness_by_rank,
    "3": fitness_by_rank_and_distance,
    "3-nearness": fitness_by_rank_and_nearness,
}
"""Fitness functions by version."""
