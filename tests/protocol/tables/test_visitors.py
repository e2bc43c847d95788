"""Visitors: what they have not read, what they missed, and the caps of the hub."""

from __future__ import annotations

import json

import pytest

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.protocol.commands.table import BACKGAMMON
from gammond.protocol.state import readiness
from gammond.protocol.tables.all_tables import HubLimits
from gammond.protocol.tables.audience import MAX_KEPT_EVENTS
from tests.attacks.positions import WIDE_POSITION
from tests.protocol.tables.visiting import BOB, ENGINE, OPEN, PERSON, Party, Site
from tests.protocol.talking import cool


def come_back(party, after, *tokens):
    """Let a visitor come who has heard the events up to one; a spectator unless it has tokens."""
    visitor = party.site.visit()
    visitor.get("join", table=party.table, token=[*tokens] or party.made["watch"], after=after)
    return visitor


def test_who_comes_back_is_told_what_it_missed_as_long_as_that_is_kept():
    party = Party(dice="typed")
    for number in range(2 * MAX_KEPT_EVENTS):
        party.act("dice", dice=[6, 1 + number % 5])
    last = party.events[-1]["event"]
    for missed in (8, MAX_KEPT_EVENTS):
        back = come_back(party, last - missed)
        told = [(event["event"], event["text"]) for event in back.events]
        assert told == [(event["event"], event["text"]) for event in party.events[-missed:]]
        assert "entry" in back.events[-1]
    assert come_back(party, last).events == []
    for after in (last - MAX_KEPT_EVENTS - 1, -1, last + 1, 10**9):
        back = come_back(party, after)
        assert [event["kind"] for event in back.events] == ["state"]
        assert back.state["history"]


def test_who_comes_back_to_its_turn_is_told_the_legal_plays_again():
    party = Party()
    last, tree = party.events[-1]["event"], party.state["tree"]
    party.guest.close()
    assert tree
    assert come_back(party, last, *party.tokens).state["tree"] == tree


def test_a_spectator_that_does_not_read_is_dropped_and_play_goes_on():
    site = Site(limits=HubLimits(unread_chars=30_000))
    lazy, told = site.visit(), []
    lazy.visitor._on_output = lambda: told.append(lazy.visitor.is_dropped)
    # no person, who is told all plays of a double, which may be as many characters
    party = Party(ENGINE, ENGINE, site=site)
    lazy.send(json.dumps({"do": "join", "table": party.table, "token": party.made["watch"]}))
    while not lazy.visitor.is_dropped:
        number = party.events[-1]["event"]
        party.settle(2.0)
        assert party.events[-1]["event"] > number
    assert told[-1]
    assert lazy.visitor.take_output() == []
    assert lazy.visitor.unread_chars == 0
    assert len(site.hub.tables[party.table].members) == 1
    lazy.send(json.dumps({"do": "ping"}))
    assert lazy.visitor.take_output() == []
    number = party.events[-1]["event"]
    party.settle(2.0)
    assert party.events[-1]["event"] > number


def test_caps_on_tables_and_visitors_are_told():
    site = Site(limits=HubLimits(tables=3, address_tables=2, visitor_seats=1, table_visitors=1))
    guest, stayed, other = (site.visit(f"10.0.0.{number}") for number in (1, 1, 2))
    made = guest.create(PERSON, ENGINE)
    second = guest.get("create", seats=[PERSON, OPEN])
    stayed.get("join", table=second["table"], token=second["tokens"][0])
    assert guest.refuse("create", seats=[PERSON, ENGINE])[:2] == ("limit", "request")
    assert other.refuse("join", table=made["table"], token=made["watch"])[0] == "busy"
    public = other.get("create", seats=[PERSON, ENGINE], public=True)
    assert guest.refuse("join", table=public["table"])[0] == "limit"


