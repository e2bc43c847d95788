"""Take points and doubling windows: Janowski's formulas and published match scores."""

import pytest

from gammond.engine.cubeful import make_cube_game
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from tests.engine.cubeful.cubes import race
from tests.engine.cubeful.doubling_windows import doubling_window, take_point

MONEY = make_cube_game(MatchState())
OWNED = make_cube_game(MatchState(cube=2, cube_owner=0))
RACE = race(0.5)
SHARES = Outcome(0.5, 0.15, 0.01, 0.1, 0.0)
WON, LOST = 1.32, 1.2


def at_score(away: int, other: int):
    """The game of a doubler, on roll, and the other, so many points away, outside the Crawford game."""
    length = max(away, other) + 3
    return make_cube_game(MatchState(length=length, score=(length - away, length - other)))


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


def test_after_the_crawford_game_the_leader_passes_at_once_even_points_away():
    """The free drop: the take point is near one half at 2 and 4 away, near one third at 3."""
    table = load_default_table()
    for away in (2, 3, 4, 5):
        after_pass = table.mwc(1, away - 1, is_post_crawford=True)
        after_loss = table.mwc(1, away - 2, is_post_crawford=True)
        expected = (after_pass - after_loss) / (1 - after_loss)
        game = at_score(away, 1)
        assert take_point(RACE, 0.68, game) == pytest.approx(expected, abs=1e-3)
        assert doubling_window(RACE, 0.68, game).double == 0.0
    assert take_point(RACE, 0.68, at_score(2, 1)) == pytest.approx(0.5, abs=1e-3)
