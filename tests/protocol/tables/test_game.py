"""The games of a table: made of their actions, taken back; which of them say how well somebody plays."""

from __future__ import annotations

import random

import pytest

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.tables.all_tables import HubLimits
from gammond.protocol.tables.game import GameHistory, HistoryEntry, TableGame, name_action
from tests.protocol.tables.visiting import PERSON, Site, play_at_random
from tests.protocol.talking import make_service

BOB = {"kind": "person", "name": "Bob"}


class Two:
    """Two people at a table, each over a connection of its own."""

    def __init__(self, *seats, site=None, owners=("", ""), alone=False, **fields):
        self.site = site or Site()
        names = iter(owners)
        self.guests = [self.site.visit(check_name=lambda _: next(names, "")) for _ in range(2)]
        made = self.guests[0].get("create", seats=list(seats or (PERSON, BOB)), **fields)
        self.table = made["table"]
        if alone:
            self.guests[1] = self.guests[0]
        for guest, token in zip(self.guests, made["tokens"], strict=True):
            guest.get("join", table=self.table, token=token)

    @property
    def state(self):
        for guest in self.guests:
            guest.hear()
        return max((guest.events[-1] for guest in self.guests), key=lambda event: event["event"])["state"]

    def act(self, act, **fields):
        """Do something for the seat to act, or for either where neither is."""
        seat = self.state["to_act"] or 0
        self.guests[seat].get("act", table=self.table, seat=seat, act=act, **fields)

    def play(self, plays):
        """Make so many plays, or play to the end."""
        rng = random.Random(plays)
        for _ in range(4000):
            state = self.state
            if state["phase"] in ("over", "finished") or plays == 0:
                return
            plays -= state["phase"] == "play"
            seat = state["to_act"]
            play_at_random(self.guests[seat], self.table, rng, seats=(seat,), doubles=0.0)

    def give_up(self):
        """Resign, and accept."""
        self.act("resign", points=1)
        self.act("accept")

    @property
    def kept(self):
        return self.site.archive.games[f"{self.table}-{self.state['game_number']}"]


def test_a_game_of_two_that_is_played_is_rated():
    two = Two()
    two.play(-1)
    assert two.kept.is_rated
    two = Two()
    two.play(7)
    two.give_up()
    assert two.kept.is_rated


@pytest.mark.parametrize("plays", [0, 1, 4])
def test_a_game_that_is_given_up_in_the_first_moves_is_not_rated(plays):
    two = Two()
    two.play(plays)
    two.give_up()
    assert not two.kept.is_rated


def test_a_game_that_is_doubled_out_in_the_first_moves_is_not_rated():
    two = Two()
    two.play(1)
    two.act("double")
    two.act("drop")
    assert not two.kept.is_rated


def test_a_match_is_rated_although_one_of_its_games_was_dropped_at_once():
    two = Two(length=3)
    two.play(1)
    two.act("double")
    two.act("drop")
    assert not two.kept.is_rated
    two.act("next")
    two.play(-1)
    assert two.kept.is_rated


@pytest.mark.parametrize(
    "fields",
    [
        {"position": "4HPwATDgc/ABMA"},
        {"alone": True},
        {"owners": ("1 ann", "1 ann")},
        {"dice": "typed"},
    ],
)
def test_a_game_that_one_person_can_make_up_is_not_rated(fields):
    two = Two(**fields)
    if "dice" in fields:
        for number in range(20):
            dice = [3, 1] if not number else [6, 5]
            two.act("dice", dice=dice)
            tree, at = two.guests[two.state["to_act"]].states[two.table]["tree"], 0
            while tree[at]["moves"]:
                at = tree[at]["moves"][0][2]
            two.act("play", play=tree[at]["play"])
        two.give_up()
    else:
        two.play(-1)
    assert not two.kept.is_rated


def test_two_accounts_are_rated():
    two = Two(owners=("1 ann", "1 bob"))
    two.play(7)
    two.give_up()
    assert (two.kept.is_rated, tuple(seat.owner for seat in two.kept.seats)) == (True, ("1 ann", "1 bob"))


def test_who_held_both_seats_once_is_known_after_a_restart():
    site = Site()
    made = site.visit().create(PERSON, BOB)
    other = Site(site.archive)
    ann, bob = other.visit(), other.visit()
    for guest, token in zip((ann, bob), made["tokens"], strict=True):
        guest.get("join", table=made["table"], token=token)
    assert not other.hub.tables[made["table"]].seats.may_have_two_players


def test_an_address_that_finishes_more_games_than_people_play_makes_room_first():
    site = Site(limits=HubLimits(address_games=3))
    trifles = [play_alone(site, address, 8) for address in (*["10.0.0.1"] * 5, "10.0.0.2")]
    assert trifles == [False, False, False, True, True, False]
    site.now += 3700.0
    assert not play_alone(site, "10.0.0.1", 8)


def test_a_game_that_is_given_up_in_the_first_moves_makes_room_first():
    site = Site()
    assert [play_alone(site, "10.0.0.1", plays) for plays in (0, 2, 8)] == [True, True, False]


