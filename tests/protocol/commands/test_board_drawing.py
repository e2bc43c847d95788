"""The drawn board, line by line."""

from __future__ import annotations

import pytest

from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.commands.board_drawing import draw_board
from tests.support.boards import position, random_boards

LATE = """\
  12 11 10  9  8  7       6  5  4  3  2  1
 +13-14-15-16-17-18------19-20-21-22-23-24-+   X
 |                  | O | X  X             |   1 point, 77 pips, 5 off
 |                  |   | X  X             |   holds the cube at 2
 |                  |   | X                |   redoubles to 4
 |                  |   | X                |
 |                  |   | 7                |
 |                  |BAR|                  |   money game
 |                  |   |                  |   no Jacoby rule, beavers
 |                  |   |                  |
 |                  |   |                  |
 | O                |   |                  |
 | O                | X |             O  O |   0 points, 52 pips, 10 off
 +12-11-10--9--8--7-------6--5--4--3--2--1-+   O
  13 14 15 16 17 18      19 20 21 22 23 24"""


def test_high_stacks_end_in_their_count_and_checkers_on_the_bar_stand_where_they_enter():
    on_roll = position({25: 1, 6: 7, 5: 2}, {0: 1, 13: 2, 23: 1, 24: 1})
    match = MatchState(score=(0, 1), cube=2, cube_owner=1, on_roll=1, doubled=True)
    assert draw_board(on_roll, match, bottom_seat=0) == LATE.splitlines()


def test_the_seat_on_roll_is_at_the_bottom_unless_asked_otherwise():
    lopsided, match = decode_xgid("-B---bC-B---cEa-Aca-b--bA-:0:0:-1:00:0:0:0:0:10")
    assert draw_board(lopsided, match) == draw_board(lopsided, match, bottom_seat=0)
    assert draw_board(lopsided, match) != draw_board(lopsided, match, bottom_seat=1)


def test_from_one_view_the_checkers_stay_where_they_are_when_the_turn_passes():
    lopsided, match = decode_xgid("-B---bC-B---cEa-Aca-b--bA-:0:0:1:00:0:0:0:0:10")
    before = draw_board(lopsided, match, bottom_seat=1)
    after = draw_board(lopsided.swap_sides(), match.next_turn(), bottom_seat=1)
    assert [line[:44] for line in before] == [line[:44] for line in after]
    assert before != after


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({}, "on roll"),
        ({"resigned": 2}, "offers to resign a gammon"),
        ({"cube": 2, "cube_owner": 1, "doubled": True, "beavered": True}, "beavers to 4"),
        ({"length": 5, "score": (4, 0), "crawford": True}, "5-point match, Crawford game"),
        ({"cube": 4}, "money game, cube 4 centred"),
        ({}, "no Jacoby rule, beavers"),
        ({"jacoby": True, "beavers": False}, "Jacoby rule, no beavers"),
    ],
)
def test_what_is_going_on_is_said_beside_the_board(changes, note):
    drawn = draw_board(Position.start(), MatchState(**changes))
    assert sum(line.endswith(f" {note}") for line in drawn) == 1


def test_after_the_end_nobody_is_on_roll_and_the_score_may_be_that_of_a_won_match():
    over = position({1: 1}, {})
    match = MatchState(length=5, score=(3, 4))
    drawn = draw_board(over, match, score=(3, 5))
    assert [line[47:].strip() for line in drawn if line[47:].strip()] == [
        "X",
        "5 points, 0 pips, 15 off",
        "has won",
        "5-point match",
        "3 points, 1 pip, 14 off",
        "O",
    ]


def test_every_checker_on_the_board_is_drawn_or_counted():
    for board in random_boards(200, seed=12):
        inside = [line[2:43] for line in draw_board(Position(board), MatchState())[2:13]]
        marks = sum(line.count("X") + line.count("O") for line in inside)
        in_play = board[:, 1:].astype(int)
        assert marks == in_play.clip(max=5).sum() - (in_play > 5).sum()
