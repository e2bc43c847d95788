import pytest

from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.match_files.documents import describe_record
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import number_moves
from gammond.engine.rules.game_record import ResignationAction
from tests.engine.match_files.faulty_matches import CUT, ILLEGAL

TEXT = """; [Event "Final"]
 3 point match

 Game 1
 Ann : 0                  Bob : 0
  1) 31: 8/5 6/5          65: 24/18 18/13
  2) Doubles => 2         Drops
      Wins 1 point

 Game 2
 Ann : 1                  Bob : 0
  1)                      62: 24/18 13/11
"""


def test_actions_have_the_words_of_the_line_protocol_and_what_was_before_them():
    (match,) = parse_mat(TEXT)
    document = describe_record(match)
    assert (document["names"], document["length"]) == (["Ann", "Bob"], 3)
    assert document["headers"] == {"Event": "Final"}
    first, second = document["games"]
    assert [each["action"] for each in first["actions"]] == ["play", "play", "double", "drop"]
    assert first["actions"][1]["play"] == "24/13"
    assert first["actions"][2]["cube"] == 2
    assert first["result"] == {"winner": 0, "points": 1, "kind": "single"}
    assert (second["game"], second["score"], second["result"]) == (2, [1, 0], None)
    (only,) = second["actions"]
    assert (only["seat"], only["dice"]) == (1, "62")
    _, state = decode_xgid(only["xgid"])
    assert (state.on_roll, state.roll, state.score) == (1, (6, 2), (1, 0))
    assert document["issues"]


def test_illegal_plays_cut_games_and_results_against_the_rules_are_marked():
    (match,) = parse_mat(ILLEGAL.replace("      Wins 1 point", "      Wins 2 points"))
    first, second = describe_record(match)["games"]
    (marked,) = (action for action in first["actions"] if "illegal" in action)
    assert (marked["illegal"], marked["dice"], marked["play"]) == (True, "21", "14/10")
    assert second["result"] == {"winner": 0, "points": 2, "kind": "gammon"}
    assert second["result_by_rules"] == {"winner": 0, "points": 1, "kind": "single"}
    assert "result_by_rules" not in first
    assert "missing" not in first

    (match,) = parse_mat(CUT)
    whole, cut = describe_record(match)["games"]
    assert "missing" not in whole
    assert cut["missing"] == ["move 2 could not be read, and all after it is left out"]
    assert cut["result"] == {"winner": 1, "points": 1, "kind": "single"}


GAME = """ 5 point match

 Game 1
 ann : 0                             bob : 0
  1)                                 64: 24/18 13/9
  2) 21: 13/11 8/7*                  62: Bar/23 24/18*
  3) 61: Bar/24 13/7*                64: Bar/15
  4)  Doubles => 2                    Takes
  5) 52: 13/8 6/4                     Doubles => 4
  6)  Drops
                                      Wins 2 points
"""


def test_actions_have_the_numbers_of_their_rows():
    (match,) = parse_mat(GAME)
    (game,) = match.games
    found = [
        (number, action.seat) for number, action in zip(number_moves(game.actions), game.actions, strict=True)
    ]
    assert found == [(1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1), (6, 0)]


def test_a_refused_resignation_has_the_number_of_the_move_that_follows_it():
    (match,) = parse_mat(GAME)
    actions = list(match.games[0].actions)
    actions.insert(1, ResignationAction(0, 1, is_accepted=False))
    assert number_moves(actions)[:4] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("written", "broken", "move"),
    [
        ("64: 24/18 13/9", "64: 24/1", 1),
        ("21: 13/11 8/7*", "21: 13/1", 2),
        ("62: Bar/23 24/18*", "62: 24/18", 2),
        ("Doubles => 2", "Doubles => 4096", 4),
        ("13/8 6/4", "13/5", 5),
        ("Takes", "Drops", 5),
        ("Wins 2 points", "Wins 3 points", 6),
        ("  6)  Drops\n                                      Wins 2 points\n", "", 5),
    ],
)
def test_a_fault_has_the_number_of_its_row(written, broken, move):
    (match,) = parse_mat(GAME.replace(written, broken))
    assert [(issue.game, issue.move) for issue in match.issues][:1] == [(1, move)], match.issues
