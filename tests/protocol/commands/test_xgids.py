"""XGIDs in answers, where a session asks for them."""

from __future__ import annotations

import pytest

from gammond.engine.formats.match_id import decode_match_id
from gammond.engine.formats.position_id import decode_position_id
from gammond.engine.formats.xgid import decode_xgid
from tests.protocol.talking import talk
from tests.support.replies import read_values

ON = "set engine.xgid true\n"


@pytest.mark.parametrize(
    "lines",
    [
        "newgame",
        "set game.length 7\nset game.score_p0 6\nset game.crawford true\nnewgame",
        "newgame\nplay double",
        "newgame\nplay double\nplay take",
        "newgame\ndice 3 1\nplay 8/5 6/5",
        "newgame\ndice 3 1\nundo",
        "newgame\nundo\nredo",
        "position xgid -B---bC-B---cEa-Aca-b--bA-:1:1:1:63:1:2:0:5:10",
    ],
)
def test_an_xgid_says_what_position_id_and_match_id_say(lines):
    said = read_values(talk(ON + lines)[-1])
    position, match = decode_xgid(said["xgid"])
    assert position == decode_position_id(said["gnubgid"])
    assert match == decode_match_id(said["matchid"])


def test_dice_are_in_it():
    _, match = decode_xgid(read_values(talk(f"{ON}newgame\ndice 4 2")[-1])["xgid"])
    assert match.roll == (4, 2)
    said = read_values(talk(f"{ON}newgame\nroll")[-1])
    assert decode_xgid(said["xgid"])[1].roll == (int(said["die1"]), int(said["die2"]))


@pytest.mark.parametrize("request_line", ["legal", "moves", "rank 24/20 6/3"])
def test_after_a_play_it_is_the_other_seat_s_turn_in_the_same_match(request_line):
    lines = talk(f"{ON}set game.length 3\nset game.turn p1\nnewgame\ndice 4 3\n{request_line}")
    rows = [read_values(line) for line in lines if line.startswith(("move ", "play "))]
    assert rows
    for row in rows:
        position, match = decode_xgid(row["xgid"])
        assert position == decode_position_id(row["gnubgid"])
        assert (match.on_roll, match.roll, match.length) == (0, None, 3)


def test_there_is_none_where_none_can_be_written_and_none_unasked():
    assert "xgid" not in talk("newgame")[-1]
    assert "xgid" not in talk(f"{ON}newgame\nplay resign single")[-1]
    assert ":0:0:-1:B:0:0:2:0:10" in talk(f"{ON}newgame\nplay double\nplay beaver")[-1]
    assert talk(f"{ON}undo")[-1].startswith("error bad_state")
