"""Outcomes: five cumulative probabilities for the player on roll, before the roll."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import outcomes as kernel_outcomes
from gammond.engine.rules.position import Board

WIN, WIN_G, WIN_BG, LOSE_G, LOSE_BG = range(5)
"""Columns of an outcome: win, win gammon+, win backgammon, lose gammon+, lose backgammon."""


FloatT = TypeVar("FloatT", np.float32, np.float64)

Outcomes = NDArray[np.float32]
"""``float32[..., 5]``, cumulative."""


class Outcome(NamedTuple):
    """One outcome as plain numbers."""

    win: float
    win_g: float
    win_bg: float
    lose_g: float
    lose_bg: float

    @property
    def equity(self) -> float:
        """Cubeless money equity in points."""
        return 2.0 * self.win - 1.0 + self.win_g + self.win_bg - self.lose_g - self.lose_bg


def cubeless_equity(outcomes: NDArray[FloatT]) -> NDArray[FloatT]:
    """Return cubeless money equity in points of outcomes ``[..., 5]``: 2·win − 1 + wg + wbg − lg − lbg."""
    gains = 2 * outcomes[..., WIN] - 1 + outcomes[..., WIN_G] + outcomes[..., WIN_BG]
    return gains - outcomes[..., LOSE_G] - outcomes[..., LOSE_BG]


def invert_outcomes(outcomes: NDArray[FloatT]) -> NDArray[FloatT]:
    """Return outcomes ``[..., 5]`` from the other side's view, in a new contiguous array."""
    result = np.take(outcomes, [WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG], axis=-1)
    result[..., WIN] = 1.0 - result[..., WIN]
    return result


def evaluate_finished(boards: Board) -> Outcomes:
    """Return exact outcomes, ``float32[n, 5]``, of ``int8[n, 2, 26]``, each with one side finished."""
    outcomes = np.empty((len(boards), 5), np.float32)
    kernel_outcomes.write_all_finished(as_kernel_array(boards, np.int8), outcomes)
    return outcomes


def classify_results(boards: Board) -> NDArray[np.int8]:
    """Return how finished games were won, ``int8[n]``: 1 a single game, 2 a gammon, 3 a backgammon.

    Boards are as for `evaluate_finished`.
    """
    outcomes = evaluate_finished(boards)
    gammons = outcomes[:, WIN_G] + outcomes[:, LOSE_G]
    backgammons = outcomes[:, WIN_BG] + outcomes[:, LOSE_BG]
    return (1 + gammons + backgammons).astype(np.int8)
