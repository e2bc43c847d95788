"""Whole matches through the hub: a scripted person against the engine, people, engines."""

from __future__ import annotations

from gammond.protocol.games import GAMES
from tests.protocol import noughts
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Party, Site


def test_a_person_plays_a_whole_match_against_the_engine():
    party = Party(PERSON, ENGINE, length=3, variant="nackgammon")
    while (state := party.play(seed=3, doubles=0.2))["phase"] != "finished":
        party.act("next")
    winner = state["match_winner"]
    assert state["score"][winner] >= 3 > state["score"][1 - winner]
    assert state["result"]["winner"] == winner
    assert state["to_act"] is None
    assert len(party.site.archive.games) == state["game_number"]
    assert (party.kept.match_winner, party.kept.text_format) == (winner, "mat")
    assert "3 point match" in party.kept.text
    assert "Expert : 0" in party.kept.text


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
    party = Party()
    for seed in range(3):
        state = party.play(seed=seed, doubles=0.2)
        party.act("next")
    games = [*state["games"], state["result"]]
    points = [sum(game["points"] for game in games if game["winner"] == seat) for seat in (0, 1)]
    assert (state["game_number"], state["score"]) == (3, points)


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


def test_barca_is_played_against_its_engine_with_moves_for_the_person_alone():
    party = Party(PERSON, {"kind": "engine", "level": "easy"}, variant="barca")
    spectator = party.site.visit()
    spectator.get("join", table=party.table, token=party.made["watch"])
    for _ in range(6):
        assert party.settle(1.0)["legal"]
        spectator.hear()
        assert spectator.state["legal"] is None
        party.play(1)
    assert {piece["animal"] for piece in party.state["pieces"]} == {"elephant", "lion", "mouse"}


def test_a_third_game_is_played_at_a_table(monkeypatch):
    monkeypatch.setitem(GAMES, "noughts", noughts.ENTRY)
    party = Party(PERSON, {"kind": "engine"}, variant="noughts")
    for cell in ("5", "2", "8"):
        party.act("play", play=cell)
        state = party.settle(1.0)
    assert state["cells"] == [5, 1, 2, 3, 8]
    assert state["result"] == {"winner": 0, "points": 1, "kind": "line"}
