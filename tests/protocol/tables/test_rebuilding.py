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
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Party, kill_and_start, play_at_random

_PASSING = ("seats", "clock", "paused")


def lasting(party):
    """What the state and the history of a table are before and after a restart, but for a play's choices."""
    watcher = party.site.visit()
    watcher.get("join", table=party.table, token=party.made["watch"])
    return {key: value for key, value in watcher.state.items() if key not in _PASSING}


def play_both(party, rng, count):
    for _ in range(count):
        party.guest.hear()
        play_at_random(party.guest, party.table, rng, seats=(0, 1))


@pytest.mark.parametrize(
    "fields", [{"length": 3}, {"variant": "hypergammon1"}, {"variant": "barca"}], ids=str
)
def test_a_table_survives_any_number_of_restarts(fields):
    party, rng = Party(**fields), random.Random(4)
    for _ in range(5):
        play_both(party, rng, 15)
        for act in ("undo", "undo", "redo"):
            party.guest.ask("act", table=party.table, act=act)
        before, party = party, party.restart()
        assert lasting(party) == lasting(before)
        assert (party.state.get("tree"), party.state.get("legal")) == (
            before.state.get("tree"),
            before.state.get("legal"),
        )


def test_the_rolls_to_come_are_those_to_which_the_server_had_committed():
    party = Party(cube=False)
    again, rolls = party.restart(), []
    for each in (party, again):
        play_both(each, random.Random(8), 12)
        rolls.append([event["text"] for event in each.events if event["kind"] == "roll"][-5:])
    assert rolls[0] == rolls[1]


def test_a_seat_that_was_taken_keeps_its_token_and_name():
    party = Party(PERSON, OPEN, apart=True)
    again = kill_and_start(party.site).visit()
    answer = again.get("join", table=party.table, token=party.tokens[1])
    assert answer["seats"] == [1]
    assert again.state["seats"][1]["name"] == "Bob"


def test_an_engine_goes_on_with_the_turn_that_it_had():
    party = Party(PERSON, ENGINE, dice="typed")
    party.act("dice", dice=[3, 1])
    party.act("play", play="8/5 6/5")
    assert party.restart().settle(2.0)["awaits_dice"]


def test_the_clock_goes_on_with_what_was_left_and_a_match_lost_on_time_stays_lost():
    party = Party(dice="typed", clock={"bank_s": 60})
    party.act("dice", dice=[3, 1])
    party.site.now += 20.0
    party.act("play", play="8/5 6/5")
    clock = party.restart().state["clock"]
    assert (clock["bank_s"], clock["running"]) == ([40.0, 60.0], 1)
    party.settle(61.0)
    assert party.restart().state["result"]["kind"] == "time"


def test_events_get_numbers_that_none_had_before():
    party = Party()
    last = party.events[-1]["event"]
    for restart in (1, 2):
        party = party.restart()
        again = party.site.visit()
        answer = again.get("join", table=party.table, token=party.tokens, after=last)
        assert answer["event"] >= restart * 1_000_000
        assert again.events[-1]["kind"] == "state"
        last = answer["event"]


def test_the_seats_of_barca_are_white_in_turn_also_after_a_restart():
    position = "2l1ee4/4m5/5l4/3L6/10/5m4/3L1M4/10/4M5/4EE4 w"
    party = Party(variant="barca", position=position)
    assert (party.state["white"], party.state["to_act"]) == (0, 0)
    state = party.act("play", play="f4-g4")
    assert state["result"] == {"winner": 0, "points": 1, "kind": "holes"}
    state = party.act("next")
    assert (state["white"], state["to_act"], state["on_roll"], state["score"]) == (1, 1, 1, [1, 0])
    party.act("play", play="e2-e5")
    assert [entry["seat"] for entry in party.history] == [1]
    assert {piece["seat"] for piece in party.state["pieces"] if piece["at"] in ("e1", "e5")} == {1}
    again = party.restart()
    assert lasting(again) == lasting(party)
    assert again.act("play", play="e9-e6")["to_act"] == 1
    again.act("resign", seat=1)
    assert (again.kept.winner, again.kept.score_before, again.kept.score_after) == (0, (1, 0), (2, 0))


NEVER = {"act": "do", "at": 1000, "seat": 0, "line": "play 1/2", "help": False}
"""An action that cannot be done."""


