from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.match_files.documents import describe_record
from gammond.engine.match_files.mat.reader import parse_mat
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
