"""Whole matches through the hub: a scripted person against the engine, people, engines."""

from __future__ import annotations

import random

import pytest

from gammond.protocol.games import GAMES
from tests.protocol import noughts
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Site, play_at_random


def play_out(site, guest, table, rng, seats=(0,), turns=3000):
    """Let a person play at random until the match is over."""
    for _ in range(turns):
        site.settle(1.0)
        guest.hear()
        if guest.states[table]["phase"] == "finished":
            return guest.states[table]
        play_at_random(guest, table, rng, seats=seats)
        guest.hear()
    raise AssertionError("the match does not end")


@pytest.mark.parametrize("variant", ["backgammon", "nackgammon", "longgammon"])
def test_a_person_plays_a_whole_match_against_the_engine(variant):
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, ENGINE, length=3, variant=variant)
    state = play_out(site, guest, made["table"], random.Random(variant))
    winner = state["match_winner"]
    assert state["score"][winner] >= 3 > state["score"][1 - winner]
    assert state["result"]["winner"] == winner
    assert state["to_act"] is None
    assert len(site.archive.games) == state["game_number"]
    last = site.archive.games[f"{made['table']}-{state['game_number']}"]
    assert last.match_winner == winner
    assert last.text_format == "mat"
    assert "3 point match" in last.text
    assert "Expert : 0" in last.text


def test_hypergammon_without_its_solution_is_refused_when_an_engine_is_to_play(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    site = Site()
    guest = site.visit()
    code, field, message = guest.refuse("create", variant="hypergammon", seats=[PERSON, ENGINE])
    assert (code, field) == ("data_file", "variant")
    assert message.startswith("the solution of hypergammon with 3 checkers a side is missing")
    assert str(tmp_path) not in message
    assert guest.create(PERSON, OPEN, variant="hypergammon")["table"]


def test_one_person_plays_both_sides_of_money_play():
    site = Site()
    guest = site.visit()
    table = guest.create(PERSON, {"kind": "person", "name": "Bob"})["table"]
    rng = random.Random(7)
    for _ in range(400):
        site.settle(1.0)
        guest.hear()
        assert play_at_random(guest, table, rng, seats=(0, 1))
        guest.hear()
    state = guest.states[table]
    assert state["game_number"] > 1
    points = [sum(game["points"] for game in state["games"] if game["winner"] == seat) for seat in (0, 1)]
    assert state["score"] == points


def test_engines_play_a_match_while_somebody_watches():
    site = Site()
    guest = site.visit()
    table = guest.create(ENGINE, ENGINE, length=2)["table"]
    site.settle(600.0)
    guest.hear()
    assert guest.states[table]["phase"] == "finished"


def test_engines_wait_while_nobody_watches():
    site = Site()
    made = site.visit().get("create", seats=[ENGINE, ENGINE])
    site.settle(60.0)
    guest = site.visit()
    guest.get("join", table=made["table"], token=made["watch"])
    kinds = [event["kind"] for event in guest.events]
    assert kinds == ["state", "start", "roll"]


def test_who_is_invited_sees_what_is_played_before_sitting_down():
    site = Site()
    ann, bob = site.visit(), site.visit()
    made = ann.create(PERSON, OPEN, length=3, crawford=False, clock={"bank_s": 60, "move_s": 8})
    table, link = made["table"], made["tokens"][1]
    offer = bob.get("look", table=table, token=link)
    assert [seat["name"] for seat in offer["seats"]] == ["Ann", ""]
    assert (offer["variant"], offer["length"], offer["crawford"]) == ("backgammon", 3, False)
    assert offer["clock"] == {"bank_s": 60, "move_s": 8}
    assert offer["invited"] == 1
    assert ann.states[table]["phase"] == "waiting"
    assert ann.get("look", table=table, token=made["watch"])["invited"] is None
    assert bob.refuse("look", table=table)[:2] == ("bad_value", "token")
    assert bob.refuse("act", table=table, act="roll")[1] == "table"


def test_two_people_play_by_a_link():
    site = Site()
    ann, bob = site.visit(), site.visit()
    made = ann.create(PERSON, OPEN, length=1)
    table = made["table"]
    assert ann.states[table]["phase"] == "waiting"
    taken = bob.get("join", table=table, token=made["tokens"][1], name="Bob")
    assert taken["seats"] == [1]
    rng = random.Random(3)
    for _ in range(2000):
        site.settle()
        ann.hear()
        bob.hear()
        state = ann.states[table]
        if state["phase"] == "finished":
            break
        mover, seat = (ann, 0) if state["to_act"] == 0 else (bob, 1)
        assert play_at_random(mover, table, rng, seats=(seat,))
    assert state["phase"] == "finished"
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bob"]


def test_barca_is_played_against_its_engine_with_moves_for_the_person_alone():
    site = Site()
    guest, spectator = site.visit(), site.visit()
    made = guest.create(PERSON, {"kind": "engine", "level": "easy"}, variant="barca")
    table = made["table"]
    spectator.get("join", table=table, token=made["watch"])
    rng = random.Random(5)
    for _ in range(6):
        site.settle(1.0)
        guest.hear()
        spectator.hear()
        assert guest.states[table]["legal"]
        assert spectator.states[table]["legal"] is None
        assert play_at_random(guest, table, rng)
    assert {piece["animal"] for piece in guest.states[table]["pieces"]} == {"elephant", "lion", "mouse"}


def test_a_third_game_is_played_at_a_table(monkeypatch):
    monkeypatch.setitem(GAMES, "noughts", noughts.ENTRY)
    site = Site()
    guest = site.visit()
    table = guest.create(PERSON, {"kind": "engine"}, variant="noughts")["table"]
    for cell in ("5", "2", "8"):
        guest.get("act", table=table, act="play", play=cell)
        site.settle(1.0)
        guest.hear()
    state = guest.states[table]
    assert state["cells"] == [5, 1, 2, 3, 8]
    assert state["result"] == {"winner": 0, "points": 1, "kind": "line"}
