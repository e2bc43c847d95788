"""Tables after a restart of the server: the same secrets, the same position, the same dice."""

from __future__ import annotations

import random

import pytest

from protocol.tables.archive import MemoryArchive
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Site, play_at_random

BOB = {"kind": "person", "name": "Bob"}
_PASSING = ("seats", "clock", "paused")


def kill_and_start(site):
    """Start another server with the same archive, as after a kill: nothing was said, nothing closed."""
    return Site(site.archive)


def lasting(state):
    return {key: value for key, value in state.items() if key not in _PASSING}


@pytest.mark.parametrize("variant", ["backgammon", "hypergammon1", "barca"])
def test_after_the_server_was_killed_the_same_tokens_lead_to_the_same_game(variant):
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, variant=variant)
    table, rng = made["table"], random.Random(4)
    for _ in range(25):
        guest.hear()
        play_at_random(guest, table, rng, seats=(0, 1))
    for act in ("undo", "undo", "redo"):
        guest.ask("act", table=table, act=act)
    guest.get("leave", table=table)
    guest.get("join", table=table, token=made["tokens"])
    before = guest.state
    other = kill_and_start(site)
    again = other.visit()
    assert again.get("join", table=table, token=made["tokens"])["seats"] == [0, 1]
    assert lasting(again.state) == lasting(before)
    for _ in range(10):
        again.hear()
        play_at_random(again, table, rng, seats=(0, 1))


def test_the_rolls_to_come_are_those_to_which_the_server_had_committed():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, cube=False)
    table = made["table"]
    other = kill_and_start(site)
    again = other.visit()
    again.get("join", table=table, token=made["tokens"])
    for seat in (guest, again):
        rng = random.Random(8)
        for _ in range(12):
            seat.hear()
            play_at_random(seat, table, rng, seats=(0, 1))
    rolls = [
        [event["text"] for event in seat.events if event["kind"] == "roll"][-5:] for seat in (guest, again)
    ]
    assert rolls[0] == rolls[1]


def test_a_seat_that_was_taken_keeps_its_token_and_name():
    site = Site()
    ann, bob = site.visit(), site.visit()
    made = ann.create(PERSON, OPEN)
    taken = bob.get("join", table=made["table"], token=made["tokens"][1], name="Bob")
    again = kill_and_start(site).visit()
    answer = again.get("join", table=made["table"], token=taken["tokens"][1])
    assert answer["seats"] == [1]
    assert again.state["seats"][1]["name"] == "Bob"


def test_an_engine_goes_on_with_the_turn_that_it_had():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, ENGINE, dice="typed")
    table = made["table"]
    guest.get("act", table=table, act="dice", dice=[3, 1])
    guest.get("act", table=table, act="play", play="8/5 6/5")
    other = kill_and_start(site)
    again = other.visit()
    again.get("join", table=table, token=made["tokens"][0])
    other.settle(2.0)
    again.hear()
    assert again.state["awaits_dice"]


def test_the_clock_goes_on_with_what_was_left():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, dice="typed", clock={"bank_s": 60})
    table = made["table"]
    guest.get("act", table=table, act="dice", dice=[3, 1])
    site.now += 20.0
    guest.get("act", table=table, act="play", play="8/5 6/5")
    other = kill_and_start(site)
    again = other.visit()
    again.get("join", table=table, token=made["tokens"])
    assert again.state["clock"]["bank_s"] == [40.0, 60.0]
    assert again.state["clock"]["running"] == 1


def test_a_match_lost_on_time_stays_lost():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, dice="typed", clock={"bank_s": 60})
    guest.get("act", table=made["table"], act="dice", dice=[3, 1])
    site.settle(61.0)
    again = kill_and_start(site).visit()
    again.get("join", table=made["table"], token=made["tokens"])
    assert again.state["result"]["kind"] == "time"


def test_events_get_numbers_that_none_had_before():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB)
    last = guest.events[-1]["event"]
    for restart in (1, 2):
        site = kill_and_start(site)
        again = site.visit()
        answer = again.get("join", table=made["table"], token=made["tokens"], after=last)
        assert answer["event"] >= restart * 1_000_000
        assert again.events[-1]["kind"] == "state"
        last = answer["event"]


def test_a_table_survives_any_number_of_restarts():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, length=3)
    rng = random.Random(2)
    for _ in range(6):
        for _ in range(15):
            guest.hear()
            play_at_random(guest, made["table"], rng, seats=(0, 1))
        guest.hear()
        before = lasting(guest.state)
        site = kill_and_start(site)
        guest = site.visit()
        guest.get("join", table=made["table"], token=made["tokens"])
        state = lasting(guest.state)
        del state["history"]
        before.pop("history", None)
        assert state == before


def test_the_seats_of_barca_are_white_in_turn_also_after_a_restart():
    site = Site()
    guest = site.visit()
    position = "2l1ee4/4m5/5l4/3L6/10/5m4/3L1M4/10/4M5/4EE4 w"
    made = guest.create(PERSON, BOB, variant="barca", position=position)
    table = made["table"]
    assert (guest.state["white"], guest.state["to_act"]) == (0, 0)
    guest.get("act", table=table, act="play", play="f4-g4")
    assert guest.state["result"] == {"winner": 0, "points": 1, "kind": "holes"}
    guest.get("act", table=table, act="next")
    assert (guest.state["white"], guest.state["to_act"], guest.state["on_roll"]) == (1, 1, 1)
    assert guest.state["score"] == [1, 0]
    guest.get("act", table=table, act="play", play="e2-e5")
    guest.get("leave", table=table)
    guest.get("join", table=table, token=made["tokens"])
    assert [entry["seat"] for entry in guest.state["history"]] == [1]
    assert {piece["seat"] for piece in guest.state["pieces"] if piece["at"] in ("e1", "e5")} == {1}
    other = kill_and_start(site)
    again = other.visit()
    again.get("join", table=table, token=made["tokens"])
    assert lasting(again.state) == lasting(guest.state)
    again.get("act", table=table, act="play", play="e9-e6")
    assert again.state["to_act"] == 1
    again.get("act", table=table, act="resign", seat=1)
    kept = other.archive.games[f"{table}-2"]
    assert (kept.winner, kept.score_before, kept.score_after) == (0, (1, 0), (2, 0))


def test_a_log_that_cannot_be_read_is_forgotten_and_harms_nothing_else(caplog):
    archive = MemoryArchive()
    site = Site(archive)
    guest = site.visit()
    broken, whole = guest.create(PERSON, BOB), guest.create(PERSON, BOB)
    archive.add_action(
        broken["table"], {"act": "do", "at": 1.0, "seat": 0, "line": "play 1/2", "help": False}
    )
    again = kill_and_start(site).visit()
    assert again.refuse("join", table=broken["table"], token=broken["tokens"])[1] == "table"
    assert again.get("join", table=whole["table"], token=whole["tokens"])["seats"] == [0, 1]
    assert [saved.table_id for saved in archive.load_tables()] == [whole["table"]]
    assert "could not be rebuilt" in caplog.text


def test_public_tables_are_listed_after_a_restart():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, public=True)
    assert [each["table"] for each in kill_and_start(site).visit().get("list")["tables"]] == [made["table"]]


def test_tables_that_were_left_long_ago_are_forgotten_at_the_next_start():
    site = Site()
    made = site.visit().create(PERSON, BOB)
    other = Site(site.archive)
    other.now += 13 * 3600
    other.settle(2.0)
    assert other.visit().refuse("join", table=made["table"], token=made["tokens"])[1] == "table"
    assert site.archive.load_tables() == []
