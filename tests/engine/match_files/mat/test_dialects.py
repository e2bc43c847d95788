"""What programs and sites write into .mat files beyond the common rows, read and written again."""

from dataclasses import replace

import pytest

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.match_files.mat.writer import format_match
from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import GameResult
from gammond.engine.rules.position import Position
from tests.engine.match_files.played_games import read_match, strip_game

HEADS = """\ufeff; [Site "Here"]
# [Match ID "77"]
; [Player 1 "left"]
; [Player 1 Elo "1700.50"]
; [Event "An event"]
; [Round "Final"]
; [EventDate "2026.11.23"]
; [EventTime "20.10"]
; [Variation "Backgammon"]
; [Crawford "Off"]
; [Jacoby "On"]
; [Beaver "Off"]
; [CubeLimit "1"]
; [Transcriber "Someone"]
; played on a Monday

 3 point match

 Game 1
 left : 0                  right, 1500.2 : 0
"""
MONEY = "\n 0 point match\n\n Game 1\n left : 0                  right : 0\n"
SHIFTED = "-A----E-C---eE---c-e----A-"
"""The start, with a checker of the left player moved to its ace point, and two of the other borne off."""


def read_again(match):
    """Write a match, and read what was written."""
    written = read_match(format_match(match))
    assert written.issues == ()
    return written


