"""Every act at a table, and every reason to refuse it."""

from __future__ import annotations

import json
import random

import pytest

from gammond.protocol.tables.actions import ACTS
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Site, play_at_random

BOB = {"kind": "person", "name": "Bob"}
TYPED = {"dice": "typed"}


@pytest.fixture
def site():
    return Site()


class Alone:
    """One person with both seats of a table."""

    def __init__(self, site, *seats, **fields):
        self.guest = site.visit()
        self.made = self.guest.create(*(seats or (PERSON, BOB)), **fields)
        self.table = self.made["table"]

    @property
    def state(self):
        self.guest.hear()
        return self.guest.states[self.table]

    def act(self, act, **fields):
        self.guest.get("act", table=self.table, act=act, **fields)
        return self.state

    def refuse(self, act, **fields):
        return self.guest.refuse("act", table=self.table, act=act, **fields)

    @property
    def history(self):
        self.guest.get("leave", table=self.table)
        tokens = [token for token in self.made["tokens"] if token]
        self.guest.get("join", table=self.table, token=tokens)
        return self.guest.state["history"]


def opened(site, **fields):
    """A table with typed dice after the opening 3-1 of seat 0."""
    alone = Alone(site, **TYPED, **fields)
    alone.act("dice", dice=[3, 1])
    return alone


def at_roll(site, **fields):
    """A table with typed dice where seat 1 is to roll."""
    alone = opened(site, **fields)
    alone.act("play", play="8/5 6/5")
    return alone


def test_a_play_is_made_as_typed_in_any_notation(site):
    alone = opened(site)
    state = alone.act("play", play=" 6-5, 8/5 ")
    assert state["phase"] == "roll"
    assert state["to_act"] == 1
    assert alone.guest.events[-1]["text"] == "8/5 6/5"
    assert state["checkers"][0][5] == 2
    assert state["pips"] == [163, 167]


@pytest.mark.parametrize(
    "fields",
    [
        {"length": 1},
        {"length": 3, "position": "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:1:0:0:3:10"},
        {"length": 5, "position": "XGID=-b----E-C---eE---c-e----B-:2:1:1:00:2:1:0:5:10"},
    ],
)
def test_a_double_that_the_state_does_not_offer_is_refused(site, fields):
    alone = Alone(site, **TYPED, **fields)
    if alone.state["to_act"] is None:
        alone.act("dice", dice=[3, 1])
        alone.act("play", play="8/5 6/5")
    state = alone.state
    assert (state["phase"], state["cube"]["may_double"]) == ("roll", False)
    assert alone.refuse("double")[:2] == ("bad_state", "act")
    assert alone.state == state


def test_an_illegal_play_is_refused_in_the_words_of_the_rules_and_changes_nothing(site):
    alone = opened(site)
    before = alone.state
    code, field, message = alone.refuse("play", play="8/4 6/5")
    assert (code, field) == ("bad_value", "play")
    assert "8/4" in message
    assert alone.state == before


@pytest.mark.parametrize("text", ["", "double", "resign single", "take", None, "\n", "x" * 300])
def test_what_is_no_play_of_checkers_is_refused_as_one(site, text):
    alone = opened(site)
    assert alone.refuse("play", play=text)[1] in ("play", "act")


def test_the_cube_is_offered_taken_beavered_and_passed(site):
    alone = at_roll(site)
    assert alone.state["cube"]["may_double"]
    state = alone.act("double")
    assert (state["phase"], state["to_act"]) == ("response", 0)
    assert state["cube"]["offered"]
    assert state["cube"]["may_beaver"]
    state = alone.act("beaver")
    assert (state["phase"], state["to_act"]) == ("response", 1)
    assert state["cube"]["beavered"]
    assert not state["cube"]["may_beaver"]
    state = alone.act("take")
    assert state["cube"] == {
        "value": 4,
        "owner": 0,
        "offered": False,
        "beavered": False,
        "may_double": False,
        "may_beaver": False,
    }
    assert (state["phase"], state["to_act"]) == ("roll", 1)
    assert alone.refuse("double")[:2] == ("bad_state", "cube")


