import numpy as np
import pytest

from engine.errors import PositionError
from engine.hypergammon.match_equities import start_board
from engine.hypergammon.numbering import count_layouts, list_checkers, number_sides


@pytest.mark.parametrize(("checkers", "start"), [(1, 24), (2, 346)])
def test_the_start_has_the_number_that_gnubg_gives_it(checkers, start):
    assert number_sides(start_board(checkers)[None], checkers).tolist() == [[start, start]]


@pytest.mark.parametrize("checkers", [1, 2, 3])
def test_every_layout_has_its_place_in_the_order(checkers):
    places = list_checkers(checkers)
    assert len(places) == len(set(places)) == count_layouts(checkers)
    boards = np.zeros((len(places), 2, 26), np.int8)
    for board, points in zip(boards, places, strict=True):
        np.add.at(board[0], np.array(points, int), 1)
        board[:, 0] = checkers - board.sum(axis=1)
    numbers = number_sides(boards, checkers)
    assert (numbers[:, 0] == np.arange(len(places))).all()
    assert not numbers[:, 1].any()


def test_a_position_with_other_checkers_is_refused(one_checker):
    boards = np.stack([start_board(1), start_board(2)])
    assert one_checker.covers(boards).tolist() == [True, False]
    with pytest.raises(PositionError, match="expected 1 checkers a side for hypergammon-1; position 1 has"):
        one_checker.evaluate(boards)
