"""The sixteen features and the 48 inputs."""

import numpy as np
import pytest

from gammond.engine.play.player import form_opinion
from gammond.nets.catalogue import load_player
from gammond.nets.heritage.phase_features.features import (
    FEATURE_NAMES,
    FEATURES,
    INPUTS,
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


@pytest.mark.parametrize(
    ("own", "name", "largest"),
    [
        ({1: 15}, "total_distance", 1.0),
        ({1: 15}, "excess_distance", 1.0),
        ({point: 2 for point in (3, 5, 7, 9, 11, 13)} | {15: 3}, "occupied_points", 1.0),
        ({}, "borne_off", 1.0),
        ({0: 15}, "on_bar", 1.0),
        ({point: 1 for point in range(10, 25)}, "blots", 1.0),
        ({point: 1 for point in range(10, 25)}, "blot_distance", 255 / 270),
        ({4: 15}, "on_board", 1.0),
    ],
)
def test_the_largest_values_are_reached(own, name, largest):
    """``own`` is in the numbering of the other side, which is on roll: 1 is the point furthest from home."""
    over = {8: 15} if 8 not in own else {9: 15}
    board = boards.position(x=over if own.keys() & {8, 9} == set() else {2: 15}, o=own).board
    values, _ = compute_phase_features(board[None])
    assert values[0, FEATURE_NAMES.index(name)] == pytest.approx(largest)


def test_inputs_are_the_features_in_the_block_of_the_phase_and_0_elsewhere():
    values, phases = compute_phase_features(SAMPLE)
    inputs = encode_gated_inputs(SAMPLE)
    assert inputs.shape == (len(SAMPLE), 48)
    for row, own, phase in zip(inputs, values, phases, strict=True):
        np.testing.assert_array_equal(row[16 * phase : 16 * phase + 16], own)
        assert not np.delete(row, slice(16 * phase, 16 * phase + 16)).any()


@pytest.mark.parametrize("name", ["phase-heuristic", "phase-net", "phase-heuristic:among=4"])
def test_players_show_the_phase_and_their_sixteen_features(name):
    contact = boards.position({24: 2, 13: 3, 8: 3, 6: 6, 5: 1}, {1: 2, 12: 5, 17: 3, 19: 5})
    features = form_opinion(load_player(name), contact).features
    assert len(features) == 17
    assert features["phase"] == "mid"
    assert features["occupied_points"] == pytest.approx(4 / 7)
    assert features["blot_distance"] == pytest.approx(20 / 270)
    assert features["opponent_total_distance"] == pytest.approx(167 / 360)
    counts = form_opinion(load_player("phase-heuristic:normalised=false"), contact).features
    assert (counts["occupied_points"], counts["blots"], counts["opponent_blots"]) == (4, 1, 0)