def leave_in_order(site, *tables, address="10.0.0.1"):
    """Create tables, one a second, and leave each; return their names."""
    names = []
    for seats, fields in tables:
        guest = site.visit(address)
        names.append(guest.create(*seats, **fields)["table"])
        if fields.get("variant") == "barca":
            guest.get("act", table=names[-1], act="resign")
        guest.get("leave", table=names[-1])
        site.now += 1.0
    site.now += HubLimits().fresh_s
    return names


def test_for_want_of_room_that_table_ends_first_at_which_least_is_lost():
    site = Site(limits=HubLimits(tables=6))
    two = [PERSON, BOB]
    kinds = (two, {}), ([PERSON, ENGINE], {}), ([PERSON, ENGINE], {}), (two, {"variant": "barca"})
    friends, engine, later, over, unused = leave_in_order(site, *kinds, ([PERSON, OPEN], {}))
    present = site.visit()
    kept = present.create(*two)["table"]
    for gone in (over, unused, engine, later, friends):
        assert gone in site.hub.tables
        present.create(*two)
        assert gone not in site.hub.tables
    assert kept in site.hub.tables
    assert present.refuse("create", seats=two)[:2] == ("busy", "request")


def test_one_address_makes_room_for_itself_and_never_takes_that_of_others():
    site = Site(limits=HubLimits(tables=100, address_tables=5))
    (others,) = leave_in_order(site, ([PERSON, ENGINE], {}), address="10.0.0.2")
    for _ in range(6):
        greedy = leave_in_order(site, *(([PERSON, OPEN], {}) for _ in range(5)))
    assert set(site.hub.tables) == {others, *greedy}


def test_a_table_that_was_made_or_left_just_now_makes_no_room():
    site = Site(limits=HubLimits(tables=2))
    first, second = site.visit("10.0.0.1"), site.visit("10.0.0.2")
    made = [first.get("create", seats=[PERSON, OPEN]) for _ in range(2)]
    assert second.refuse("create", seats=[PERSON, OPEN])[0] == "busy"
    first.get("join", table=made[0]["table"], token=made[0]["tokens"][0])
    site.now += HubLimits().fresh_s
    second.get("create", seats=[PERSON, OPEN])
    assert made[0]["table"] in site.hub.tables
    assert made[1]["table"] not in site.hub.tables


def test_tables_that_are_made_faster_than_they_may_end_end_no_game_of_two_persons():
    site = Site(limits=HubLimits(tables=3))
    (friends,) = leave_in_order(site, ([PERSON, BOB], {}))
    flood = site.visit("10.0.0.2")
    for _ in range(2):
        made = flood.create(PERSON, ENGINE)["table"]
        flood.get("leave", table=made)
    assert flood.refuse("create", seats=[PERSON, ENGINE])[0] == "busy"
    assert friends in site.hub.tables
    site.now += HubLimits().fresh_s
    flood.create(PERSON, ENGINE)
    assert friends in site.hub.tables


def test_tables_of_before_the_start_make_room_as_others_do():
    site = Site()
    names = leave_in_order(site, ([PERSON, BOB], {}), ([PERSON, ENGINE], {}), ([PERSON, ENGINE], {}))
    other = Site(site.archive, HubLimits(tables=3))
    other.now += 100.0
    guest = other.visit()
    for left in (names[0], names[2]), (names[0],), ():
        guest.create(PERSON, BOB)
        assert {saved.table_id for saved in site.archive.load_tables()} - set(other.hub.tables) == set(left)


def test_a_game_against_an_engine_that_nobody_is_at_ends_after_half_an_hour():
    site = Site()
    guest = site.visit()
    left, there, friends = (guest.create(PERSON, other)["table"] for other in (ENGINE, ENGINE, BOB))
    site.settle(3600.0)
    for table in (left, friends):
        guest.get("leave", table=table)
    site.now += 1799
    site.settle()
    assert set(site.hub.tables) == {left, there, friends}
    site.now += 2
    site.settle()
    assert set(site.hub.tables) == {there, friends}


