"""Tables after a restart of the server: the same secrets, the same position, the same dice."""

from __future__ import annotations

import json
import random

import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.match_files.reading import read_matches
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.hub import Hub
from gammond.protocol.tables.seats import hash_token
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
        state = lasting(guest.events[0]["state"])  # that a game is over is told once more after it
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


def play_and_break(site, *seats, entry=None, **fields):
    """Play a while, and leave in the log what cannot be done again; return the table and its plays."""
    guest = site.visit()
    made = guest.create(*(seats or (PERSON, BOB)), **fields)
    rng = random.Random(5)
    for _ in range(40):
        site.settle(1.0)
        guest.hear()
        play_at_random(guest, made["table"], rng, seats=(0, 1), doubles=0.0)
    guest.hear()
    plays = [event["text"] for event in guest.events if event["kind"] == "play"]
    broken = {"act": "do", "at": site.now, "seat": 0, "line": "play 1/2", "help": False}
    site.archive.add_action(made["table"], json.dumps(broken if entry is None else entry).encode())
    return made, plays


def test_a_table_that_cannot_be_rebuilt_is_kept_said_and_told_and_harms_no_other(caplog):
    site = Site()
    whole = site.visit().create(PERSON, BOB)
    broken, plays = play_and_break(site)
    for _ in range(2):
        site = kill_and_start(site)
        guest = site.visit()
        code, field, message = guest.refuse("join", table=broken["table"], token=broken["tokens"])
        assert (code, field) == ("data_file", "log")
        assert "record" in message
        assert guest.refuse("look", table=broken["table"], token=broken["watch"])[:2] == (code, field)
        assert guest.refuse("act", table=broken["table"], act="roll")[:2] == (code, field)
        assert {saved.table_id for saved in site.archive.load_tables()} == {whole["table"], broken["table"]}
        text = guest.get("record", table=broken["table"], token=broken["tokens"][0])["text"]
        assert [line for line in text.splitlines() if ": play " in line] == [
            line for line in text.splitlines() if line.startswith("; ") and ": play " in line
        ]
        assert [line.partition(": play ")[2] for line in text.splitlines() if ": play " in line] == plays
        assert "do seat 0 line play 1/2" in text
    assert guest.get("join", table=whole["table"], token=whole["tokens"])["seats"] == [0, 1]
    assert "could not be rebuilt" in caplog.text


def test_what_was_played_at_a_table_that_is_lost_is_told_to_its_players_alone():
    site = Site()
    broken, _ = play_and_break(site)
    site = kill_and_start(site)
    guest = site.visit()
    for do in ("join", "look", "record"):
        assert guest.refuse(do, table=broken["table"])[:2] == ("bad_value", "token")
        assert guest.refuse(do, table=broken["table"], token="x" * 32)[:2] == ("bad_value", "token")
    guest.send(json.dumps({"id": 91, "do": "record", "table": broken["table"], "token": broken["watch"]}))
    guest.send(json.dumps({"id": 92, "do": "ping"}))
    site.settle()
    told, pong = guest.hear()
    assert (told["id"], pong["id"]) == (91, 92)
    secrets = [broken["watch"], *broken["tokens"], *(hash_token(token) for token in broken["tokens"])]
    log = site.archive.load_log(broken["table"])
    secrets += [action.secret for action in log if action.act == "commit"]
    assert not any(secret in told["text"] for secret in secrets)
    other = guest.create(PERSON, BOB)
    assert guest.refuse("record", table=other["table"], token=other["tokens"])[:2] == ("bad_state", "table")
    assert guest.refuse("record", table="nowhere")[:2] == ("bad_value", "table")


def test_the_finished_games_of_a_lost_table_are_a_record_that_programs_read():
    site = Site()
    made = site.visit().get("create", seats=[PERSON, BOB], length=5, dice="typed")
    guest = site.visit()
    guest.get("join", table=made["table"], token=made["tokens"])
    for act in ({"act": "dice", "dice": [3, 1]}, {"act": "play", "play": "8/5 6/5"}, {"act": "double"}):
        guest.get("act", table=made["table"], **act)
    guest.get("act", table=made["table"], act="drop")
    guest.get("act", table=made["table"], act="next")
    site.archive.add_action(made["table"], b'{"act":"forfeit","at":1}')
    site = kill_and_start(site)
    guest = site.visit()
    guest.refuse("join", table=made["table"], token=made["tokens"])
    text = guest.get("record", table=made["table"], token=made["tokens"])["text"]
    match = read_matches(text.encode(), name="lost")[0]
    assert (match.names, match.length) == (("Ann", "Bob"), 5)
    assert [game.result.winner for game in match.games] == [1]


def refuse_pubeval(game, player, level):
    if player == "pubeval":
        raise ValueRangeError("there is no player pubeval", field="engine.player")


def test_a_table_whose_engine_is_gone_waits_for_it_and_its_record_needs_none(monkeypatch):
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, {"kind": "engine", "player": "pubeval"})
    site.settle(5.0)
    with monkeypatch.context() as gone:
        gone.setattr(TableGame, "set_player", refuse_pubeval)
        other = kill_and_start(site)
        again = other.visit()
        assert "pubeval" in again.refuse("join", table=made["table"], token=made["tokens"])[2]
        text = again.get("record", table=made["table"], token=made["tokens"])["text"]
        assert "all that was done:" in text
    assert again.get("join", table=made["table"], token=made["tokens"])["seats"] == [0]
    assert [saved.fault for saved in other.archive.load_tables()] == [""]


