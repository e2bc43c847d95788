"""Doubles, answers and resignations: the state after each, and what the rules forbid."""

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
    raccoon,
    reject,
    resign,
    take,
)
from gammond.engine.rules.match import MAX_CUBE, GameResult, MatchState

DOUBLED = double(MatchState())
BEAVERED = beaver(DOUBLED)
DEAD = MatchState(length=3, score=(1, 1), cube=2, cube_owner=0)
CRAWFORD = MatchState(length=5, score=(4, 2), crawford=True)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(DOUBLED, MatchState(doubled=True), id="a double leaves the cube as it is"),
        *(
            pytest.param(
                take(double(MatchState(length=7, score=(1, 2), on_roll=seat))),
                MatchState(length=7, score=(1, 2), on_roll=seat, cube=2, cube_owner=1 - seat),
                id=f"a take turns it for the seat that took, not for {seat}",
            )
            for seat in (0, 1)
        ),
        pytest.param(
            take(double(MatchState(cube=2, cube_owner=1, on_roll=1))),
            MatchState(cube=4, cube_owner=0, on_roll=1),
            id="a redouble goes the other way",
        ),
        pytest.param(pass_double(DOUBLED), GameResult(0, 1, 1), id="a drop loses the cube before the double"),
        pytest.param(
            pass_double(double(MatchState(cube=4, cube_owner=1, on_roll=1))),
            GameResult(1, 1, 4),
            id="a drop of a redouble",
        ),
        pytest.param(
            BEAVERED,
            MatchState(doubled=True, beavered=True, cube=2, cube_owner=1),
            id="a beaver takes the cube and waits for the doubler",
        ),
        pytest.param(take(BEAVERED), MatchState(cube=4, cube_owner=1), id="a take of a beaver"),
        pytest.param(raccoon(BEAVERED), MatchState(cube=8, cube_owner=1), id="a raccoon"),
        pytest.param(pass_double(BEAVERED), GameResult(1, 1, 2), id="a drop of a beaver"),
        pytest.param(double(DEAD), replace(DEAD, doubled=True), id="a dead cube may be turned"),
    ],
)
def test_after_an_action_there_is_a_state_or_a_result(after, expected):
    assert after == expected


@pytest.mark.parametrize(
    ("action", "match", "field"),
    [
        (double, MatchState(roll=(3, 1)), "dice"),
        (double, CRAWFORD, "crawford"),
        (double, MatchState(cube=2, cube_owner=1), "cube"),
        (double, MatchState(cube=MAX_CUBE, cube_owner=0), "cube"),
        (double, DOUBLED, "doubled"),
        (double, BEAVERED, "doubled"),
        (double, MatchState(resigned=1), "resigned"),
        *((action, MatchState(), "doubled") for action in (take, beaver, pass_double)),
        *(
            (action, MatchState(doubled=True, resigned=2), "resigned")
            for action in (take, beaver, pass_double)
        ),
        (beaver, double(MatchState(length=5)), "beavers"),
        (beaver, double(MatchState(beavers=False)), "beavers"),
        (beaver, BEAVERED, "doubled"),
        (beaver, double(MatchState(cube=MAX_CUBE // 2, cube_owner=0)), "cube"),
        *((action, DOUBLED, "resigned") for action in (accept, reject)),
    ],
)
def test_an_action_that_the_rules_forbid_names_what_forbids_it(action, match, field):
    with pytest.raises(StateError) as caught:
        action(match)
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