def test_the_longest_logs_give_way_and_their_tables_go_on():
    long = Party()
    site = long.site
    long.play(30)
    short = Party(site=site).table
    site.hub.all_tables.limits = HubLimits(log_bytes=site.hub.tables[long.table].log.size_bytes)
    site.now += 2.0
    site.settle()
    assert [saved.table_id for saved in site.archive.load_tables()] == [short]
    long.play(5)
    assert [saved.table_id for saved in site.archive.load_tables()] == [short]
    other = Site(site.archive, HubLimits(log_bytes=10))
    other.now += 2.0
    other.settle()
    assert site.archive.load_tables() == []


def test_pauses_paces_and_links_that_are_used_again_make_no_log_longer():
    site = Site()
    ann, bob = site.visit(), site.visit()
    made = ann.create(PERSON, OPEN)
    link = {"table": made["table"], "token": made["tokens"][1]}
    for number in range(50):
        bob.get("join", **link, name=f"Bob {number}")
        bob.get("leave", table=made["table"])
    alone = ann.create(PERSON, ENGINE)["table"]
    for number in range(50):
        ann.get("act", table=alone, act="pause")
        ann.get("act", table=alone, act="pace", ms=number)
        ann.get("act", table=alone, act="resume")
    logs = [site.archive.load_log(saved.table_id) for saved in site.archive.load_tables()]
    assert [len(log) < 5 for log in logs] == [True, True]


def test_tables_end_when_nothing_is_done_at_them_and_soon_when_the_match_is_over():
    site = Site()
    guest = site.visit()
    idle = guest.create(PERSON, BOB)["table"]
    over = guest.create(PERSON, BOB, variant="barca")["table"]
    guest.get("act", table=over, act="resign")
    site.now += 2 * 3600
    site.settle()
    guest.hear()
    assert guest.events[-1]["kind"] == "ended"
    assert set(site.hub.tables) == {idle}
    site.now += 11 * 3600
    site.settle()
    assert not site.hub.tables
    assert site.archive.load_tables() == []
    assert len(site.archive.games) == 1
    assert guest.refuse("act", table=idle, act="roll")[1] == "table"


def test_the_requests_of_a_visitor_wait_while_its_game_is_loaded():
    site = Site()
    guest = site.visit()
    guest.send(json.dumps({"id": 1, "do": "create", "seats": [PERSON, ENGINE]}))
    guest.send(json.dumps({"id": 2, "do": "ping"}))
    assert guest.hear() == []
    other = site.visit()
    assert other.get("ping")["ok"]
    site.settle()
    assert [answer["id"] for answer in guest.hear()] == [1, 2]


def test_a_visitor_that_sends_on_and_on_while_it_waits_is_dropped():
    site = Site()
    guest = site.visit()
    guest.send(json.dumps({"id": 1, "do": "create", "seats": [PERSON, ENGINE]}))
    for _ in range(100):
        guest.send(json.dumps({"id": 2, "do": "ping"}))
    assert guest.visitor.is_dropped
    site.settle()
    assert guest.hear() == []


def test_tables_of_a_game_wait_until_it_is_ready_and_a_failure_is_the_answer_to_all(monkeypatch):
    loads, faults, site = [], [DataFileError("no compiler")], Site()

    def load():
        loads.append(True)
        if faults:
            raise faults[0]

    cool(monkeypatch, BACKGAMMON.readiness, load)
    guest, other = site.visit(), site.visit()
    for _ in range(2):
        assert guest.refuse("create", seats=[PERSON, BOB])[0] == "data_file"
        assert other.refuse("create", seats=[PERSON, BOB])[2] == "no compiler"
    assert len(loads) == 1
    faults.clear()
    monkeypatch.setattr(readiness, "FAILURE_S", 0.0)
    assert guest.create(PERSON, BOB)["table"]
    assert other.create(PERSON, BOB)["table"]
    assert len(loads) == 2


def test_a_visitor_that_goes_leaves_all_its_tables():
    site = Site()
    guest = site.visit()
    tables = [guest.create(PERSON, ENGINE)["table"] for _ in range(3)]
    guest.get("leave", table=tables[0])
    guest.close()
    assert not any(site.hub.tables[table].members for table in tables)


