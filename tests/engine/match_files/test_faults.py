"""Faults of people's match files, by kind: what is kept of each."""

import re

import pytest

from gammond.engine.formats.snowie import encode_snowie
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import IssueKind, describe_issues
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction, RollAction, SetAction
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.notation import format_play
from tests.engine.match_files.played_games import read_match
from tests.support import boards

SCORE = " ann : {}                              bob : {}\n"
FIRST = "  1) 31: 8/5 6/5                      64: 24/14\n"
HEAD = f" 5 point match\n\n Game 1\n{SCORE.format(0, 0)}{FIRST}"
PASS = "  {})  Doubles => 2                     Drops\n      Wins 1 point\n\n"


def game_2(*score):
    return f"\n Game 2\n{SCORE.format(*score)}{FIRST}{PASS.format(2)}"


def kinds(match):
    return [issue.kind for issue in match.issues]


def tell(action):
    if isinstance(action, PlayAction):
        told = f"{action.roll[0]}{action.roll[1]}: {format_play(action.play)}"
        return told if action.is_legal else f"{told} (illegal)"
    return type(action).__name__.removesuffix("Action").lower()


@pytest.mark.parametrize(
    ("row", "told", "after"),
    [
        ("21: 14/10", "21: 14/10 (illegal)", {24: 1, 13: 5, 10: 1, 8: 3, 6: 5}),
        ("21: 14/13", "21: 14/13 (illegal)", {24: 1, 13: 6, 8: 3, 6: 5}),
        ("21: 14/7", "21: 14/7 (illegal)", {24: 1, 13: 5, 8: 3, 7: 1, 6: 5}),
        (
            "21: 24/21 14/11 13/10",
            "21: 24/21 14/11 13/10 (illegal)",
            {21: 1, 13: 4, 11: 1, 10: 1, 8: 3, 6: 5},
        ),
        ("21: ", "21: pass (illegal)", {24: 1, 14: 1, 13: 5, 8: 3, 6: 5}),
    ],
    ids=["wrong dice", "one die", "too many pips", "other pips", "none"],
)
def test_a_play_against_the_rules_is_carried_out_as_it_stood_over_the_board(row, told, after):
    match = read_match(
        f"{HEAD}  2) 52: 13/8 24/22                    {row}\n  3)  Doubles => 2                     Takes\n"
        "  4) 61: 13/7 8/7                     \n      Wins 2 points\n"
    )
    (game,) = match.games
    assert kinds(match) == [IssueKind.ILLEGAL_PLAY]
    assert list(map(tell, game.actions)) == [
        *(
            "31: 8/5 6/5",
            "64: 24/14",
            "52: 24/22 13/8",
            told,
            "double",
            "response",
            "61: 13/7 8/7",
            "resignation",
        ),
    ]
    own = game.actions[3].play.result.board[1]
    assert {point: count for point, count in enumerate(own.tolist()) if count} == after
    assert (game.result, game.is_cut, match.is_whole) == (GameResult(0, 1, 2), False, True)


def test_an_entry_that_was_missed_is_an_illegal_play():
    match = read_match(
        f" 5 point match\n Game 1\n{SCORE.format(0, 0)}"
        "  1) 31: 24/20                        42: 8/4 6/4\n  2) 21: 6/4 24/23                    31: 8/4*\n"
        "  3) 61: 13/7 8/7                     53: 13/8 13/10\n      Wins 1 point\n"
    )
    (game,) = match.games
    told = list(map(tell, game.actions))
    assert told[4:6] == ["61: 13/7 8/7 (illegal)", "53: 13/8 13/10"]
    assert game.actions[4].play.result.board[1, 25] == 1


@pytest.mark.parametrize(
    ("line", "length"),
    [
        *((" 5 point match", 5), ("5-point match", 5), ("Match of 5 points", 5), ("Match to 5", 5)),
        *(("Match length: 5", 5), ("5pt match", 5), ("Length 5 points", 5), ("999999 point match", 999999)),
    ],
)
def test_a_header_of_any_wording_says_how_long_a_match_is(line, length):
    match = read_match(HEAD.replace(" 5 point match", line) + PASS.format(2))
    assert match.length == length


@pytest.mark.parametrize("length", ["32768", "999999", "123456789"])
def test_a_length_that_no_match_has_is_refused_with_the_largest_and_is_never_money(length):
    match = read_match(HEAD.replace("5", length, 1) + PASS.format(2))
    assert match.games == ()
    assert f"a match length is 0 (money) to 32767, not {length}" in match.issues[0].message
    assert not match.is_whole


