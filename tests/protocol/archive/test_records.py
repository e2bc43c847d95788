"""What is kept of a match, from the text that its table gives."""

from __future__ import annotations

import pytest

from gammond.engine.match_files.reading import read_matches
from gammond.protocol.archive.records import make_record
from tests.protocol.archive.kept_games import make_game, make_mat


def test_the_record_of_a_game_of_money_play_has_that_game_alone():
    record = make_record(make_game(number=2, winner=1, text=make_mat(winners=(0, 1))))
    (match,) = read_matches(record.text.encode())
    assert [game.result.winner for game in match.games] == [1]


@pytest.mark.parametrize("text", ["no match", ""])
def test_a_record_that_cannot_be_read_is_kept_as_it_is(text):
    record = make_record(make_game(text=text))
    assert (record.format, record.text) == ("mat", text)
    assert not record.can_be_analysed
