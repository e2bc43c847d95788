"""The score matrix: every cell is the decision at its score."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cubeful import (
    DoublingAction,
    build_cube_state_space,
    compute_leaf_values,
    compute_score_matrix,
    decide_from_outcome,
    decide_from_values,
)
from engine.errors import ValueRangeError
from engine.rules.match import MatchState
from engine.rules.outcome import Outcome

STRONG = Outcome(0.7, 0.2, 0.01, 0.1, 0.0)


def decide_by(outcome, efficiency):
    """Decide by the outcome alone."""
    outcomes, efficiencies = np.array([outcome], np.float32), np.array([efficiency], np.float32)

    def decide(match):
        game = build_cube_state_space(match)
        return decide_from_values(compute_leaf_values(outcomes, efficiencies, game)[0], game)

    return decide


def test_every_cell_is_the_decision_at_its_score():
    matrix = compute_score_matrix(decide_by(STRONG, 0.68), 7)
    for away in range(1, 8):
        for other in range(1, 8):
            game = build_cube_state_space(MatchState(length=7, score=(7 - away, 7 - other)))
            assert matrix.decision_at(away, other) == decide_from_outcome(STRONG, 0.68, game)
    assert matrix.money == decide_from_outcome(
        STRONG, 0.68, build_cube_state_space(MatchState(beavers=False))
    )


def test_well_known_corners():
    matrix = compute_score_matrix(decide_by(STRONG, 0.68), 9)
    assert all(matrix.decision_at(1, other).doubling is DoublingAction.UNAVAILABLE for other in range(1, 10))
    assert all(matrix.decision_at(away, 1).should_double for away in range(3, 10))
    assert matrix.decision_at(3, 2).text == "Double, pass"
    assert matrix.decision_at(2, 9).text == "No double, take"


def test_redoubles_start_from_the_cube_in_hand():
    matrix = compute_score_matrix(decide_by(STRONG, 0.68), 5, cube=2)
    assert matrix.decision_at(5, 5).is_redouble
    assert matrix.decision_at(2, 5).doubling is DoublingAction.UNAVAILABLE
    assert matrix.money.text == "No redouble, take" or matrix.money.should_double


def test_the_matrix_asks_its_values_from_whoever_has_them():
    asked = []

    def decide(match):
        asked.append(match)
        return decide_by(STRONG, 0.5)(match)

    compute_score_matrix(decide, 3)
    assert [match.length for match in asked].count(3) == 9
    assert sum(match.is_money for match in asked) == 1


@pytest.mark.parametrize(
    ("away", "cube", "field"), [(1, 1, "away"), (65, 1, "away"), (5, 3, "cube"), (5, 0, "cube")]
)
def test_impossible_matrices_are_refused(away, cube, field):
    with pytest.raises(ValueRangeError) as caught:
        compute_score_matrix(decide_by(STRONG, 0.68), away, cube=cube)
    assert caught.value.field == field


def test_a_score_outside_the_matrix_is_refused():
    with pytest.raises(ValueRangeError, match="1 to 3 points away"):
        compute_score_matrix(decide_by(STRONG, 0.68), 3).decision_at(4, 1)
