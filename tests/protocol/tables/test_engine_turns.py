"""Engines at tables: each seat by its own player and level, one decision at a time."""

from __future__ import annotations

import re

import pytest

from gammond.engine.errors import DataFileError
from gammond.protocol.commands import decisions
from gammond.protocol.tables.game import TableGame
from tests.protocol.tables.visiting import PERSON, Party


def seat(player="engine", level=""):
    return {"kind": "engine", "player": player, "level": level}


@pytest.fixture
def asked(monkeypatch):
    """The player and level of each decision that is asked for."""
    found, require = [], decisions._require_decision

    def note(session, **options):
        found.append(
            (session.game.match.to_act, session.engine_settings.player, session.engine_settings.level)
        )
        return require(session, **options)

    monkeypatch.setattr(decisions, "_require_decision", note)
    return found


def test_each_seat_decides_by_its_own_player_and_level(asked):
    Party(seat(level="beginner"), seat(level="advanced")).settle(30.0)
    assert set(asked) == {(0, "net", "beginner"), (1, "net", "advanced")}


def test_a_player_without_levels_does_not_inherit_the_errors_of_its_opponent(asked):
    party = Party(seat(level="beginner"), seat("random"))
    seats = party.state["seats"]
    assert [(each["name"], each["level"]) for each in seats] == [("beginner", "beginner"), ("random", None)]
    party.settle(30.0)
    assert set(asked) == {(0, "net", "beginner"), (1, "random", "expert")}


def test_help_is_that_of_the_usual_level_whoever_the_opponent_is(asked):
    party = Party(PERSON, seat(level="beginner"))
    while party.state["to_act"] != 0:
        party.settle(1.0)
    asked.clear()
    party.act("hint_play")
    party.settle()
    assert asked[0] == (0, "net", "expert")
    assert set(asked[1:]) <= {(0, "net", "expert"), (1, "net", "beginner")}


def test_another_player_can_decide_for_a_person(asked):
    party = Party(PERSON, seat("random"), begins=0, pace_ms=0)
    party.act("roll")
    party.act("hint_play", player="pubeval")
    party.settle(1.0)
    assert asked[0][:2] == (0, "pubeval")
    party.settle(5.0)
    assert party.refuse("hint_play", player="nobody")[:2] == ("bad_value", "engine.player")


@pytest.fixture
def broken(monkeypatch):
    """The error of all actions at tables, if there is one in the list, to which tries are added."""
    faults, act = [], TableGame.act

    def act_or_fail(game, action):
        if not faults or action.act != "do":
            return act(game, action)
        faults.append(action)
        raise faults[0]

    monkeypatch.setattr(TableGame, "act", act_or_fail)
    return faults


def fail_searches(pool):
    """Have all work fail that is to be done; return what ends that."""
    submitted = pool.run

    def fail():
        waiting, pool.waiting = pool.waiting, []
        for _, on_done, _ in waiting:
            on_done(MemoryError("none left"))

    pool.run = fail
    return lambda: setattr(pool, "run", submitted)


@pytest.mark.parametrize(
    "fault",
    [OSError("no space left"), DataFileError("a file is damaged"), None],
    ids=["disk", "file", "search"],
)
def test_a_turn_that_fails_stops_the_engine_with_the_reason_and_is_tried_again_when_asked(broken, fault):
    party = Party(seat(), seat())
    party.settle(5.0)
    mend = fail_searches(party.site.pool) if fault is None else broken.clear
    broken.extend([] if fault is None else [fault])
    assert party.settle(10.0)["paused"]
    assert len(broken) == (0 if fault is None else 2)
    assert party.events[-1]["kind"] == "trouble"
    mend()
    done = len(party.events)
    party.act("resume")
    party.settle(10.0)
    assert len(party.events) > done + 2


def test_a_request_that_fails_is_answered_with_the_error_once(broken):
    party = Party(dice="typed")
    broken.append(DataFileError("a file is damaged"))
    code, _, message = party.refuse("dice", dice=[3, 1])
    assert (code, len(broken)) == ("data_file", 2)
    assert "damaged" in message
    broken.clear()
    party.act("dice", dice=[3, 1])


def test_an_engine_with_nobody_watching_asks_for_nothing():
    party = Party(seat(), seat())
    party.settle(5.0)
    party.guest.get("leave", table=party.table)
    party.site.settle(5.0)
    assert not party.site.pool.waiting
    assert party.site.hub.next_due_s is None
    assert not party.site.hub.tables[party.table].engines.is_busy


def test_engines_play_doubles_as_two_moves():
    party = Party(seat("random"), seat(level="expert"), doubles="two", pace_ms=0, length=1)  # to its end
    party.settle(40.0)
    doubles = [each for each in party.history if each["kind"] == "play" and len(set(each["dice"])) == 1]
    moved = [re.findall(r"/[^/ ]+?(?:\((.)\))?(?= |$)", each["text"]) for each in doubles]
    assert moved
    assert all(sum(int(count or 1) for count in counts) <= 2 for counts in moved)
    assert not [each for each in party.events if each["kind"] == "trouble"]