def test_a_dropped_cube_ends_the_game_and_the_next_one_begins(site):
    alone = at_roll(site, length=3)
    alone.act("double")
    state = alone.act("drop")
    assert state["phase"] == "over"
    assert state["result"] == {"winner": 1, "points": 1, "kind": "single"}
    assert state["score"] == [0, 1]
    assert [event["kind"] for event in alone.guest.events[-2:]] == ["drop", "over"]
    assert alone.refuse("roll")[0] == "bad_state"
    state = alone.act("next")
    assert state["games"] == [{"winner": 1, "points": 1, "kind": "single"}]
    assert state["game_number"] == 2
    assert state["to_act"] is None


def test_the_crawford_game_has_no_cube_unless_the_table_is_without_the_rule(site):
    for rule in (True, False):
        alone = at_roll(site, length=2, crawford=rule)
        alone.act("double")
        alone.act("drop")
        alone.act("next")
        alone.act("dice", dice=[1, 3])
        state = alone.act("play", play="8/5 6/5")
        assert state["crawford"] is rule
        assert state["cube"]["may_double"] is not rule
        assert (alone.guest.ask("act", table=alone.table, act="double")["ok"]) is not rule


def test_without_a_cube_nobody_doubles(site):
    alone = at_roll(site, cube=False)
    assert alone.state["cube"] is None
    assert alone.refuse("double")[0] == "unsupported"


def test_the_jacoby_rule_is_that_of_the_table(site):
    for rule, points in ((True, 1), (False, 2)):
        alone = at_roll(site, jacoby=rule)
        alone.act("resign", points=2)
        assert alone.act("accept")["result"]["points"] == points


def test_a_resignation_is_rejected_or_accepted_by_the_other_side(site):
    alone = at_roll(site)
    state = alone.act("resign", points=2)
    assert (state["phase"], state["to_act"], state["resignation"]) == ("resignation", 0, 2)
    assert alone.refuse("roll")[0] == "bad_state"
    assert alone.act("reject")["phase"] == "roll"
    alone.act("resign", points=1)
    assert alone.act("accept")["result"] == {"winner": 0, "points": 1, "kind": "single"}
    assert alone.refuse("resign", points=1)[0] == "bad_state"


@pytest.mark.parametrize("points", [0, 4, -1])
def test_a_resignation_of_other_points_is_refused(site, points):
    assert at_roll(site).refuse("resign", points=points)[:2] == ("bad_value", "points")


def test_typed_dice_begin_and_go_on_with_a_game(site):
    alone = Alone(site, **TYPED)
    assert alone.state["fair"] is None
    assert alone.refuse("roll")[0] == "bad_state"
    assert alone.refuse("dice")[:2] == ("bad_value", "dice")
    assert alone.refuse("dice", dice=[3, 3])[:2] == ("bad_value", "dice")
    assert alone.refuse("dice", dice=[0, 7])[:2] == ("bad_value", "dice")
    state = alone.act("dice", dice=[2, 5])
    assert (state["to_act"], sorted(state["dice"])) == (1, [2, 5])
    assert alone.act("dice", dice=[6, 1])["to_act"] == 0


def test_typed_dice_for_an_engine_come_once_it_has_decided_to_roll(site):
    alone = Alone(site, PERSON, ENGINE, **TYPED)
    alone.act("dice", dice=[3, 1])
    alone.act("play", play="8/5 6/5")
    assert alone.refuse("dice", dice=[5, 2])[0] == "bad_state"
    site.settle(2.0)
    assert alone.state["awaits_dice"]
    alone.act("dice", dice=[5, 2])
    site.settle(2.0)
    assert alone.state["to_act"] == 0
    assert not alone.state["awaits_dice"]


def test_the_servers_dice_are_not_typed(site):
    alone = Alone(site)
    alone.act("play", play=first_play(alone.state))
    assert alone.refuse("dice", dice=[6, 6])[0] == "bad_state"


