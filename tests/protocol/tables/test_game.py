"""The games of a table: made of their actions, taken back; which of them say how well somebody plays."""

from __future__ import annotations

import pytest

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.tables.all_tables import HubLimits
from gammond.protocol.tables.game import TableGame
from tests.protocol.tables.visiting import Party, Site, find_first_play
from tests.protocol.talking import make_service


@pytest.mark.parametrize(
    ("plays", "acts", "is_rated"),
    [
        (-1, (), True),
        (7, ("resign", "accept"), True),
        (4, ("resign", "accept"), False),
        (1, ("resign", "accept"), False),
        (0, ("resign", "accept"), False),
        (1, ("double", "drop"), False),
    ],
)
def test_a_game_of_two_is_rated_unless_it_ends_in_the_first_moves(plays, acts, is_rated):
    party = Party(apart=True)
    party.play(plays)
    for act in acts:
        party.act(act)
    assert (party.kept.is_rated, party.kept.is_trifle) == (is_rated, not is_rated)


def test_a_match_is_rated_although_one_of_its_games_was_dropped_at_once():
    party = Party(apart=True, length=3)
    party.play(1)
    party.act("double")
    party.act("drop")
    assert not party.kept.is_rated
    party.act("next")
    party.play()
    assert party.kept.is_rated


@pytest.mark.parametrize(
    "fields",
    [{"position": "4HPwATDgc/ABMA"}, {"apart": False}, {"owners": ("1 ann", "1 ann")}],
    ids=lambda fields: next(iter(fields)),
)
def test_a_game_that_one_person_can_make_up_is_not_rated(fields):
    party = Party(**{"apart": True, **fields})
    party.play(7)
    party.give_up()
    assert not party.kept.is_rated


def test_a_game_with_dice_that_a_player_types_is_not_rated():
    party = Party(apart=True, dice="typed")
    for number in range(20):
        party.act("dice", dice=[6, 5] if number else [3, 1])
        party.act("play", play=find_first_play(party.state))
    party.give_up()
    assert not party.kept.is_rated


def test_two_accounts_are_rated():
    party = Party(apart=True, owners=("1 ann", "1 bob"))
    party.play(7)
    party.give_up()
    assert (party.kept.is_rated, [seat.owner for seat in party.kept.seats]) == (True, ["1 ann", "1 bob"])


def test_who_held_both_seats_once_is_known_after_a_restart():
    party = Party()
    party.apart = True
    again = party.restart()
    assert not again.site.hub.tables[party.table].seats.may_have_two_players


def test_an_address_that_finishes_more_games_than_people_play_makes_room_first():
    site = Site(limits=HubLimits(address_games=3))
    trifles = [play_alone(site, address) for address in (*["10.0.0.1"] * 5, "10.0.0.2")]
    assert trifles == [False, False, False, True, True, False]
    site.now += 3700.0
    assert not play_alone(site, "10.0.0.1")


def play_alone(site, address):
    """Play some moves of both sides and give up; return whether the game is a trifle."""
    party = Party(site=site, address=address)
    party.play(8)
    party.give_up()
    return party.kept.is_trifle


@pytest.mark.parametrize("fields", [{"length": 3}, {"variant": "nackgammon"}, {"variant": "barca"}])
def test_a_list_of_actions_is_all_that_makes_the_games(fields):
    party = Party(**fields)
    party.play(7)
    for act in ("undo", "undo", "redo", "undo"):
        party.act(act)
    party.play(3)
    party.act("go_back", to=4)
    party.play(2)
    if "length" in fields:
        party.give_up()
        for act in ("undo", "accept", "next"):
            party.act(act)
        party.play(3)
    else:
        party.act("resign", points=1)
    played, log = party.game, party.site.archive.load_log(party.table)
    again = TableGame(party.site.service, played.spec, 7)
    events = [again.act(action) for action in log]
    assert again.describe() == played.describe()
    assert again.history.describe() == played.history.describe()
    assert (again.started_s, again.have_acted) == (played.started_s, played.have_acted)
    assert [event.entry["n"] for event in events if event is not None and event.entry is not None]


def test_taking_back_more_than_the_session_keeps_is_refused_as_a_whole():
    party = Party(site=Site(service=make_service(limits=ClientLimits(undo_steps=9))))
    party.play(12)
    for _ in range(2):  # of the nine steps that are kept one is left then
        party.act("go_back", to=len(party.history) - 3)
    before, count = party.game.describe(), len(party.history)
    refused = party.refuse("go_back", to=count - 3)
    assert refused == ("bad_state", "act", "4 actions are too many to be taken back")
    assert (party.game.describe(), len(party.history)) == (before, count)
    party.act("go_back", to=count)
    assert len(party.history) == count - 1
