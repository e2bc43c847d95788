"""Cubeful values: published points, laws for any outcome at any score, and the right to double."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.cubeful import make_cube_game, make_dead_cube_game, select_exact_values
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome, cubeless_equity, invert_outcomes
from tests.engine.cubeful.cubes import dead_value, match_states, outcomes, race, result_value

MONEY = MatchState(beavers=False)
CENTRED, OWN, OTHER = range(3)
OWN_FREE = 0
"""In the states for kernels: the side on roll has a free double."""


def evaluate(outcome: Outcome, match: MatchState, efficiency: float = 0.68):
    """``float32[states]`` of one outcome."""
    rows = np.array([outcome], np.float32)
    return make_cube_game(match).evaluate(rows, np.array([efficiency], np.float32))[0]


def test_a_dead_cube_is_worth_what_the_game_is_worth():
    outcome = Outcome(0.6, 0.2, 0.01, 0.1, 0.02)
    assert evaluate(outcome, MONEY, 0.0) == pytest.approx([outcome.equity] * 3)
    match = MatchState(length=7, score=(2, 4))
    dead = dead_value(outcome, make_cube_game(match))
    assert evaluate(outcome, match, 0.0)[0] == pytest.approx(dead)
    frozen = make_dead_cube_game(match).evaluate(np.array([outcome], np.float32))
    assert frozen == pytest.approx(np.array([[dead]]))


def test_exact_equities_go_to_the_states_that_they_are_of():
    known = np.array([[0.1, 0.2, 0.3]], np.float32)
    assert select_exact_values(known, make_cube_game(MONEY).arrays).tolist() == known.tolist()
    turned = make_cube_game(MONEY).other
    assert select_exact_values(known, turned.arrays)[0].tolist() == known[0, [0, 2, 1]].tolist()
    owned = make_cube_game(MatchState(cube=2, cube_owner=0))
    assert select_exact_values(known, owned.arrays)[0].tolist() == known[0, [1, 2]].tolist()
    assert select_exact_values(known, owned.other.arrays)[0].tolist() == known[0, [2, 1]].tolist()


def test_the_published_example_has_its_value():
    """GNU Backgammon's manual, "0-ply Cubeful equities"; its outcome is rounded to 0.001."""
    outcome = Outcome(0.454, 0.103, 0.001, 0.106, 0.003)
    assert evaluate(outcome, MONEY, 0.0)[CENTRED] == pytest.approx(-0.097, abs=0.001)
    assert evaluate(outcome, MONEY, 1.0)[CENTRED] == pytest.approx(-0.157, abs=0.004)
    assert evaluate(outcome, MONEY, 0.68)[CENTRED] == pytest.approx(-0.138, abs=0.004)


def test_under_jacoby_gammons_do_not_count_until_the_cube_is_turned():
    outcome = Outcome(0.9, 0.8, 0.0, 0.0, 0.0)
    jacoby = MatchState(jacoby=True, beavers=False)
    assert evaluate(outcome, jacoby, 0.0)[CENTRED] == pytest.approx(0.8)
    assert evaluate(outcome, jacoby)[CENTRED] <= 1.0 < evaluate(outcome, MONEY)[CENTRED]
    assert evaluate(outcome, jacoby)[OWN] == evaluate(outcome, MONEY)[OWN]


@given(outcomes(), match_states(), st.floats(0, 1))
def test_both_sides_agree_about_every_value_once_who_may_double_for_nothing_has_done_so(
    outcome, match, efficiency
):
    game, rows = make_cube_game(match), np.array([outcome], np.float32)
    x = np.array([efficiency], np.float32)
    own, other = (
        np.where(view.arrays.states[:, 2] == OWN_FREE, view.with_double(values), values)
        for view, values in (
            (game, game.evaluate(rows, x)),
            (game.other, game.other.evaluate(invert_outcomes(rows), x)),
        )
    )
    turned = -other if game.is_money else 1.0 - other
    assert turned == pytest.approx(own, abs=1e-5)


