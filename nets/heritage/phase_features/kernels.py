"""Sixteen features gated by the phase of the game, a linear score of them, and a net on them.

A position is seen by the side that has just played, row 1 of a board. Features 0 to 7 are its own, 8 to 15
those of the other side in reverse order. `gammond.nets.heritage.phase_features.features` has their names and
source.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import fastmath, kernel

FEATURES = 16
EARLY, MID, LATE = range(3)
PHASES = 3
INPUTS = PHASES * FEATURES

OWN_PHASE = -1
"""In place of a phase, for that of the position."""

_HOME = 6
_BAR = 25


class PhaseNetWeights(NamedTuple):
    """The weights of a net, from the inputs on.

    ``w1 [48, h1]``, ``b1 [h1]``, ``w2 [h1, h2]``, ``b2 [h2]``, ``w3 [h2]``, ``b3 [1]``, all ``float32``.
    """

    w1: NDArray[np.float32]
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]
    b2: NDArray[np.float32]
    w3: NDArray[np.float32]
    b3: NDArray[np.float32]


@kernel
def count_features(board: NDArray[np.int8], counts: NDArray[np.float64]) -> int:
    """Count the features of one position.

    Args:
        board: ``int8[2, 26]``; row 1 has played.
        counts: out, ``float64[16]``, not normalised.

    Returns:
        The phase.
    """
    away = 0
    for side in range(2):
        row = 1 - side
        made, blots, blot_pips, pips, excess, on_points = 0, 0, 0, 0, 0, 0
        for point in range(1, 25):
            checkers = int(board[row, point])
            if checkers == 0:
                continue
            on_points += checkers
            pips += checkers * point
            if point > _HOME:
                excess += checkers * (point - _HOME)
                away += checkers * row
            if checkers == 1:
                blots += 1
                blot_pips += _BAR - point
            else:
                made += 1
        first, step = (0, 1) if side == 0 else (FEATURES - 1, -1)
        counts[first] = made
        counts[first + step] = int(board[row, 0])
        counts[first + 2 * step] = int(board[row, 25])
        counts[first + 3 * step] = blot_pips
        counts[first + 4 * step] = pips
        counts[first + 5 * step] = excess
        counts[first + 6 * step] = blots
        counts[first + 7 * step] = on_points
    if away < 3:
        return LATE
    return EARLY if away > 8 else MID


@kernel
def compute_features(
    boards: NDArray[np.int8],
    maxima: NDArray[np.float64],
    values: NDArray[np.float32],
    phases: NDArray[np.int8],
) -> None:
    """Count the features of many positions and divide each by its maximum.

    Args:
        boards: ``int8[n, 2, 26]``; row 1 has played.
        maxima: ``float64[16]``.
        values: out, ``float32[n, 16]``.
        phases: out, ``int8[n]``.
    """
    counts = np.empty(FEATURES, np.float64)
    for i in range(boards.shape[0]):
        phases[i] = count_features(boards[i], counts)
        for k in range(FEATURES):
            values[i, k] = counts[k] / maxima[k]


@kernel
def score_linear(
    boards: NDArray[np.int8],
    maxima: NDArray[np.float64],
    weights: NDArray[np.float64],
    phase: int,
    scores: NDArray[np.float32],
) -> None:
    """Score many positions by the weights of their phase.

    Args:
        boards: ``int8[n, 2, 26]``; row 1 has played.
        maxima: ``float64[16]``.
        weights: ``float64[17, 3]``, a column for each phase; the last row is a bias.
        phase: The phase whose weights score all positions, or `OWN_PHASE`.
        scores: out, ``float32[n]``.
    """
    counts = np.empty(FEATURES, np.float64)
    for i in range(boards.shape[0]):
        column = count_features(boards[i], counts)
        if phase != OWN_PHASE:
            column = phase
        total = weights[FEATURES, column]
        for k in range(FEATURES):
            total += weights[k, column] * (counts[k] / maxima[k])
        scores[i] = total


@fastmath
def score_with_net(
    boards: NDArray[np.int8], maxima: NDArray[np.float64], net: PhaseNetWeights, scores: NDArray[np.float32]
) -> None:
    """Run a net of two hidden layers (ReLU) and one linear output on the gated features.

    Args:
        boards: ``int8[n, 2, 26]``; row 1 has played.
        maxima: ``float64[16]``.
        net: The weights.
        scores: out, ``float32[n]``.
    """
    w1, b1, w2, b2, w3, b3 = net
    counts = np.empty(FEATURES, np.float64)
    first = np.empty(b1.shape[0], np.float32)
    second = np.empty(b2.shape[0], np.float32)
    for i in range(boards.shape[0]):
        gate = FEATURES * count_features(boards[i], counts)
        for j in range(b1.shape[0]):
            first[j] = b1[j]
        for k in range(FEATURES):
            if counts[k] > 0.0:
                _add_row(w1, gate + k, np.float32(counts[k] / maxima[k]), first)
        for j in range(b2.shape[0]):
            second[j] = b2[j]
        for k in range(b1.shape[0]):
            if first[k] > np.float32(0.0):
                _add_row(w2, k, first[k], second)
        total = b3[0]
        for j in range(b2.shape[0]):
            total += w3[j] * max(second[j], np.float32(0.0))
        scores[i] = total


@fastmath
def _add_row(weights: NDArray[np.float32], row: int, factor: np.float32, units: NDArray[np.float32]) -> None:
    for j in range(units.shape[0]):
        units[j] += factor * weights[row, j]