@pytest.fixture
def wide():
    """Ann, who plays both sides, at a table where a wide double is rolled, and a spectator."""
    party = Party(position=WIDE_POSITION, dice="typed")
    watcher = come_back(party, None)
    roll = {"id": 90, "do": "act", "table": party.table, "act": "dice", "dice": [1, 1]}
    seat = party.state["to_act"]
    party.guest.send(json.dumps(roll))
    return party, watcher, seat


def test_a_worker_lists_the_plays_of_a_wide_double_and_who_acts_gets_everything_in_order(wide):
    party, watcher, _ = wide
    ann = party.guest
    assert ann.visitor.take_output() == []  # the roll comes with its plays, and the answer after it
    watcher.hear()
    assert (watcher.state["phase"], watcher.state["tree"]) == ("play", None)
    ann.send(json.dumps({"id": 91, "do": "ping"}))
    assert ann.visitor.take_output() == []
    party.site.pool.run()
    frames = [json.loads(frame) for frame in ann.visitor.take_output()]
    assert [frame.get("kind", frame.get("id")) for frame in frames] == ["dice", 90, 91]
    plays = [node["play"] for node in frames[0]["state"]["tree"] if node["play"] is not None]
    assert len(plays) == 2211
    ann.get("act", table=party.table, act="play", play=plays[0])


def test_who_comes_while_the_plays_are_listed_gets_them_too_once_they_are_found(wide):
    party, _, seat = wide
    works = len(party.site.pool.waiting)
    for place, token in enumerate(party.tokens):
        again = party.site.visit()
        again.send(json.dumps({"id": 1, "do": "join", "table": party.table, "token": token}))
        assert len(party.site.pool.waiting) == works
        again.hear()
        assert (again.state["tree"] is not None) == (place == seat)
        works = 0


def test_plays_that_are_not_wanted_any_more_come_with_the_roll_that_they_were_for(wide):
    party, watcher, seat = wide
    back = {"id": 91, "do": "act", "table": party.table, "act": "go_back", "to": 1, "seat": seat}
    party.guest.send(json.dumps(back))
    watcher.hear()
    assert watcher.state["phase"] == "roll"
    party.site.pool.run()
    frames = map(json.loads, party.guest.visitor.take_output())
    trees = {frame["kind"]: frame["state"]["tree"] for frame in frames if "kind" in frame}
    assert len(trees["dice"]) > 2211
    assert trees["go_back"] is None


def test_a_search_for_plays_that_fails_leaves_the_table_without_them_and_says_so(wide, caplog):
    party, *_ = wide
    _, on_done, _ = party.site.pool.waiting.pop()
    on_done(MemoryError("no room"))
    assert (party.state["phase"], party.state["tree"]) == ("play", None)
    assert "no room" in caplog.text


def test_a_worker_looks_up_whose_names_are_before_a_table_is_made_or_a_seat_taken():
    site, asked = Site(), []

    def check(name):
        asked.append(name)
        if name == "Cleo":
            raise ValueRangeError("this name has an account", field="name")
        return f"account of {name}"

    guest = site.visit(check_name=check)
    guest.send(json.dumps({"id": 1, "do": "create", "seats": [PERSON, OPEN]}))
    guest.send(json.dumps({"id": 2, "do": "ping"}))
    while site.pool.waiting and not asked:
        assert not guest.hear()
        assert not site.hub.tables
        site.pool.run()
    made, ping = guest.hear()
    assert (asked, ping["id"]) == (["Ann"], 2)
    table = site.hub.tables[made["table"]]
    assert table.seats.owners[0] == "account of Ann"
    join = {"do": "join", "table": made["table"], "token": made["tokens"][1]}
    other = site.visit(check_name=check)
    assert other.refuse(**join, name="Cleo")[:2] == ("bad_value", "name")
    other.get(**join, name="Bob")
    assert asked == ["Ann", "Cleo", "Bob"]
    assert table.seats.owners == ("account of Ann", "account of Bob")
