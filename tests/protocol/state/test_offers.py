from __future__ import annotations

import pytest

from gammond.engine.errors import PositionError, StateError
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.protocol.state.offers import (
    check_cube_owner,
    check_no_offer,
    format_alternatives,
    list_responses,
)


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (MatchState(roll=(3, 1)), ()),
        (MatchState(doubled=True), ("take", "drop", "beaver")),
        (MatchState(doubled=True, beavers=False), ("take", "drop")),
        (MatchState(length=5, doubled=True), ("take", "drop")),
        (MatchState(cube=MAX_CUBE // 2, cube_owner=0, doubled=True), ("take", "drop")),
        (MatchState(cube=2, cube_owner=1, doubled=True, beavered=True), ("take", "drop")),
        (MatchState(doubled=True, resigned=1), ("accept", "reject")),
    ],
)
def test_what_waits_has_its_answers(match, words):
    assert list_responses(match) == words
    if not words:
        check_no_offer(match)
        return
    with pytest.raises(StateError) as caught:
        check_no_offer(match)
    assert all(f"'play {word}'" in caught.value.message for word in words)
    assert caught.value.field == ("resigned" if match.resigned else "doubled")


def test_words_are_listed_as_a_choice():
    assert format_alternatives(("take",)) == "'take'"
    assert format_alternatives(("take", "drop", "beaver")) == "'take', 'drop' or 'beaver'"


@pytest.mark.parametrize("match", [MatchState(cube_owner=1), MatchState(length=5, cube=2)])
def test_a_cube_that_no_game_has_is_refused(match):
    with pytest.raises(PositionError) as caught:
        check_cube_owner(match)
    assert caught.value.field == "game.cube_owner"


@pytest.mark.parametrize(
    "match", [MatchState(), MatchState(cube=2), MatchState(cube=2, cube_owner=1), MatchState(length=5)]
)
def test_a_cube_of_a_game_is_let_through(match):
    check_cube_owner(match)
