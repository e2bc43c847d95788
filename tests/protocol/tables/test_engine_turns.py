"""Engines at tables: each seat by its own player and level, one decision at a time."""

from __future__ import annotations

import re

import pytest

from gammond.engine.errors import DataFileError
from gammond.protocol.commands import decisions
from gammond.protocol.tables.game import TableGame
from tests.protocol.tables.visiting import PERSON, Site


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


def play(*seats, seconds=30.0, **fields):
    site = Site()
    guest = site.visit()
    table = guest.create(*seats, **fields)["table"]
    site.settle(seconds)
    guest.hear()
    return site, guest, table


def test_each_seat_decides_by_its_own_player_and_level(asked):
    play(seat(level="beginner"), seat(level="advanced"))
    assert set(asked) == {(0, "net", "beginner"), (1, "net", "advanced")}


def test_a_player_without_levels_does_not_inherit_the_errors_of_its_opponent(asked):
    play(seat(level="beginner"), seat("random"))
    assert set(asked) == {(0, "net", "beginner"), (1, "random", "expert")}


def test_help_is_that_of_the_usual_level_whoever_the_opponent_is(asked):
    site, guest, table = play(PERSON, seat(level="beginner"))
    while guest.states[table]["to_act"] != 0:
        site.settle(1.0)
        guest.hear()
    asked.clear()
    guest.get("act", table=table, act="hint_play")
    site.settle()
    assert asked[0] == (0, "net", "expert")
    assert set(asked[1:]) <= {(0, "net", "expert"), (1, "net", "beginner")}


def test_the_names_of_engines_are_their_levels_or_players():
    _, guest, table = play(seat(level="beginner"), seat("random"), seconds=0.0)
    seats = guest.states[table]["seats"]
    assert [each["name"] for each in seats] == ["beginner", "random"]
    assert [each["level"] for each in seats] == ["beginner", None]


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


@pytest.mark.parametrize("fault", [OSError("no space left"), DataFileError("a file is damaged")])
def test_a_step_that_fails_stops_the_engine_with_the_reason_and_is_tried_again_when_asked(broken, fault):
    site, guest, table = play(seat(), seat(), seconds=5.0)
    broken.append(fault)
    site.settle(10.0)
    guest.hear()
    assert len(broken) == 2
    assert guest.events[-1]["kind"] == "trouble"
    assert guest.state["paused"]
    broken.clear()
    done = len(guest.events)
    guest.get("act", table=table, act="resume")
    site.settle(10.0)
    guest.hear()
    assert len(guest.events) > done + 1


def test_a_request_that_fails_is_answered_with_the_error_once(broken):
    _, guest, table = play(PERSON, {"kind": "person", "name": "Bob"}, dice="typed", seconds=1.0)
    broken.append(DataFileError("a file is damaged"))
    code, _, message = guest.refuse("act", table=table, act="dice", dice=[3, 1])
    assert (code, len(broken)) == ("data_file", 2)
    assert "damaged" in message
    broken.clear()
    guest.get("act", table=table, act="dice", dice=[3, 1])


def test_an_engine_with_nobody_watching_asks_for_nothing():
    site, guest, table = play(seat(), seat(), seconds=5.0)
    guest.get("leave", table=table)
    site.settle(5.0)
    assert not site.pool.waiting
    assert site.hub.next_due_s is None
    assert not site.hub.tables[table].engines.is_busy


def test_engines_play_doubles_as_two_moves():
    engines = seat("random"), seat(level="expert")
    site, guest, table = play(*engines, doubles="two", pace_ms=0, seconds=40.0)
    history = site.hub.tables[table].game.history.entries
    doubles = [each for each in history if each.kind == "play" and each.dice[0] == each.dice[1]]
    moved = [re.findall(r"/[^/ ]+?(?:\((.)\))?(?= |$)", each.text) for each in doubles]
    assert all(sum(int(count or 1) for count in counts) <= 2 for counts in moved)
    assert not [each for each in guest.events if each["kind"] == "trouble"]


@pytest.mark.parametrize("engine", [seat(level="master"), seat("hard")])
def test_an_engine_that_looks_ahead_has_no_seat_where_doubles_are_two_moves(engine):
    code, field, message = Site().visit().refuse("create", seats=[PERSON, engine], doubles="two")
    assert (code, field) == ("unsupported", "seats")
    assert message.endswith("is not supported in backgammon with doubles as two moves: set doubles to four")


def test_barca_has_neither_doubles_nor_a_choice_of_who_begins():
    guest = Site().visit()
    barca = {"variant": "barca", "seats": [PERSON, PERSON], "cube": False}
    assert guest.refuse("create", **barca, doubles="two")[:2] == ("unsupported", "doubles")
    assert guest.refuse("create", **barca, begins=1)[:2] == ("unsupported", "begins")


def test_another_player_can_decide_for_a_person(asked):
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, seat("random"), begins=0, pace_ms=0)
    guest.get("join", table=made["table"], token=made["tokens"])
    guest.get("act", table=made["table"], act="roll")
    guest.get("act", table=made["table"], act="hint_play", player="pubeval")
    site.settle(1.0)
    assert asked[0][:2] == (0, "pubeval")
    site.settle(5.0)
    guest.hear()
    refused = guest.refuse("act", table=made["table"], act="hint_play", player="nobody")
    assert refused[:2] == ("bad_value", "engine.player")