def play_and_break(entry=NEVER):
    """Let two play a while, leave in the log what cannot be done again, and restart; return them."""
    party = Party()
    play_both(party, random.Random(5), 40)
    party.site.archive.add_action(party.table, json.dumps(entry).encode())
    party.old_events, party.site = party.events, kill_and_start(party.site)
    party.guests = [party.site.visit()] * 2
    return party


def ask_for(party, do, visitor=None, **token):
    """Ask something of a table; return the error."""
    return (visitor or party.guest).refuse(do, table=party.table, **({"token": party.tokens} | token))


def list_kept(site):
    return {saved.table_id for saved in site.archive.load_tables()}


def test_a_table_that_cannot_be_rebuilt_is_kept_said_and_told_and_harms_no_other(caplog):
    broken = play_and_break()
    whole = Party(site=broken.site)
    plays = [event["text"] for event in broken.old_events if event["kind"] == "play"]
    for _ in range(2):
        broken.site = site = kill_and_start(broken.site)
        broken.guests = [site.visit()] * 2
        code, field, message = ask_for(broken, "join")
        assert (code, field) == ("data_file", "log")
        assert "record" in message
        assert ask_for(broken, "look")[:2] == (code, field)
        assert broken.guest.refuse("act", table=broken.table, act="roll")[:2] == (code, field)
        assert list_kept(site) == {whole.table, broken.table}
        text = broken.guest.get("record", table=broken.table, token=broken.tokens[0])["text"]
        lines = [line for line in text.splitlines() if ": play " in line]
        assert all(line.startswith("; ") for line in lines)
        assert [line.partition(": play ")[2] for line in lines] == plays
        assert "do seat 0 line play 1/2" in text
    assert site.visit().get("join", table=whole.table, token=whole.tokens)["seats"] == [0, 1]
    assert "could not be rebuilt" in caplog.text


def test_what_was_played_at_a_table_that_is_lost_is_told_to_its_players_alone():
    broken = play_and_break()
    guest = broken.guest
    for do in ("join", "look", "record"):
        for token in (None, "x" * 32):
            assert ask_for(broken, do, token=token)[:2] == ("bad_value", "token")
    watch = broken.made["watch"]
    guest.send(json.dumps({"id": 91, "do": "record", "table": broken.table, "token": watch}))
    guest.send(json.dumps({"id": 92, "do": "ping"}))
    broken.site.settle()
    told, pong = guest.hear()
    assert (told["id"], pong["id"]) == (91, 92)
    secrets = [watch, *broken.tokens, *map(hash_token, broken.tokens)]
    secrets += [each.secret for each in broken.site.archive.load_log(broken.table) if each.act == "commit"]
    assert not any(secret in told["text"] for secret in secrets)
    other = Party(site=broken.site)
    assert ask_for(other, "record")[:2] == ("bad_state", "table")
    assert guest.refuse("record", table="nowhere")[:2] == ("bad_value", "table")


def test_the_finished_games_of_a_lost_table_are_a_record_that_programs_read():
    party = Party(length=5, dice="typed")
    for act in ({"act": "dice", "dice": [3, 1]}, {"act": "play", "play": "8/5 6/5"}, {"act": "double"}):
        party.act(**act)
    party.act("drop")
    party.act("next")
    party.site.archive.add_action(party.table, b'{"act":"forfeit","at":1}')
    guest = kill_and_start(party.site).visit()
    ask_for(party, "join", guest)
    text = guest.get("record", table=party.table, token=party.tokens)["text"]
    match = read_matches(text.encode(), name="lost")[0]
    assert (match.names, match.length) == (("Ann", "Bob"), 5)
    assert [game.result.winner for game in match.games] == [1]


def refuse_pubeval(game, player, level):
    if player == "pubeval":
        raise ValueRangeError("there is no player pubeval", field="engine.player")


def test_a_table_whose_engine_is_gone_waits_for_it_and_its_record_needs_none(monkeypatch):
    party = Party(PERSON, {"kind": "engine", "player": "pubeval"})
    party.settle(5.0)
    site = kill_and_start(party.site)
    again = site.visit()
    with monkeypatch.context() as gone:
        gone.setattr(TableGame, "set_player", refuse_pubeval)
        assert "pubeval" in ask_for(party, "join", again)[2]
        text = again.get("record", table=party.table, token=party.tokens)["text"]
        assert "all that was done:" in text
    assert again.get("join", table=party.table, token=party.tokens)["seats"] == [0]
    assert [saved.fault for saved in site.archive.load_tables()] == [""]


