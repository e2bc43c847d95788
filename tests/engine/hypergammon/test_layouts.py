import numpy as np
import pytest

from gammond.engine.errors import PositionError
from gammond.engine.hypergammon.layouts import VARIANTS, count_layouts, list_rows, number_rows


@pytest.mark.parametrize(("checkers", "start"), [(1, 24), (2, 346)])
def test_the_start_has_the_number_that_gnubg_gives_it(checkers, start):
    assert number_rows(VARIANTS[checkers].starting_position.board, checkers).tolist() == [start, start]


@pytest.mark.parametrize("checkers", [1, 2, 3])
def test_every_layout_has_its_place_in_the_order(checkers):
    rows = list_rows(checkers)
    assert len(rows) == len({row.tobytes() for row in rows}) == count_layouts(checkers)
    assert (rows.sum(axis=1) == checkers).all()
    assert (number_rows(rows, checkers) == np.arange(len(rows))).all()
    points = [(checkers - row[0], *np.repeat(np.arange(1, 26), row[1:])) for row in rows]
    assert points == sorted(points)


def test_a_position_with_other_checkers_is_refused(one_checker):
    boards = np.stack([VARIANTS[checkers].starting_position.board for checkers in (1, 2)])
    assert one_checker.covers(boards).tolist() == [True, False]
    with pytest.raises(PositionError, match="expected 1 checkers a side for hypergammon-1; position 1 has"):
        one_checker.evaluate(boards)
