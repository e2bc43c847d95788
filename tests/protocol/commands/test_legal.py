"""The plays of a roll from one point, and going forward again after going back."""

from __future__ import annotations

import re

import pytest

from tests.protocol.talking import make_connection, talk
from tests.support.boards import position


def plays(*lines):
    *found, last = talk("\n".join(lines))[len(lines) - 1 :]
    assert last == f"legal count={len(found)}"
    return [re.search(r'play="?([^"]*?)"? gnubgid', line)[1] for line in found]


def test_a_checker_that_cannot_move_has_no_plays():
    assert plays("newgame", "dice 5 5", "legal 24") == []


def test_the_bar_is_a_point_too():
    board = position({25: 1, 6: 5}, {1: 2, 12: 5})
    connection = make_connection()
    connection.handler.session.set_position(board)
    talk("dice 3 1", connection)
    assert len(talk("legal bar", connection)) == len(talk("legal", connection)) > 1


@pytest.mark.parametrize("point", ["0", "25", "x", "-1", "0240", "0025", "9" * 5000])
def test_what_is_no_point_is_refused(point):
    (answer,) = talk(f"newgame\ndice 3 1\nlegal {point}")[2:]
    assert answer.startswith("error bad_value point: expected a point 1..24 or bar, got ")


def test_a_point_without_a_checker_of_the_player_is_refused():
    refused = talk("newgame\ndice 3 1\nlegal 7")[-1]
    assert refused == "error bad_value point: expected a point with a checker, got 7"
    assert talk("newgame\ndice 3 1\nlegal bar")[-1].endswith("expected a point with a checker, got the bar")


def test_redo_goes_forward_until_something_else_is_done():
    connection = make_connection()
    for line in ("newgame", "dice 3 1", "play 8/5 6/5"):
        (last,) = talk(line, connection)
    ids = last.partition(" gnubgid=")[2]
    talk("undo", connection)
    talk("undo", connection)
    assert talk("redo", connection)[0].startswith("ok redo gnubgid=4HPwATDgc/ABMA ")
    assert talk("redo", connection) == [f"ok redo gnubgid={ids}"]
    refused = ["error bad_state request: nothing to redo"]
    assert talk("redo", connection) == refused
    talk("undo", connection)
    talk("dice 6 6", connection)
    assert talk("redo", connection) == refused
