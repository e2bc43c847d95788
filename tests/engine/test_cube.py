"""The cube rule: against Janowski's formulas, a published match equity table, and what any player knows."""

import itertools
import random

import pytest

from engine import cube
from engine.cube import CubeAction, cube_action, game_value, match_winning_chance, takes_beaver
from engine.match import MatchState
from engine.outcome import Outcome

MONEY = MatchState()
JACOBY = MatchState(jacoby=True)

# Entries of the Kazaross-XG2 table: before the Crawford game, the leader in it, the trailer after it.
PRE_CRAWFORD = {
    (2, 3): 0.59947,
    (2, 5): 0.74359,
    (3, 7): 0.76209,
    (5, 9): 0.7254,
    (7, 15): 0.832566,
    (4, 4): 0.5,
}
CRAWFORD = {2: 0.67736, 3: 0.75076, 4: 0.81436, 5: 0.84179, 7: 0.90724, 9: 0.94402}
POST_CRAWFORD = {1: 0.5, 2: 0.48803, 3: 0.32264, 4: 0.31002, 5: 0.19012, 6: 0.18072, 9: 0.06953}


def race(win: float) -> Outcome:
    """A game without gammons."""
    return Outcome(win, 0.0, 0.0, 0.0, 0.0)


def thresholds(is_true, steps: int = 2000) -> list[float]:
    """Chances to win at which an answer changes."""
    answers = [is_true(i / steps) for i in range(steps + 1)]
    return [i / steps for i in range(1, steps + 1) if answers[i] != answers[i - 1]]


def test_the_live_take_point_of_a_money_race_is_a_fifth():
    side = cube._Side(race(0.2), MONEY, 0)
    assert cube._take_point(side, 1) == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    "outcome", [(0.6, 0.2, 0.0, 0.1, 0.0), (0.5, 0.1, 0.02, 0.3, 0.05), (0.3, 0, 0, 0.2, 0)]
)
def test_money_take_points_are_janowskis(outcome):
    win, win_g, win_bg, lose_g, lose_bg = outcome
    won, lost = (win + win_g + win_bg) / win, (1 - win + lose_g + lose_bg) / (1 - win)
    side = cube._Side(Outcome(*outcome), MONEY, 0)
    assert cube._take_point(side, 1) == pytest.approx((lost - 0.5) / (won + lost + 0.5), abs=1e-5)


def test_an_owned_money_cube_is_worth_what_janowskis_general_model_says():
    """Equation 5 holds where the live cube has not yet ended the game, in the limits x = 0 and x = 1."""
    owned = MatchState(cube=2, cube_owner=0)
    for win in (0.1, 0.4, 0.7):
        dead, live = 2 * win - 1, 2.5 * win - 1
        expected = (1 - cube.CUBE_EFFICIENCY) * dead + cube.CUBE_EFFICIENCY * live
        assert game_value(race(win), owned, cubeful=True) == pytest.approx(expected, abs=1e-6)


def test_a_money_race_is_doubled_from_about_seventy_and_dropped_from_about_seventy_nine():
    assert thresholds(lambda p: cube_action(race(p), MONEY).take) == [pytest.approx(0.787, abs=0.005)]
    doubles = thresholds(lambda p: cube_action(race(p), MONEY).double)
    assert doubles[0] == pytest.approx(0.70, abs=0.02)
    redoubles = thresholds(lambda p: cube_action(race(p), MatchState(cube=2, cube_owner=0)).double)
    assert redoubles[0] > doubles[0]


def test_the_opening_position_is_neither_doubled_nor_dropped():
    opening = Outcome(0.525, 0.149, 0.0085, 0.125, 0.0058)
    for match in (MONEY, JACOBY, MatchState(length=7), MatchState(length=25, score=(3, 10))):
        action = cube_action(opening, match)
        assert not action.double
        assert action.take
        assert action.resign == 0


def test_a_game_too_good_for_its_cube_is_played_on_except_under_jacoby():
    crushing = Outcome(0.95, 0.75, 0.05, 0.0, 0.0)
    assert not cube_action(crushing, MONEY).double
    assert not cube_action(crushing, MONEY).take
    assert cube_action(crushing, JACOBY).double


def test_the_beaver_comes_when_the_double_was_bad():
    assert cube_action(race(0.4), MONEY).beaver
    assert not cube_action(race(0.6), MONEY).beaver
    assert not cube_action(race(0.4), MatchState(beavers=False)).beaver
    assert not cube_action(race(0.4), MatchState(length=5)).beaver


def test_a_beavered_doubler_plays_on_unless_it_would_lose_more_than_the_stake():
    assert takes_beaver(race(0.4))
    assert not takes_beaver(Outcome(0.2, 0.0, 0.0, 0.3, 0.0))


@pytest.mark.parametrize(
    "match",
    [
        MatchState(length=5, score=(4, 2), crawford=True),
        MatchState(length=5, score=(2, 4), crawford=True),
        MatchState(cube=2, cube_owner=1),
        MatchState(length=3, cube=4, cube_owner=0),
        MatchState(length=3, score=(2, 2)),
        MatchState(roll=(3, 1)),
        MatchState(cube=4096, cube_owner=0),
    ],
)
def test_nobody_doubles_where_the_rules_or_reason_forbid_it(match):
    assert not any(cube_action(race(i / 50), match).double for i in range(51))


