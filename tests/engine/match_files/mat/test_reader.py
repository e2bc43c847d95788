"""Reading .mat text: round trips, the spellings of programs and sites, and what is wrong with a record."""

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import IssueKind
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from gammond.engine.rules.match import GameResult
from gammond.engine.rules.notation import format_play
from tests.engine.match_files.played_games import read_match, strip_game

HEAD = '; [Crawford "On"]\n\n 5 point match\n\n Game 1\n left : 0                  right : 0\n'


def format_action(action):
    return f"{action.roll[0]}{action.roll[1]}: {format_play(action.play)}"


def rows(*lines, head=HEAD):
    return read_match(head + "\n".join(lines) + "\n")


def test_the_games_of_these_tests_have_all_that_there_is(match, money):
    actions = [type(action) for game in (*match, *money) for action in game.actions]
    assert {PlayAction, DoubleAction, ResponseAction} == set(actions)
    assert {game.result.kind for game in (*match, *money)} >= {1, 2}
    assert any(game.initial_state.crawford for game in match)
    assert any(len(game.actions) > 3 and game.initial_state.on_roll == 1 for game in match)


def test_plays_as_people_write_them_are_the_same_plays(match):
    text, at = format_mat(("one", "two"), match), 0
    for action in (action for game in match for action in game.actions if isinstance(action, PlayAction)):
        die, other = action.roll
        moves = zip(action.play.moves, action.play.hits, strict=True)
        plain = " ".join(f"{source}/{target}{'*' * hit}" for (source, target), hit in moves)
        cell = f"{die}{other}: {plain}".rstrip()
        at = text.index(cell, at)
        written = format_play(action.play).title().replace("Pass", "Cannot Move")
        text = f"{text[:at]}{die}{other}: {written}{text[at + len(cell) :]}"
        at += 1
    assert "Bar/" in text
    assert "Off" in text
    assert "(2)" in text
    (read,) = parse_mat(text)
    assert (read.issues, [strip_game(game) for game in read.games]) == ((), match)


def test_points_cut_to_what_wins_the_match_are_no_fault():
    read = rows(
        "  1) 31: 8/5 6/5                  Doubles => 2",
        "  2)  Takes                      64: 24/18 13/9",
        "  3)  Doubles => 4                Takes",
        "  4) 21: 13/11 6/5                Losses 5 point",
        "      Wins 5 point and the match",
    )
    assert read.issues == ()
    assert read.games[0].result == GameResult(winner=0, kind=2, points=8)


def test_several_matches_in_a_text_stay_apart(match, money):
    read = parse_mat(format_mat(("one", "two"), match) + format_mat(("three", "four"), money))
    assert [each.names for each in read] == [("one", "two"), ("three", "four")]
    assert [[strip_game(game) for game in each.games] for each in read] == [match, money]


ROW = "  1) 31: 8/5 6/5                 64: 24/18 13/9"


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("  2) 65: 24/14", IssueKind.ILLEGAL_PLAY, "24/14 is 10 pips"),
        ("  2) 65: 24/x", IssueKind.UNREADABLE, "24/x"),
        (
            "  2)                             65: 24/18 13/8",
            IssueKind.OUT_OF_TURN,
            "expected player 1 to act",
        ),
        ("  2)  Takes", IssueKind.ILLEGAL_CUBE_ACTION, "expected a double before a take"),
        ("  2)  Doubles => 4", IssueKind.ILLEGAL_CUBE_ACTION, "expected the cube at 2"),
        (
            "  2)  Doubles => 2               65: 24/18 13/8",
            IssueKind.OUT_OF_TURN,
            "response to the double",
        ),
        ("  2) hello", IssueKind.UNREADABLE, "hello"),
        ("hello", IssueKind.UNREADABLE, "hello"),
    ],
)
def test_an_impossible_action_is_reported_with_its_line_and_costs_neither_what_was_before_nor_the_result(
    line, kind, message
):
    read = rows(ROW, line, "  3) 21: 13/11 6/5", "      Wins 1 point")
    fault = read.issues[0]
    assert (fault.line, fault.game, fault.kind) == (8, 1, kind)
    assert message in fault.message
    (game,) = read.games
    assert list(map(format_action, game.actions[:2])) == ["31: 8/5 6/5", "64: 24/18 13/9"]
    assert game.result.winner == 0
    assert game.is_cut or not any(issue.kind is IssueKind.MISSING for issue in read.issues)


@pytest.mark.parametrize(
    "words",
    [
        *("", "????", "-", "--", "\u2014", "0/0", "25/25 25/25", "O-O", "(no play)", "Fan", "fans", "Dance"),
        *("Cannot Move", "Can't Move", "No legal moves", "no move."),
    ],
)
def test_words_for_no_move_are_none_and_an_illegal_play_where_one_was_possible(words):
    closed = "  1) 62: 24/18 13/11               61: 13/7* 8/7"
    (game,) = rows(closed, f"  2) 66: {words:24} 21: 24/22 6/5", "      Wins 1 point").games
    assert game.actions[2].play.is_no_move
    assert (game.actions[2].is_legal, len(game.actions)) == (True, 5)
    read = rows(ROW, f"  2) 65: {words:24} 21: 13/11 6/5", "      Wins 1 point")
    assert [issue.kind for issue in read.issues] == [IssueKind.ILLEGAL_PLAY]
    (game,) = read.games
    assert game.actions[2].play.is_no_move
    assert (game.actions[2].is_legal, len(game.actions)) == (False, 5)


