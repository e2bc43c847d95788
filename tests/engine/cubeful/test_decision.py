"""Cube decisions: obvious ones, published laws and races, and impossible results."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.cubeful import make_cube_game
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.results import CubeResponse, DoublingAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from tests.engine.cubeful.cubes import (
    dead_value,
    kleinman,
    match_states,
    outcomes,
    race,
    race_efficiency,
    result_value,
)

MONEY = make_cube_game(MatchState(beavers=False))
OWNED = make_cube_game(MatchState(cube=2, cube_owner=0, beavers=False))
JACOBY = make_cube_game(MatchState(jacoby=True, beavers=False))
CRUSHING = Outcome(0.95, 0.75, 0.05, 0.0, 0.0)


@pytest.mark.parametrize(
    ("game", "outcome", "text"),
    [
        (MONEY, race(0.0), "No double, take"),
        (MONEY, race(0.5), "No double, take"),
        (MONEY, race(0.705), "Double, take"),
        (OWNED, race(0.705), "No redouble, take"),
        (MONEY, race(0.74), "Double, take"),
        (OWNED, race(0.75), "Redouble, take"),
        (MONEY, race(0.78), "Double, take"),
        (MONEY, race(0.85), "Double, pass"),
        (MONEY, race(1.0), "Double, pass"),
        (MONEY, CRUSHING, "Too good to double, pass"),
        (OWNED, CRUSHING, "Too good to redouble, pass"),
        (JACOBY, CRUSHING, "Double, pass"),
    ],
)
def test_money_games_are_doubled_taken_and_passed_where_players_do_so(game, outcome, text):
    assert game.decide_outcome(outcome, 0.68).text == text


def test_the_values_of_a_decision_are_those_of_the_three_choices():
    decision = MONEY.decide(np.array([0.5, 0.9, 0.3], np.float32))
    assert decision.no_double.equity == pytest.approx(0.5)
    assert decision.double_take.equity == pytest.approx(0.6)
    assert decision.double_pass.equity == 1.0
    assert decision.best.equity == pytest.approx(0.6)
    assert decision.best.mwc is None
    assert decision.should_double
    assert decision.should_take


def test_a_match_gives_equities_and_chances():
    game = make_cube_game(MatchState(length=7, score=(2, 4)))
    decision = game.decide_outcome(Outcome(0.7, 0.2, 0.0, 0.1, 0.0), 0.68)
    assert decision.double_pass.mwc == pytest.approx(result_value(game, 1))
    assert decision.double_pass.equity == 1.0
    assert 0.0 < decision.no_double.mwc < decision.best.mwc <= decision.double_pass.mwc


def test_who_is_too_good_to_double_has_the_value_of_playing_on():
    decision = MONEY.decide_outcome(CRUSHING, 0.68)
    assert decision.best == decision.no_double


def test_a_beaver_answers_a_double_that_loses_points_where_beavers_are_played():
    with_beavers = make_cube_game(MatchState())
    decision = with_beavers.decide_outcome(race(0.4), 0.68)
    plain = MONEY.decide_outcome(race(0.4), 0.68)
    assert decision.text == "No double, beaver"
    assert decision.double_take.equity == pytest.approx(2 * plain.double_take.equity)
    assert plain.text == "No double, take"
    assert make_cube_game(MatchState(length=9)).decide_outcome(race(0.4), 0.68).response is CubeResponse.TAKE
    highest = make_cube_game(MatchState(cube=2048, cube_owner=0))
    assert highest.decide_outcome(race(0.4), 0.68).response is CubeResponse.TAKE


@pytest.mark.parametrize(
    "match",
    [
        MatchState(length=5, score=(4, 2), crawford=True),
        MatchState(length=5, score=(2, 4), crawford=True),
        MatchState(cube=2, cube_owner=1),
        MatchState(length=3, cube=2, cube_owner=1),
        MatchState(cube=4096, cube_owner=0),
    ],
)
def test_without_access_to_the_cube_there_is_no_action(match):
    decision = make_cube_game(match).decide_outcome(race(0.7), 0.68)
    assert decision.text == "No cube action"
    assert (decision.double_take, decision.double_pass, decision.response) == (None, None, None)
    assert not decision.should_double
    assert decision.best == decision.no_double


@pytest.mark.parametrize(
    "match", [MatchState(length=1), MatchState(length=3, score=(1, 1), cube=2, cube_owner=0)]
)
def test_a_dead_cube_is_never_doubled_but_has_an_answer(match):
    decision = make_cube_game(match).decide_outcome(race(0.7), 0.68)
    assert decision.doubling is DoublingAction.UNAVAILABLE
    assert decision.text.startswith("Never ")
    assert decision.response is CubeResponse.TAKE


@pytest.mark.parametrize("efficiency", [0.1, 0.5, 0.68, 0.9])
@pytest.mark.parametrize(
    "match",
    [
        *(MatchState(length=12, score=(12 - away, 11)) for away in (2, 3, 5, 8)),
        MatchState(length=7, score=(1, 5), cube=2, cube_owner=0),
        MatchState(length=9, score=(0, 6), cube=4, cube_owner=0),
    ],
)
def test_not_to_double_where_it_is_free_loses_the_market_by_so_much_as_the_cube_is_not_live(
    match, efficiency
):
    """Between a double now and a dead cube, and little where the cube is live."""
    game = make_cube_game(match)
    assert game.has_free_double
    for win in (0.2, 0.35, 0.45):
        outcome = Outcome(win, 0.1 * win, 0.0, 0.1, 0.0)
        decision = game.decide_outcome(outcome, efficiency)
        doubled = min(decision.double_take.mwc, decision.double_pass.mwc)
        dead = dead_value(outcome, game)
        assert decision.should_double
        assert dead < decision.no_double.mwc < doubled
        expected = doubled - (1 - efficiency) ** 2 * (doubled - dead)
        assert decision.no_double.mwc == pytest.approx(expected, abs=1e-6)
        assert decision.best.mwc == doubled


def test_the_leader_has_its_free_drop_only_an_even_number_of_points_away():
    """Two, four, … away, a point more for the trailer costs the leader next to nothing."""
    passes = {}
    for away in (2, 3, 4, 5, 6, 7):
        game = make_cube_game(MatchState(length=9, score=(9 - away, 8)))
        opening = Outcome(0.53, 0.14, 0.01, 0.12, 0.0)
        passes[away] = not game.decide_outcome(opening, 0.68).should_take
    assert passes == {2: True, 3: False, 4: True, 5: False, 6: True, 7: False}


@pytest.mark.parametrize("pips", [50, 62, 70, 80, 90, 100, 110])
def test_races_are_passed_where_trice_says(pips):
    """Walter Trice's point of last take, pips / 10 + 1 from 62 on, (pips - 5) / 7 below."""
    last_take = pips // 10 + 1 if pips >= 62 else (pips - 5) // 7
    takes = [
        lead
        for lead in range(30)
        if MONEY.decide_outcome(race(kleinman(pips, pips + lead)), race_efficiency(pips)).should_take
    ]
    assert max(takes) == pytest.approx(last_take, abs=2)


