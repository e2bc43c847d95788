from __future__ import annotations

from engine.formats.xgid import decode_xgid
from engine.match_files.documents import describe_record
from engine.match_files.mat.reader import parse_mat

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