def test_a_result_without_a_number_is_what_the_rules_or_the_cube_give():
    read = rows(ROW, "      Wins it")
    assert (read.issues, read.games[0].result) == ((), GameResult(0, 1, 1))


def test_a_double_in_the_crawford_game_is_a_fault_that_counts_unless_it_is_off():
    game = [ROW, "  2)  Doubles => 2                Drops", "      Wins 1 point"]
    head = (
        HEAD.replace("left : 0", "left : 2")
        + f"{ROW}\n      Wins 2 points\n Game 2\n left : 4                  right : 0\n"
    )
    read = rows(*game, head=head)
    assert [fault.kind for fault in read.issues] == [IssueKind.ILLEGAL_CUBE_ACTION]
    assert read.games[1].actions[2:] == (DoubleAction(0, 2), ResponseAction(1, False))
    assert rows(*game, head=head.replace('"On"', '"Off"')).issues == ()


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (HEAD.replace("left : 0", "left : 5"), IssueKind.IMPOSSIBLE_SCORE),
        (HEAD.replace("left : 0", "left"), IssueKind.UNREADABLE),
    ],
)
def test_a_game_whose_score_cannot_be_read_is_read_at_the_score_that_it_should_have(head, kind):
    read = rows(ROW, "      Wins 1 point", head=head)
    assert [game.initial_state.score for game in read.games] == [(0, 0)]
    assert (read.issues[0].line, read.issues[0].kind) == (6, kind)
    assert read.games[0].result == GameResult(0, 1, 1)


SECOND = "\n Game 2\n left : {}                  right : {}\n  1) 31: 8/5 6/5\n"


@pytest.mark.parametrize(
    ("said", "following", "result", "message"),
    [
        ("      Wins 3 point", "", GameResult(0, 3, 3), "expected 1 for player 1 by the rules, got 3"),
        ("                                  Wins 1 point", "", GameResult(1, 1, 1), "got 1 for player 2"),
        ("                                  Wins 1 point", (1, 0), GameResult(0, 1, 1), "the score after it"),
        ("                                  Wins 1 point", (0, 1), GameResult(1, 1, 1), "got 1 for player 2"),
        ("      Wins 4 points", (3, 0), GameResult(0, 3, 3), "3 points by the score after it"),
        ("      Wins 4 points", (0, 2), GameResult(0, 1, 4), "got 4 for player 1"),
    ],
)
def test_a_result_against_the_rules_counts_unless_the_next_score_denies_it_and_both_are_said(
    said, following, result, message
):
    read = rows(
        ROW, "  2)  Doubles => 2                Drops", said, SECOND.format(*following) if following else ""
    )
    fault = next(fault for fault in read.issues if fault.kind is IssueKind.WRONG_RESULT)
    assert message in fault.message
    assert read.games[0].result == result


def test_the_winner_of_a_resigned_game_is_who_gets_its_points_in_the_score_after_it():
    read = rows(ROW, "                                  Wins 1 point", SECOND.format(1, 0))
    assert read.games[0].result == GameResult(0, 1, 1)
    assert next(fault.kind for fault in read.issues) is IssueKind.WRONG_RESULT


@pytest.mark.parametrize("points", [3, 5, 6])
def test_points_beyond_those_needed_may_be_left_out_down_to_the_length_or_to_these(points):
    head = HEAD.replace("left : 0", "left : 2")
    read = rows(ROW, "  2)  Doubles => 2                Takes", f"      Wins {points} points", head=head)
    assert (read.issues, read.games[0].result.winner) == ((), 0)


def test_points_that_no_resignation_counts_keep_their_winner_and_win_the_match():
    read = rows(ROW, "  2)  Losses 4016 point              Wins 4016 point")
    assert [fault.kind for fault in read.issues] == [IssueKind.WRONG_RESULT]
    assert read.games[0].result == GameResult(1, 1, 5)
    assert "got 4016 for player 2: read as 5, with which the match is won" in read.issues[0].message


@pytest.mark.parametrize(("following", "points"), [((0, 2), 2), ((0, 3), 3)])
def test_a_game_without_a_result_has_that_of_the_score_after_it(following, points):
    read = rows(ROW, SECOND.format(*following))
    assert read.games[0].result == GameResult(1, points, points)
    assert rows(ROW, SECOND.format(1, 1)).games[0].result is None


@pytest.mark.parametrize("text", ["", "hello", '; [Player 1 "a"]\n\n 5 point match\n'])
def test_a_text_without_a_game_is_refused(text):
    with pytest.raises(FormatError, match="Game 1") as caught:
        parse_mat(text)
    assert caught.value.field == "mat"


def test_a_game_without_rows_is_reported():
    read = read_match(" 5 point match\n Game 1\n")
    assert read.games == ()
    assert [(fault.line, fault.kind) for fault in read.issues] == [
        (2, IssueKind.UNREADABLE),
        (2, IssueKind.NO_RESULT),
    ]
