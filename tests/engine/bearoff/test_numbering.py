import numpy as np
import pytest

from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.errors import PositionError, ValueRangeError
from tests.support import naive_bearoff
from tests.support.boards import position, stack


@pytest.mark.nojit
@pytest.mark.parametrize(("points", "checkers"), [(1, 1), (3, 3), (6, 4), (9, 2), (2, 15)])
def test_every_side_has_one_number(points, checkers):
    numbering = SideNumbering(points, checkers)
    sides = naive_bearoff.sides(points, checkers)
    numbers = naive_bearoff.number_sides(numbering, np.array(sides)).tolist()
    assert sorted(numbers) == list(range(numbering.side_count))
    assert [tuple(numbering.decode_side(number).tolist()) for number in numbers] == sides


@pytest.mark.parametrize(
    ("points", "checkers", "sides"),
    [(3, 3, 19 + 1), (6, 9, 5004 + 1), (6, 10, 8007 + 1), (6, 15, 54_264), (6, 6, 924)],
)
def test_there_are_as_many_sides_as_the_founding_documents_and_gnubg_say(points, checkers, sides):
    assert SideNumbering(points, checkers).side_count == sides


def test_sides_with_fewer_checkers_come_first_and_the_empty_one_is_number_0():
    numbering = SideNumbering(4, 5)
    counts = [int(numbering.decode_side(number).sum()) for number in range(numbering.side_count)]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts.index(5) == numbering.first_full_side


def test_a_table_for_more_checkers_begins_with_the_numbers_of_one_for_fewer():
    few, many = SideNumbering(6, 3), SideNumbering(6, 15)
    for number in range(few.side_count):
        assert few.decode_side(number).tolist() == many.decode_side(number).tolist()


@pytest.mark.nojit
def test_pips_are_counted():
    numbering = SideNumbering(5, 3)
    expected = [int(numbering.decode_side(n) @ np.arange(1, 6)) for n in range(numbering.side_count)]
    assert numbering.compute_pips().tolist() == expected


@pytest.mark.nojit
def test_both_sides_of_a_position_are_numbered_the_player_on_roll_first():
    numbering = SideNumbering(6, 6)
    boards = stack(position({1: 1}, {24: 2, 19: 1}), position({}, {24: 1}))
    own = naive_bearoff.number_sides(numbering, np.array([[1, 0, 0, 0, 0, 0], [0] * 6]))
    other = naive_bearoff.number_sides(numbering, np.array([[2, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]]))
    assert numbering.number_boards(boards).tolist() == np.stack([own, other], axis=1).tolist()


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("x", "o"),
    [
        ({7: 1}, {24: 1}),
        ({6: 1}, {18: 1}),
        ({6: 7}, {24: 1}),
        ({6: 1}, {24: 7}),
        ({25: 1}, {24: 1}),
        ({6: 1}, {0: 1}),
    ],
)
def test_sides_beyond_the_points_on_the_bar_or_with_too_many_checkers_are_not_covered(x, o):
    numbering = SideNumbering(6, 6)
    covered = position({6: 6}, {24: 1})
    assert numbering.covers(stack(covered, position(x, o))).tolist() == [True, False]
    with pytest.raises(PositionError, match="position 1 is not such a bearoff") as error:
        numbering.number_boards(stack(covered, position(x, o)))
    assert error.value.field == "position"


def test_contact_within_many_points_is_not_covered():
    numbering = SideNumbering(18, 15)
    boards = stack(position({14: 1}, {12: 1}), position({12: 1}, {13: 1}), position({18: 1}, {20: 1}))
    assert numbering.covers(boards).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("points", "checkers", "field"),
    [(0, 6, "points"), (19, 6, "points"), (6, 0, "checkers"), (6, 16, "checkers")],
)
def test_points_and_checkers_out_of_range_are_refused(points, checkers, field):
    with pytest.raises(ValueRangeError) as error:
        SideNumbering(points, checkers)
    assert error.value.field == field


@pytest.mark.parametrize("number", [-1, 84])
def test_a_number_that_no_side_has_is_refused(number):
    with pytest.raises(ValueRangeError, match="0 to 83"):
        SideNumbering(6, 3).decode_side(number)
