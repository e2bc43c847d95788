"""Questions to a store that are the same however they are asked."""

from __future__ import annotations

import dataclasses

import pytest

from gammond.engine.analysis.engine_store import make_question, read_question
from gammond.engine.analysis.levels import EvalSettings, StoreUse
from gammond.engine.errors import DataFileError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES

OPENING = STANDARD_RULES.starting_position


def ask(match, roll=None, filter_name="normal", is_cubeful=True, candidates=1):
    settings = EvalSettings(2, filter_name, is_cubeful, candidates=candidates)
    return make_question(OPENING, match, settings, roll)


def test_the_same_points_away_for_the_player_on_roll_are_one_question():
    seven = MatchState(length=7, score=(4, 2), cube=2, cube_owner=0, on_roll=0)
    five = MatchState(length=5, score=(0, 2), cube=2, cube_owner=1, on_roll=1)
    assert ask(seven) == ask(five)
    assert ask(seven) != ask(dataclasses.replace(seven, on_roll=1))


def test_money_points_won_automatic_doubles_dice_and_their_order_do_not_matter():
    money = MatchState()
    assert ask(money) == ask(MatchState(score=(3, 9), cube=4)) == ask(money.with_roll((3, 1)))
    assert ask(money, (3, 1)) == ask(money, (1, 3))


@pytest.mark.parametrize(
    "other",
    [
        ask(MatchState(jacoby=True)),
        ask(MatchState(beavers=False)),
        ask(MatchState(cube=2, cube_owner=1)),
        ask(MatchState(length=1)),
        ask(MatchState(), (3, 1)),
        ask(MatchState(), is_cubeful=False),
    ],
)
def test_what_changes_the_answer_is_another_question(other):
    assert other != ask(MatchState())


def test_crawford_and_after_it_are_different_questions():
    crawford = MatchState(length=5, score=(4, 2), crawford=True)
    assert ask(crawford) != ask(dataclasses.replace(crawford, crawford=False))


def test_only_plays_depend_on_the_filter_and_on_how_many_are_compared():
    assert ask(MatchState(), filter_name="tiny", candidates=5) == ask(MatchState())
    assert ask(MatchState(), (3, 1), "tiny") != ask(MatchState(), (3, 1))
    listed = ask(MatchState(), (3, 1), candidates=5)
    assert listed != ask(MatchState(), (3, 1))
    position, match, settings = read_question(listed)
    assert settings == EvalSettings(0, "normal", store=StoreUse.OFF, candidates=5)
    assert (position, match) == read_question(ask(MatchState(), (3, 1)))[:2]


@pytest.mark.parametrize("roll", [None, (6, 5)])
@pytest.mark.parametrize(
    "match",
    [
        MatchState(cube=4, cube_owner=0, jacoby=True, beavers=False),
        MatchState(length=9, score=(8, 3), crawford=True, on_roll=1),
        MatchState(length=1),
    ],
)
def test_a_question_reads_back_as_one_that_is_the_same(match, roll):
    position, read, _ = read_question(ask(match, roll))
    assert position == OPENING
    assert ask(read, read.roll) == ask(match, roll)
    assert (read.roll is None) == (roll is None)


@pytest.mark.parametrize(
    "changed",
    [
        {"xgid": "no position"},
        {"xgid": ask(MatchState(), (3, 1)).xgid},
        {"xgid": ask(MatchState()).xgid.replace(":1:00:", ":-1:00:")},
        {"rules": "chess"},
        {"settings": "cubeful normal"},
        {"settings": "cube"},
    ],
)
def test_what_is_no_question_in_its_one_form_is_refused(changed):
    with pytest.raises(DataFileError, match="expected"):
        read_question(ask(MatchState())._replace(**changed))


@pytest.mark.parametrize(
    "settings", ["normal 1", "normal 05", "normal -5", "normal 5 5", "normal ", "5", "a 5"]
)
def test_a_question_for_plays_has_a_filter_and_a_number_above_one_or_none(settings):
    with pytest.raises(DataFileError, match="expected"):
        read_question(ask(MatchState(), (3, 1))._replace(settings=f"cubeful {settings}"))