@pytest.mark.parametrize(("length", "away"), [(3, 2), (3, 3), (5, 2), (5, 4), (9, 2), (9, 5), (9, 8)])
def test_the_trailer_doubles_at_once_after_the_crawford_game(length, away):
    match = MatchState(length=length, score=(length - away, length - 1))
    for win in (0.2, 0.35, 0.5, 0.6):
        opening = Outcome(win, win / 4, win / 100, (1 - win) / 4, 0.0)
        assert cube_action(opening, match).double, win


def test_the_leader_takes_after_the_crawford_game_while_it_is_the_better_chance():
    match = MatchState(length=5, score=(3, 4))
    assert cube_action(race(0.45), match).take
    assert not cube_action(race(0.55), match).take


def test_at_two_away_each_the_first_double_decides_the_match():
    match = MatchState(length=5, score=(3, 3))
    crawford_leader = match_winning_chance(1, 2, crawford_is_over=False)
    assert thresholds(lambda p: cube_action(race(p), match).take) == [
        pytest.approx(crawford_leader, abs=0.002)
    ]


def test_match_equities_are_near_the_published_ones():
    for (away, other), equity in PRE_CRAWFORD.items():
        assert match_winning_chance(away, other, crawford_is_over=False) == pytest.approx(equity, abs=0.02)
    for away, equity in CRAWFORD.items():
        assert match_winning_chance(1, away, crawford_is_over=False) == pytest.approx(equity, abs=0.013)
    for away, chance in POST_CRAWFORD.items():
        assert match_winning_chance(away, 1, crawford_is_over=True) == pytest.approx(chance, abs=0.013)


def test_match_equities_of_both_sides_sum_to_one_and_grow_with_points():
    for away, other in itertools.product(range(1, 30), repeat=2):
        for over in (False, True):
            chance = match_winning_chance(away, other, crawford_is_over=over)
            assert chance + match_winning_chance(other, away, crawford_is_over=over) == pytest.approx(1)
            assert match_winning_chance(away, other + 1, crawford_is_over=over) >= chance
    assert match_winning_chance(0, 3, crawford_is_over=False) == 1
    assert match_winning_chance(2, -1, crawford_is_over=False) == 0
    assert 0 < match_winning_chance(32000, 1, crawford_is_over=False) < 1e-9


def test_a_resignation_is_offered_only_when_its_price_is_certain():
    lost = {
        (0.0, 0, 0, 0, 0): 1,
        (0.0, 0, 0, 1, 0): 2,
        (0.0, 0, 0, 1, 1): 3,
        (0.0, 0, 0, 0.5, 0): 0,
        (0.0, 0, 0, 1, 0.5): 0,
        (0.01, 0, 0, 0, 0): 0,
    }
    for numbers, price in lost.items():
        assert cube_action(Outcome(*numbers), MONEY).resign == price
    assert cube_action(Outcome(0.0, 0, 0, 1, 0), JACOBY).resign == 1


def test_cubeless_values_are_the_equity_of_money_and_the_chance_to_win_a_match():
    outcome = Outcome(0.6, 0.2, 0.01, 0.1, 0.02)
    assert game_value(outcome, MONEY, cubeful=False) == pytest.approx(outcome.equity)
    assert game_value(outcome, MatchState(cube=4, cube_owner=1), cubeful=False) == pytest.approx(
        outcome.equity
    )
    assert game_value(outcome, MatchState(length=1), cubeful=False) == pytest.approx(0.6)


def test_the_holder_of_the_cube_is_better_off_than_the_other():
    for win in (0.2, 0.5, 0.8):
        values = [game_value(race(win), MatchState(cube=2, cube_owner=o), cubeful=True) for o in (0, None, 1)]
        assert values == sorted(values, reverse=True)


def test_any_outcome_at_any_score_gives_a_sane_action():
    """No action is illegal, no lost game is doubled, no certain double is taken."""
    chance = random.Random(5)
    for _ in range(3000):
        win = chance.choice([0.0, 1.0, chance.random()])
        win_g, lose_g = win * chance.random(), (1 - win) * chance.random()
        outcome = Outcome(win, win_g, win_g * chance.random(), lose_g, lose_g * chance.random())
        match = _any_match(chance)
        action = cube_action(outcome, match)
        assert isinstance(action, CubeAction)
        assert not action.double or match.may_double(match.on_roll)
        if win == 0.0:
            assert not action.double
            assert action.take
        if win == 1.0 and match.is_money:
            assert not action.take
        if not match.is_money:
            assert 0.0 <= game_value(outcome, match, cubeful=True) <= 1.0


def _any_match(chance: random.Random) -> MatchState:
    length = chance.choice([0, 1, 2, 3, 5, 7, 25])
    cube_value = 2 ** chance.randrange(0, 4)
    owner = None if cube_value == 1 else chance.randrange(2)
    if not length:
        return MatchState(cube=cube_value, cube_owner=owner, jacoby=chance.random() < 0.5)
    score = chance.randrange(length), chance.randrange(length)
    is_crawford = cube_value == 1 and (score[0] == length - 1) != (score[1] == length - 1)
    return MatchState(
        length=length,
        score=score,
        crawford=is_crawford and chance.random() < 0.5,
        cube=cube_value,
        cube_owner=owner,
        on_roll=chance.randrange(2),
    )
