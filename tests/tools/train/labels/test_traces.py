"""Corrections carried back along a game."""

import numpy as np

from gammond.tools.train.labels.traces import Visits, concatenate_visits, propagate_corrections

OWN = np.array(
    [[0.1, 0.02, 0.0, -0.03, 0.01], [0.2, 0.04, 0.01, 0.06, 0.0], [-0.4, 0.0, 0.0, 0.08, 0.02]], np.float32
)


def visits(rows: list[int], follows: list[bool]) -> Visits:
    return Visits(np.array(rows, np.int64), np.array(follows, np.bool_))


def test_without_visits_each_position_keeps_its_own_correction():
    np.testing.assert_array_equal(propagate_corrections(OWN, Visits.empty(), 0.7), OWN)


def test_a_later_correction_counts_as_the_other_side_sees_it():
    carried = propagate_corrections(OWN[:2], visits([0, 1], [True, False]), 0.5)
    np.testing.assert_allclose(carried[1], OWN[1], atol=1e-7)
    np.testing.assert_allclose(
        carried[0], [0.1 - 0.1, 0.02 + 0.03, 0.0 + 0.0, -0.03 + 0.02, 0.01 + 0.005], atol=1e-7
    )


def test_two_turns_on_it_counts_for_the_same_side_with_the_square_of_the_share():
    carried = propagate_corrections(OWN, visits([0, 1, 2], [True, True, False]), 0.5)
    np.testing.assert_allclose(carried[0, 0], 0.1 - 0.5 * 0.2 + 0.25 * -0.4, atol=1e-7)
    np.testing.assert_allclose(carried[0, 3], -0.03 + 0.5 * 0.04 + 0.25 * 0.08, atol=1e-7)


def test_a_trace_is_cut_where_the_next_does_not_follow():
    carried = propagate_corrections(OWN, visits([0, 1, 2], [False, True, False]), 0.5)
    np.testing.assert_allclose(carried[0], OWN[0], atol=1e-7)
    np.testing.assert_allclose(carried[1, 0], 0.2 + 0.5 * 0.4, atol=1e-7)


def test_a_position_that_games_come_to_more_than_once_gets_the_mean():
    carried = propagate_corrections(OWN, visits([0, 1, 0, 2], [True, False, True, False]), 1.0)
    np.testing.assert_allclose(carried[0, 0], 0.1 + (-0.2 + 0.4) / 2, atol=1e-7)


def test_visits_follow_their_positions_to_other_places():
    parts = [
        (np.empty((2, 2, 26), np.int8), visits([0, 1], [True, False])),
        (np.empty((1, 2, 26), np.int8), visits([0], [False])),
    ]
    joined = concatenate_visits(parts)
    assert joined.rows.tolist() == [0, 1, 2]
    assert joined.is_followed.tolist() == [True, False, False]
    order = np.array([2, 0, 1])
    assert order[joined.reorder(order).rows].tolist() == joined.rows.tolist()


def test_the_sum_along_a_game_with_a_share_of_one_is_its_result_less_the_first_evaluation():
    """Where the dice leave no choice, corrections are plain differences and add up to the end."""
    values = np.array([0.3, 0.6, 0.2, 0.9])
    backups = np.append(1.0 - values[1:], 1.0)
    corrections = np.zeros((4, 5), np.float32)
    corrections[:, 0] = backups - values
    carried = propagate_corrections(corrections, visits([0, 1, 2, 3], [True, True, True, False]), 1.0)
    np.testing.assert_allclose(values[0] + carried[0, 0], 0.0, atol=1e-6)
    np.testing.assert_allclose(values[1] + carried[1, 0], 1.0, atol=1e-6)
