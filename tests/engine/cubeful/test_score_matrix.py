"""The score matrix: every cell is the decision at its score."""

import numpy as np
import pytest

from gammond.engine.cubeful import compute_score_matrix, make_cube_game
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.results import DoublingAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome

STRONG = Outcome(0.7, 0.2, 0.01, 0.1, 0.0)


def decide_by(outcome, efficiency):
    """Decide by the outcome alone."""
    outcomes, efficiencies = np.array([outcome], np.float32), np.array([efficiency], np.float32)

    def decide(match):
        game = make_cube_game(match)
        return game.decide(game.evaluate(outcomes, efficiencies)[0])

    return decide


def test_every_cell_is_the_decision_at_its_score_by_whoever_has_the_values():
    asked = []

    def decide(match):
        asked.append(match)
        return decide_by(STRONG, 0.68)(match)

    matrix = compute_score_matrix(decide, 7)
    for away in range(1, 8):
        for other in range(1, 8):
            game = make_cube_game(MatchState(length=7, score=(7 - away, 7 - other)))
            assert matrix.rows[away - 1][other - 1] == game.decide_outcome(STRONG, 0.68)
    assert matrix.money == make_cube_game(MatchState(beavers=False)).decide_outcome(STRONG, 0.68)
    assert [match.length for match in asked].count(7) == 49
    assert sum(match.is_money for match in asked) == 1


def test_well_known_corners():
    matrix = compute_score_matrix(decide_by(STRONG, 0.68), 9)
    assert all(matrix.rows[0][other - 1].doubling is DoublingAction.UNAVAILABLE for other in range(1, 10))
    assert all(matrix.rows[away - 1][0].should_double for away in range(3, 10))
    assert matrix.rows[2][1].text == "Double, pass"
    assert matrix.rows[1][8].text == "No double, take"


def test_redoubles_start_from_the_cube_in_hand():
    matrix = compute_score_matrix(decide_by(STRONG, 0.68), 5, cube=2)
    assert matrix.rows[4][4].is_redouble
    assert matrix.rows[1][4].doubling is DoublingAction.UNAVAILABLE
    assert matrix.money.is_redouble


@pytest.mark.parametrize(
    ("away", "cube", "field"), [(1, 1, "away"), (65, 1, "away"), (5, 3, "cube"), (5, 0, "cube")]
)
def test_impossible_matrices_are_refused(away, cube, field):
    with pytest.raises(ValueRangeError) as caught:
        compute_score_matrix(decide_by(STRONG, 0.68), away, cube=cube)
    assert caught.value.field == field
