"""Outcomes: equity, the other side's view, finished games, estimates made possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gammond.engine.rules.outcome import (
    LOSE_BG,
    LOSE_G,
    WIN,
    WIN_BG,
    WIN_G,
    Outcome,
    cubeless_equity,
    evaluate_finished,
    invert_outcomes,
    sanitise_outcomes,
)
from tests.support import boards, naive
from tests.support.boards import position

SAMPLE = boards.random_boards(200, seed=1)

estimates = arrays.arrays(
    np.float32, st.tuples(st.integers(1, 20), st.just(5)), elements=st.floats(-0.5, 1.5, width=32)
)


def possible_outcomes(count, seed):
    """Random outcomes that could be true."""
    generator = np.random.default_rng(seed)
    win, gammon, backgammon, lose_gammon, lose_backgammon = generator.random((5, count))
    columns = win, win * gammon, win * gammon * backgammon
    columns += (1 - win) * lose_gammon, (1 - win) * lose_gammon * lose_backgammon
    return np.stack(columns, axis=1).astype(np.float32)


def points(x, o):
    """Return the value of a finished position to x by its exact outcome."""
    return float(cubeless_equity(evaluate_finished(position(x, o).board[None]))[0])


def test_equity_is_the_mean_of_points_won():
    # Exclusive chances: 0.3 single, 0.15 gammon, 0.05 backgammon won; 0.35, 0.1, 0.05 lost.
    outcome = Outcome(win=0.5, win_g=0.2, win_bg=0.05, lose_g=0.15, lose_bg=0.05)
    by_hand = 0.3 * 1 + 0.15 * 2 + 0.05 * 3 - 0.35 * 1 - 0.1 * 2 - 0.05 * 3
    assert outcome.equity == pytest.approx(by_hand)
    assert cubeless_equity(np.array([outcome], np.float32))[0] == pytest.approx(by_hand, abs=1e-6)


def test_equity_of_a_position_does_not_depend_on_the_batch_it_is_in():
    sample = invert_outcomes(possible_outcomes(500, seed=2))
    alone = [cubeless_equity(row) for row in sample]
    assert cubeless_equity(sample).tobytes() == np.array(alone, np.float32).tobytes()
    assert cubeless_equity(sample).dtype == np.float32


def test_turning_outcomes_twice_changes_nothing():
    sample = possible_outcomes(500, seed=3)
    np.testing.assert_allclose(invert_outcomes(invert_outcomes(sample)), sample, atol=1e-7)


def test_the_other_side_has_the_opposite_equity():
    sample = possible_outcomes(500, seed=4)
    np.testing.assert_allclose(cubeless_equity(invert_outcomes(sample)), -cubeless_equity(sample), atol=1e-6)


def test_turned_outcomes_swap_gammons_and_leave_the_original_alone():
    sample = np.array([[0.7, 0.3, 0.1, 0.2, 0.05]], np.float32)
    before = sample.copy()
    other = invert_outcomes(sample)
    np.testing.assert_allclose(other, [[0.3, 0.2, 0.05, 0.3, 0.1]], atol=1e-6)
    assert (sample == before).all()
    assert other.flags.c_contiguous


def test_a_loser_with_a_checker_off_loses_a_single_game_even_from_the_bar():
    assert points({}, {24: 14}) == 1
    assert points({}, {0: 14}) == 1
    assert points({25: 1, 6: 13}, {}) == -1


def test_a_loser_with_no_checker_off_loses_a_gammon():
    assert points({}, {24: 14, 7: 1}) == 2
    assert points({18: 1, 6: 14}, {}) == -2


def test_a_loser_on_the_bar_loses_a_backgammon():
    assert points({}, {24: 14, 0: 1}) == 3
    assert points({25: 1, 6: 14}, {}) == -3


@pytest.mark.parametrize("point", range(1, 7))
def test_a_loser_in_the_winners_home_board_loses_a_backgammon(point):
    assert points({}, {24: 14, point: 1}) == 3
    assert points({25 - point: 1, 6: 14}, {}) == -3


def test_finished_games_agree_with_the_slow_twin():
    finished = SAMPLE.copy()
    winners = np.arange(len(finished)) % 2
    finished[np.arange(len(finished)), winners] = np.eye(26, dtype=np.int8)[0] * 15
    found = evaluate_finished(finished)
    expected = [naive.points_won(state) for state in naive.states(finished)]
    assert cubeless_equity(found).tolist() == expected
    assert set(expected) == {-3, -2, -1, 1, 2, 3}
    assert set(found.ravel().tolist()) == {0.0, 1.0}


@settings(max_examples=200, deadline=None)
@given(estimates)
def test_sanitised_outcomes_are_possible(estimate):
    its_boards = SAMPLE[: len(estimate)]
    result = sanitise_outcomes(estimate, its_boards)
    assert result.dtype == np.float32
    assert ((result >= 0) & (result <= 1)).all()
    assert (result[:, WIN_G] <= result[:, WIN]).all()
    assert (result[:, LOSE_G] <= 1 - result[:, WIN]).all()
    assert (result[:, WIN_BG] <= result[:, WIN_G]).all()
    assert (result[:, LOSE_BG] <= result[:, LOSE_G]).all()
    assert (result[its_boards[:, 1, 0] > 0][:, [WIN_G, WIN_BG]] == 0).all()
    assert (result[its_boards[:, 0, 0] > 0][:, [LOSE_G, LOSE_BG]] == 0).all()


@settings(max_examples=100, deadline=None)
@given(estimates)
def test_sanitising_twice_changes_nothing_more_and_never_the_input(estimate):
    before = estimate.copy()
    once = sanitise_outcomes(estimate, SAMPLE[: len(estimate)])
    assert (estimate == before).all()
    assert sanitise_outcomes(once, SAMPLE[: len(estimate)]).tobytes() == once.tobytes()


def test_possible_outcomes_are_left_alone_while_gammons_are_possible():
    nobody_off = SAMPLE[(SAMPLE[:, :, 0] == 0).all(axis=1)]
    sample = possible_outcomes(len(nobody_off), seed=5)
    np.testing.assert_allclose(sanitise_outcomes(sample, nobody_off), sample, atol=1e-7)
