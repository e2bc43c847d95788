"""Expert moves packed once for all nets of a run, and how nets do on them, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.position import Board, turned
from nets.gengammon import ACTIVATIONS, GengammonNet
from tools.train.kernels import mimic as kernel
from tools.train.kernels.mimic import Packed
from tools.train.mimic.examples import Candidates
from tools.train.mimic.fitness import FITNESSES, Placings, ranked_first

_ENTRIES_OF_ROW = 40
"""A row has no more entries: 30 checkers in as many places, each bar twice."""


@dataclass(frozen=True)
class Agreement:
    """How a net does on expert moves.

    Attributes:
        fitness: Mean over the moves, 0 to 1.
        first: Share of the moves where the expert's play is ranked first; ties count in part.
    """

    fitness: float
    first: float


def pack(boards: Board, plays: Candidates) -> Packed:
    """Pack expert moves for the kernels.

    Args:
        boards: ``int8[n, 2, 26]``, the positions before the plays.
        plays: All plays of each.

    Raises:
        DataFileError: There is no expert move.
    """
    if not len(boards):
        raise DataFileError("there is no expert move to learn from", field="moves")
    rows = len(boards) + len(plays.boards)
    places = np.empty(_ENTRIES_OF_ROW * rows, np.uint8)
    changes = np.empty(_ENTRIES_OF_ROW * rows, np.int8)
    starts = np.empty(rows + 1, np.int64)
    used = kernel.pack(turned(boards), plays.boards, plays.offsets, places, changes, starts)
    chosen = plays.chosen - plays.offsets[:-1]
    return Packed(places[:used].copy(), changes[:used].copy(), starts, plays.offsets, chosen)


def count_of(packed: Packed) -> int:
    """How many expert moves are packed."""
    return len(packed.chosen)


def placings(packed: Packed, moves: NDArray[np.int64], net: GengammonNet) -> Placings:
    """Tell where a net places the experts' plays.

    Args:
        packed: Expert moves.
        moves: ``int64[b]``, which of them.
        net: The judge.
    """
    counts = np.empty((3, len(moves)), np.int64)
    ratings = np.empty((3, len(moves)), np.float32)
    kernel.place_experts(packed, moves, net.lanes, ACTIVATIONS[net.activation], counts, ratings)
    return Placings(
        candidates=counts[0],
        above=counts[1],
        equal=counts[2],
        rating=ratings[0],
        lowest=ratings[1],
        highest=ratings[2],
    )


def agreements(
    packed: Packed, nets: Sequence[GengammonNet], fitness: str, moves: NDArray[np.int64], threads: int
) -> list[Agreement]:
    """Tell how each of many nets does on the same expert moves.

    Args:
        packed: Expert moves.
        nets: The judges; each is a task of its own.
        fitness: A key of `FITNESSES`.
        moves: ``int64[b]``, which moves; at least one.
        threads: How many work on it; the result is the same.
    """

    def agreement(net: GengammonNet) -> Agreement:
        placed = placings(packed, moves, net)
        return Agreement(float(FITNESSES[fitness](placed).mean()), float(ranked_first(placed).mean()))

    if threads == 1 or len(nets) == 1:
        return [agreement(net) for net in nets]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(agreement, nets))
