"""Outcomes: equity, the other side's view, finished games, estimates made possible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gammond.engine.kernels import outcomes as kernel_outcomes
from gammond.engine.rules.outcome import (
    Outcome,
    classify_results,
    cubeless_equity,
    evaluate_finished,
    invert_outcomes,
)
from tests.support import boards, naive
from tests.support.boards import position

BORNE_OFF = np.random.default_rng(3).integers(0, 3, (20, 2, 26)).astype(np.int8)
"""In which each side has borne off 0, 1 or 2 checkers."""

estimates = arrays.arrays(
    np.float32, st.tuples(st.integers(1, 20), st.just(5)), elements=st.floats(-0.5, 1.5, width=32)
)


def test_equity_is_the_mean_of_points_won():
    # Exclusive chances: 0.3 single, 0.15 gammon, 0.05 backgammon won; 0.35, 0.1, 0.05 lost.
    outcome = Outcome(win=0.5, win_g=0.2, win_bg=0.05, lose_g=0.15, lose_bg=0.05)
    by_hand = 0.3 * 1 + 0.15 * 2 + 0.05 * 3 - 0.35 * 1 - 0.1 * 2 - 0.05 * 3
    assert outcome.equity == pytest.approx(by_hand)
    assert cubeless_equity(np.array([outcome], np.float32))[0] == pytest.approx(by_hand, abs=1e-6)


def test_equity_of_a_position_does_not_depend_on_the_batch_it_is_in():
    sample = np.random.default_rng(2).random((500, 5), np.float32)
    alone = [cubeless_equity(row) for row in sample]
    assert cubeless_equity(sample).tobytes() == np.array(alone, np.float32).tobytes()
    assert cubeless_equity(sample).dtype == np.float32


def test_turned_outcomes_swap_gammons_and_leave_the_original_alone():
    sample = np.array([[0.7, 0.3, 0.1, 0.2, 0.05]], np.float32)
    before = sample.copy()
    other = invert_outcomes(sample)
    np.testing.assert_allclose(other, [[0.3, 0.2, 0.05, 0.3, 0.1]], atol=1e-6)
    assert (sample == before).all()
    assert other.flags.c_contiguous


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("o", "points", "checkers"),
    [
        pytest.param({24: 14}, 1, 15, id="a checker off"),
        pytest.param({0: 14}, 1, 15, id="a checker off, even from the bar"),
        pytest.param({24: 14, 7: 1}, 2, 15, id="no checker off"),
        pytest.param({24: 14, 0: 1}, 3, 15, id="on the bar"),
        *(pytest.param({24: 14, point: 1}, 3, 15, id=f"on the {point} point") for point in range(1, 7)),
        pytest.param({19: 2}, 1, 3, id="a checker of three off"),
        pytest.param({18: 3}, 2, 3, id="no checker of three off"),
        pytest.param({6: 1, 19: 2}, 3, 3, id="one of three in the winner's home board"),
    ],
)
def test_a_finished_game_is_lost_by_where_the_checkers_of_the_loser_are(o, points, checkers):
    won = position({}, o, checkers)
    both = np.stack([won.board, won.swap_sides().board])
    assert cubeless_equity(evaluate_finished(both)).tolist() == [points, -points]


@pytest.mark.nojit
@pytest.mark.parametrize("checkers", [3, 15])
def test_finished_games_agree_with_the_slow_twin(checkers):
    finished = boards.random_boards(200, 1, checkers).copy()
    winners = np.arange(len(finished)) % 2
    finished[np.arange(len(finished)), winners] = np.eye(26, dtype=np.int8)[0] * checkers
    found = evaluate_finished(finished)
    expected = [naive.points_won(state) for state in naive.states(finished)]
    assert cubeless_equity(found).tolist() == expected
    assert classify_results(finished).tolist() == np.abs(expected).tolist()
    assert set(expected) == {-3, -2, -1, 1, 2, 3}
    assert set(found.ravel().tolist()) == {0.0, 1.0}


@pytest.mark.nojit
@settings(max_examples=200)
@given(estimates)
def test_estimates_are_made_possible_as_numpy_does_it_and_once_for_all(estimate):
    before, its_boards = estimate.copy(), BORNE_OFF[: len(estimate)]
    made, again = np.empty_like(estimate), np.empty_like(estimate)
    kernel_outcomes.sanitise(estimate, its_boards, made)
    assert made.tolist() == naive.sanitise(estimate, its_boards).tolist()
    assert estimate.tobytes() == before.tobytes()
    kernel_outcomes.sanitise(made, its_boards, again)
    assert again.tobytes() == made.tobytes()
