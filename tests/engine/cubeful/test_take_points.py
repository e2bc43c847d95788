"""Take points and doubling windows: Janowski's formulas and published match scores."""

from __future__ import annotations

import pytest

from gammond.engine.cubeful import make_cube_game
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from tests.engine.cubeful.cubes import gammon_value, race
from tests.engine.cubeful.doubling_windows import doubling_window, take_point

MONEY = make_cube_game(MatchState())
OWNED = make_cube_game(MatchState(cube=2, cube_owner=0))
RACE = race(0.5)
SHARES = Outcome(0.5, 0.15, 0.01, 0.1, 0.0)
WON, LOST = 1.32, 1.2


def at_score(away: int, other: int, cube: int = 1, *, crawford_is_over: bool = False):
    """The game of a doubler with access to the cube, on roll, and the other, so many points away."""
    length = max(away, other) + 3
    if crawford_is_over:
        assert 1 in (away, other)
    return make_cube_game(
        MatchState(
            length=length,
            score=(length - away, length - other),
            cube=cube,
            cube_owner=None if cube == 1 else 0,
        )
    )


@pytest.mark.parametrize(("efficiency", "expected"), [(0.0, 0.25), (1.0, 0.2), (0.68, 0.5 / 2.34)])
def test_money_take_points_of_races(efficiency, expected):
    assert take_point(RACE, efficiency, MONEY) == pytest.approx(expected, abs=1e-4)
    assert take_point(RACE, efficiency, OWNED) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("x", [0.0, 0.3, 0.68, 0.9])
def test_money_points_with_gammons_are_janowskis(x):
    """Cash (L + 1/2 + x/2) and redouble (L + x), each over W + L + x/2; the beaver point has equity zero."""
    whole = WON + LOST + 0.5 * x
    window = doubling_window(SHARES, x, OWNED)
    assert window.cash == pytest.approx((LOST + 0.5 + 0.5 * x) / whole, abs=1e-3)
    assert window.double == pytest.approx((LOST + x) / whole, abs=1e-3)
    assert window.beaver_below == pytest.approx((LOST + 0.5 * x) / whole, abs=1e-3)


def test_the_window_opens_earlier_for_a_first_double_and_earliest_under_jacoby():
    first, again = (doubling_window(SHARES, 0.68, game).double for game in (MONEY, OWNED))
    jacoby = doubling_window(SHARES, 0.68, make_cube_game(MatchState(jacoby=True)))
    assert jacoby.double < first < again
    assert jacoby.too_good is None
    assert doubling_window(SHARES, 0.68, MONEY).too_good is not None
    assert doubling_window(RACE, 0.68, MONEY).too_good is None


def test_a_live_cube_is_turned_at_the_cash_point():
    window = doubling_window(RACE, 1.0, OWNED)
    assert window.double == pytest.approx(window.cash, abs=1e-3)
    assert window.cash == pytest.approx(0.8, abs=1e-6)


def test_two_away_each_the_take_point_is_the_chance_of_one_away_against_two():
    game = at_score(2, 2)
    for efficiency in (0.0, 0.68, 1.0):
        assert take_point(RACE, efficiency, game) == pytest.approx(1 - 0.67736, abs=1e-4)
    assert doubling_window(RACE, 0.0, game).double == pytest.approx(0.5, abs=1e-3)


def test_three_away_against_four_has_the_take_points_of_the_table():
    """The side three away is doubled, takes at 2 and can redouble to 4 for the match."""
    table = load_default_table()
    passed, won, lost = table.mwc(3, 3), table.mwc(1, 4), table.mwc(3, 2)
    dead = (passed - lost) / (won - lost)
    live = dead * table.mwc(1, 4)
    game = at_score(4, 3)
    assert take_point(RACE, 0.0, game) == pytest.approx(dead, abs=1e-3)
    assert take_point(RACE, 1.0, game) == pytest.approx(live, abs=1e-3)
    assert (dead, live) == (pytest.approx(0.240, abs=1e-3), pytest.approx(0.196, abs=1e-3))


