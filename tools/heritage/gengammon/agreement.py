"""The agreement of nets with experts, and the three fitness functions of the GenGammon project.

Expert moves are packed once for all nets of a run. A fitness function maps an expert move to 0..1, by the
net's rating of the position that the expert chose against its ratings of the roll's other results. The
fitness of a net is the mean over the moves.

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

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.rules.position import Board, swap_sides
from gammond.nets.heritage.gengammon.net import ACTIVATIONS, GengammonNet
from gammond.tools.heritage.gengammon.expert_moves.dataset import CandidatePlays
from gammond.tools.heritage.gengammon.kernels import mimic as kernel
from gammond.tools.heritage.gengammon.kernels.mimic import PackedMoves

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


_MAX_ROW_ENTRIES = 40
"""Upper bound of the entries of a row: 30 checkers on different places, each bar twice."""


@dataclass(frozen=True)
class ExpertAgreement:
    """The agreement of a net with experts.

    Attributes:
        fitness: Mean over the moves, 0 to 1.
        ranked_first: Share of the moves where the net ranks the expert's play first; ties count in part.
    """

    fitness: float
    ranked_first: float


def pack_moves(boards: Board, plays: CandidatePlays) -> PackedMoves:
    """Pack expert moves for the kernels.

    Args:
        boards: ``int8[n, 2, 26]``, the positions before the plays.
        plays: All plays of each position.

    Raises:
        DataFileError: There is no expert move.
    """
    if not len(boards):
        raise DataFileError("expected at least one expert move to learn from, got none", field="moves")
    rows = len(boards) + len(plays.boards)
    places = np.empty(_MAX_ROW_ENTRIES * rows, np.uint8)
    changes = np.empty(_MAX_ROW_ENTRIES * rows, np.int8)
    starts = np.empty(rows + 1, np.int64)
    used = kernel.pack_moves(swap_sides(boards), plays.boards, plays.offsets, places, changes, starts)
    chosen = plays.chosen - plays.offsets[:-1]
    return PackedMoves(places[:used].copy(), changes[:used].copy(), starts, plays.offsets, chosen)


def count_moves(packed: PackedMoves) -> int:
    """Return the number of expert moves."""
    return len(packed.chosen)


def rank_by_net(packed: PackedMoves, moves: NDArray[np.int64], net: GengammonNet) -> ExpertRankings:
    """Rank the experts' plays by a net.

    Args:
        packed: Expert moves.
        moves: ``int64[b]``, indices of the moves.
        net: Rates the plays.
    """
    counts = np.empty((3, len(moves)), np.int64)
    ratings = np.empty((3, len(moves)), np.float32)
    kernel.rank_expert_plays(packed, moves, net.padded_weights, ACTIVATIONS[net.activation], counts, ratings)
    return ExpertRankings(
        candidates=counts[0],
        above=counts[1],
        equal=counts[2],
        rating=ratings[0],
        lowest=ratings[1],
        highest=ratings[2],
    )


def measure_agreements(
    packed: PackedMoves, nets: Sequence[GengammonNet], fitness: str, moves: NDArray[np.int64], threads: int
) -> list[ExpertAgreement]:
    """Measure the agreement of nets with the same expert moves.

    Args:
        packed: Expert moves.
        nets: Each is a task of its own.
        fitness: A key of `FITNESSES`.
        moves: ``int64[b]``, indices of the moves; at least one.
        threads: Number of threads; the result is the same.
    """

    def measure(net: GengammonNet) -> ExpertAgreement:
        rankings = rank_by_net(packed, moves, net)
        return ExpertAgreement(
            float(FITNESSES[fitness](rankings).mean()), float(compute_ranked_first(rankings).mean())
        )

    if threads == 1 or len(nets) == 1:
        return [measure(net) for net in nets]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(measure, nets))
