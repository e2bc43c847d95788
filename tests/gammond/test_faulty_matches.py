"""Matches with faults as users of the API see them: illegal plays, what is missing, results of the file."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gammond
from tests.engine.match_files.faulty_matches import (
    CUT,
    DOUBLED_OUT_OF_TURN,
    GAP,
    ILLEGAL,
    TURN_MISSING,
    WRONG_RESULT,
)

RULED_OTHERWISE = ILLEGAL.replace("      Wins 1 point", "      Wins 2 points")


def read(text):
    return gammond.read_match(text.encode())


def test_an_illegal_play_is_marked_and_its_checkers_are_moved():
    game = read(ILLEGAL).games[0]
    (place,) = (number for number, action in enumerate(game.actions) if not action.is_legal)
    played = game.actions[place]
    assert (str(played), played.text) == ("2-1: 14/10 (illegal)", "14/10")
    assert game.actions[place + 1].position == played.play.result
    assert not game.is_cut


def test_what_is_missing_of_a_game_is_said():
    whole, cut = read(CUT).games
    assert (whole.is_cut, cut.is_cut) == (False, True)
    assert cut.missing == ("move 2 could not be read, and all after it is left out",)
    assert (cut.winner, cut.points) == (1, 1)


@pytest.mark.parametrize(
    "text", [ILLEGAL, CUT, GAP, WRONG_RESULT, RULED_OTHERWISE, DOUBLED_OUT_OF_TURN, TURN_MISSING]
)
def test_games_with_faults_are_the_same_after_they_were_made_of_their_fields(text):
    match = read(text)
    games = tuple(replace(game) for game in match.games)
    changed = replace(match, games=games, names=("zoe", "yan"))
    assert [each.winner for each in changed.games] == [each.winner for each in match.games]
    assert changed.to_dict() == {**match.to_dict(), "names": ["zoe", "yan"]}
    assert changed.to_mat()


def test_an_illegal_play_that_says_it_is_legal_is_refused():
    match = read(ILLEGAL)
    game = match.games[0]
    actions = tuple(replace(action, is_legal=True) for action in game.actions)
    with pytest.raises(gammond.StateError, match="is_legal"):
        replace(match, games=(replace(game, actions=actions), *match.games[1:])).to_mat()


def test_an_analysis_shows_the_best_play_beside_an_illegal_one():
    analysed = gammond.Engine().analyse(read(ILLEGAL), 0)
    (played,) = (each for game in analysed.games for each in game.actions if not each.is_legal)
    assert played.analysed_plays[0].play.text == "14/11"
    assert all(each.play.text != "14/10" for each in played.analysed_plays)
