"""Fair dice: what the server commits to cannot be changed, and nobody chooses a roll."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from engine.errors import FormatError
from protocol.tables.fair_dice import FairDice, check_seed, make_commitment, make_roll, make_secret
from tests.protocol.tables.visiting import ENGINE, PERSON, Site

SECRET = bytes(range(32))
EXPECTED = [(3, 1), (4, 4), (2, 3), (3, 1), (4, 2), (5, 6), (4, 4), (1, 3)]


def test_a_roll_is_made_of_the_first_fair_bytes_of_an_hmac():
    digest = hmac.new(SECRET, b"ann,bob|7", hashlib.sha256).digest()
    first, second = [byte % 6 + 1 for byte in digest if byte < 252][:2]
    assert make_roll(SECRET, ("ann", "bob"), 7) == (first, second)


def test_rolls_stay_the_same_for_ever():
    assert [make_roll(SECRET, ("", ""), number) for number in range(1, 9)] == EXPECTED


def test_the_commitment_is_the_hash_of_the_secret():
    assert make_commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()
    assert FairDice(SECRET, ("", "")).commitment == make_commitment(SECRET)


def test_another_seed_of_either_player_gives_other_rolls():
    rolls = {
        tuple(make_roll(SECRET, seeds, number) for number in range(1, 20))
        for seeds in (("", ""), ("a", ""), ("", "a"), ("a", "b"))
    }
    assert len(rolls) == 4


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


def list_rolls(guest, table):
    guest.get("leave", table=table)
    guest.get("join", table=table, token=guest.token)
    return [entry for entry in guest.state["history"] if entry["kind"] == "roll"]


def play_to_the_end(site, guest, table):
    for _ in range(2000):
        site.settle(1.0)
        guest.hear()
        state = guest.states[table]
        if state["phase"] == "over":
            return
        if state["phase"] == "roll" and state["to_act"] == 0:
            guest.get("act", table=table, act="roll")
        elif state["phase"] == "play" and state["to_act"] == 0:
            at = 0
            while state["tree"][at]["moves"]:
                at = state["tree"][at]["moves"][0][2]
            guest.get("act", table=table, act="play", play=state["tree"][at]["play"])
        elif state["phase"] == "resignation":
            guest.get("act", table=table, act="reject")
    raise AssertionError("the game does not end")


def check_rolls(state, rolls, secrets):
    for entry in rolls:
        secret, number = bytes.fromhex(secrets[entry["fair_secret"]]), entry["fair_roll"]
        roll = make_roll(secret, tuple(state["fair"]["client_seeds"]), number)
        assert sorted(roll) == sorted(entry["dice"])


def test_every_roll_of_a_game_can_be_made_again_once_the_secret_is_told():
    site = Site()
    guest = site.visit()
    made = guest.get("create", seats=[PERSON, ENGINE], cube=False)
    table, guest.token = made["table"], made["tokens"][0]
    guest.get("join", table=table, token=guest.token, seed="Ann-1")
    commitment = guest.states[table]["fair"]["commitment"]
    assert commitment == made["fair"]["commitment"]
    assert guest.states[table]["fair"]["game_seed_revealed"] is None
    play_to_the_end(site, guest, table)
    fair = guest.states[table]["fair"]
    assert fair["client_seeds"] == ["Ann-1", ""]
    assert hashlib.sha256(bytes.fromhex(fair["game_seed_revealed"])).hexdigest() == commitment
    rolls = list_rolls(guest, table)
    assert [entry["fair_roll"] for entry in rolls] == sorted({entry["fair_roll"] for entry in rolls})
    check_rolls(guest.state, rolls, [fair["game_seed_revealed"]])
    following = fair["next_commitment"]
    guest.get("act", table=table, act="next")
    assert guest.states[table]["fair"]["commitment"] == following


def test_undo_out_of_a_game_that_is_over_rolls_with_another_secret():
    site = Site()
    guest = site.visit()
    made = guest.get("create", seats=[PERSON, ENGINE], cube=False)
    table, guest.token = made["table"], made["tokens"][0]
    guest.get("join", table=table, token=guest.token)
    play_to_the_end(site, guest, table)
    fair = guest.states[table]["fair"]
    guest.get("act", table=table, act="undo")
    after = guest.states[table]["fair"]
    assert after["commitment"] == fair["next_commitment"]
    assert after["earlier_seeds"] == [fair["game_seed_revealed"]]
    assert after["game_seed_revealed"] is None
    play_to_the_end(site, guest, table)
    fair = guest.states[table]["fair"]
    secrets = [*fair["earlier_seeds"], fair["game_seed_revealed"]]
    check_rolls(guest.state, list_rolls(guest, table), secrets)


def test_a_roll_that_comes_again_after_undo_keeps_its_number():
    site = Site()
    guest = site.visit()
    made = guest.create(PERSON, {"kind": "person", "name": "Bob"})
    table, guest.token = made["table"], [*made["tokens"]]
    for _ in range(2):
        state = guest.states[table]
        if state["phase"] == "roll":
            guest.get("act", table=table, act="roll")
        at = 0
        while (tree := guest.states[table]["tree"])[at]["moves"]:
            at = tree[at]["moves"][0][2]
        guest.get("act", table=table, act="play", play=tree[at]["play"])
    before = list_rolls(guest, table)
    guest.get("act", table=table, act="go_back", to=2)
    guest.get("act", table=table, act="play", play=tree_play(guest, table))
    guest.get("act", table=table, act="roll")
    assert [(entry["dice"], entry["fair_roll"]) for entry in list_rolls(guest, table)] == [
        (entry["dice"], entry["fair_roll"]) for entry in before
    ]


def tree_play(guest, table):
    tree, at = guest.states[table]["tree"], 0
    while tree[at]["moves"]:
        at = tree[at]["moves"][-1][2]
    return tree[at]["play"]