@pytest.mark.parametrize(
    ("entry", "record_is_told"),
    [
        ({}, False),
        ({"act": 7}, False),
        ({"act": "do"}, True),
        ({"act": "start", "seeds": []}, False),
        ({"act": "commit", "secret": "x"}, True),
        ([1], False),
    ],
)
def test_any_damage_of_a_log_leaves_the_table_kept_and_its_record_told(entry, record_is_told):
    broken = play_and_break(entry)
    assert ask_for(broken, "join")[1] == "log"
    assert list_kept(broken.site) == {broken.table}
    answer = broken.guest.ask("record", table=broken.table, token=broken.tokens)
    assert answer["ok"] is record_is_told
    assert record_is_told or answer["error"]["code"] == "data_file"


def test_a_lost_table_waits_for_thirty_days():
    broken = play_and_break()
    ask_for(broken, "join")
    for days, is_there in ((29, True), (31, False)):
        later = kill_and_start(broken.site)
        later.now += days * 24 * 3600
        for _ in range(3):
            later.now += 1000
            later.settle()
        assert bool(list_kept(broken.site)) is is_there


def test_who_goes_while_something_is_prepared_for_him_harms_nothing():
    broken = play_and_break()
    whole = Party(site=broken.site)
    site = kill_and_start(broken.site)
    assert site.visit().refuse("act", table=whole.table, act="roll")[:2] == ("bad_value", "table")
    for do, party in (("join", whole), ("join", broken), ("record", broken)):
        guest = site.visit()
        for number in (1, 2):
            guest.send(json.dumps({"id": number, "do": do, "table": party.table, "token": party.tokens[0]}))
        guest.close()
        site.settle()
        assert guest.hear() == []
    assert site.visit().get("join", table=whole.table, token=whole.tokens)["seats"] == [0, 1]


def test_several_visitors_wait_for_a_table_that_is_rebuilt_once():
    made = Party(public=True)
    other = kill_and_start(made.site)
    guests = [other.visit() for _ in range(3)]
    for guest in guests:
        guest.send(json.dumps({"id": 1, "do": "join", "table": made.table}))
        guest.send(json.dumps({"id": 2, "do": "ping"}))
    lister = other.visit()
    lister.send(json.dumps({"id": 1, "do": "list"}))
    assert len(other.pool.waiting) == 2
    assert all(guest.hear() == [] for guest in guests)
    other.settle()
    for guest in guests:
        assert [answer["id"] for answer in guest.hear()] == [1, 2]
    assert [each["table"] for each in lister.hear()[0]["tables"]] == [made.table]
    assert len(other.hub.tables[made.table].members) == 3


def test_what_was_changed_at_a_table_is_so_after_a_restart():
    party = Party(PERSON, ENGINE)
    party.act("pace", ms=1234)
    party.act("pause")
    state = party.restart().state
    assert (state["pace_ms"], state["paused"]) == (1234, True)


def test_tables_that_were_left_long_ago_are_forgotten_some_time_after_the_next_start():
    party = Party()
    other = kill_and_start(party.site)
    other.now += 13 * 3600
    other.settle()
    assert ask_for(party, "join", other.visit())[1] == "table"
    assert not list_kept(other)


def test_a_clock_that_is_wrong_at_the_start_ends_no_table():
    site = Party().site
    kept, wrong_s = list_kept(site), [30 * 24 * 3600.0]
    hub = Hub(site.service, site.pool, lambda: site.now, site.archive, None, lambda: site.now + wrong_s[0])
    for step_s in (100.0, 1000.0):
        for _ in range(10):
            site.now += step_s
            hub.tick()
        wrong_s[0] = 0.0
    assert list_kept(site) == kept


def test_a_server_killed_before_it_kept_the_secret_of_the_next_game_makes_one():
    party = Party()
    party.play(1)
    for act in ("double", "drop"):
        party.act(act)
    log = party.site.archive.logs[party.table]
    assert b"commit" in log.pop()
    again = party.restart()
    assert b"commit" in log[-1]
    assert again.state["fair"]["next_commitment"]
    assert again.act("next")["game_number"] == 2
