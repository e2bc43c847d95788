"""The sixteen features and the 48 inputs."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.nets.heritage.phase_features.features import (
    FEATURE_MAXIMA,
    FEATURE_NAMES,
    FEATURES,
    INPUTS,
    FeaturePhase,
    compute_phase_features,
    encode_gated_inputs,
)
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

SAMPLE = np.concatenate([boards.random_boards(400, seed=1), boards.played_boards(RacingEvaluator(), 400, 2)])


def test_the_opponents_features_mirror_those_of_the_side_that_has_played():
    assert (FEATURES, INPUTS, len(FEATURE_NAMES)) == (16, 48, 16)
    assert FEATURE_NAMES[:3] == ("occupied_points", "borne_off", "on_bar")
    assert [f"opponent_{name}" for name in FEATURE_NAMES[:8]] == list(reversed(FEATURE_NAMES[8:]))
    values, _ = compute_phase_features(SAMPLE)
    from_the_other_side, _ = compute_phase_features(SAMPLE[:, ::-1])
    np.testing.assert_array_equal(values, from_the_other_side[:, ::-1])


def test_normalised_features_are_0_to_1_and_others_are_counts():
    values, phases = compute_phase_features(SAMPLE)
    counts, same_phases = compute_phase_features(SAMPLE, is_normalised=False)
    assert values.min() == 0.0
    assert values.max() <= 1.0
    np.testing.assert_array_equal(counts, np.rint(counts))
    np.testing.assert_allclose(values, counts / FEATURE_MAXIMA, rtol=1e-6)
    np.testing.assert_array_equal(phases, same_phases)
    assert set(phases.tolist()) == set(FeaturePhase)


@pytest.mark.parametrize(
    ("own", "name"),
    [
        ({1: 15}, "total_distance"),
        ({1: 15}, "excess_distance"),
        ({point: 2 for point in (3, 5, 7, 9, 11, 13)} | {15: 3}, "occupied_points"),
        ({}, "borne_off"),
        ({0: 15}, "on_bar"),
        ({point: 1 for point in range(10, 25)}, "blots"),
        ({4: 15}, "on_board"),
    ],
)
def test_the_largest_values_are_reached(own, name):
    """``own`` is in the numbering of the other side, which is on roll: 1 is the point furthest from home."""
    over = {8: 15} if 8 not in own else {9: 15}
    board = boards.position(x=over if own.keys() & {8, 9} == set() else {2: 15}, o=own).board
    values, _ = compute_phase_features(board[None])
    assert values[0, FEATURE_NAMES.index(name)] == 1.0


def test_blots_on_all_low_points_are_within_the_largest_blot_distance():
    board = boards.position(x={1: 15}, o={point: 1 for point in range(10, 25)}).board
    values, _ = compute_phase_features(board[None])
    assert values[0, FEATURE_NAMES.index("blot_distance")] == pytest.approx(255 / 270)


def test_inputs_are_the_features_in_the_block_of_the_phase_and_0_elsewhere():
    values, phases = compute_phase_features(SAMPLE)
    inputs = encode_gated_inputs(SAMPLE)
    assert inputs.shape == (len(SAMPLE), 48)
    for row, own, phase in zip(inputs, values, phases, strict=True):
        np.testing.assert_array_equal(row[16 * phase : 16 * phase + 16], own)
        assert not np.delete(row, slice(16 * phase, 16 * phase + 16)).any()