def test_headers_are_read_with_ratings_and_rules():
    match = read_match(HEADS + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n")
    assert match.names == ("left", "right")
    assert match.ratings == (1700.5, 1500.2)
    assert match.comment == "played on a Monday"
    rules = match.rules
    assert (rules.crawford, rules.jacoby, rules.beavers, rules.cube_limit) == (False, True, False, 1)
    assert match.headers["EventDate"] == "2026.11.23"
    again = read_again(
        read_match(HEADS + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n      Wins 1 point\n")
    )
    assert (again.ratings, again.rules, again.headers["Round"]) == (match.ratings, rules, "Final")


@pytest.mark.parametrize("marks", ["????", "???", ""])
def test_a_roll_without_a_play_is_one_before_a_resignation(marks):
    match = read_match(MONEY + f"  1) 31: 8/5 6/5                 64: {marks}\n      Wins 2 points\n")
    (game,) = match.games
    assert match.issues == ()
    assert game.actions[1:] == (RollAction(1, (6, 4)), ResignationAction(1, 2))
    assert game.actions[2].is_stated
    assert game.result == GameResult(0, 2, 2)
    assert read_again(match).games == match.games


def test_an_empty_play_is_the_only_legal_one():
    match = read_match(
        MONEY + "; Set Pos=aBBBBBBC---------------n--/0\n"
        "  1)                             65:\n"
        "  2) 66: 7/1(3) 6/off            65:\n"
    )
    no_move, _, forced = match.games[0].actions
    assert no_move.play.is_no_move
    assert forced.play.moves == ((25, 19), (19, 14))


def test_beavers_and_raccoons_are_doubles_on_top_of_doubles():
    match = read_match(
        MONEY + "  1) 31: 8/5 6/5                 Doubles => 2\n"
        "  2)  Beavers => 4                Raccoons => 8\n"
        "  3)  Takes                      64: 24/18 13/9\n"
        "      Wins 8 points\n"
    )
    assert match.issues == ()
    (game,) = match.games
    assert game.actions[1:4] == (DoubleAction(1, 2), DoubleAction(0, 4), DoubleAction(1, 8))
    assert isinstance(game.actions[4], PlayAction)
    assert game.result == GameResult(0, 1, 8)
    assert "Raccoons => 8" in format_match(match)
    assert read_again(match).games == match.games


def test_comments_in_a_game_belong_to_the_action_before_them():
    match = read_match(
        MONEY + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n"
        "; [Game 1, Move 1: Dice set to 64]\n; good\n"
    )
    assert match.games[0].notes[1].comment == "[Game 1, Move 1: Dice set to 64]\ngood"
    assert [issue.kind for issue in match.issues] == [IssueKind.NO_RESULT]


@pytest.mark.parametrize(
    ("cube", "value", "owner"), [("0", 1, None), ("1", 2, 1), ("-2", 4, 0)], ids=["centred", "right", "left"]
)
@pytest.mark.parametrize("first", [0, 1])
def test_a_position_is_set_before_a_game(cube, value, owner, first):
    row = "  1) 31: 8/5 6/5\n" if first == 0 else "  1)                             31: 8/5 6/5\n"
    match = read_match(MONEY + f"; Set Pos={SHIFTED}/{cube}\n{row}      Wins {value} points\n")
    assert match.issues == ()
    (game,) = match.games
    begun = game.initial_state
    assert (begun.cube, begun.cube_owner, begun.on_roll) == (value, owner, first)
    left = game.position.board[first]
    assert (left[1], left[24], left[0]) == (1, 1, 0)
    assert game.position.board[1 - first][24] == 0
    assert strip_game(game) is None
    assert read_again(match).games == match.games


def test_a_position_that_cannot_be_set_leaves_the_one_that_the_game_begins_with():
    match = read_match(MONEY + f"; Set Pos={'P' + SHIFTED[1:]}/0\n  1) 31: 8/5 6/5\n")
    assert [(issue.kind, issue.line) for issue in match.issues][:1] == [(IssueKind.IMPOSSIBLE_POSITION, 6)]
    assert match.games[0].position == Position.start()


def test_a_cube_that_is_set_in_the_midst_of_a_game_cannot_be_written():
    match = read_match(MONEY + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n      Wins 1 point\n")
    (game,) = match.games
    set_cube = SetAction(Position.start(), replace(game.initial_state, cube=2, cube_owner=0))
    edited = replace(match, games=(replace(game, actions=(game.actions[0], set_cube)),))
    with pytest.raises(UnsupportedError, match="midst of a game"):
        format_match(edited)


def test_games_behind_the_end_of_the_match_are_left_out():
    match = read_match(
        " 1 point match\n Game 1\n left : 0    right : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n\n"
        " Game 2\n left : 1    right : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    )
    assert [game.number for game in match.games] == [1]
    assert [(issue.kind, issue.game) for issue in match.issues] == [
        (IssueKind.IMPOSSIBLE_SCORE, 2),
        (IssueKind.MISSING, 2),
    ]


def test_names_lose_what_the_format_reserves():
    match = read_match(
        " 1 point match\n Game 1\n a;b : 0    x[2] : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    )
    assert read_again(match).names == ("a b", "x 2")


def test_strictly_the_first_fault_is_an_error_that_says_where():
    with pytest.raises(FormatError, match=r"my\.mat: line 6, game 1, move 1: illegal play: 3-1 '8/2'"):
        read_matches((MONEY + "  1) 31: 8/2\n").encode(), name="my.mat", strict=True)


def test_the_name_of_a_file_that_does_not_print_is_escaped():
    with pytest.raises(FormatError) as caught:
        read_matches(b"\x1b[2J", name="a\nb")
    assert caught.value.message.isprintable()


def test_a_match_that_is_quoted_in_a_mail_is_read_and_the_words_before_it_are_one_line():
    text = (
        " 5 point match\n\n Game 1\n ann : 0                        bob : 0\n"
        "  1) 31: 8/5 6/5                64: 24/14\n  2)  Doubles => 2               Drops\n"
        "      Wins 1 point\n"
    )
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    whole, match = read_match(text), read_match(f"Subject: our match\n\nHere it is:\n\n{quoted}")
    assert (match.games, match.names, match.length) == (whole.games, ("ann", "bob"), 5)
    assert [issue.message for issue in match.issues] == [
        "expected a header or 'Game 1', got 'Subject: our match' and 1 more line"
    ]
