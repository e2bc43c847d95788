"""Engines at tables: each seat by its own player and level, one decision at a time."""

from __future__ import annotations

import pytest

from protocol.commands import decisions
from tests.protocol.tables.visiting import PERSON, Site


def seat(player="engine", level=""):
    return {"kind": "engine", "player": player, "level": level}


@pytest.fixture
def asked(monkeypatch):
    """The player and level of each decision that is asked for."""
    found, handler = [], decisions._make_request

    def note(session, what, limits):
        found.append(
            (session.game.match.to_act, session.engine_settings.player, session.engine_settings.level)
        )
        return handler(session, what, limits)

    monkeypatch.setattr(decisions, "_make_request", note)
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


def test_an_engine_with_nobody_watching_asks_for_nothing():
    site, guest, table = play(seat(), seat(), seconds=5.0)
    guest.get("leave", table=table)
    site.settle(5.0)
    assert not site.pool.waiting
    assert site.hub.next_due_s is None
    assert not site.hub.tables[table].engines.is_busy