@pytest.mark.parametrize(
    "entry",
    [{}, {"act": 7}, {"act": "do"}, {"act": "start", "seeds": []}, {"act": "commit", "secret": "x"}, [1]],
)
def test_any_damage_of_a_log_leaves_the_table_kept_and_its_record_told(entry):
    site = Site()
    broken, _ = play_and_break(site, entry=entry)
    site = kill_and_start(site)
    guest = site.visit()
    answer = guest.ask("join", table=broken["table"], token=broken["tokens"])
    if answer["ok"]:
        return
    assert answer["error"]["field"] == "log"
    assert [saved.table_id for saved in site.archive.load_tables()] == [broken["table"]]
    answer = guest.ask("record", table=broken["table"], token=broken["tokens"])
    assert answer["ok"] or answer["error"]["code"] == "data_file"


def test_a_lost_table_waits_for_thirty_days():
    site = Site()
    broken, _ = play_and_break(site)
    site = kill_and_start(site)
    site.visit().refuse("join", table=broken["table"], token=broken["tokens"])
    for days, is_there in ((29, True), (31, False)):
        later = kill_and_start(site)
        later.now += days * 24 * 3600
        for _ in range(3):
            later.now += 1000
            later.settle()
        assert bool(site.archive.load_tables()) is is_there


def test_who_goes_while_something_is_prepared_for_him_harms_nothing():
    site = Site()
    broken, _ = play_and_break(site)
    whole = site.visit().create(PERSON, BOB)
    site = kill_and_start(site)
    assert site.visit().refuse("act", table=whole["table"], act="roll")[:2] == ("bad_value", "table")
    for do, made in (("join", whole), ("join", broken), ("record", broken)):
        guest = site.visit()
        for number in (1, 2):
            guest.send(
                json.dumps({"id": number, "do": do, "table": made["table"], "token": made["tokens"][0]})
            )
        guest.close()
        site.settle()
        assert guest.hear() == []
    assert site.visit().get("join", table=whole["table"], token=whole["tokens"])["seats"] == [0, 1]


def test_several_visitors_wait_for_a_table_that_is_rebuilt_once():
    site = Site()
    made = site.visit().create(PERSON, BOB, public=True)
    other = kill_and_start(site)
    guests = [other.visit() for _ in range(3)]
    for guest in guests:
        guest.send(json.dumps({"id": 1, "do": "join", "table": made["table"]}))
        guest.send(json.dumps({"id": 2, "do": "ping"}))
    lister = other.visit()
    lister.send(json.dumps({"id": 1, "do": "list"}))
    assert len(other.pool.waiting) == 2
    assert all(guest.hear() == [] for guest in guests)
    other.settle()
    for guest in guests:
        assert [answer["id"] for answer in guest.hear()] == [1, 2]
    assert [each["table"] for each in lister.hear()[0]["tables"]] == [made["table"]]
    assert len(other.hub.tables[made["table"]].members) == 3


def test_what_was_changed_at_a_table_is_so_after_a_restart():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, ENGINE)
    guest.get("act", table=made["table"], act="pace", ms=1234)
    guest.get("act", table=made["table"], act="pause")
    again = kill_and_start(site).visit()
    again.get("join", table=made["table"], token=made["tokens"])
    assert (again.state["pace_ms"], again.state["paused"]) == (1234, True)


def test_public_tables_are_listed_after_a_restart():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB, public=True)
    assert [each["table"] for each in kill_and_start(site).visit().get("list")["tables"]] == [made["table"]]


def test_tables_that_were_left_long_ago_are_forgotten_some_time_after_the_next_start():
    site = Site()
    made = site.visit().create(PERSON, BOB)
    other = Site(site.archive)
    other.now += 13 * 3600
    other.settle()
    assert other.visit().refuse("join", table=made["table"], token=made["tokens"])[1] == "table"
    assert site.archive.load_tables() == []


def test_a_clock_that_is_wrong_at_the_start_ends_no_table():
    site = Site()
    made = site.visit().create(PERSON, BOB)
    wrong_s = [30 * 24 * 3600.0]
    hub = Hub(site.service, site.pool, lambda: site.now, site.archive, None, lambda: site.now + wrong_s[0])
    for _ in range(10):
        site.now += 100.0
        hub.tick()
    wrong_s[0] = 0.0
    for _ in range(10):
        site.now += 1000.0
        hub.tick()
    assert [saved.table_id for saved in site.archive.load_tables()] == [made["table"]]


def test_a_server_killed_before_it_kept_the_secret_of_the_next_game_makes_one():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, BOB)
    table, rng = made["table"], random.Random(6)
    while not (guest.states[table]["phase"] == "roll" and guest.states[table]["cube"]["may_double"]):
        play_at_random(guest, table, rng, seats=(0, 1), doubles=0.0)
        guest.hear()
    for act in ("double", "drop"):
        guest.get("act", table=table, act=act)
    assert b"commit" in site.archive.logs[table].pop()
    again = kill_and_start(site).visit()
    again.get("join", table=table, token=made["tokens"])
    assert b"commit" in site.archive.logs[table][-1]
    assert again.state["fair"]["next_commitment"]
    again.get("act", table=table, act="next")
    assert again.state["game_number"] == 2
