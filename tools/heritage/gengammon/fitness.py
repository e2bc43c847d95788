"""How well a net agrees with experts: the three fitness functions of the GenGammon project.

Each gives 0 to 1 for every expert move, by how the net rates the position that the expert chose beside all
others that the roll could have led to. The fitness of a net is the mean over the moves.

*Source:* GenGammon's description (`docs/lab/history/1-gengammon.md`), which leaves some cases open. Here:

- Ties count as if they were broken by lot: a play that shares places takes their mean.
- Where the roll leaves one play, there is nothing to agree on, and the fitness is 1.
- Where all plays are rated the same, version 1 is 1/2: rated lowest and highest at once.
- Version 3 divides by the highest rating, which is taken to be positive. Its size counts here, and the
  quotient is held to at most 1, which it is where the highest rating is 0 and the expert's is lower: so the
  second score stays below a rank.
- What version 3 adds grows with the distance from the highest rating, though its author explains at length
  that it should shrink with it. ``3-nearness`` is what the explanation asks for.
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
    """Where nets place experts' choices among all plays; any leading axes, the last is the expert move.

    Attributes:
        candidates: ``int[n]`` or ``int[..., n]``, how many plays there were, the expert's included, from 1.
        above: ``int[..., n]``, how many are rated higher than the expert's.
        equal: ``int[..., n]``, how many *others* are rated exactly as the expert's.
        rating: ``float[..., n]`` of the expert's play.
        lowest: ``float[..., n]``, the lowest rating of a play.
        highest: ``float[..., n]``, the highest one.
    """

    candidates: NDArray[Any]
    above: NDArray[Any]
    equal: NDArray[Any]
    rating: NDArray[Any]
    lowest: NDArray[Any]
    highest: NDArray[Any]


def rank_by_ratings(
    ratings: NDArray[Any], offsets: NDArray[np.int64], chosen: NDArray[np.int64]
) -> ExpertRankings:
    """Place the experts' choices by the ratings of all plays.

    Args:
        ratings: ``float[..., m]``, higher is better for the side that has played.
        offsets: ``int64[n + 1]``: the plays of expert move i are ``offsets[i]:offsets[i + 1]``.
        chosen: ``int64[n]``: where in ``m`` the experts' plays are.
    """
    counts = np.diff(offsets)
    rating = ratings[..., chosen]
    of_expert = np.repeat(rating, counts, axis=-1)
    starts = offsets[:-1]
    return ExpertRankings(
        candidates=counts,
        above=np.add.reduceat(ratings > of_expert, starts, axis=-1, dtype=np.int64),
        equal=np.add.reduceat(ratings == of_expert, starts, axis=-1, dtype=np.int64) - 1,
        rating=rating,
        lowest=np.minimum.reduceat(ratings, starts, axis=-1),
        highest=np.maximum.reduceat(ratings, starts, axis=-1),
    )


def compute_ranked_first(rankings: ExpertRankings) -> MoveScores:
    """Compute the chance that each expert's play is the net's choice, ties by lot: ``float64[..., n]``."""
    return np.where(rankings.above == 0, 1.0 / (1.0 + rankings.equal), 0.0)


def fitness_by_rating(rankings: ExpertRankings) -> MoveScores:
    """Version 1: where the rating lies between the lowest and the highest, ``float64[..., n]``."""
    over_lowest, span = (
        _subtract_lowest(rankings.rating, rankings),
        _subtract_lowest(rankings.highest, rankings),
    )
    shares: MoveScores = np.divide(over_lowest, span, out=np.full_like(over_lowest, 0.5), where=span > 0)
    return np.where(rankings.candidates == 1, 1.0, shares)


def fitness_by_rank(rankings: ExpertRankings) -> MoveScores:
    """Version 2: ``(plays - rank) / (plays - 1)``, ``float64[..., n]``."""
    others = np.maximum(rankings.candidates - 1, 1)
    behind: MoveScores = rankings.above + rankings.equal / 2.0
    ranked: MoveScores = 1.0 - behind / others
    return ranked


def fitness_by_rank_and_distance(rankings: ExpertRankings) -> MoveScores:
    """Version 3 to the letter: version 2, plus ``(highest - rating) / (plays * highest)``.

    Of two nets that give the same rank, it prefers the one whose rating is *farther* from the highest.

    Returns:
        ``float64[..., n]``; no rank reaches the next one.
    """
    highest = np.abs(np.asarray(rankings.highest, np.float64))
    distance = np.asarray(rankings.highest, np.float64) - rankings.rating
    held = np.minimum(distance, highest)
    quotients: MoveScores = np.divide(held, highest, out=np.sign(distance), where=highest > 0)
    ranked: MoveScores = fitness_by_rank(rankings) + quotients / rankings.candidates
    return ranked


def fitness_by_rank_and_nearness(rankings: ExpertRankings) -> MoveScores:
    """Version 3 as its author explains what it is for: the nearer to the next rank, the better.

    Version 2, plus version 1 divided by the number of plays wherever the expert's play is not first.

    Returns:
        ``float64[..., n]``; no rank reaches the next one.
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