@pytest.mark.parametrize("names", [("ann", ""), ("", "bob"), ("", ""), ("ann", "ann")])
def test_names_that_are_missing_or_the_same_cost_nothing(names):
    left, right = names
    text = (
        f"3 point match\n\n Game 1\n {left} : 0                        {right} : 0\n{FIRST}{PASS.format(2)}"
    )
    match = read_match(text)
    assert match.names == (left or "Player 1", right or "Player 2")
    assert (match.issues, match.length, match.games[0].result) == ((), 3, GameResult(0, 1, 1))


def test_a_pass_and_a_result_on_a_line_of_their_own_are_read():
    match = read_match(f"{HEAD}  2)  Doubles => 2\n       Drops      Wins 1 point\n{game_2(1, 0)}")
    assert match.issues == ()
    assert match.games[0].actions[2:] == (DoubleAction(0, 2), ResponseAction(1, False))
    assert match.games[0].result == GameResult(0, 1, 1)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("  2) 52: 13/8", IssueKind.ILLEGAL_PLAY),
        ("  2) 52: 12/9 7/5", IssueKind.ILLEGAL_PLAY),
        ("  2) 52: 13/", IssueKind.UNREADABLE),
        ("  2) 5", IssueKind.UNREADABLE),
        ("  2)", None),
    ],
)
def test_a_last_play_that_is_half_written_or_nonsense_leaves_the_result(row, kind):
    match = read_match(f"{HEAD}{row}\n{' ' * 38}Wins 1 point\n{game_2(0, 1)}")
    assert match.games[0].result == GameResult(1, 1, 1)
    assert kinds(match)[:1] == ([] if kind is None else [kind])
    assert match.games[1].result == GameResult(0, 1, 1)


AFTER = boards.position({24: 2, 13: 4, 10: 1, 8: 2, 6: 4, 5: 2}, {1: 1, 11: 1, 12: 5, 17: 3, 19: 5})


@pytest.mark.parametrize(
    "line",
    [
        "15;0;1;0;0;bob;ann;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-4;5;1;-1;0;-2;0;-4;-2;0;0;0;1;0;2;1;",
        encode_snowie(AFTER, MatchState(length=5, on_roll=0), ("ann", "bob")),
    ],
    ids=["as the next player sees it", "as its player sees it"],
)
def test_a_position_in_the_place_of_a_play_is_taken_the_right_way_round(line):
    match = read_match(f"{HEAD}  2) 11: Illegal play ({line}) 21: 14/11\n{PASS.format(3)}")
    (game,) = match.games
    assert game.actions[2] == RollAction(0, (1, 1))
    assert isinstance(game.actions[3], SetAction)
    assert game.actions[3].position == AFTER.swap_sides()
    assert tell(game.actions[4]) == "21: 14/11"


def test_a_session_whose_games_all_begin_at_nothing_has_a_total():
    text = HEAD.replace("5 point", "0 point") + PASS.format(2) + game_2(0, 0)
    match = read_match(text)
    assert [game.initial_state.score for game in match.games] == [(0, 0), (1, 0)]
    assert match.issues == ()


@pytest.mark.parametrize("dice", ["52:", "52 ", "5-2:", "52 :", "5-2 "])
def test_dice_are_read_with_a_dash_and_without_a_colon(dice):
    match = read_match(f"{HEAD}  2) {dice} 13/8 24/22                    {dice} 14/7\n{PASS.format(3)}")
    assert match.issues == ()
    assert list(map(tell, match.games[0].actions[2:4])) == ["52: 24/22 13/8", "52: 14/7"]


def test_a_row_whose_columns_are_swapped_costs_nothing():
    row = "  2) 52: 13/8 24/22                    21: 14/11\n"
    swapped = "  2) 21: 14/11                         52: 13/8 24/22\n"
    whole = read_match(HEAD + row + PASS.format(3)).games[0]
    assert read_match(HEAD + swapped + PASS.format(3)).games[0].actions == whole.actions


def test_an_excerpt_may_lack_the_crawford_game():
    text = (
        " 5 point match\n\n Game 3\n"
        + SCORE.format(2, 2)
        + f"{FIRST}      Wins 2 points\n\n Game 6\n"
        + SCORE.format(4, 3)
        + FIRST
        + PASS.format(2)
    )
    match = read_match(text)
    assert (kinds(match), match.games[1].result) == ([IssueKind.MISSING_GAMES], GameResult(0, 1, 1))
    assert match.is_whole
    assert not match.games[1].initial_state.crawford


