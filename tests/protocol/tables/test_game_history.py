"""The history of a game: decisions, what is taken back and done again."""

from __future__ import annotations

import pytest

from protocol.tables.game_history import GameHistory, HistoryEntry, name_action


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
