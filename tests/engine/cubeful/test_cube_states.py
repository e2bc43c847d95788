"""The states of the cube: which exist, which side may double, and the values of results."""

import numpy as np
import pytest

from gammond.engine.cubeful import CubeState, make_cube_game
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import PositionError
from gammond.engine.evaluation.results import find_unscaled, is_on_scale
from gammond.engine.rules.match import MatchState
from tests.engine.cubeful.cubes import result_value


@pytest.mark.parametrize(
    ("match", "states"),
    [
        (MatchState(), [(1, None), (1, 0), (1, 1)]),
        (MatchState(cube=8, cube_owner=1), [(1, 1), (1, 0)]),
        (MatchState(cube=4096, cube_owner=1), [(1, 1)]),
        (MatchState(length=3), [(1, None), (2, 1), (2, 0), (4, 0), (4, 1)]),
        (MatchState(length=2), [(1, None), (2, 1), (2, 0)]),
        (MatchState(length=7, score=(0, 4), cube=2, cube_owner=0), [(2, 0), (4, 1)]),
        (MatchState(length=5, score=(4, 2), crawford=True), [(1, None)]),
        (MatchState(length=1), [(1, None), (2, 1)]),
    ],
    ids=str,
)
def test_a_match_has_every_cube_until_nobody_gains_by_turning_it_and_money_has_each_owner(match, states):
    """And the state after a useless double, so that there can be a response."""
    assert [(state.value, state.owner) for state in make_cube_game(match).states] == states


def test_nobody_gains_by_a_useless_double():
    arrays = make_cube_game(MatchState(length=1)).arrays
    assert not arrays.may_double.any()
    assert arrays.state_after_take.tolist() == [1, -1]


def test_fewer_turns_leave_fewer_states_but_the_same_worths():
    whole, short = (
        make_cube_game(MatchState(length=25)),
        make_cube_game(MatchState(length=25), max_cube_turns=2),
    )
    assert len(whole.states) == 11
    assert short.states == whole.states[:5]
    assert short.arrays.may_double.tolist() == [True, False, True, False, False]
    assert np.array_equal(short.arrays.results, whole.arrays.results)


def test_both_seats_see_the_same_columns():
    game = make_cube_game(MatchState(length=5, score=(1, 3), on_roll=1))
    assert game.seat == 1
    assert game.other.seat == 0
    assert game.other.other is game
    assert game.other.states == game.states
    assert np.allclose(game.other.arrays.results[:, ::-1], 1 - game.arrays.results)
    for column, state in enumerate(game.states):
        for view in (game, game.other):
            if view.arrays.may_double[column]:
                after = game.states[view.arrays.state_after_take[column]]
                assert after == CubeState(2 * state.value, 1 - view.seat)


@pytest.mark.parametrize(
    ("match", "is_free"),
    [
        (MatchState(length=5, score=(2, 4)), True),
        (MatchState(length=5, score=(4, 2)), False),
        (MatchState(length=5, score=(2, 4), crawford=True), False),
        (MatchState(length=7, score=(3, 5), cube=2, cube_owner=0), True),
        (MatchState(length=7, score=(5, 5), cube=2, cube_owner=0), False),
        (MatchState(length=2), False),
        (MatchState(), False),
    ],
)
def test_a_double_is_free_when_the_game_decides_the_match_for_the_other_side(match, is_free):
    assert make_cube_game(match).has_free_double == is_free


def test_results_are_worth_points_for_money_and_chances_in_a_match():
    assert [result_value(make_cube_game(MatchState(cube=4, cube_owner=0)), n) for n in (1, 3, -2)] == [
        1,
        3,
        -2,
    ]
    table = load_default_table()
    game = make_cube_game(MatchState(length=7, score=(2, 3), cube=2, cube_owner=1))
    assert result_value(game, 1) == table.mwc(3, 4)
    assert result_value(game, -2) == 1 - table.mwc(0, 5)
    assert result_value(game, 3) == 1.0


def test_dice_and_a_waiting_double_do_not_matter():
    assert make_cube_game(MatchState(roll=(3, 1))) is make_cube_game(MatchState())
    assert make_cube_game(MatchState(length=5, doubled=True)) is make_cube_game(MatchState(length=5))


@pytest.mark.parametrize("length", [0, 7])
def test_a_cube_owned_by_nobody_at_4_is_impossible(length):
    with pytest.raises(PositionError, match="a cube at 4 has an owner") as caught:
        make_cube_game(MatchState(length=length, cube=4))
    assert caught.value.field == "cube_owner"


@pytest.mark.parametrize("worth", [None, 0.3, 1e-5, np.array([0.3, np.nan, 1e-5, 0.3])])
def test_equities_on_no_scale_are_found_one_by_one_and_in_arrays(worth):
    points = np.array([0.5, 20.0, 0.5, -20.0])
    worths = [None if each is None or np.isnan(each) else float(each) for each in np.resize(worth, 4)]
    expected = [not is_on_scale(*each) for each in zip(points.tolist(), worths, strict=True)]
    assert find_unscaled(points, worth).tolist() == expected