def test_four_away_against_three_has_the_take_points_of_the_table():
    """Doubled from 1, the taker four away turns the cube to 4, which is dead for the side three away."""
    table = load_default_table()
    passed, won, lost = table.mwc(4, 2), table.mwc(2, 3), table.mwc(4, 1)
    dead = (passed - lost) / (won - lost)
    assert take_point(RACE, 0.0, at_score(3, 4)) == pytest.approx(dead, abs=1e-3)
    cash_at_4 = 1 - table.mwc(3, 2)
    live = (passed - lost) / (table.mwc(2, 3) - lost) * cash_at_4
    assert take_point(RACE, 1.0, at_score(3, 4)) == pytest.approx(live, abs=1e-3)


def test_the_last_cube_of_a_match_has_a_dead_take_point():
    table = load_default_table()
    game = at_score(4, 4, cube=2)
    expected = table.mwc(4, 2)
    for efficiency in (0.0, 0.68, 1.0):
        assert take_point(RACE, efficiency, game) == pytest.approx(expected, abs=1e-3)


def test_after_the_crawford_game_the_leader_passes_at_once_even_points_away():
    """The free drop: the take point is near one half at 2 and 4 away, near one third at 3."""
    table = load_default_table()
    for away in (2, 3, 4, 5):
        after_pass = table.mwc(1, away - 1, is_post_crawford=True)
        after_loss = table.mwc(1, away - 2, is_post_crawford=True)
        expected = (after_pass - after_loss) / (1 - after_loss)
        game = at_score(away, 1, crawford_is_over=True)
        assert take_point(RACE, 0.68, game) == pytest.approx(expected, abs=1e-3)
        assert doubling_window(RACE, 0.68, game).double == 0.0
    assert take_point(RACE, 0.68, at_score(2, 1, crawford_is_over=True)) == pytest.approx(0.5, abs=1e-3)


def test_long_matches_are_like_money():
    game = make_cube_game(MatchState(length=25))
    window, money = doubling_window(SHARES, 0.68, game), doubling_window(SHARES, 0.68, MONEY)
    assert window.cash == pytest.approx(money.cash, abs=0.02)
    assert window.double == pytest.approx(money.double, abs=0.03)


def test_without_a_use_for_the_cube_there_is_no_window():
    for match in (
        MatchState(length=1),
        MatchState(length=5, score=(4, 1), crawford=True),
        MatchState(cube=2, cube_owner=1),
    ):
        assert doubling_window(RACE, 0.68, make_cube_game(match)) is None
        assert take_point(RACE, 0.68, make_cube_game(match)) is None


def test_gammons_are_worth_half_a_game_for_money_and_what_the_score_makes_of_them_in_a_match():
    assert gammon_value(MONEY) == gammon_value(MONEY, won=False) == 0.5
    double_match_point = make_cube_game(MatchState(length=1))
    assert gammon_value(double_match_point) == 0.0
    trailer = make_cube_game(MatchState(length=5, score=(3, 4), crawford=True))
    table = load_default_table()
    assert gammon_value(trailer) == pytest.approx((1 - 0.5) / 0.5)
    assert gammon_value(trailer, won=False) == 0.0
    even = make_cube_game(MatchState(length=5))
    stake = table.mwc(4, 5) - table.mwc(5, 4)
    assert gammon_value(even) == pytest.approx((table.mwc(3, 5) - table.mwc(4, 5)) / stake)


@pytest.mark.parametrize("efficiency", [-0.1, 1.1, float("nan")])
def test_an_efficiency_outside_0_to_1_is_refused(efficiency):
    with pytest.raises(ValueRangeError) as caught:
        doubling_window(RACE, efficiency, MONEY)
    assert caught.value.field == "efficiency"
