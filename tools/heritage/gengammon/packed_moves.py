"""Expert moves, packed once for all nets of a run, and the agreement of nets with them, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.rules.position import Board, swap_sides
from gammond.nets.heritage.gengammon.net import ACTIVATIONS, GengammonNet
from gammond.tools.heritage.gengammon.expert_moves.dataset import CandidatePlays
from gammond.tools.heritage.gengammon.fitness import FITNESSES, ExpertRankings, compute_ranked_first
from gammond.tools.heritage.gengammon.kernels import mimic as kernel
from gammond.tools.heritage.gengammon.kernels.mimic import PackedMoves

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