def test_a_last_roll_is_doubled_exactly_when_it_is_right():
    """One roll decides: double from 50 %, pass below 25 %; the mean of the results is the value."""
    game = make_cube_game(MONEY)
    for wins in range(37):
        results = np.array([[1.0] * 3] * wins + [[-1.0] * 3] * (36 - wins), np.float32)
        held = results.mean(axis=0, keepdims=True)
        equity = 2 * wins / 36 - 1
        expected = max(equity, min(2 * equity, 1.0))
        assert game.with_double(held)[0, CENTRED] == pytest.approx(expected, abs=1e-6)
        assert game.with_double(held)[0, OTHER] == pytest.approx(equity, abs=1e-6)


def test_the_trailer_owns_the_match_that_it_doubles_for_nothing():
    """Two away after the Crawford game: doubled at once, the game decides the match, or the leader passes."""
    match = MatchState(length=5, score=(3, 4))
    game = make_cube_game(match)
    for win in (0.1, 0.3, 0.45):
        held, dead = evaluate(race(win), match)[0], win / 2
        assert held == pytest.approx(win - 0.32**2 * (win - dead), abs=1e-6)
        assert game.with_double(evaluate(race(win), match)[None])[0, 0] == pytest.approx(win, abs=1e-6)
    assert game.with_double(evaluate(race(0.7), match)[None])[0, 0] == pytest.approx(0.5)


def test_at_double_match_point_the_cube_means_nothing():
    match = MatchState(length=3, score=(2, 2))
    for win in (0.0, 0.3, 1.0):
        outcome = Outcome(win, win / 2, 0.0, (1 - win) / 2, 0.0)
        assert evaluate(outcome, match) == pytest.approx([win, win])


@given(outcomes(), match_states())
def test_an_equity_is_one_for_a_game_won_singly_and_goes_straight_from_loss_to_win(outcome, match):
    game = make_cube_game(match)
    dead = dead_value(outcome, game)
    points = game.to_equities(np.array(dead))
    if match.is_money:
        assert points == pytest.approx(cubeless_equity(np.array([outcome]))[0], abs=1e-5)
    elif result_value(game, 1) - result_value(game, -1) > 1e-3:
        lost, won = result_value(game, -1), result_value(game, 1)
        assert lost + (points + 1) / 2 * (won - lost) == pytest.approx(dead, abs=1e-6)
        assert game.to_equities(np.float32(result_value(game, 1))) == pytest.approx(1.0, abs=1e-3)
        assert game.to_equities(np.float32(result_value(game, -1))) == pytest.approx(-1.0, abs=1e-3)


def test_fewer_turns_of_the_cube_do_not_change_the_values():
    match = MatchState(length=15, score=(3, 6))
    rows = np.array([[0.6, 0.2, 0.0, 0.1, 0.0]], np.float32)
    x = np.array([0.68], np.float32)
    short, whole = make_cube_game(match, max_cube_turns=2), make_cube_game(match)
    count = len(short.states)
    assert short.evaluate(rows, x) == pytest.approx(whole.evaluate(rows, x)[:, :count])


def test_each_state_of_the_cube_has_its_efficiency():
    outcome, three = Outcome(0.65, 0.2, 0.0, 0.1, 0.0), np.array([[0.4, 0.7, 0.9]], np.float32)
    for match in (MONEY, MatchState(length=7), MatchState(length=7, cube=2, cube_owner=0)):
        game = make_cube_game(match)
        values = game.evaluate(np.array([outcome], np.float32), three)[0]
        alone = [evaluate(outcome, match, each) for each in three[0].tolist()]
        for column, state in enumerate(game.states):
            owner = 0 if state.owner is None else 1 if state.owner == game.seat else 2
            assert values[column] == pytest.approx(alone[owner][column], abs=1e-6)


def test_no_outcomes_have_no_values():
    none, game = np.empty((0, 5), np.float32), make_cube_game(MONEY)
    for efficiencies in (np.empty(0, np.float32), np.empty((0, 3), np.float32)):
        assert game.evaluate(none, efficiencies).shape == (0, 3)