def play_alone(site, address, plays):
    """Play so many plays of both sides and give up; return whether the game is a trifle."""
    guest = site.visit(address)
    table, rng = guest.create(PERSON, BOB)["table"], random.Random(plays)
    while plays or guest.states[table]["phase"] != "play":
        plays -= guest.states[table]["phase"] == "play"
        play_at_random(guest, table, rng, seats=(0, 1), doubles=0.0)
    for act in ("resign", "accept"):
        guest.get("act", table=table, act=act)
    return site.archive.games[f"{table}-1"].is_trifle


@pytest.mark.parametrize("fields", [{"length": 3}, {"variant": "nackgammon"}, {"variant": "barca"}])
def test_a_list_of_actions_is_all_that_makes_the_games(monkeypatch, fields):
    monkeypatch.setattr("gammond.protocol.tables.table.make_secret", lambda: bytes(range(32)))
    two = Two(alone=True, **fields)
    two.play(7)
    for act in ("undo", "undo", "redo", "undo"):
        two.act(act)
    two.play(3)
    two.act("go_back", to=4)
    two.play(2)
    if "length" in fields:
        two.give_up()
        two.act("undo")
        two.act("accept")
        two.act("next")
        two.play(3)
    else:
        two.act("resign", points=1)
    log = two.site.archive.load_log(two.table)
    played = two.site.hub.tables[two.table].game
    again = TableGame(two.site.service, played.spec, 7)
    events = [again.act(action) for action in log]
    assert again.describe() == played.describe()
    assert again.history.describe() == played.history.describe()
    assert (again.started_s, again.have_acted) == (played.started_s, played.have_acted)
    assert [event.entry["n"] for event in events if event is not None and event.entry is not None]


def make_history(*actions):
    history = GameHistory()
    for number, (seat, kind) in enumerate(actions, 1):
        history.add(HistoryEntry(number, seat, kind, kind, None, {"xgid": number}))
    return history


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("roll", "roll"),
        ("dice 3 1", "dice"),
        ("play 8/5 6/5", "play"),
        ("play pass", "play"),
        ("play resign gammon", "resign"),
        ("play double", "double"),
        ("play drop", "drop"),
        ("play e2-e5", "play"),
    ],
)
def test_an_action_is_called_by_what_it_does(line, kind):
    assert name_action(line) == kind


def test_a_decision_of_one_of_some_seats_is_found_with_all_after_it():
    history = make_history((None, "roll"), (0, "play"), (1, "roll"), (1, "play"), (0, "roll"))
    assert history.count_since_decision([0]) == 4
    assert history.count_since_decision([1]) == 2
    assert history.count_since_decision([0, 1]) == 2
    assert history.count_since_decision([]) == 0
    assert make_history((0, "roll")).count_since_decision([0]) == 0


def test_what_was_taken_back_together_is_done_again_together():
    history = make_history((0, "play"), (1, "roll"), (1, "play"))
    before = list(history.entries)
    history.undo(2)
    history.undo(1)
    assert history.entries == []
    assert history.redo_count == 1
    history.redo()
    assert history.redo_count == 2
    history.redo()
    assert history.entries == before
    assert history.redo_count == 0


def test_after_another_action_nothing_is_done_again():
    history = make_history((0, "play"), (1, "play"))
    history.undo(1)
    history.add(HistoryEntry(2, 1, "play", "pass", None, {}))
    assert history.redo_count == 0


@pytest.mark.parametrize(("number", "count"), [(1, 3), (3, 1), (4, 0), (0, 0), (-1, 0)])
def test_actions_are_counted_from_a_number_that_there_is(number, count):
    assert make_history((0, "play"), (1, "play"), (0, "play")).count_from(number) == count


def test_an_entry_has_the_place_before_it_and_for_fair_rolls_their_number():
    entry = HistoryEntry(1, None, "roll", "3-1", [3, 1], {"xgid": "X"}, 2, 0)
    assert entry.describe() == {
        "n": 1,
        "seat": None,
        "kind": "roll",
        "text": "3-1",
        "dice": [3, 1],
        "xgid_before": "X",
        "fair_roll": 2,
        "fair_secret": 0,
    }


def test_taking_back_more_than_the_session_keeps_is_refused_as_a_whole():
    two = Two(site=Site(service=make_service(limits=ClientLimits(undo_steps=9))), alone=True)
    two.play(12)
    game = two.site.hub.tables[two.table].game
    for _ in range(2):  # of the nine steps that are kept one is left then
        two.act("go_back", to=len(game.history.entries) - 3)
    before, count = game.describe(), len(game.history.entries)
    refused = two.guests[0].refuse("act", table=two.table, act="go_back", to=count - 3)
    assert refused == ("bad_state", "act", "4 actions are too many to be taken back")
    assert (game.describe(), len(game.history.entries)) == (before, count)
    two.act("go_back", to=count)
    assert len(game.history.entries) == count - 1
