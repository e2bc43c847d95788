"""Fair dice: what the server commits to cannot be changed, and nobody chooses a roll."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections import Counter

import pytest

from gammond.engine.errors import FormatError
from gammond.protocol.tables.dice import SEEDS_WAIT_S, check_commitment, check_seed, make_roll, make_secret
from tests.protocol.tables.visiting import BOB, ENGINE, OPEN, PERSON, Party, choose_play

SECRET = bytes(range(32))
EXPECTED = [(3, 1), (4, 4), (2, 3), (3, 1), (4, 2), (5, 6), (4, 4), (1, 3)]


def test_a_roll_is_made_of_the_first_fair_bytes_of_an_hmac():
    digest = hmac.new(SECRET, b"ann,bob|7", hashlib.sha256).digest()
    first, second = [byte % 6 + 1 for byte in digest if byte < 252][:2]
    assert make_roll(SECRET, ("ann", "bob"), 7) == (first, second)


def test_rolls_stay_the_same_for_ever():
    assert [make_roll(SECRET, ("", ""), number) for number in range(1, 9)] == EXPECTED


def test_every_roll_is_as_likely_as_any_other():
    counts = Counter(make_roll(SECRET, ("x", "y"), number) for number in range(36_000))
    assert len(counts) == 36
    chi_squared = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert chi_squared < 67  # 35 degrees of freedom: one in a thousand would exceed it


def test_secrets_differ():
    assert len({make_secret() for _ in range(100)}) == 100


@pytest.mark.parametrize("seed", ["a|b", "a,b", "ä", "x" * 65, "a b", "a\n"])
def test_a_seed_that_could_be_taken_for_two_is_refused(seed):
    with pytest.raises(FormatError, match="seed"):
        check_seed(seed)


@pytest.mark.parametrize("text", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 65, "a" * 64 + "\n"])
def test_a_commitment_that_is_no_hash_is_refused(text):
    with pytest.raises(FormatError, match="SHA-256"):
        check_commitment(text)


def list_rolls(party):
    return [entry for entry in party.history if entry["kind"] == "roll"]


def check_rolls(state, rolls):
    """Make all rolls of a game again, as a program does that has the page on tables alone."""
    fair = state["fair"]
    secrets = [*fair["earlier_seeds"], fair["game_seed_revealed"]]
    seeds = [*fair["earlier_client_seeds"], fair["client_seeds"]]
    for entry in rolls:
        which = entry["fair_secret"]
        roll = make_roll(bytes.fromhex(secrets[which]), tuple(seeds[which]), entry["fair_roll"])
        assert sorted(roll) == sorted(entry["dice"])


def test_every_roll_of_a_game_can_be_made_again_once_the_secret_is_told():
    party = Party(PERSON, BOB, apart=True, cube=False, joins=({"seed": "Ann-1"}, {}))
    commitment = party.state["fair"]["commitment"]
    assert commitment == party.made["fair"]["commitment"]
    assert party.state["fair"]["game_seed_revealed"] is None
    fair = party.play()["fair"]
    assert fair["client_seeds"] == ["Ann-1", ""]
    assert hashlib.sha256(bytes.fromhex(fair["game_seed_revealed"])).hexdigest() == commitment
    rolls = list_rolls(party)
    assert [entry["fair_roll"] for entry in rolls] == sorted({entry["fair_roll"] for entry in rolls})
    check_rolls(party.state, rolls)
    assert party.act("next")["fair"]["commitment"] == fair["next_commitment"]


@pytest.mark.parametrize("length", [0, 1])
def test_undo_out_of_a_game_or_match_that_is_over_rolls_with_another_secret(length):
    party = Party(PERSON, ENGINE, cube=False, length=length)
    for undone in (1, 2):
        state = party.play()
        assert state["phase"] == ("finished" if length else "over")
        before, after = state["fair"], party.act("undo")["fair"]
        assert before["next_commitment"]
        assert after["commitment"] == before["next_commitment"]
        assert after["earlier_seeds"] == [*before["earlier_seeds"], before["game_seed_revealed"]]
        assert len(after["earlier_seeds"]) == undone
        assert after["game_seed_revealed"] is None
    party.play()
    rolls = list_rolls(party)
    assert {entry["fair_secret"] for entry in rolls} >= {0}
    check_rolls(party.state, rolls)


def hash_seed(seed):
    return hashlib.sha256(seed.encode()).hexdigest()


def commit_both(**fields):
    """Two people at a table who are both committed to seeds of their own."""
    joins = tuple({"seed_commitment": hash_seed(seed)} for seed in ("ann-1", "bob-1"))
    return Party(apart=True, joins=joins, **fields)


def tell(party, *seats, number=1):
    """Let players tell their seeds; return the dice after it."""
    for seat in seats:
        party.act("tell_seed", seat, seed=f"{('ann', 'bob')[seat]}-{number}")
    return party.state["fair"]


def test_a_guest_sees_the_commitment_before_he_gives_his_seed():
    party = Party(PERSON, OPEN, joins=({"seed_commitment": hash_seed("ann-1")}, {}))
    bob, seat = party.site.visit(), {"table": party.table, "token": party.tokens[1]}
    fair = bob.get("look", **seat)["fair"]
    assert fair["commitment"] == party.made["fair"]["commitment"]
    assert fair["seed_commitments"] == [hash_seed("ann-1"), ""]
    bob.get("join", **seat, seed_commitment=hash_seed("bob-1"))
    assert party.state["fair"]["seed_commitments"] == [hash_seed("ann-1"), hash_seed("bob-1")]


def test_no_seed_is_told_before_all_are_fixed_and_nobody_rolls_before_all_are_told():
    party = commit_both()
    fair = party.state["fair"]
    assert (party.state["phase"], fair["awaits_seeds"], fair["rolls"]) == ("roll", [0, 1], 0)
    assert party.refuse("roll", 0)[0] == "bad_state"
    fair = tell(party, 0)
    assert (fair["awaits_seeds"], fair["client_seeds"]) == ([1], ["", ""])
    assert "ann-1" not in str(party.guests[1].events)
    for seat, seed in ((1, "bob-2"), (1, ""), (0, "ann-1")):
        party.refuse("tell_seed", seat, seed=seed)
    fair = tell(party, 1)
    assert (fair["awaits_seeds"], fair["client_seeds"]) == ([], ["ann-1", "bob-1"])
    assert party.state["phase"] == "play"


def test_a_seed_that_is_not_told_counts_as_empty_after_a_while_and_everybody_sees_it():
    party = commit_both()
    tell(party, 1)
    assert party.settle(SEEDS_WAIT_S - 1.0)["phase"] == "roll"
    state = party.settle(2.0)
    assert (state["phase"], state["fair"]["client_seeds"]) == ("play", ["", "bob-1"])
    assert state["fair"]["seed_commitments"] == [hash_seed("ann-1"), hash_seed("bob-1")]
    assert party.refuse("tell_seed", 0, seed="ann-1")[0] == "bad_state"


def test_seeds_of_before_a_commitment_do_not_count_for_it():
    party, early = commit_both(), {"seed_commitment": hash_seed("early")}
    tell(party, 0, 1)
    assert party.refuse("commit_seed", 0, **early)[0] == "bad_state"
    party.guest.get("join", table=party.table, token=party.tokens[0], **early)
    fair = party.give_up()["fair"]
    assert fair["next_commitment"]
    assert fair["next_seed_commitments"] == ["", ""]
    for seed in ("ann-2", "ann-3"):
        following = party.act("commit_seed", 0, seed_commitment=hash_seed(seed))["fair"]
        assert following["next_seed_commitments"] == [hash_seed(seed), ""]
    fair = party.act("next")["fair"]
    assert (fair["commitment"], fair["awaits_seeds"]) == (following["next_commitment"], [0])
    assert tell(party, 0, number=3)["client_seeds"] == ["ann-3", ""]
    check_rolls(party.give_up(), list_rolls(party))


def test_undo_out_of_a_game_that_is_over_takes_new_seeds_too():
    party = commit_both()
    tell(party, 0, 1)
    party.give_up()
    party.act("commit_seed", 1, seed_commitment=hash_seed("bob-2"))
    party.act("undo", 0)
    fair = party.act("agree", 1)["fair"]
    assert (fair["awaits_seeds"], fair["earlier_client_seeds"]) == ([1], [["ann-1", "bob-1"]])
    assert fair["earlier_seed_commitments"] == [[hash_seed("ann-1"), hash_seed("bob-1")]]
    assert tell(party, 1, number=2)["client_seeds"] == ["", "bob-2"]


@pytest.mark.parametrize("told", [(), (0,), (0, 1)])
def test_after_a_restart_the_same_seeds_are_awaited_and_the_same_dice_fall(told):
    party = commit_both()
    tell(party, *told)
    again = party.restart()
    tell(again, *((0, 1) if len(told) < 2 else ()))
    tell(party, *{0, 1} - {*told})
    for key in ("commitment", "client_seeds"):
        assert again.state["fair"][key] == party.state["fair"][key]
    assert again.state["fair"]["client_seeds"] == ["ann-1", "bob-1"]
    assert again.state["dice"] == party.state["dice"]


def test_a_seed_that_is_told_at_once_counts_for_the_next_secret_alone():
    party = Party(joins=({"seed": "Ann-1"}, {}))
    assert party.state["fair"]["client_seeds"] == ["Ann-1", "Ann-1"]
    party.give_up()
    assert party.act("next")["fair"]["client_seeds"] == ["", ""]


def test_engines_wait_for_the_seed_too():
    party = Party(PERSON, ENGINE, joins=({"seed_commitment": hash_seed("ann-1")}, {}))
    state = party.settle(1.0)
    assert (state["phase"], state["fair"]["awaits_seeds"]) == ("roll", [0])
    tell(party, 0)
    assert party.state["phase"] == "play"


def test_a_roll_that_comes_again_after_undo_keeps_its_number():
    party = Party()
    party.play(2)
    rolls = [(entry["dice"], entry["fair_roll"]) for entry in list_rolls(party)]
    party.act("go_back", to=2)
    party.act("play", play=choose_play(party.state, random.Random(7)))
    party.act("roll")
    assert [(entry["dice"], entry["fair_roll"]) for entry in list_rolls(party)] == rolls