def first_play(state):
    at = 0
    while state["tree"][at]["moves"]:
        at = state["tree"][at]["moves"][0][2]
    return state["tree"][at]["play"]


def test_the_server_rolls_by_itself_for_who_may_not_double(site):
    alone = Alone(site, auto_roll=True, cube=False)
    alone.act("play", play=first_play(alone.state))
    assert alone.state["phase"] == "play"
    assert [event["kind"] for event in alone.guest.events[-2:]] == ["play", "roll"]


def test_undo_and_redo_go_over_the_persons_last_decision(site):
    alone = opened(site)
    start = alone.state
    alone.act("play", play="8/5 6/5")
    alone.act("dice", dice=[6, 4])
    state = alone.act("undo")
    assert (state["phase"], state["to_act"], state["dice"]) == ("play", 0, start["dice"])
    assert state["xgid"] == start["xgid"]
    assert [entry["kind"] for entry in state["history"]] == ["dice"]
    assert state["can_redo"]
    state = alone.act("redo")
    assert (state["phase"], state["to_act"], sorted(state["dice"])) == ("play", 1, [4, 6])
    assert alone.refuse("redo")[0] == "bad_state"
    assert [entry["kind"] for entry in alone.history] == ["dice", "play", "dice"]


def test_undo_against_an_engine_takes_its_answer_back_too(site):
    alone = Alone(site, PERSON, ENGINE, cube=False)
    site.settle(2.0)
    if alone.state["phase"] == "roll":
        alone.act("roll")
    before = alone.state
    alone.act("play", play=first_play(before))
    site.settle(5.0)
    assert alone.state["to_act"] == 0
    after = alone.act("undo")
    assert after["xgid"] == before["xgid"]
    assert after["dice"] == before["dice"]
    site.settle(5.0)
    assert alone.state["xgid"] == before["xgid"]


def test_undo_while_the_engine_thinks_forgets_what_it_decides(site):
    alone = Alone(site, PERSON, ENGINE, cube=False)
    site.settle(2.0)
    if alone.state["phase"] == "roll":
        alone.act("roll")
    before = alone.state
    play = {"do": "act", "table": alone.table, "act": "play", "play": first_play(before)}
    alone.guest.send(json.dumps(play))
    assert site.pool.waiting
    alone.guest.send(json.dumps({"do": "act", "table": alone.table, "act": "undo"}))
    site.settle(5.0)
    assert alone.state["xgid"] == before["xgid"]
    assert alone.state["to_act"] == 0


def test_nothing_is_undone_before_a_decision_or_where_the_table_forbids_it(site):
    assert opened(site).refuse("undo")[0] == "bad_state"
    strict = at_roll(site, undo=False)
    for act in ("undo", "redo"):
        assert strict.refuse(act)[0] == "bad_state"
    assert strict.refuse("go_back", to=1)[0] == "bad_state"
    assert not strict.state["can_undo"]


def test_go_back_sets_the_table_as_it_was_before_an_action(site):
    alone = opened(site)
    places = [alone.state["xgid"]]
    alone.act("play", play="8/5 6/5")
    alone.act("dice", dice=[6, 4])
    alone.act("play", play="24/14")
    entries = alone.history
    assert [entry["n"] for entry in entries] == [1, 2, 3, 4]
    for entry in reversed(entries[1:]):
        state = alone.act("go_back", to=entry["n"])
        assert state["xgid"] == entry["xgid_before"]
    assert state["xgid"] == places[0]
    assert alone.refuse("go_back", to=99)[:2] == ("bad_value", "to")
    assert alone.refuse("go_back")[:2] == ("bad_value", "to")
    alone.act("play", play="24/23 24/21")
    assert alone.refuse("redo")[0] == "bad_state"


def make_two(site, **fields):
    ann, bob = site.visit(), site.visit()
    made = ann.get("create", seats=[PERSON, BOB], **fields)
    ann.get("join", table=made["table"], token=made["tokens"][0])
    bob.get("join", table=made["table"], token=made["tokens"][1])
    ann.hear()
    return made["table"], [ann, bob]


