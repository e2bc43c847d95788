"""Clocks: a bank and a delay for each seat; who runs out of time loses the match."""

from __future__ import annotations

import pytest

from gammond.protocol.tables.clock import ClockSpec, MatchClock
from tests.protocol.tables.visiting import ENGINE, PERSON, Site

BOB = {"kind": "person", "name": "Bob"}


def test_the_delay_of_a_turn_is_free_and_the_rest_comes_from_the_bank():
    clock = MatchClock(ClockSpec(60.0, 12.0))
    clock.begin_turn(0, 100.0)
    assert clock.read_bank(0, 112.0) == 60.0
    assert clock.read_delay(105.0) == 7.0
    assert clock.read_bank(0, 120.0) == 52.0
    clock.begin_turn(1, 120.0)
    assert clock.banks_s == [52.0, 60.0]
    assert clock.due_s == 120.0 + 12.0 + 60.0


def test_time_is_up_when_the_bank_is_empty():
    clock = MatchClock(ClockSpec(10.0, 2.0))
    clock.begin_turn(1, 0.0)
    assert clock.find_loser(11.9) is None
    assert clock.find_loser(12.0) == 1


def test_no_time_runs_out_while_none_runs():
    clock = MatchClock(ClockSpec(10.0))
    assert clock.find_loser(1e9) is None
    assert clock.due_s is None
    clock.begin_turn(0, 0.0)
    clock.begin_turn(None, 4.0)
    assert clock.read_bank(0, 1e9) == 6.0


def make_two(site, **fields):
    guest = site.visit()
    table = guest.create(PERSON, BOB, dice="typed", **fields)["table"]
    return guest, table


def test_who_runs_out_of_time_loses_the_match():
    site = Site()
    guest, table = make_two(site, length=5, clock={"bank_s": 30, "move_s": 5})
    guest.get("act", table=table, act="dice", dice=[3, 1])
    site.settle(34.0)
    guest.hear()
    assert guest.state["phase"] == "play"
    site.settle(1.0)
    guest.hear()
    state = guest.state
    assert state["phase"] == "finished"
    assert state["match_winner"] == 1
    assert state["result"]["kind"] == "time"
    assert state["clock"]["bank_s"][0] == 0.0
    assert guest.refuse("act", table=table, act="play", play="8/5 6/5")[0] == "bad_state"
    assert guest.refuse("act", table=table, act="undo")[0] == "bad_state"
    (game,) = site.archive.games.values()
    assert (game.kind, game.match_winner) == ("time", 1)


def test_an_act_that_comes_too_late_is_refused_even_before_the_next_tick():
    site = Site()
    guest, table = make_two(site, clock={"bank_s": 30})
    guest.get("act", table=table, act="dice", dice=[3, 1])
    site.now += 31.0
    assert guest.refuse("act", table=table, act="play", play="8/5 6/5") == (
        "bad_state",
        "act",
        "the time is up",
    )
    assert guest.states[table]["match_winner"] == 1


def test_each_turn_has_its_delay_and_the_clock_changes_hands():
    site = Site()
    guest, table = make_two(site, clock={"bank_s": 30, "move_s": 10})
    guest.get("act", table=table, act="dice", dice=[3, 1])
    site.now += 15.0
    guest.get("act", table=table, act="play", play="8/5 6/5")
    clock = guest.state["clock"]
    assert clock["running"] == 1
    assert clock["bank_s"] == [25.0, 30.0]
    assert clock["delay_s"] == 10.0
    site.now += 10.0
    guest.get("act", table=table, act="dice", dice=[6, 4])
    assert guest.state["clock"]["bank_s"] == [25.0, 30.0]
    site.now += 4.0
    guest.get("act", table=table, act="play", play="24/14")
    assert guest.state["clock"]["bank_s"] == [25.0, 26.0]


def test_the_time_of_engines_and_of_games_that_are_over_does_not_run():
    site = Site()
    guest = site.visit()
    table = guest.create(PERSON, ENGINE, dice="typed", clock={"bank_s": 30})["table"]
    assert guest.state["clock"]["running"] is None
    guest.get("act", table=table, act="dice", dice=[3, 1])
    guest.get("act", table=table, act="play", play="8/5 6/5")
    assert guest.state["clock"]["running"] is None
    site.settle(300.0)
    guest.hear()
    assert guest.state["clock"]["bank_s"] == [30.0, 30.0]
    guest.get("act", table=table, act="dice", dice=[6, 4])
    site.settle(2.0)
    guest.get("act", table=table, act="pause")
    site.settle(300.0)
    guest.get("act", table=table, act="resume")
    assert guest.state["clock"]["bank_s"] == [29.0, 30.0]


@pytest.mark.parametrize(
    "clock", [{"bank_s": 0}, {"bank_s": 1e9}, {"bank_s": 5, "move_s": -1}, {"move_s": 5}]
)
def test_a_clock_that_nobody_could_play_by_is_refused(clock):
    guest = Site().visit()
    assert guest.refuse("create", seats=[PERSON, ENGINE], clock=clock)[:2] == ("bad_value", "clock")
