"""Positions: what is refused, whose view they are, pips and phases."""

import copy
import pickle

import numpy as np
import pytest

from gammond.engine.errors import PositionError
from gammond.engine.rules.position import Phase, Position, swap_sides
from tests.support import boards, naive
from tests.support.boards import position

pytestmark = pytest.mark.nojit


def start_with(*changes):
    """The starting board with (side, point, count) changes, not validated."""
    board = Position.start().board.copy()
    for side, point, count in changes:
        board[side, point] = count
    return board


def test_the_starting_position_has_167_pips_each_and_is_contact():
    start = Position.start()
    assert start.pips == (167, 167)
    assert start.phase is Phase.CONTACT
    assert not start.is_over
    assert start.swap_sides() == start


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (np.zeros(26, np.int8), "shape"),
        (np.zeros((2, 25), np.int8), "shape"),
        ([[1, 2], [3]], "ragged"),
        (None, "shape"),
        (start_with().astype(float), "integers"),
        (start_with().astype(str), "integers"),
        (start_with((0, 6, -1), (0, 8, 9)), "0 to 15"),
        (start_with((0, 6, 16), (0, 8, 0)), "0 to 15"),
        (start_with().astype(np.int64) + 256, "0 to 15"),
        (start_with((0, 6, 4)), "the player on roll has 14 checkers"),
        (start_with((1, 6, 6)), "the opponent has 16 checkers"),
        (start_with((0, 6, 4), (0, 19, 1)), "both sides hold the 19 point"),
        (np.eye(26, dtype=np.int8)[[0, 0]] * 15, "both sides have borne off"),
    ],
)
def test_an_impossible_board_is_refused(board, message):
    with pytest.raises(PositionError, match=message) as error:
        Position(board)
    assert error.value.field == "position"


def test_one_side_alone_can_be_on_the_bar_against_a_closed_board():
    closed = dict.fromkeys(range(19, 25), 2)
    assert position({25: 1, 6: 14}, closed | {0: 3}).board[0, 25] == 1
    with pytest.raises(PositionError, match="closed boards"):
        position({25: 3, **dict.fromkeys(range(1, 7), 2)}, closed | {0: 3})


def test_a_position_cannot_be_changed_through_any_array():
    board = start_with()
    start = Position(board)
    board[0, 6] = 0
    assert start.board[0, 6] == 5
    with pytest.raises(ValueError, match="read-only"):
        start.board[0, 6] = 0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_a_copy_equals_its_original_and_cannot_be_changed_either(copied):
    twin = copied(Position.start())
    assert twin == Position.start()
    assert hash(twin) == hash(Position.start())
    assert not twin.board.flags.writeable


def test_positions_differ_when_a_checker_or_the_side_differs():
    assert position({6: 2}, {20: 1}) != position({6: 1, 5: 1}, {20: 1})
    assert position({6: 2}, {20: 1}) != position({6: 2}, {20: 1}).swap_sides()
    assert position({6: 2}, {20: 1}) != "another thing"


def test_turned_boards_are_contiguous_copies():
    sample = boards.random_boards(50, seed=2)
    other = swap_sides(sample)
    assert other.flags.c_contiguous
    assert not np.shares_memory(sample, other)
    assert naive.states(other) == [naive.turned(state) for state in naive.states(sample)]
    assert [Position(board).swap_sides() for board in sample] == [Position(board) for board in other]


def test_pips_agree_with_the_slow_twin():
    sample = boards.random_boards(300, seed=3)
    assert [Position(board).pips for board in sample] == [naive.pips(state) for state in naive.states(sample)]


def test_a_representation_names_both_sides_and_the_points():
    assert repr(position({25: 1, 6: 2}, {1: 3})) == "Position(x 25:1 6:2 0:12; o 24:3 0:12)"