def test_between_two_people_the_other_has_to_agree_to_undo(site):
    table, guests = make_two(site, dice="typed")
    ann, bob = guests
    ann.get("act", table=table, act="dice", dice=[3, 1])
    before = ann.state
    ann.get("act", table=table, act="play", play="8/5 6/5")
    ann.get("act", table=table, act="undo")
    bob.hear()
    assert bob.state["request"] == {"seat": 0, "what": "undo"}
    assert ann.refuse("act", table=table, act="agree")[0] == "bad_state"
    bob.get("act", table=table, act="refuse")
    assert bob.state["request"] is None
    assert bob.refuse("act", table=table, act="agree")[0] == "bad_state"
    ann.get("act", table=table, act="undo")
    bob.get("act", table=table, act="agree")
    ann.hear()
    assert ann.state["xgid"] == before["xgid"]
    ann.get("act", table=table, act="redo")
    bob.get("act", table=table, act="agree")
    assert bob.state["to_act"] == 1


def test_a_request_lapses_with_the_next_action(site):
    table, (ann, bob) = make_two(site, dice="typed")
    ann.get("act", table=table, act="dice", dice=[3, 1])
    ann.get("act", table=table, act="play", play="8/5 6/5")
    ann.get("act", table=table, act="undo")
    bob.get("act", table=table, act="dice", dice=[6, 1])
    assert bob.state["request"] is None
    assert bob.refuse("act", table=table, act="agree")[0] == "bad_state"


def test_help_is_given_to_who_plays_alone_and_is_told_in_the_record(site):
    alone = Alone(site, PERSON, ENGINE, length=1)
    site.settle(2.0)
    for _ in range(2000):
        if alone.state["phase"] == "finished":
            break
        if alone.state["to_act"] == 0:
            alone.act("hint_play")
        site.settle(1.0)
    assert alone.state["phase"] == "finished"
    (game,) = site.archive.games.values()
    assert game.has_help


@pytest.mark.parametrize("has_help", [True, False])
def test_a_play_that_an_engine_chose_is_told_so_in_the_record(site, has_help):
    alone = Alone(site, PERSON, ENGINE, length=1)
    site.settle(2.0)
    for _ in range(2000):
        state = alone.state
        if state["phase"] == "finished":
            break
        if state["to_act"] == 0 and state["phase"] == "play":
            whole = next(node["play"] for node in state["tree"] if node["play"] is not None)
            alone.act("play", play=whole, help=has_help)
        elif state["to_act"] == 0:
            alone.act({"roll": "roll", "resignation": "accept"}[state["phase"]])
        site.settle(1.0)
    (game,) = site.archive.games.values()
    assert game.has_help == has_help


def test_no_help_is_given_between_two_people(site):
    table, guests = make_two(site)
    mover = guests[guests[0].state["to_act"]]
    assert mover.refuse("act", table=table, act="hint_play")[0] == "bad_state"


def test_engines_are_steered_by_who_watches_with_the_link(site):
    guest = site.visit()
    table = guest.create(ENGINE, ENGINE, public=True)["table"]
    guest.get("act", table=table, act="pause")
    count = len(guest.events)
    site.settle(30.0)
    guest.hear()
    assert len(guest.events) == count
    assert guest.state["paused"]
    guest.get("act", table=table, act="pace", ms=2000)
    guest.get("act", table=table, act="resume")
    site.settle(9.0)
    guest.hear()
    slow = len(guest.events)
    guest.get("act", table=table, act="pace", ms=0)
    site.settle(9.0)
    guest.hear()
    assert len(guest.events) - slow > 2 * (slow - count)
    assert guest.refuse("act", table=table, act="pace", ms=-1)[:2] == ("bad_value", "ms")
    assert guest.refuse("act", table=table, act="pace")[:2] == ("bad_value", "ms")
    stranger = site.visit()
    stranger.get("join", table=table)
    assert stranger.refuse("act", table=table, act="resume")[0] == "bad_state"


