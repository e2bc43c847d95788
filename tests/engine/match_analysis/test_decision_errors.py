"""What a decision lost, and whether eXtreme Gammon and GNU Backgammon count it."""

import pytest

from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_analysis.decision_errors import count_doubling, count_play, count_response


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
    assert count_play(equities) == (xg, gnubg)


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
    assert CubeDecision.of_choices(*map(Evaluation, values)).find_doubling_error(is_double=is_double) == error


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
    assert count_doubling(CubeDecision.of_choices(*map(Evaluation, values)), is_double=False) == (xg, gnubg)


def test_a_double_always_counts():
    assert count_doubling(CubeDecision.of_choices(Evaluation(0.5), Evaluation(-1.0)), is_double=True) == (
        True,
        True,
    )


@pytest.mark.parametrize(
    ("double_take", "is_take", "error"),
    [(0.75, True, 0), (0.75, False, 0.25), (1.5, True, 0.5), (1.5, False, 0)],
)
def test_a_take_and_a_pass_lose_what_the_other_would_save(double_take, is_take, error):
    cube = CubeDecision.of_choices(Evaluation(0.5), Evaluation(double_take))
    assert cube.find_response_error(is_take=is_take) == error
    assert count_response(cube) == (True, True)


def test_a_response_without_a_difference_does_not_count_for_extreme_gammon():
    assert count_response(CubeDecision.of_choices(Evaluation(0.5), Evaluation(1.0005))) == (False, True)
