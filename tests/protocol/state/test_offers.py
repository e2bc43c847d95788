from __future__ import annotations

import pytest

from gammond.engine.errors import StateError
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.protocol.state.offers import (
    check_no_offer,
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
