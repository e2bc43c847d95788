"""Questions that are the same however they are asked, and entries that hold only what a search can find."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.entries import EngineIdentity, StoreEntry, StoreQuestion
from tests.engine.store.samples import ENGINE, OTHER_NET, make_entry, make_question

OPENING = STANDARD_RULES.starting_position


def ask(match, roll=None, filter_name="normal", is_cubeful=True, candidates=1):
    return StoreQuestion.make(
        OPENING, match, roll, is_cubeful=is_cubeful, filter_name=filter_name, candidates=candidates
    )


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
    assert listed.read()[2:] == (True, "normal", 5)
    assert listed.read()[:4] == ask(MatchState(), (3, 1)).read()[:4]
    assert listed.with_filter("huge", 1) == ask(MatchState(), (3, 1), "huge")


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
    position, read, *_ = ask(match, roll).read()
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
        ask(MatchState())._replace(**changed).read()


@pytest.mark.parametrize(
    "settings", ["normal 1", "normal 05", "normal -5", "normal 5 5", "normal ", "5", "a 5"]
)
def test_a_question_for_plays_has_a_filter_and_a_number_above_one_or_none(settings):
    with pytest.raises(DataFileError, match="expected"):
        ask(MatchState(), (3, 1))._replace(settings=f"cubeful {settings}").read()


def test_an_engine_with_another_net_table_or_program_has_another_digest_and_its_name_has_no_part():
    digests = {ENGINE.digest, OTHER_NET.digest}
    digests |= {dataclasses.replace(ENGINE, tables="d" * 64).digest}
    digests |= {dataclasses.replace(ENGINE, program="2.0").digest}
    assert len(digests) == 4
    assert dataclasses.replace(ENGINE, net="again").digest == ENGINE.digest
    assert isinstance(ENGINE, EngineIdentity)


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (20, 9), (3060, 16)])
def test_an_entry_reads_back_to_the_bit(rows, columns):
    entry = make_entry(3, rows=rows, columns=columns)
    read = StoreEntry.decode(3, entry.encode())
    assert read.is_same_as(entry)
    assert read.values.tobytes() == entry.values.tobytes()
    assert read.order.tolist() == entry.order.tolist()


def test_entries_that_differ_in_one_bit_or_in_depth_are_not_the_same():
    entry = make_entry()
    values = entry.values.copy()
    values[0, -1] = np.nextafter(values[0, -1], np.float32(2))
    assert not dataclasses.replace(entry, values=values).is_same_as(entry)
    assert not dataclasses.replace(entry, plies=1).is_same_as(entry)


def with_value(value, column=0):
    values = make_entry().values.copy()
    values[0, column] = value
    return values


@pytest.mark.parametrize(
    "changed",
    [
        {"values": with_value(np.nan)},
        {"values": with_value(np.inf, -1)},
        {"values": with_value(1.01)},
        {"values": with_value(-0.01)},
        {"values": np.zeros((1, 4), np.float32)},
        {"values": np.zeros((0, 8), np.float32)},
        {"values": np.zeros((2, 8), np.float32)},
        {"values": np.zeros((1, 8))},
        {"values": np.zeros((8000, 16), np.float32)},
        {"order": np.array([1])},
        {"depths": np.array([], np.int8)},
        {"plies": 0},
        {"survivors": 0},
        {"survivors": 2},
    ],
)
def test_impossible_values_are_refused(changed):
    with pytest.raises(DataFileError, match="expected the values of a search"):
        dataclasses.replace(make_entry(), **changed)


@pytest.mark.parametrize("cut", [0, 5, -1])
def test_bytes_of_another_length_are_refused(cut):
    payload = make_entry().encode()
    with pytest.raises(DataFileError):
        StoreEntry.decode(2, payload[:cut])
    with pytest.raises(DataFileError):
        StoreEntry.decode(2, payload + b"\0")


def test_samples_are_different_questions():
    assert len({make_question(number) for number in range(4000)}) == 4000