@pytest.fixture(scope="module")
def long_game(match):
    """The lines of a match of one game, and the place of its sixth row."""
    lines = format_mat(("ann", "bob"), match[:1]).splitlines()
    return lines, next(place for place, line in enumerate(lines) if line.startswith("  6)"))


def test_a_row_that_is_missing_is_said_and_nothing_is_read_on_a_position_that_was_not_there(long_game):
    lines, place = long_game
    whole = read_match("\n".join(lines)).games[0]
    match = read_match("\n".join([*lines[:place], *lines[place + 1 :]]))
    (game,) = match.games
    assert match.issues[0].message == "expected row 6, got row 7"
    assert game.actions[:9] == whole.actions[:9]
    assert (game.is_cut, game.result) == (True, whole.result)
    assert all(action.is_legal for action in game.actions if isinstance(action, PlayAction))


def test_a_play_after_which_much_is_illegal_was_written_wrongly(long_game):
    lines, place = long_game
    whole = read_match("\n".join(lines)).games[0]
    found = re.fullmatch(r"(  6\) \d\d: \S+)( \S+)(\s.*)", lines[place])
    match = read_match("\n".join([*lines[:place], f"{found[1]}{found[3]}", *lines[place + 1 :]]))
    (game,) = match.games
    assert set(kinds(match)) <= {IssueKind.ILLEGAL_PLAY, IssueKind.MISSING}
    assert len(match.issues) <= 2
    assert list(map(tell, game.actions[-9:])) == list(map(tell, whole.actions[-9:]))
    assert game.result == whole.result


def test_a_line_of_talk_between_the_rows_costs_nothing(long_game):
    lines, place = long_game
    match = read_match("\n".join([*lines[:place], "  nice roll, brb", *lines[place:]]))
    assert kinds(match) == [IssueKind.UNREADABLE]
    assert match.games == read_match("\n".join(lines)).games
    assert match.is_whole


def test_a_take_without_a_double_shows_that_it_was_doubled():
    match = read_match(
        f"{HEAD}  2)                                     Takes\n  3) 52: 13/8 24/22\n      Wins 2 points\n"
    )
    assert match.games[0].actions[2:4] == (DoubleAction(0, 2), ResponseAction(1, True))
    assert "it was doubled" in match.issues[0].message


def test_a_match_whose_length_is_missing_is_as_long_as_its_end_says():
    text = (HEAD + PASS.format(2) + game_2(1, 0)).replace(" 5 point match\n", "")
    end = text.rindex("Wins 1 point")
    match = read_match(f"{text[:end]}Wins 1 point and the match\n")
    assert match.length == 2
    assert "read as a match to 2" in match.issues[0].message


def test_columns_without_blanks_between_them_are_told_by_the_second_row():
    rows = "  1) 42: 8/4 6/4\n  2) 31: 8/5 6/5 64: 24/14\n  3) 52: 13/8 24/22 21: 14/11\n"
    match = read_match(f" 5 point match\n\n Game 1\n{SCORE.format(0, 0)}{rows}      Wins 1 point\n")
    assert match.issues == ()
    assert [action.seat for action in match.games[0].actions[:5]] == [1, 0, 1, 0, 1]


def test_actions_after_the_end_of_a_game_are_lost_and_said_once():
    over = f"{HEAD}  2)  Doubles => 2                     Drops\n"
    rows = (
        "  3) 52: 13/8 24/22                   21: 14/11\n  4) 61: 13/7 8/7                     42: 8/4 6/4\n"
    )
    match = read_match(f"{over}{rows}      Wins 2 points\n{game_2(1, 0)}")
    assert kinds(match) == [IssueKind.OUT_OF_TURN, IssueKind.MISSING, IssueKind.WRONG_RESULT]
    assert match.games[0].missing == ("what follows the end of the game by the rules is left out",)
    assert match.games[0].result == GameResult(0, 1, 1)
    assert not match.is_whole


def test_one_action_after_the_end_of_a_game_costs_nothing():
    match = read_match(
        f"{HEAD}  2)  Doubles => 2                     Drops\n  3)  Drops\n      Wins 1 point\n"
    )
    assert (kinds(match), match.is_whole) == ([IssueKind.OUT_OF_TURN], True)


def test_what_is_wrong_at_one_place_and_what_it_costs_is_one_line():
    match = read_match(f"{HEAD}  2) 52: 13/8 24/22                    21: 14/\n")
    assert kinds(match) == [IssueKind.UNREADABLE, IssueKind.MISSING]
    (said,) = describe_issues(match.issues)
    assert said.startswith("line 6, game 1, move 2: unreadable: 2-1 '14/': expected a move")
    assert said.endswith("; move 2 could not be read, and all after it is left out")
