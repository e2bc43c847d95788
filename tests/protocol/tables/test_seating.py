"""Seats and secrets: nobody acts for another seat, and nobody learns another's token."""

from __future__ import annotations

import json

import pytest

from gammond.protocol.tables.seats import hash_token, is_token, make_token
from tests.protocol.tables.visiting import BOB, ENGINE, OPEN, PERSON, Party, Site


@pytest.fixture
def party():
    """Ann and Bob, each over a connection of its own, of whom Ann or Bob is to play."""
    return Party(apart=True)


@pytest.fixture
def watcher(party):
    """A spectator."""
    watcher = party.site.visit()
    watcher.get("join", table=party.table, token=party.made["watch"])
    return watcher


def test_nobody_acts_for_another_seat(party, watcher):
    mover = party.state["to_act"]
    other = party.guests[1 - mover]
    for act in ("roll", "play", "double", "resign", "undo", "next", "hint_play", "agree"):
        for guest, seat in ((other, {"seat": mover}), (watcher, {"seat": mover}), (watcher, {})):
            assert guest.refuse("act", table=party.table, **seat, act=act)[:2] == ("bad_state", "seat")
    assert party.refuse("play", 1 - mover, play="8/5 6/5")[0] == "bad_state"


def test_who_is_not_at_a_table_does_nothing_there(party):
    stranger = party.site.visit()
    assert stranger.refuse("act", table=party.table, act="roll")[1] == "table"
    assert stranger.refuse("join", table=party.table)[1] == "token"
    assert stranger.refuse("join", table=party.table, token="x" * 32)[1] == "token"
    assert stranger.refuse("join", table="nowhere", token="x")[1] == "table"


def test_tokens_are_told_to_who_created_the_table_or_took_the_seat_and_kept_as_hashes_alone():
    party = Party(PERSON, OPEN, apart=True, public=True)
    kept = party.site.archive.load_tables()
    secrets = [*party.made["tokens"], party.tokens[1], party.made["watch"]]
    assert len(set(secrets)) == 4
    heard = json.dumps([*(guest.events for guest in party.guests), party.site.visit().get("list")])
    kept = str([(saved, party.site.archive.load_log(saved.table_id)) for saved in kept])
    for secret in secrets:
        assert secret not in heard + kept
        assert hash_token(secret) not in heard
        assert hash_token(secret) in kept


def test_a_seat_that_is_taken_has_a_token_that_its_creator_does_not_know():
    party = Party(PERSON, OPEN, apart=True)
    table, link = party.table, party.made["tokens"][1]
    assert party.tokens[1] != link
    party.play(2)
    late = party.site.visit()
    assert late.get("join", table=table, token=link)["seats"] == []
    assert late.refuse("act", table=table, seat=1, act="roll")[1] == "seat"
    again = party.site.visit()
    assert again.get("join", table=table, token=party.tokens[1])["seats"] == [1]


def test_a_link_gives_the_seat_again_to_who_never_got_its_token():
    party = Party(PERSON, OPEN, apart=True)
    party.guests[1].close()
    again = party.site.visit()
    answer = again.get("join", table=party.table, token=party.made["tokens"][1], name="Bob")
    assert answer["seats"] == [1]
    assert answer["tokens"][0] is None
    assert answer["tokens"][1]


def test_the_name_of_who_takes_a_seat_is_shown_and_checked():
    party = Party(PERSON, OPEN)
    bob, seat = party.site.visit(), {"table": party.table, "token": party.tokens[1]}
    for name in ("a" * 41, "a\u202eb"):
        assert bob.refuse("join", **seat, name=name)[1] == "name"
    bob.get("join", **seat, name="  Bob   B ")
    assert party.state["seats"][1]["name"] == "Bob B"


def test_a_seat_is_here_until_all_its_connections_are_gone_and_all_see_who_comes_and_goes(party, watcher):
    second = party.site.visit()
    second.get("join", table=party.table, token=party.tokens[1])
    for guest, is_here in ((party.guests[1], True), (second, False)):
        guest.close()
        party.guest.hear()
        assert [seat["here"] for seat in party.guest.state["seats"]] == [True, is_here]
        assert (party.guest.events[-1]["kind"] == "left") is not is_here
    watcher.hear()
    for guest in (party.guest, watcher):
        assert (guest.events[-1]["kind"], guest.events[-1]["seat"]) == ("left", 1)


def test_only_the_seat_to_act_is_told_the_legal_plays(party, watcher):
    assert party.state["phase"] == "play"
    mover = party.state["to_act"]
    assert party.guests[mover].state["tree"][0]["moves"]
    assert party.guests[1 - mover].state["tree"] is None
    assert watcher.state["tree"] is None


def test_a_game_waits_until_every_person_has_come():
    site = Site()
    ann, bob = site.visit(), site.visit()
    made = ann.get("create", seats=[PERSON, BOB])
    table = made["table"]
    ann.get("join", table=table, token=made["tokens"][0])
    assert ann.state["phase"] == "waiting"
    assert ann.refuse("act", table=table, act="roll")[0] == "bad_state"
    bob.get("join", table=table, token=made["tokens"][1])
    ann.hear()
    assert [event["kind"] for event in ann.events] == ["state", "joined", "start", "roll"]


def test_a_public_table_is_listed_and_watched_without_a_token():
    party = Party(PERSON, ENGINE, public=True)
    party.guest.create(PERSON, ENGINE)
    stranger = party.site.visit()
    (listed,) = stranger.get("list")["tables"]
    assert listed["table"] == party.table
    assert stranger.get("join", table=party.table)["seats"] == []
    assert stranger.refuse("act", table=party.table, act="pause")[0] == "bad_state"


def test_tokens_are_long_differ_and_are_compared_whole():
    tokens = {make_token() for _ in range(200)}
    assert len(tokens) == 200
    assert min(map(len, tokens)) >= 32
    token = tokens.pop()
    assert is_token(token, hash_token(token))
    assert not is_token(token[:-1], hash_token(token))
    assert not is_token("\ud800", hash_token(token))
    assert not is_token("", None)
