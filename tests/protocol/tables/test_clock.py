"""Clocks: a bank and a delay for each seat; who runs out of time loses the match."""

from __future__ import annotations

from tests.protocol.tables.visiting import ENGINE, PERSON, Party


def make_party(*seats, **clock):
    """A table with typed dice after the opening 3-1 of seat 0, whose time runs."""
    party = Party(*seats, dice="typed", clock=clock, length=5)
    party.act("dice", dice=[3, 1])
    return party


def read_clock(party):
    """The clock as who comes now is told."""
    watcher = party.site.visit()
    watcher.get("join", table=party.table, token=party.made["watch"])
    return watcher.state["clock"]


def test_who_runs_out_of_time_loses_the_match():
    party = make_party(bank_s=30, move_s=5)
    assert party.site.hub.next_due_s == party.site.now + 35.0
    assert party.settle(34.0)["phase"] == "play"
    state = party.settle(1.0)
    assert (state["phase"], state["match_winner"], state["result"]["kind"]) == ("finished", 1, "time")
    assert state["clock"]["bank_s"][0] == 0.0
    assert party.refuse("play", play="8/5 6/5")[0] == "bad_state"
    assert party.refuse("undo")[0] == "bad_state"
    assert (party.kept.kind, party.kept.match_winner) == ("time", 1)


def test_an_act_that_comes_too_late_is_refused_even_before_the_next_tick():
    party = make_party(bank_s=30)
    party.site.now += 31.0
    assert party.refuse("play", play="8/5 6/5") == ("bad_state", "act", "the time is up")
    assert party.state["match_winner"] == 1


def test_the_delay_of_each_turn_is_free_and_the_clock_changes_hands():
    party = make_party(bank_s=30, move_s=10)
    party.site.now += 4.0
    assert (read_clock(party)["bank_s"], read_clock(party)["delay_s"]) == ([30.0, 30.0], 6.0)
    party.site.now += 11.0
    clock = party.act("play", play="8/5 6/5")["clock"]
    assert (clock["running"], clock["bank_s"], clock["delay_s"]) == (1, [25.0, 30.0], 10.0)
    party.site.now += 10.0
    assert party.act("dice", dice=[6, 4])["clock"]["bank_s"] == [25.0, 30.0]
    party.site.now += 4.0
    assert read_clock(party)["bank_s"] == [25.0, 26.0]
    assert party.act("play", play="24/14")["clock"]["bank_s"] == [25.0, 26.0]


def test_the_time_of_engines_and_of_games_that_are_over_does_not_run():
    party = Party(PERSON, ENGINE, dice="typed", clock={"bank_s": 30})
    assert party.state["clock"]["running"] is None
    party.act("dice", dice=[3, 1])
    assert party.act("play", play="8/5 6/5")["clock"]["running"] is None
    assert party.settle(300.0)["clock"]["bank_s"] == [30.0, 30.0]
    party.act("dice", dice=[6, 4])
    party.settle(2.0)
    party.act("pause")
    party.settle(300.0)
    assert party.act("resume")["clock"]["bank_s"] == [29.0, 30.0]
