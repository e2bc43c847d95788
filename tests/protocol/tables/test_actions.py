"""Every act at a table, and every reason to refuse it."""

from __future__ import annotations

import json
import random

import pytest

from gammond.protocol.tables.actions import ACTS
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Party, find_first_play, play_at_random


def opened(**fields):
    """A table with typed dice after the opening 3-1 of seat 0."""
    party = Party(dice="typed", **fields)
    party.act("dice", dice=[3, 1])
    return party


def at_roll(**fields):
    """A table with typed dice where seat 1 is to roll."""
    party = opened(**fields)
    party.act("play", play="8/5 6/5")
    return party


def against_engine(**fields):
    """A table against an engine without a cube, where the person is to play."""
    party = Party(PERSON, ENGINE, cube=False, **fields)
    if party.settle(10.0)["phase"] == "roll":
        party.act("roll")
    return party


def test_a_play_is_made_as_typed_in_any_notation():
    party = opened()
    state = party.act("play", play=" 6-5, 8/5 ")
    assert (state["phase"], state["to_act"], state["pips"]) == ("roll", 1, [163, 167])
    assert party.events[-1]["text"] == "8/5 6/5"
    assert state["checkers"][0][5] == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"length": 1},
        {"length": 3, "position": "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:1:0:0:3:10"},
        {"length": 5, "position": "XGID=-b----E-C---eE---c-e----B-:2:1:1:00:2:1:0:5:10"},
    ],
)
def test_a_double_that_the_state_does_not_offer_is_refused(fields):
    party = Party(dice="typed", **fields) if "position" in fields else at_roll(**fields)
    state = party.state
    assert (state["phase"], state["cube"]["may_double"]) == ("roll", False)
    assert party.refuse("double")[:2] == ("bad_state", "act")
    assert party.state == state


def test_an_illegal_play_is_refused_in_the_words_of_the_rules_and_changes_nothing():
    party = opened()
    before = party.state
    code, field, message = party.refuse("play", play="8/4 6/5")
    assert (code, field) == ("bad_value", "play")
    assert "8/4" in message
    assert party.state == before


@pytest.mark.parametrize("text", ["", "double", "resign single", "take", None, "\n", "x" * 300])
def test_what_is_no_play_of_checkers_is_refused_as_one(text):
    assert opened().refuse("play", play=text)[1] in ("play", "act")


def test_the_cube_is_offered_taken_beavered_and_passed():
    party = at_roll()
    assert party.state["cube"]["may_double"]
    state = party.act("double")
    assert (state["phase"], state["to_act"]) == ("response", 0)
    assert state["cube"]["offered"]
    assert state["cube"]["may_beaver"]
    state = party.act("beaver")
    assert (state["phase"], state["to_act"]) == ("response", 1)
    assert state["cube"]["beavered"]
    assert not state["cube"]["may_beaver"]
    state = party.act("take")
    cube = {"value": 4, "owner": 0, "offered": False, "beavered": False, "may_double": False}
    assert state["cube"] == {**cube, "may_beaver": False}
    assert (state["phase"], state["to_act"]) == ("roll", 1)
    assert party.refuse("double")[:2] == ("bad_state", "cube")
    assert [event["kind"] for event in party.events[-3:]] == ["double", "beaver", "take"]


def test_a_dropped_cube_ends_the_game_and_the_next_one_begins():
    party = at_roll(length=3)
    party.act("double")
    state = party.act("drop")
    assert (state["phase"], state["score"]) == ("over", [0, 1])
    assert state["result"] == {"winner": 1, "points": 1, "kind": "single"}
    assert [event["kind"] for event in party.events[-2:]] == ["drop", "over"]
    assert party.refuse("roll")[0] == "bad_state"
    state = party.act("next")
    assert state["games"] == [{"winner": 1, "points": 1, "kind": "single"}]
    assert (state["game_number"], state["to_act"]) == (2, None)


@pytest.mark.parametrize("rule", [True, False])
def test_the_crawford_game_has_no_cube_unless_the_table_is_without_the_rule(rule):
    party = at_roll(length=2, crawford=rule)
    for act in ("double", "drop", "next"):
        party.act(act)
    party.act("dice", dice=[1, 3])
    state = party.act("play", play="8/5 6/5")
    assert (state["crawford"], state["cube"]["may_double"]) == (rule, not rule)
    assert party.guest.ask("act", table=party.table, act="double")["ok"] is not rule


def test_without_a_cube_nobody_doubles():
    party = at_roll(cube=False)
    assert party.state["cube"] is None
    assert party.refuse("double")[0] == "unsupported"


@pytest.mark.parametrize(("rule", "points"), [(True, 1), (False, 2)])
def test_the_jacoby_rule_is_that_of_the_table(rule, points):
    party = at_roll(jacoby=rule)
    party.act("resign", points=2)
    assert party.act("accept")["result"]["points"] == points


