"""The hand-made scorer of plays."""

import numpy as np
import pytest

from gammond.engine.rules.position import Position
from gammond.nets.heritage.phase_features.features import FeaturePhase, compute_phase_features
from gammond.nets.heritage.phase_features.players import (
    MAX_WEIGHTED_SUM,
    MIN_WEIGHTED_SUM,
    WEIGHTS,
    PhaseHeuristicScorer,
)
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

SAMPLE = np.concatenate([boards.random_boards(400, seed=3), boards.played_boards(RacingEvaluator(), 400, 4)])


def test_the_start_is_worth_what_one_works_out_by_hand():
    raw = 1.3 * 4 / 7 - 0.6 * 167 / 360 - 0.7 * 77 / 270 + 1.4 * 15 / 15 + 0.8 * 167 / 360
    (score,) = PhaseHeuristicScorer().score_boards(Position.start().board[None])
    assert score == pytest.approx((raw + 2.3) / (14.2 + 2.3), abs=1e-6)


@pytest.mark.parametrize("is_normalised", [True, False])
@pytest.mark.parametrize("phase", [None, *FeaturePhase])
def test_scores_are_the_weighted_sums_of_the_phase_scaled_to_0_to_1(phase, is_normalised):
    values, phases = compute_phase_features(SAMPLE, is_normalised=is_normalised)
    raw = (values * WEIGHTS.T[phases if phase is None else [phase] * len(SAMPLE)]).sum(axis=1)
    scores = PhaseHeuristicScorer(phase, is_normalised=is_normalised).score_boards(SAMPLE)
    expected = (raw - MIN_WEIGHTED_SUM) / (MAX_WEIGHTED_SUM - MIN_WEIGHTED_SUM)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)
    if phase is None and is_normalised:
        assert 0.0 <= scores.min() < scores.max() <= 1.0
