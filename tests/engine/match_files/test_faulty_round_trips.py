"""What people's files have against the rules is written as it was made, and read again as it was."""

import importlib.util
from dataclasses import replace

import pytest

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.writing import MATCH_FORMATS, write_match
from gammond.engine.rules.game_record import PlayAction, SetAction
from tests.engine.match_files.faulty_matches import (
    CUT,
    DOUBLED_OUT_OF_TURN,
    GAP,
    ILLEGAL,
    PLAY_MISSING,
    TURN_MISSING,
    UNFINISHED,
    WRONG_RESULT,
)

TOO_FAR = ILLEGAL.replace("  3) 43: 13/6 ", "  3) 43: 24/14 ")
NOT_MOVED = ILLEGAL.replace("21: 14/10", "21: Cannot move")

FORMATS = [form for form in MATCH_FORMATS if form != "ogxm" or importlib.util.find_spec("ogxm")]
"""Those that can be written here."""


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "text", [ILLEGAL, TOO_FAR, NOT_MOVED, GAP, WRONG_RESULT, DOUBLED_OUT_OF_TURN, UNFINISHED]
)
def test_illegal_actions_gaps_and_results_of_no_cube_are_read_again(form, text):
    (match,) = parse_mat(text)
    written, lost = write_match(match, form)
    (read,) = MATCH_FORMATS[form].parse(written)
    assert [game.actions for game in read.games] == [game.actions for game in match.games]
    assert [game.result for game in read.games] == [game.result for game in match.games]
    assert lost == []
    illegal = [each for game in read.games for each in game.actions if not getattr(each, "is_legal", True)]
    assert [issue.kind for issue in read.issues].count(IssueKind.ILLEGAL_PLAY) >= len(illegal)


def test_an_illegal_play_is_written_as_plain_moves_with_its_dice():
    (match,) = parse_mat(ILLEGAL)
    assert b"21: 14/10\n" in write_match(match, "mat")[0]
    assert b";B[21ko]" in write_match(match, "sgf")[0]


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_format_cannot_say_of_a_cut_game_is_named(form):
    (match,) = parse_mat(CUT)
    assert match.games[1].is_cut
    assert write_match(match, form)[1] == ["that game 2 is cut"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", [TURN_MISSING, PLAY_MISSING])
def test_the_turn_and_the_position_after_a_gap_are_read_again(form, text):
    (match,) = parse_mat(text)
    assert any(isinstance(action, SetAction) for action in match.games[0].actions)
    written, _ = write_match(match, form)
    (read,) = MATCH_FORMATS[form].parse(written)
    assert read.games[0].actions == match.games[0].actions


@pytest.mark.parametrize("form", FORMATS)
def test_a_game_of_a_result_alone_is_written(form):
    text = CUT.replace("  1) 31: 8/5 6/5                      64: 24/14\n  2) 52: 12/9 7/5\n", "")
    (match,) = parse_mat(text)
    assert match.games[1].actions[:-1] == ()
    (read,) = MATCH_FORMATS[form].parse(write_match(match, form)[0])
    assert [game.result for game in read.games] == [game.result for game in match.games]


def test_an_action_that_is_read_otherwise_is_named(monkeypatch):
    (match,) = parse_mat(ILLEGAL)
    shortened = ILLEGAL.replace("  5) 61: 13/7 8/7                     21: 13/10\n", "")
    monkeypatch.setitem(MATCH_FORMATS, "mat", replace(MATCH_FORMATS["mat"], writer=lambda _: shortened))
    assert write_match(match, "mat")[1] == ["actions of game 1"]


def test_illegal_plays_are_marked_in_every_game_that_is_read():
    played = [
        action
        for text in (ILLEGAL, CUT, NOT_MOVED)
        for game in parse_mat(text)[0].games
        for action in game.actions
        if isinstance(action, PlayAction) and not action.is_legal
    ]
    assert [action.roll for action in played] == [(2, 1), (5, 2), (2, 1)]