def test_a_resignation_is_rejected_or_accepted_by_the_other_side():
    party = at_roll()
    state = party.act("resign", points=2)
    assert (state["phase"], state["to_act"], state["resignation"]) == ("resignation", 0, 2)
    assert party.refuse("roll")[0] == "bad_state"
    assert party.act("reject")["phase"] == "roll"
    for points in (0, 4, -1):
        assert party.refuse("resign", points=points)[:2] == ("bad_value", "points")
    assert party.give_up()["result"] == {"winner": 0, "points": 1, "kind": "single"}
    kinds = [event["kind"] for event in party.events[-5:]]
    assert kinds == ["resign", "reject", "resign", "accept", "over"]
    assert party.refuse("resign", points=1)[0] == "bad_state"


def test_typed_dice_begin_and_go_on_with_a_game():
    party = Party(dice="typed")
    assert party.state["fair"] is None
    assert party.refuse("roll")[0] == "bad_state"
    for dice in (None, [3, 3], [0, 7]):
        assert party.refuse("dice", dice=dice)[:2] == ("bad_value", "dice")
    state = party.act("dice", dice=[2, 5])
    assert (state["to_act"], sorted(state["dice"])) == (1, [2, 5])
    assert party.act("dice", dice=[6, 1])["to_act"] == 0


def test_typed_dice_for_an_engine_come_once_it_has_decided_to_roll():
    party = Party(PERSON, ENGINE, dice="typed")
    party.act("dice", dice=[3, 1])
    party.act("play", play="8/5 6/5")
    assert party.refuse("dice", dice=[5, 2])[0] == "bad_state"
    assert party.settle(2.0)["awaits_dice"]
    party.act("dice", dice=[5, 2])
    state = party.settle(2.0)
    assert (state["to_act"], state["awaits_dice"]) == (0, False)


def test_the_servers_dice_are_not_typed():
    party = Party()
    party.play(1)
    assert party.refuse("dice", dice=[6, 6])[0] == "bad_state"


def test_the_server_rolls_by_itself_for_who_may_not_double():
    party = Party(auto_roll=True, cube=False)
    assert party.act("play", play=find_first_play(party.state))["phase"] == "play"
    assert [event["kind"] for event in party.events[-2:]] == ["play", "roll"]


def test_undo_and_redo_go_over_the_persons_last_decision():
    party = opened()
    start = party.state
    party.act("play", play="8/5 6/5")
    party.act("dice", dice=[6, 4])
    state = party.act("undo")
    assert (state["phase"], state["to_act"], state["dice"]) == ("play", 0, start["dice"])
    assert state["xgid"] == start["xgid"]
    assert [entry["kind"] for entry in state["history"]] == ["dice"]
    assert state["can_redo"]
    state = party.act("redo")
    assert (state["phase"], state["to_act"], sorted(state["dice"])) == ("play", 1, [4, 6])
    assert party.refuse("redo")[0] == "bad_state"
    assert [entry["kind"] for entry in party.history] == ["dice", "play", "dice"]


@pytest.mark.parametrize("waits", [True, False], ids=["it has answered", "it thinks"])
def test_undo_against_an_engine_takes_its_answer_back_or_forgets_what_it_decides(waits):
    party = against_engine()
    before = party.state
    if waits:
        party.act("play", play=find_first_play(before))
        assert party.settle(5.0)["to_act"] == 0
        after = party.act("undo")
    else:
        for act in ({"act": "play", "play": find_first_play(before)}, {"act": "undo"}):
            party.guest.send(json.dumps({"do": "act", "table": party.table, **act}))
            assert party.site.pool.waiting
        after = party.state
    for state in (after, party.settle(5.0)):
        assert (state["xgid"], state["dice"], state["to_act"]) == (before["xgid"], before["dice"], 0)


def test_nothing_is_undone_before_a_decision_or_where_the_table_forbids_it():
    assert opened().refuse("undo")[0] == "bad_state"
    strict = at_roll(undo=False)
    for act in ("undo", "redo", "go_back"):
        assert strict.refuse(act, to=1)[0] == "bad_state"
    assert not strict.state["can_undo"]


def test_go_back_sets_the_table_as_it_was_before_an_action():
    party = opened()
    start = party.state["xgid"]
    party.act("play", play="8/5 6/5")
    party.act("dice", dice=[6, 4])
    party.act("play", play="24/14")
    entries = party.history
    assert [entry["n"] for entry in entries] == [1, 2, 3, 4]
    for entry in reversed(entries[1:]):
        state = party.act("go_back", to=entry["n"])
        assert state["xgid"] == entry["xgid_before"]
    assert state["xgid"] == start
    for number in (99, 2, 0, -1, None):
        assert party.refuse("go_back", to=number)[:2] == ("bad_value", "to")
    assert party.state["can_redo"]
    assert not party.act("play", play="24/23 24/21")["can_redo"]
    assert party.refuse("redo")[0] == "bad_state"


