"""A hand-made scorer: the phase features, weighted by the phase, scaled to 0..1.

*Source:* as `features`, section "Heuristic Weights": the 16 x 3 table, and min-max normalisation
by the largest sum of positive and of negative contributions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.rules.position import Board
from nets.heritage.phase_features.features import (
    FEATURE_NAMES,
    FEATURES,
    GamePhase,
    as_contiguous,
    get_divisors,
    list_phase_features,
)
from nets.heritage.phase_features.kernels import features as kernel_features

_WEIGHT_TABLE = {
    "occupied_points": (1.3, 1.7, 0.8),
    "borne_off": (3.0, 5.0, 8.0),
    "on_bar": (0.0, 0.0, 0.0),
    "blot_distance": (-0.5, -0.3, -0.1),
    "total_distance": (-0.6, -0.4, -0.2),
    "excess_distance": (-0.7, -0.9, -1.3),
    "blots": (-0.5, -0.7, -0.3),
    "on_board": (1.4, 1.2, 1.7),
    "opponent_on_board": (0.0, 0.0, 0.0),
    "opponent_blots": (0.0, 0.0, 0.0),
    "opponent_excess_distance": (0.0, 0.0, 0.0),
    "opponent_total_distance": (0.8, 1.1, 0.5),
    "opponent_blot_distance": (0.0, 0.0, 0.0),
    "opponent_on_bar": (2.2, 2.7, 3.2),
    "opponent_borne_off": (0.0, 0.0, 0.0),
    "opponent_occupied_points": (0.0, 0.0, 0.0),
}

WEIGHTS: NDArray[np.float64] = np.array([_WEIGHT_TABLE[name] for name in FEATURE_NAMES])
"""``float64[16, 3]``: a row for each feature, a column for each phase."""

MAX_WEIGHTED_SUM = float(np.maximum(WEIGHTS, 0.0).sum(axis=0).max())
"""Scaled to 1: the largest sum of the positive weights of a phase, 14.2."""

MIN_WEIGHTED_SUM = float(np.minimum(WEIGHTS, 0.0).sum(axis=0).min())
"""Scaled to 0: the smallest sum of the negative weights of a phase, -2.3."""

_SCALED_WEIGHTS = np.concatenate([WEIGHTS, np.full((1, WEIGHTS.shape[1]), -MIN_WEIGHTED_SUM)]) / (
    MAX_WEIGHTED_SUM - MIN_WEIGHTED_SUM
)


class PhaseHeuristicScorer:
    """Scores plays by hand-made weights, see `engine.evaluation.evaluator.Scorer`.

    Args:
        phase: The phase whose weights are used; None for that of each position.
        is_normalised: Whether to normalise features; otherwise scores are not 0..1.
        weights: ``float64[17, 3]``, other weights: a row for each feature, then one that is added as it is.
    """

    def __init__(
        self,
        phase: GamePhase | None = None,
        *,
        is_normalised: bool = True,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        self._phase = kernel_features.OWN_PHASE if phase is None else int(phase)
        self._is_normalised = is_normalised
        self._divisors = get_divisors(is_normalised)
        self._weights = _SCALED_WEIGHTS if weights is None else weights
        assert self._weights.shape[0] == FEATURES + 1

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `engine.evaluation.evaluator.Scorer.score_boards`; 0..1."""
        scores = np.empty(len(boards), np.float32)
        kernel_features.score_linear(
            as_contiguous(boards), self._divisors, self._weights, self._phase, scores
        )
        return scores

    def list_features(self, board: Board) -> dict[str, float | str]:
        """List the features, as `engine.evaluation.evaluator.FeatureScorer.list_features`."""
        return list_phase_features(board, is_normalised=self._is_normalised)