def test_two_people_cannot_pause_their_clock(site):
    table, (ann, _) = make_two(site, clock={"bank_s": 60})
    assert ann.refuse("act", table=table, act="pause")[0] == "bad_state"


def test_an_engine_moves_no_sooner_than_the_pace_of_the_table(site):
    alone = Alone(site, PERSON, ENGINE, pace_ms=2000, cube=False)
    site.settle(10.0)
    if alone.state["phase"] == "roll":
        alone.act("roll")
    alone.act("play", play=first_play(alone.state))
    site.settle(1.5)
    assert alone.state["to_act"] == 1
    assert alone.state["phase"] == "roll"
    site.settle(0.5)
    assert alone.state["phase"] == "play"


def test_resigning_in_barca_ends_the_game_for_good(site):
    alone = Alone(site, PERSON, {"kind": "engine", "level": "easy"}, variant="barca")
    state = alone.act("resign")
    assert state["phase"] == "finished"
    assert state["result"] == {"winner": 1, "points": 1, "kind": "resignation"}
    assert alone.refuse("undo")[0] == "bad_state"
    for act in ("double", "roll", "dice", "take"):
        assert alone.refuse(act)[0] == "bad_state"


def test_barca_has_no_cube_and_no_dice(site):
    alone = Alone(site, PERSON, BOB, variant="barca")
    for act in ("double", "roll", "take", "accept"):
        assert alone.refuse(act)[:2] == ("unsupported", "act")
    alone.act("play", play="e2-e5")
    state = alone.state
    assert (state["to_act"], state["last_move"]) == (1, "e2-e5")
    assert alone.refuse("play", play="e2-e5")[0] == "bad_value"
    assert alone.act("undo")["last_move"] is None


def test_an_unknown_act_is_refused_with_the_one_that_may_be_meant(site):
    alone = opened(site)
    code, field, message = alone.refuse("rol")
    assert (code, field) == ("unsupported", "act")
    assert "roll" in message
    assert alone.refuse("x" * 1000)[0] == "unsupported"


@pytest.mark.parametrize("act", ACTS)
def test_every_act_is_refused_before_the_game_and_after_the_match(site, act):
    guest = site.visit()
    made = guest.create(PERSON, OPEN)
    assert guest.ask("act", table=made["table"], act=act, to=1, ms=10)["ok"] is False
    alone = at_roll(site, length=1)
    alone.act("resign")
    alone.act("accept")
    assert alone.state["phase"] == "finished"
    may_go_back = act in ("undo", "go_back", "pause", "resume", "pace")
    assert alone.guest.ask("act", table=alone.table, act=act, to=1, ms=10)["ok"] is may_go_back


def test_an_engine_that_fails_says_so_and_tries_again_when_asked(site):
    alone = Alone(site, PERSON, ENGINE, cube=False)
    site.settle(3.0)
    if alone.state["phase"] == "roll":
        alone.act("roll")
    asked = site.pool.run
    site.pool.run = lambda: fail_all(site.pool)
    alone.act("play", play=first_play(alone.state))
    site.settle(3.0)
    assert alone.state["paused"]
    assert alone.guest.events[-1]["kind"] == "trouble"
    site.pool.run = asked
    alone.act("resume")
    site.settle(5.0)
    assert alone.state["to_act"] == 0


def fail_all(pool):
    waiting, pool.waiting = pool.waiting, []
    for _, on_done, _ in waiting:
        on_done(MemoryError("none left"))


def test_any_walk_through_a_game_can_be_undone_to_its_beginning(site):
    alone = Alone(site, undo=True)
    start, rng = alone.state["xgid"], random.Random(11)
    for _ in range(60):
        alone.guest.hear()
        if alone.state["phase"] == "over":
            break
        play_at_random(alone.guest, alone.table, rng, seats=(0, 1))
    while alone.state["can_undo"]:
        alone.act("undo")
    assert alone.state["xgid"] == start
