"""Traces: what look-ahead corrects at a position also corrects the positions before it.

An exact backup looks one turn ahead. Where the evaluation of what comes then is wrong itself, in the same way
for turns on end, each label takes over most of the error, and a net that learns from its own labels mends it
only slowly. Along a game played well, though, the corrections at later positions (backup less evaluation at
0 plies) are known as well. Added up with a share λ for each turn, they make the λ-return of the game with the
luck of its dice taken out: ``V(s) + d(s) + λ d(s') + λ² d(s'') + ...``, each seen from the player on roll at
``s``. Source: Sutton, "Learning to Predict by the Methods of Temporal Differences" (1988), with expected in
place of sampled backups; a trace is cut where another play was made than the best, as in Watkins's Q(λ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board

_FLIPPED_OUTPUTS = np.array([0, 3, 4, 1, 2])
"""Which output of the opponent each is: his gammons lost are gammons won."""

_FLIP_SIGNS = np.array([-1.0, 1.0, 1.0, 1.0, 1.0])
"""A win more for the opponent is one less for the player; gammons only change their place."""


@dataclass(frozen=True, eq=False)
class Visits:
    """How games went through positions, in the order of play, game by game.

    Attributes:
        rows: ``int64[m]``, which position; the same one as often as games came to it.
        is_followed: ``bool[m]``, whether the next visit is what the best play here came to; never the last
            one.
    """

    rows: NDArray[np.int64]
    is_followed: NDArray[np.bool_]

    @classmethod
    def empty(cls) -> Visits:
        """No visit."""
        return cls(np.empty(0, np.int64), np.empty(0, np.bool_))

    def reorder(self, order: NDArray[np.int64]) -> Visits:
        """Visits of the same positions after they were put in another order, ``int64[n]``."""
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return Visits(places[self.rows], self.is_followed)


def concatenate_visits(parts: Sequence[tuple[Board, Visits]]) -> Visits:
    """Visits of positions that are put one after the other."""
    starts = np.cumsum([0, *(len(boards) for boards, _ in parts)])
    return Visits(
        np.concatenate([visits.rows + start for (_, visits), start in zip(parts, starts, strict=False)]),
        np.concatenate([visits.is_followed for _, visits in parts]),
    )


def propagate_corrections(corrections: Outcomes, visits: Visits, trace: float) -> Outcomes:
    """Give each position the corrections of those after it, too.

    Args:
        corrections: ``float32[n, 5]``, exact backup less evaluation, as the player on roll sees them.
        visits: Of these positions.
        trace: λ, what is left of a correction a turn earlier, 0 to 1.

    Returns:
        ``float32[n, 5]``: the mean over a position's visits; where it has none, its own correction.
    """
    rows, own = visits.rows, corrections[visits.rows].astype(np.float64)
    for visit in range(len(rows) - 1, -1, -1):
        if visits.is_followed[visit]:
            own[visit] += trace * _FLIP_SIGNS * own[visit + 1, _FLIPPED_OUTPUTS]
    totals = np.zeros(corrections.shape)
    np.add.at(totals, rows, own)
    counts = np.bincount(rows, minlength=len(corrections))
    carried = np.where(counts[:, None] > 0, totals / np.maximum(counts, 1)[:, None], corrections)
    return carried.astype(np.float32)
