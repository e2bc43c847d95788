"""Seats and secrets: nobody acts for another seat, and nobody learns another's token."""

from __future__ import annotations

import json

import pytest

from gammond.protocol.tables.seats import hash_token, is_token, make_token
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Site

BOB = {"kind": "person", "name": "Bob"}


@pytest.fixture
def site():
    return Site()


def make_two(site):
    """Two people at a table, each over a connection of its own, and a spectator."""
    ann, bob, eve = site.visit(), site.visit(), site.visit()
    made = ann.get("create", seats=[PERSON, BOB])
    table, tokens = made["table"], made["tokens"]
    ann.get("join", table=table, token=tokens[0])
    bob.get("join", table=table, token=tokens[1])
    eve.get("join", table=table, token=made["watch"])
    for guest in (ann, bob, eve):
        guest.hear()
    return table, ann, bob, eve, made


def test_nobody_acts_for_another_seat(site):
    table, ann, bob, eve, _ = make_two(site)
    mover = ann.state["to_act"]
    guests = [ann, bob]
    for act in ("roll", "play", "double", "resign", "undo", "next", "hint_play", "agree"):
        assert guests[1 - mover].refuse("act", table=table, seat=mover, act=act)[:2] == ("bad_state", "seat")
        assert eve.refuse("act", table=table, seat=mover, act=act)[:2] == ("bad_state", "seat")
        assert eve.refuse("act", table=table, act=act)[:2] == ("bad_state", "seat")
    assert guests[1 - mover].refuse("act", table=table, act="play", play="8/5 6/5")[0] == "bad_state"


def test_who_is_not_at_a_table_does_nothing_there(site):
    table, *_ = make_two(site)
    stranger = site.visit()
    assert stranger.refuse("act", table=table, act="roll")[1] == "table"
    assert stranger.refuse("join", table=table)[1] == "token"
    assert stranger.refuse("join", table=table, token="x" * 32)[1] == "token"
    assert stranger.refuse("join", table="nowhere", token="x")[1] == "table"


def test_no_token_is_sent_to_anybody_but_who_created_the_table_or_took_the_seat(site):
    ann, bob = site.visit(), site.visit()
    made = ann.get("create", seats=[PERSON, OPEN], public=True)
    secrets = [token for token in [*made["tokens"], made["watch"]] if token]
    ann.get("join", table=made["table"], token=made["tokens"][0])
    taken = bob.get("join", table=made["table"], token=made["tokens"][1], name="Bob")
    secrets.append(taken["tokens"][1])
    heard = json.dumps([ann.events, bob.events, site.visit().get("list")])
    assert not any(secret in heard for secret in secrets)
    assert not any(hash_token(secret) in heard for secret in secrets)


def test_secrets_are_kept_as_hashes_alone(site):
    guest = site.visit()
    made = guest.create(PERSON, OPEN)
    bob = site.visit()
    taken = bob.get("join", table=made["table"], token=made["tokens"][1], name="Bob")
    kept = str([(saved, site.archive.load_log(saved.table_id)) for saved in site.archive.load_tables()])
    for secret in [made["tokens"][0], made["tokens"][1], made["watch"], taken["tokens"][1]]:
        assert secret not in kept
    assert hash_token(made["tokens"][0]) in kept


def test_a_seat_that_is_taken_has_a_token_that_its_creator_does_not_know(site):
    ann, bob, late = site.visit(), site.visit(), site.visit()
    made = ann.create(PERSON, OPEN)
    table, link = made["table"], made["tokens"][1]
    taken = bob.get("join", table=table, token=link, name="Bob")
    assert taken["tokens"][0] is None
    assert taken["tokens"][1] != link
    finish_opening(ann, bob, table)
    assert late.get("join", table=table, token=link)["seats"] == []
    assert late.refuse("act", table=table, seat=1, act="roll")[1] == "seat"
    again = site.visit()
    assert again.get("join", table=table, token=taken["tokens"][1])["seats"] == [1]


