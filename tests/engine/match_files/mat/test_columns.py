"""Columns of games that are the wrong way round, or have lost the blanks between them."""

import re
from dataclasses import replace

import pytest

from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import IssueKind
from gammond.engine.rules.match import GameResult
from tests.engine.match_files.played_games import read_match

NAMES = "ann", "bob"
GAME_BEGIN = re.compile("(?=^ Game )", re.MULTILINE)


@pytest.fixture(scope="module")
def whole(match):
    """Return the text of three games of a match."""
    return format_mat(NAMES, match[:3])


def swap_heading(text, number):
    """Return a text with the heading of a game the other way round."""
    return re.sub(
        rf"(Game {number}\n )(\w+ : [0-9]+)(\s+)(\w+ : [0-9]+)",
        lambda found: found[1] + found[4] + found[3] + found[2],
        text,
    )


def swap_game(games, number):
    """Return the text of games, one of them with the players in the other columns."""
    turned = format_mat(NAMES[::-1], list(map(change_seats, games)))
    parts = GAME_BEGIN.split(format_mat(NAMES, games))
    parts[number] = GAME_BEGIN.split(turned)[number]
    return "".join(parts)


def change_seats(game):
    begun, result = game.initial_state, game.result
    return replace(
        game,
        initial_state=replace(begun, on_roll=1 - begun.on_roll, score=begun.score[::-1]),
        actions=tuple(replace(action, seat=1 - action.seat) for action in game.actions),
        result=replace(result, winner=1 - result.winner),
    )


@pytest.mark.parametrize("number", [2, 3])
def test_a_game_whose_heading_and_columns_are_swapped_is_read_by_name(whole, match, number):
    expected, match = read_match(whole), read_match(swap_game(match[:3], number))
    assert [issue.kind for issue in match.issues] == [IssueKind.PLAYERS_SWAPPED]
    assert "the columns are those of bob and of ann" in match.issues[0].message
    assert (match.issues[0].game, match.names, match.is_whole) == (number, NAMES, True)
    for game, other in zip(match.games, expected.games, strict=True):
        assert (game.initial_state, game.actions, game.result) == (
            other.initial_state,
            other.actions,
            other.result,
        )


def test_a_heading_that_alone_is_swapped_leaves_the_columns_where_the_score_after_it_says_so(whole):
    expected, match = read_match(whole), read_match(swap_heading(whole, 2))
    assert [issue.kind for issue in match.issues] == [IssueKind.PLAYERS_SWAPPED]
    assert "as the score after the game shows" in match.issues[0].message
    assert match.games == expected.games


def test_names_that_alone_are_swapped_leave_the_columns_to_the_score(whole):
    score = read_match(whole).games[1].initial_state.score
    assert score[0] != score[1]
    heading = " {} : {}                        {} : {}\n"
    begin = whole.index(" Game 2\n") + len(" Game 2\n")
    end = whole.index("\n", begin) + 1
    text = whole[:begin] + heading.format("bob", score[0], "ann", score[1]) + whole[end:]
    assert read_match(text).games == read_match(whole).games
    assert "only the names are swapped" in read_match(text).issues[0].message


COLLAPSED = (
    "5 point match\nGame 1\nann : 0 bob : 0\n1) 31: 8/5 6/5 64: 24/14\n2) 52: 13/8 24/22{}\n{}Wins 1 point\n"
)
NEXT_GAME = "Game 2\nann : {} bob : {}\n1) 31: 8/5 6/5 64: 24/14\n2) Doubles => 2 Drops\nWins 1 point\n"


@pytest.mark.parametrize("row", ["", " 21: 14/11"])
@pytest.mark.parametrize("front", ["", " "])
def test_a_winner_whose_column_is_lost_is_doubtful(row, front):
    match = read_match(COLLAPSED.format(row, front))
    winner = 1 if row else 0
    assert match.games[0].result == GameResult(winner, 1, 1)
    assert [issue.kind for issue in match.issues] == [IssueKind.DOUBTFUL_RESULT]
    assert f"read as 1 for player {winner + 1}, who acted last" in match.issues[0].message
    assert match.is_whole


def test_a_doubtful_winner_may_have_wrong_points_too():
    match = read_match(COLLAPSED.format(" 21: 14/11", "").replace("Wins 1 point", "Wins 4 points"))
    (issue,) = match.issues
    assert issue.kind is IssueKind.DOUBTFUL_RESULT
    assert "who acted last; expected 1, 2 or 3 for a game resigned at a cube of 1" in issue.message


@pytest.mark.parametrize("score", [(1, 0), (0, 1)])
def test_the_next_score_tells_a_winner_whose_column_is_lost(score):
    match = read_match(COLLAPSED.format("", "") + NEXT_GAME.format(*score))
    assert [game.result for game in match.games] == [
        GameResult(score.index(1), 1, 1),
        GameResult(0, 1, 1),  # after a pass the rules tell
    ]
    assert match.issues == ()


@pytest.mark.parametrize("front", ["      ", "ann "])
def test_a_winner_whose_column_or_name_is_there_is_not_doubtful(front):
    match = read_match(COLLAPSED.format(" 21: 14/11", front))
    assert (match.games[0].result, match.issues) == (GameResult(0, 1, 1), ())


def test_talk_behind_the_result_is_a_comment_and_costs_nothing():
    text = COLLAPSED.format("", "      ") + "(bob lost on time)\n"
    match = read_match(text)
    assert (match.issues, match.games[0].result) == ((), GameResult(0, 1, 1))
    notes = list(match.games[0].notes.values())
    assert [note.comment for note in notes] == ["(bob lost on time)"]
