"""What a decision lost, and whether eXtreme Gammon and GNU Backgammon count it."""

from __future__ import annotations

import pytest

from engine.match_analysis.judgement import Choice, judge_doubling, judge_play, judge_response
from engine.match_files.model import RecordedCubeDecision


def test_a_play_loses_what_it_is_behind_the_first():
    judged = judge_play([0.25, 0.125, -0.5], 2)
    assert (judged.choice, judged.error_points) == (Choice.PLAY, 0.75)
    assert judge_play([0.25, 0.125], 0).error_points == 0


def test_a_play_listed_behind_a_better_one_of_less_depth_loses_nothing():
    """The order is that of the program: a shallow evaluation above the first play's proves nothing."""
    assert judge_play([0.25, 0.5, 0.125], 1).error_points == 0


@pytest.mark.parametrize(
    ("equities", "xg", "gnubg"),
    [
        ([0.5], False, False),
        ([0.5, 0.5], False, True),
        ([0.5, 0.49995], False, True),
        ([0.5, 0.4998], True, True),
        ([0.5] * 10 + [-1.0], False, True),
    ],
)
def test_forced_plays_and_plays_that_are_all_alike_do_not_count(equities, xg, gnubg):
    judged = judge_play(equities, 0)
    assert (judged.counts_for_xg, judged.counts_for_gnubg) == (xg, gnubg)


@pytest.mark.parametrize(
    ("values", "is_double", "error"),
    [
        ((0.5, 0.75, 1.0), True, 0),
        ((0.5, 0.75, 1.0), False, 0.25),
        ((0.5, 1.5, 1.0), False, 0.5),
        ((0.5, 0.25, 1.0), True, 0.25),
        ((0.5, 0.25, 1.0), False, 0),
        ((1.25, 2.0, 1.0), True, 0.25),
        ((1.25, 2.0, 1.0), False, 0),
    ],
)
def test_a_double_is_worth_what_the_right_response_leaves(values, is_double, error):
    judged = judge_doubling(RecordedCubeDecision(*values), is_double=is_double)
    assert judged.error_points == error
    assert judged.choice is (Choice.DOUBLE if is_double else Choice.NO_DOUBLE)


@pytest.mark.parametrize(
    ("values", "xg", "gnubg"),
    [
        ((0.5, 0.45, 1.0), True, True),
        ((0.5, 0.31, 1.0), True, False),
        ((0.5, 0.29, 1.0), False, False),  # far from a double
        ((1.25, 1.5, 1.0), False, False),  # far too good
        ((1.15, 1.5, 1.0), True, True),
        ((1.0, 2.0, 1.0), False, True),  # the same with and without
        ((-0.95, -0.96, 1.0), False, True),  # lost
        ((-0.95, -0.85, 1.0), True, True),
        ((-0.95, -0.93, 1.0), True, True),  # lost, but not doubling loses something
    ],
)
def test_not_doubling_counts_where_there_was_something_to_decide(values, xg, gnubg):
    judged = judge_doubling(RecordedCubeDecision(*values), is_double=False)
    assert (judged.counts_for_xg, judged.counts_for_gnubg) == (xg, gnubg)


def test_a_double_always_counts():
    judged = judge_doubling(RecordedCubeDecision(0.5, -1.0, 1.0), is_double=True)
    assert judged.counts_for_xg
    assert judged.counts_for_gnubg


@pytest.mark.parametrize(
    ("double_take", "is_take", "error"),
    [(0.75, True, 0), (0.75, False, 0.25), (1.5, True, 0.5), (1.5, False, 0)],
)
def test_a_take_and_a_pass_lose_what_the_other_would_save(double_take, is_take, error):
    judged = judge_response(RecordedCubeDecision(0.5, double_take), is_take=is_take)
    assert judged.error_points == error
    assert judged.counts_for_xg
    assert judged.counts_for_gnubg


def test_a_response_without_a_difference_does_not_count_for_extreme_gammon():
    assert not judge_response(RecordedCubeDecision(0.5, 1.0005), is_take=True).counts_for_xg