def test_between_two_people_the_other_has_to_agree_to_undo():
    party = Party(apart=True, dice="typed")
    before = party.act("dice", dice=[3, 1])
    party.act("play", play="8/5 6/5")
    assert party.act("undo", seat=0)["request"] == {"seat": 0, "what": "undo"}
    assert party.refuse("agree", seat=0)[0] == "bad_state"
    assert party.act("refuse", seat=1)["request"] is None
    assert party.refuse("agree", seat=1)[0] == "bad_state"
    party.act("undo", seat=0)
    assert party.act("agree", seat=1)["xgid"] == before["xgid"]
    party.act("redo", seat=0)
    assert party.act("agree", seat=1)["to_act"] == 1


def test_a_request_lapses_with_the_next_action():
    party = Party(apart=True, dice="typed")
    party.act("dice", dice=[3, 1])
    party.act("play", play="8/5 6/5")
    party.act("undo", seat=0)
    assert party.act("dice", dice=[6, 1])["request"] is None
    assert party.refuse("agree", seat=1)[0] == "bad_state"


@pytest.mark.parametrize(("has_help", "asks"), [(True, True), (True, False), (False, False)])
def test_help_is_given_to_who_plays_alone_and_is_told_in_the_record(has_help, asks):
    party = against_engine(length=1)
    if asks:
        party.act("hint_play")
    else:
        party.act("play", play=find_first_play(party.state), help=has_help)
    while party.settle(1.0)["to_act"] != 0:
        pass
    party.act("resign", points=3)
    assert party.settle(1.0)["phase"] == "finished"
    assert party.kept.has_help == has_help


def test_between_two_people_no_help_is_given_and_nobody_pauses_the_clock():
    party = Party(apart=True, clock={"bank_s": 60})
    assert party.refuse("hint_play")[0] == "bad_state"
    assert party.refuse("pause")[0] == "bad_state"


def test_engines_are_steered_by_who_watches_with_the_link():
    party = Party(ENGINE, ENGINE, public=True)
    party.act("pause")
    counts = [len(party.events)]
    assert party.settle(30.0)["paused"]
    assert len(party.events) == counts[0]
    party.act("pace", ms=2000)
    party.act("resume")
    for ms in (2000, 0):
        party.act("pace", ms=ms)
        party.settle(9.0)
        counts.append(len(party.events))
    assert counts[2] - counts[1] > 2 * (counts[1] - counts[0])
    for ms in (-1, None):
        assert party.refuse("pace", ms=ms)[:2] == ("bad_value", "ms")
    stranger = party.site.visit()
    stranger.get("join", table=party.table)
    assert stranger.refuse("act", table=party.table, act="resume")[0] == "bad_state"


def test_an_engine_moves_no_sooner_than_the_pace_of_the_table():
    party = against_engine(pace_ms=2000)
    party.act("play", play=find_first_play(party.state))
    state = party.settle(1.5)
    assert (state["to_act"], state["phase"]) == (1, "roll")
    assert party.settle(0.5)["phase"] == "play"


def test_resigning_in_barca_ends_the_game_for_good():
    party = Party(PERSON, {"kind": "engine", "level": "easy"}, variant="barca")
    state = party.act("resign")
    assert state["phase"] == "finished"
    assert state["result"] == {"winner": 1, "points": 1, "kind": "resignation"}
    for act in ("undo", "double", "roll", "dice", "take"):
        assert party.refuse(act)[0] == "bad_state"


def test_barca_has_no_cube_and_no_dice():
    party = Party(variant="barca")
    for act in ("double", "roll", "take", "accept"):
        assert party.refuse(act)[:2] == ("unsupported", "act")
    state = party.act("play", play="e2-e5")
    assert (state["to_act"], state["last_move"]) == (1, "e2-e5")
    assert party.refuse("play", play="e2-e5")[0] == "bad_value"
    assert party.act("undo")["last_move"] is None


def test_an_unknown_act_is_refused_with_the_one_that_may_be_meant():
    party = opened()
    code, field, message = party.refuse("rol")
    assert (code, field) == ("unsupported", "act")
    assert "roll" in message
    assert party.refuse("x" * 1000)[0] == "unsupported"


@pytest.mark.parametrize("act", ACTS)
def test_every_act_is_refused_before_the_game_and_after_the_match(act):
    waiting = Party(PERSON, OPEN)
    assert waiting.refuse(act, to=1, ms=10)
    party = at_roll(length=1)
    assert party.give_up()["phase"] == "finished"
    may_go_back = act in ("undo", "go_back", "pause", "resume", "pace")
    assert party.guest.ask("act", table=party.table, act=act, to=1, ms=10)["ok"] is may_go_back


def test_any_walk_through_a_game_is_undone_to_its_beginning_and_done_again_to_its_end():
    party = Party()
    rng, places = random.Random(11), [party.state["xgid"]]
    for _ in range(60):
        if party.state["phase"] == "over":
            break
        play_at_random(party.guest, party.table, rng, seats=(0, 1))
    places.append(party.state["xgid"])
    for act in ("undo", "redo"):
        while party.state[f"can_{act}"]:
            party.act(act)
        assert party.state["xgid"] == places[act == "redo"]