def finish_opening(ann, bob, table):
    """Let both players act once."""
    for _ in range(4):
        ann.hear()
        bob.hear()
        state = max((ann.events[-1], bob.events[-1]), key=lambda event: event["event"])["state"]
        guest = (ann, bob)[state["to_act"]]
        if state["phase"] == "roll":
            guest.get("act", table=table, act="roll")
        else:
            tree, at = guest.states[table]["tree"], 0
            while tree[at]["moves"]:
                at = tree[at]["moves"][0][2]
            guest.get("act", table=table, act="play", play=tree[at]["play"])


def test_a_link_gives_the_seat_again_to_who_never_got_its_token(site):
    ann, bob = site.visit(), site.visit()
    made = ann.create(PERSON, OPEN)
    bob.get("join", table=made["table"], token=made["tokens"][1], name="Bob")
    bob.close()
    again = site.visit()
    answer = again.get("join", table=made["table"], token=made["tokens"][1], name="Bob")
    assert answer["seats"] == [1]
    assert answer["tokens"][1]


def test_the_name_of_who_takes_a_seat_is_shown_and_checked(site):
    ann, bob = site.visit(), site.visit()
    made = ann.create(PERSON, OPEN)
    table, link = made["table"], made["tokens"][1]
    assert bob.refuse("join", table=table, token=link, name="a" * 41)[1] == "name"
    assert bob.refuse("join", table=table, token=link, name="a\u202eb")[1] == "name"
    bob.get("join", table=table, token=link, name="  Bob   B ")
    ann.hear()
    assert ann.state["seats"][1]["name"] == "Bob B"


def test_who_is_here_is_shown_when_people_come_and_go(site):
    _, ann, bob, eve, _ = make_two(site)
    assert [seat["here"] for seat in ann.state["seats"]] == [True, True]
    bob.close()
    ann.hear()
    eve.hear()
    assert [seat["here"] for seat in ann.state["seats"]] == [True, False]
    assert ann.events[-1]["kind"] == eve.events[-1]["kind"] == "left"
    assert ann.events[-1]["seat"] == 1


def test_the_same_seat_over_two_connections_is_here_until_both_are_gone(site):
    table, ann, bob, _, made = make_two(site)
    second = site.visit()
    second.get("join", table=table, token=made["tokens"][1])
    bob.close()
    ann.hear()
    assert ann.state["seats"][1]["here"]
    second.close()
    ann.hear()
    assert not ann.state["seats"][1]["here"]


def test_only_the_seat_to_act_is_told_the_legal_plays(site):
    _, ann, bob, eve, _ = make_two(site)
    assert ann.state["phase"] == "play"
    guests = [ann, bob]
    mover = ann.state["to_act"]
    assert guests[mover].state["tree"][0]["moves"]
    assert guests[1 - mover].state["tree"] is None
    assert eve.state["tree"] is None


def test_a_game_waits_until_every_person_has_come(site):
    ann, bob = site.visit(), site.visit()
    made = ann.get("create", seats=[PERSON, BOB])
    table = made["table"]
    ann.get("join", table=table, token=made["tokens"][0])
    assert ann.state["phase"] == "waiting"
    assert ann.refuse("act", table=table, act="roll")[0] == "bad_state"
    bob.get("join", table=table, token=made["tokens"][1])
    ann.hear()
    assert [event["kind"] for event in ann.events] == ["state", "joined", "start", "roll"]


def test_a_public_table_is_listed_and_watched_without_a_token(site):
    guest, stranger = site.visit(), site.visit()
    made = guest.create(PERSON, ENGINE, public=True)
    guest.create(PERSON, ENGINE)
    (listed,) = stranger.get("list")["tables"]
    assert listed["table"] == made["table"]
    assert stranger.get("join", table=made["table"])["seats"] == []
    assert stranger.refuse("act", table=made["table"], act="pause")[0] == "bad_state"


def test_tokens_are_long_differ_and_are_compared_whole():
    tokens = {make_token() for _ in range(200)}
    assert len(tokens) == 200
    assert min(map(len, tokens)) >= 32
    token = tokens.pop()
    assert is_token(token, hash_token(token))
    assert not is_token(token[:-1], hash_token(token))
    assert not is_token("\ud800", hash_token(token))
    assert not is_token("", None)
