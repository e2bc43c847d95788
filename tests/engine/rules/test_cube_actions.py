"""Doubles, answers and resignations: the state after each, and what the rules forbid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules.cube_actions import (
    accept,
    beaver,
    double,
    name_cube_action,
    name_double,
    pass_double,
    reject,
    resign,
    take,
)
from gammond.engine.rules.match import MAX_CUBE, GameResult, MatchState

DOUBLED = double(MatchState())
BEAVERED = beaver(DOUBLED)
CRAWFORD = MatchState(length=5, score=(4, 2), crawford=True)


def test_a_double_waits_with_the_cube_as_it_was_and_the_other_seat_is_to_act():
    assert replace(MatchState(), doubled=True) == DOUBLED
    assert (DOUBLED.cube, DOUBLED.cube_owner, DOUBLED.to_act) == (1, None, 1)


@pytest.mark.parametrize("on_roll", [0, 1])
def test_a_take_turns_the_cube_for_the_seat_that_took_and_the_doubler_rolls(on_roll):
    taken = take(double(MatchState(length=7, score=(1, 2), on_roll=on_roll)))
    assert taken == MatchState(length=7, score=(1, 2), on_roll=on_roll, cube=2, cube_owner=1 - on_roll)
    assert taken.to_act == on_roll


def test_a_redouble_goes_the_other_way():
    owned = MatchState(cube=2, cube_owner=1, on_roll=1)
    assert take(double(owned)) == MatchState(cube=4, cube_owner=0, on_roll=1)


def test_a_drop_loses_the_cube_before_the_double():
    assert pass_double(DOUBLED) == GameResult(winner=0, kind=1, points=1)
    assert pass_double(double(MatchState(cube=4, cube_owner=1, on_roll=1))) == GameResult(1, 1, 4)


def test_a_beaver_waits_for_the_doubler_who_takes_at_four_times_the_cube_or_drops_at_twice():
    assert (BEAVERED.cube, BEAVERED.cube_owner, BEAVERED.to_act) == (2, 1, 0)
    assert take(BEAVERED) == MatchState(cube=4, cube_owner=1)
    assert pass_double(BEAVERED) == GameResult(winner=1, kind=1, points=2)


def test_a_dead_cube_may_be_turned_though_nobody_could_gain_by_it():
    match = MatchState(length=3, score=(1, 1), cube=2, cube_owner=0)
    assert not match.may_double(0)
    assert double(match).doubled


@pytest.mark.parametrize(
    ("match", "field"),
    [
        (MatchState(roll=(3, 1)), "dice"),
        (CRAWFORD, "crawford"),
        (MatchState(cube=2, cube_owner=1), "cube"),
        (MatchState(cube=MAX_CUBE, cube_owner=0), "cube"),
        (DOUBLED, "doubled"),
        (BEAVERED, "doubled"),
        (MatchState(resigned=1), "resigned"),
    ],
)
def test_a_double_that_the_rules_forbid_names_what_forbids_it(match, field):
    with pytest.raises(StateError) as caught:
        double(match)
    assert caught.value.field == field


@pytest.mark.parametrize("action", [take, beaver, pass_double])
@pytest.mark.parametrize(
    ("match", "field"),
    [(MatchState(), "doubled"), (MatchState(doubled=True, resigned=2), "resigned")],
)
def test_what_answers_a_double_needs_one_and_nothing_else_that_waits(action, match, field):
    with pytest.raises(StateError) as caught:
        action(match)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("match", "field"),
    [
        (double(MatchState(length=5)), "beavers"),
        (double(MatchState(beavers=False)), "beavers"),
        (BEAVERED, "doubled"),
        (double(MatchState(cube=MAX_CUBE // 2, cube_owner=0)), "cube"),
    ],
)
def test_a_beaver_that_is_not_played_names_what_forbids_it(match, field):
    with pytest.raises(StateError) as caught:
        beaver(match)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("match", "loser", "cube"),
    [
        (MatchState(), 0, 1),
        (MatchState(on_roll=1, roll=(6, 5), cube=2, cube_owner=0), 1, 2),
        (DOUBLED, 1, 1),
        (BEAVERED, 0, 2),
    ],
)
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_the_seat_that_is_to_act_resigns_and_the_other_one_wins_by_accepting(match, loser, cube, kind):
    offered = resign(match, kind)
    assert offered.to_act == 1 - loser
    assert accept(offered) == GameResult(1 - loser, kind, kind * cube)
    assert reject(offered) == match


def test_under_jacoby_a_gammon_with_a_centred_cube_counts_a_point():
    match = MatchState(jacoby=True)
    assert accept(resign(match, 3)).points == 1
    assert accept(resign(replace(match, cube=2, cube_owner=0), 3)).points == 6
    assert accept(resign(MatchState(length=5, jacoby=True), 3)).points == 3


def test_a_resignation_has_a_kind_and_comes_once():
    for kind in (0, 4):
        with pytest.raises(ValueRangeError) as caught:
            resign(MatchState(), kind)
        assert caught.value.field == "resigned"
    with pytest.raises(StateError):
        resign(MatchState(resigned=1), 2)


@pytest.mark.parametrize("action", [accept, reject])
def test_without_a_resignation_there_is_nothing_to_accept_or_reject(action):
    with pytest.raises(StateError) as caught:
        action(DOUBLED)
    assert caught.value.field == "resigned"


@pytest.mark.parametrize(
    ("match", "name"),
    [
        (MatchState(), "double"),
        (MatchState(cube=2, cube_owner=0), "redouble"),
        (DOUBLED, "beaver"),
        (double(MatchState(cube=2, cube_owner=0)), "beaver"),
        (BEAVERED, "raccoon"),
    ],
)
def test_what_turning_the_cube_is_called_depends_on_who_owns_it_and_what_waits(match, name):
    assert name_double(match) == name


@pytest.mark.parametrize("words", ["no double", "double, take", "too good to double", "take"])
def test_the_words_for_a_first_double_become_those_for_a_redouble_where_the_cube_has_an_owner(words):
    assert name_cube_action(words, MatchState()) == words
    owned = name_cube_action(words, MatchState(cube=2, cube_owner=0))
    assert owned == words.replace("double", "redouble")