@pytest.mark.parametrize("pips", [70, 90, 110])
def test_long_races_are_doubled_by_the_8_9_12_rule(pips):
    """Double with a lead of 8 % of one's own pips, redouble with 9 %, take up to 12 %."""

    def first(game) -> int:
        efficiency = race_efficiency(pips)
        leads = range(30)
        return next(
            n for n in leads if game.decide_outcome(race(kleinman(pips, pips + n)), efficiency).should_double
        )

    assert first(MONEY) == pytest.approx(0.08 * pips, abs=2)
    assert first(OWNED) == pytest.approx(0.09 * pips, abs=2)
    assert first(MONEY) <= first(OWNED)


@given(outcomes(), match_states(), st.floats(0, 1))
def test_any_decision_is_legal_and_no_worse_than_its_alternatives(outcome, match, efficiency):
    game = make_cube_game(match)
    decision = game.decide_outcome(outcome, efficiency)
    assert not decision.should_double or match.may_double(match.on_roll)
    best = decision.best.equity
    assert best >= decision.no_double.equity - 2e-5
    if decision.should_double:
        assert best == pytest.approx(min(decision.double_take.equity, 1.0))
    if decision.doubling is DoublingAction.TOO_GOOD:
        assert decision.no_double.equity > 1.0
    assert (decision.response is CubeResponse.BEAVER) <= (match.is_money and match.beavers)


@given(st.lists(outcomes(), min_size=1, max_size=5), match_states(), st.floats(0, 1))
def test_decisions_made_together_are_those_made_alone(found, match, efficiency):
    game = make_cube_game(match)
    efficiencies = np.full(len(found), efficiency, np.float32)
    values = game.evaluate(np.array(found, np.float32), efficiencies)
    assert list(game.decide_each(values)) == [game.decide(row) for row in values]


def test_a_decision_needs_the_values_of_its_own_game():
    for count in (1, 4):
        with pytest.raises(ValueRangeError, match="expected 3 cubeful values"):
            MONEY.decide(np.zeros(count, np.float32))
