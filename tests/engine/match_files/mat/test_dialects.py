"""What programs and sites write into .mat files beyond the common rows, read and written again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_match
from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import GameResult
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import VARIANTS
from tests.engine.match_files.played_games import strip_game

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


def only(text):
    (match,) = parse_mat(text)
    return match


def read_again(match):
    """Write a match, and read what was written."""
    written = only(format_match(match))
    assert written.issues == ()
    return written


def test_headers_are_read_with_ratings_and_rules():
    match = only(HEADS + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n")
    assert match.names == ("left", "right")
    assert match.ratings == (1700.5, 1500.2)
    assert match.comment == "played on a Monday"
    rules = match.rules
    assert (rules.crawford, rules.jacoby, rules.beavers, rules.cube_limit) == (False, True, False, 1)
    assert match.headers["EventDate"] == "2026.11.23"
    again = read_again(only(HEADS + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n      Wins 1 point\n"))
    assert (again.ratings, again.rules, again.headers["Round"]) == (match.ratings, rules, "Final")


def test_joined_moves_are_read():
    match = only(MONEY + "  1) 65: 24/13                  65: 24/13\n")
    assert [action.play.moves for action in match.games[0].actions] == [((24, 18), (18, 13))] * 2


@pytest.mark.parametrize("marks", ["????", "???", ""])
def test_a_roll_without_a_play_is_one_before_a_resignation(marks):
    match = only(MONEY + f"  1) 31: 8/5 6/5                 64: {marks}\n      Wins 2 points\n")
    (game,) = match.games
    assert match.issues == ()
    assert game.actions[1:] == (RollAction(1, (6, 4)), ResignationAction(1, 2))
    assert game.result == GameResult(0, 2, 2)
    assert read_again(match).games == match.games


def test_an_empty_play_is_the_only_legal_one():
    match = only(
        MONEY + "; Set Pos=aBBBBBBC---------------n--/0\n"
        "  1)                             65:\n"
        "  2) 66: 7/1(3) 6/off            65:\n"
    )
    no_move, _, forced = match.games[0].actions
    assert no_move.play.is_no_move
    assert forced.play.moves == ((25, 19), (19, 14))


def test_beavers_and_raccoons_are_doubles_on_top_of_doubles():
    match = only(
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
    match = only(
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
    match = only(MONEY + f"; Set Pos={SHIFTED}/{cube}\n{row}      Wins {value} points\n")
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
    match = only(MONEY + f"; Set Pos={'P' + SHIFTED[1:]}/0\n  1) 31: 8/5 6/5\n")
    assert [(issue.kind, issue.line) for issue in match.issues][:1] == [(IssueKind.IMPOSSIBLE_POSITION, 6)]
    assert match.games[0].position == Position.start()


def test_an_illegal_play_with_the_position_after_it_is_an_issue_and_the_game_goes_on():
    after = "0;1;0;1;0;right;left;0;0;0;1;0;0;-2;0;0;0;3;5;0;3;0;0;0;-5;4;0;0;0;-2;0;-6;0;0;0;0;2;0;0;0"
    after = after.replace("-2;0;0;0;3;5;0;3", "-2;0;0;0;1;5;0;3")
    match = only(
        MONEY + f"  1) 31: 8/5 6/5                 62: Illegal play ({after})\n"
        "  2) 21: 13/11 6/5\n      Wins 1 point\n"
    )
    assert [issue.kind for issue in match.issues] == [IssueKind.ILLEGAL_PLAY]
    (game,) = match.games
    assert game.actions[1] == RollAction(1, (6, 2))
    assert isinstance(game.actions[2], SetAction)
    assert game.actions[2].match.on_roll == 0
    (again,) = parse_mat(format_match(match))
    assert again.games == match.games


def test_a_cube_that_is_set_in_the_midst_of_a_game_cannot_be_written():
    match = only(MONEY + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n      Wins 1 point\n")
    (game,) = match.games
    set_cube = SetAction(Position.start(), replace(game.initial_state, cube=2, cube_owner=0))
    edited = replace(match, games=(replace(game, actions=(game.actions[0], set_cube)),))
    with pytest.raises(UnsupportedError, match="midst of a game"):
        format_match(edited)


def test_nackgammon_starts_from_its_own_position():
    text = '; [Variation "NackGammon"]' + MONEY + "  1) 64: 24/18 13/9\n      Wins 1 point\n"
    match = only(text)
    assert match.issues == ()
    assert match.games[0].position.board[0].tolist()[20:] == [0, 0, 0, 2, 2, 0]
    assert match.games[0].position.pips == (194, 194)
    assert '; [Variation "NackGammon"]' in format_match(match)
    assert read_again(match).games == match.games


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("HyperGammon (1)", "hypergammon1"),
        ("HyperGammon (2)", "hypergammon2"),
        ("HyperGammon (3)", "hypergammon"),
    ],
)
def test_hypergammon_is_played_with_its_own_number_of_checkers(name, variant):
    match = only(f'; [Variation "{name}"]' + MONEY + "  1) 52: 24/22 22/17\n      Wins 1 point\n")
    assert match.issues == ()
    assert match.rules.rules.variant is VARIANTS[variant]
    assert match.games[0].position == VARIANTS[variant].starting_position
    assert f'; [Variation "{name}"]' in format_match(match)
    assert read_again(match).games == match.games


def test_a_position_of_hypergammon_may_be_set():
    text = (
        '; [Variation "HyperGammon (3)"]' + MONEY + "; Set Pos=-A---------b------------B-/0\n"
        "  1) 52: 24/22 24/19\n      Wins 1 point\n"
    )
    match = only(text)
    assert match.issues == ()
    assert match.games[0].position.board[:, 0].tolist() == [0, 1]
    assert read_again(match).games == match.games


def test_games_behind_the_end_of_the_match_are_left_out():
    match = only(
        " 1 point match\n Game 1\n left : 0    right : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n\n"
        " Game 2\n left : 1    right : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    )
    assert [game.number for game in match.games] == [1]
    assert [(issue.kind, issue.game) for issue in match.issues] == [
        (IssueKind.IMPOSSIBLE_SCORE, 2),
        (IssueKind.MISSING, 2),
    ]


def test_a_game_that_is_not_over_is_written_as_far_as_it_went():
    match = only(MONEY + "  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Takes\n")
    assert match.games[0].actions[-1] == ResponseAction(0, True)
    again = only(format_match(match))
    assert again.games == match.games
    assert [issue.kind for issue in again.issues] == [IssueKind.NO_RESULT]


def test_names_lose_what_the_format_reserves():
    match = only(" 1 point match\n Game 1\n a;b : 0    x[2] : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n")
    assert read_again(match).names == ("a b", "x 2")


def test_strictly_the_first_fault_is_an_error_that_says_where():
    with pytest.raises(FormatError, match=r"my\.mat: line 6, game 1, move 1: illegal play: 3-1 '8/2'"):
        read_matches((MONEY + "  1) 31: 8/2\n").encode(), name="my.mat", strict=True)


def test_what_does_not_print_is_escaped():
    match = only(MONEY.replace("left", "le\x1b[31mft") + "; a\x07b\n  1) 31: 8/5 6/5\n")
    assert match.names[0] == "le\\x1b[31mft"
    assert match.games[0].comment == "a\\x07b"


def test_messages_have_nothing_that_does_not_print():
    matches = read_matches(b"(;FF[4]GM[6]MI[length:1]PW[a]PB[b];W[31hefe])\n(;FF[4]GM[1\x1b\n2]PW[c]PB[d])")
    messages = [issue.message for match in matches for issue in match.issues]
    assert any("\\x1b" in message for message in messages)
    assert all(message.isprintable() for message in messages)
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
    (whole,) = read_matches(text.encode())
    (match,) = read_matches(f"Subject: our match\n\nHere it is:\n\n{quoted}".encode())
    assert (match.games, match.names, match.length) == (whole.games, ("ann", "bob"), 5)
    assert [issue.message for issue in match.issues] == [
        "expected a header or 'Game 1', got 'Subject: our match' and 1 more line"
    ]
