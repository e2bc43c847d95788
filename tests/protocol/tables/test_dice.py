"""Fair dice: what the server commits to cannot be changed, and nobody chooses a roll."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from gammond.engine.errors import FormatError, StateError
from gammond.protocol.tables.dice import (
    SEEDS_WAIT_S,
    FairDice,
    check_commitment,
    check_seed,
    make_commitment,
    make_roll,
    make_secret,
)
from tests.protocol.tables.visiting import ENGINE, OPEN, PERSON, Site

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
    assert FairDice(SECRET).commitment == make_commitment(SECRET)


def test_dice_wait_for_the_seeds():
    dice = FairDice(SECRET)
    with pytest.raises(StateError, match="wait for"):
        dice.roll()
    dice.seeds = ("", "")
    assert [dice.roll() for _ in range(3)] == EXPECTED[:3]


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


@pytest.mark.parametrize("text", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 65, "a" * 64 + "\n"])
def test_a_commitment_that_is_no_hash_is_refused(text):
    with pytest.raises(FormatError, match="SHA-256"):
        check_commitment(text)


def list_rolls(guest, table):
    guest.get("leave", table=table)
    guest.get("join", table=table, token=guest.token)
    return [entry for entry in guest.state["history"] if entry["kind"] == "roll"]


def play_to_the_end(site, guest, table):
    for _ in range(2000):
        site.settle(1.0)
        guest.hear()
        state = guest.states[table]
        if state["phase"] in ("over", "finished"):
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
    check_rolls(guest.state, rolls)
    following = fair["next_commitment"]
    guest.get("act", table=table, act="next")
    assert guest.states[table]["fair"]["commitment"] == following


@pytest.mark.parametrize("length", [0, 1])
def test_undo_out_of_a_game_or_match_that_is_over_rolls_with_another_secret(length):
    site = Site()
    guest = site.visit()
    made = guest.get("create", seats=[PERSON, ENGINE], cube=False, length=length)
    table, guest.token = made["table"], made["tokens"][0]
    guest.get("join", table=table, token=guest.token)
    for undone in (1, 2):
        play_to_the_end(site, guest, table)
        before = guest.states[table]
        assert before["phase"] == ("finished" if length else "over")
        assert before["fair"]["next_commitment"]
        guest.get("act", table=table, act="undo")
        after = guest.states[table]["fair"]
        assert after["commitment"] == before["fair"]["next_commitment"]
        assert after["earlier_seeds"] == [
            *before["fair"]["earlier_seeds"],
            before["fair"]["game_seed_revealed"],
        ]
        assert len(after["earlier_seeds"]) == undone
        assert after["game_seed_revealed"] is None
    play_to_the_end(site, guest, table)
    rolls = list_rolls(guest, table)
    assert {entry["fair_secret"] for entry in rolls} >= {0}
    check_rolls(guest.state, rolls)


class Two:
    """Two people at a table, each with seeds of his own."""

    def __init__(self, **fields):
        self.site = Site()
        self.ann, self.bob = self.site.visit(), self.site.visit()
        made = self.ann.get("create", seats=[PERSON, OPEN], **fields)
        self.table, self.made = made["table"], made
        self.seeds = ["ann-1", "bob-1"]
        seat = {"table": self.table, "token": made["tokens"][0]}
        self.ann.get("join", **seat, seed_commitment=hash_seed("ann-1"))
        self.looked = self.bob.get("look", table=self.table, token=made["tokens"][1])
        seat = {"table": self.table, "token": made["tokens"][1], "name": "Bob"}
        self.taken = self.bob.get("join", **seat, seed_commitment=hash_seed("bob-1"))

    @property
    def state(self):
        self.ann.hear()
        self.bob.hear()
        return max((each.events[-1] for each in (self.ann, self.bob)), key=lambda event: event["event"])[
            "state"
        ]

    @property
    def fair(self):
        return self.state["fair"]

    def tell(self, seat, seed):
        (self.ann, self.bob)[seat].get("act", table=self.table, act="tell_seed", seat=seat, seed=seed)

    def commit(self, seat, seed):
        guest, commitment = (self.ann, self.bob)[seat], hash_seed(seed)
        guest.get("act", table=self.table, act="commit_seed", seat=seat, seed_commitment=commitment)

    def lose(self):
        """Let the seat to act give the game up at once."""
        for act in ({"act": "resign", "points": 1}, {"act": "accept"}):
            seat = self.state["to_act"]
            (self.ann, self.bob)[seat].get("act", table=self.table, seat=seat, **act)


def hash_seed(seed):
    return hashlib.sha256(seed.encode()).hexdigest()


def test_a_guest_sees_the_commitment_before_he_gives_his_seed():
    two = Two()
    assert two.looked["fair"]["commitment"] == two.made["fair"]["commitment"]
    assert two.looked["fair"]["seed_commitments"] == [hash_seed("ann-1"), ""]
    assert two.fair["seed_commitments"] == [hash_seed("ann-1"), hash_seed("bob-1")]


def test_no_seed_is_told_before_all_are_fixed_and_nobody_rolls_before_all_are_told():
    two = Two()
    assert (two.state["phase"], two.fair["awaits_seeds"], two.fair["rolls"]) == ("roll", [0, 1], 0)
    guest = {"table": two.table, "act": "roll", "seat": 0}
    assert two.ann.refuse("act", **guest)[0] == "bad_state"
    two.tell(0, "ann-1")
    assert (two.fair["awaits_seeds"], two.fair["client_seeds"]) == ([1], ["", ""])
    assert "ann-1" not in str(two.bob.events)
    for seat, seed in ((1, "bob-2"), (1, ""), (0, "ann-1")):
        assert (two.ann, two.bob)[seat].refuse("act", table=two.table, act="tell_seed", seat=seat, seed=seed)
    two.tell(1, "bob-1")
    assert (two.fair["awaits_seeds"], two.fair["client_seeds"]) == ([], ["ann-1", "bob-1"])
    assert two.state["phase"] == "play"


def test_a_seed_that_is_not_told_counts_as_empty_after_a_while_and_everybody_sees_it():
    two = Two()
    two.tell(1, "bob-1")
    two.site.settle(SEEDS_WAIT_S - 1.0)
    assert two.state["phase"] == "roll"
    two.site.settle(2.0)
    assert (two.state["phase"], two.fair["client_seeds"]) == ("play", ["", "bob-1"])
    assert two.fair["seed_commitments"] == [hash_seed("ann-1"), hash_seed("bob-1")]
    assert two.ann.refuse("act", table=two.table, act="tell_seed", seat=0, seed="ann-1")[0] == "bad_state"


def test_seeds_of_before_a_commitment_do_not_count_for_it():
    two = Two()
    two.tell(0, "ann-1")
    two.tell(1, "bob-1")
    late = {"table": two.table, "act": "commit_seed", "seat": 0, "seed_commitment": hash_seed("early")}
    assert two.ann.refuse("act", **late)[0] == "bad_state"
    two.ann.get("join", table=two.table, token=two.made["tokens"][0], seed_commitment=hash_seed("early"))
    two.lose()
    assert two.fair["next_commitment"]
    assert two.fair["next_seed_commitments"] == ["", ""]
    two.commit(0, "ann-2")
    two.commit(0, "ann-3")
    assert two.fair["next_seed_commitments"] == [hash_seed("ann-3"), ""]
    following = two.fair["next_commitment"]
    two.bob.get("act", table=two.table, act="next")
    assert (two.fair["commitment"], two.fair["awaits_seeds"]) == (following, [0])
    two.tell(0, "ann-3")
    assert two.fair["client_seeds"] == ["ann-3", ""]
    two.lose()
    check_rolls(two.state, [])


def test_undo_out_of_a_game_that_is_over_takes_new_seeds_too():
    two = Two()
    two.tell(0, "ann-1")
    two.tell(1, "bob-1")
    two.lose()
    two.commit(1, "bob-2")
    two.ann.get("act", table=two.table, act="undo")
    two.bob.get("act", table=two.table, act="agree")
    fair = two.fair
    assert (fair["awaits_seeds"], fair["earlier_client_seeds"]) == ([1], [["ann-1", "bob-1"]])
    assert fair["earlier_seed_commitments"] == [[hash_seed("ann-1"), hash_seed("bob-1")]]
    two.tell(1, "bob-2")
    assert two.fair["client_seeds"] == ["", "bob-2"]


@pytest.mark.parametrize("told", [(), (0,), (0, 1)])
def test_after_a_restart_the_same_seeds_are_awaited_and_the_same_dice_fall(told):
    two = Two()
    for seat in told:
        two.tell(seat, two.seeds[seat])
    before = two.fair
    other = Site(two.site.archive)
    ann, bob = other.visit(), other.visit()
    ann.get("join", table=two.table, token=two.made["tokens"][0])
    bob.get("join", table=two.table, token=two.taken["tokens"][1])
    for seat, guest in enumerate((ann, bob) if len(told) < 2 else ()):
        guest.get("act", table=two.table, act="tell_seed", seat=seat, seed=two.seeds[seat])
    ann.hear()
    for seat in {0, 1} - set(told):
        two.tell(seat, two.seeds[seat])
    assert ann.state["fair"]["commitment"] == before["commitment"]
    assert ann.state["fair"]["client_seeds"] == two.seeds
    assert ann.state["dice"] == two.state["dice"]


def test_a_seed_that_is_told_at_once_counts_for_the_next_secret_alone():
    site = Site()
    guest = site.visit()
    made = guest.get("create", seats=[PERSON, {"kind": "person", "name": "Bob"}])
    guest.get("join", table=made["table"], token=made["tokens"], seed="Ann-1")
    assert guest.state["fair"]["client_seeds"] == ["Ann-1", "Ann-1"]
    for act in ("resign", "accept", "next"):
        guest.get("act", table=made["table"], act=act)
    assert guest.state["fair"]["client_seeds"] == ["", ""]


def test_engines_wait_for_the_seed_too():
    site = Site()
    guest = site.visit()
    made = guest.get("create", seats=[PERSON, ENGINE])
    guest.get("join", table=made["table"], token=made["tokens"][0], seed_commitment=hash_seed("ann-1"))
    site.settle(1.0)
    guest.hear()
    assert (guest.state["phase"], guest.state["fair"]["awaits_seeds"]) == ("roll", [0])
    guest.get("act", table=made["table"], act="tell_seed", seed="ann-1")
    assert guest.state["phase"] == "play"


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
