"""Questions to a store that are the same however they are asked."""

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


MONEY = MatchState()
AWAY = MatchState(length=7, score=(4, 2), cube=2, cube_owner=0, on_roll=0)
CRAWFORD = MatchState(length=5, score=(4, 2), crawford=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ask(AWAY), ask(MatchState(length=5, score=(0, 2), cube=2, cube_owner=1, on_roll=1))),
        (ask(MONEY), ask(MatchState(score=(3, 9), cube=4))),
        (ask(MONEY), ask(MONEY.with_roll((3, 1)))),
        (ask(MONEY, (3, 1)), ask(MONEY, (1, 3))),
        (ask(MONEY), ask(MONEY, filter_name="tiny", candidates=5)),
    ],
)
def test_the_same_for_the_player_on_roll_is_one_question(one, other):
    """Points away, not scores; money points won, automatic doubles and the order of dice do not matter."""
    assert one == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ask(AWAY), ask(dataclasses.replace(AWAY, on_roll=1))),
        (ask(CRAWFORD), ask(dataclasses.replace(CRAWFORD, crawford=False))),
        (ask(MONEY), ask(MatchState(jacoby=True))),
        (ask(MONEY), ask(MatchState(beavers=False))),
        (ask(MONEY), ask(MatchState(cube=2, cube_owner=1))),
        (ask(MONEY), ask(MatchState(length=1))),
        (ask(MONEY), ask(MONEY, (3, 1))),
        (ask(MONEY), ask(MONEY, is_cubeful=False)),
        (ask(MONEY, (3, 1)), ask(MONEY, (3, 1), "tiny")),
        (ask(MONEY, (3, 1)), ask(MONEY, (3, 1), candidates=5)),
    ],
)
def test_what_changes_the_answer_is_another_question(one, other):
    assert one != other


def test_a_question_has_its_filter_and_how_many_plays_are_compared():
    position, match, settings = read_question(ask(MONEY, (3, 1), candidates=5))
    assert settings == EvalSettings(0, "normal", store=StoreUse.OFF, candidates=5)
    assert (position, match) == read_question(ask(MONEY, (3, 1)))[:2]


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
        {"xgid": ask(MONEY, (3, 1)).xgid},
        {"xgid": ask(MONEY).xgid.replace(":1:00:", ":-1:00:")},
        {"rules": "chess"},
        {"settings": "cubeful normal"},
        {"settings": "cube"},
    ],
)
def test_what_is_no_question_in_its_one_form_is_refused(changed):
    with pytest.raises(DataFileError, match="expected"):
        read_question(ask(MONEY)._replace(**changed))


@pytest.mark.parametrize(
    "settings", ["normal 1", "normal 05", "normal -5", "normal 5 5", "normal ", "5", "a 5"]
)
def test_a_question_for_plays_has_a_filter_and_a_number_above_one_or_none(settings):
    with pytest.raises(DataFileError, match="expected"):
        read_question(ask(MONEY, (3, 1))._replace(settings=f"cubeful {settings}"))
