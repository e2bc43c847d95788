import numpy as np
import pytest

from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.kernels import bearoff as kernel_bearoff
from gammond.engine.kernels.moves import MAX_PLAYS, make_play_scratch
from tests.support import naive, naive_bearoff

pytestmark = pytest.mark.nojit


def results(numbering, number, a, b):
    """The numbers that the kernel finds, as a set."""
    side = np.concatenate([[0], numbering.decode_side(number)])
    before = side.copy()
    found, board = np.empty(MAX_PLAYS, np.int64), np.zeros((1, 2, 26), np.int8)
    count = kernel_bearoff.list_roll_results(side, a, b, numbering.ranks, board, make_play_scratch(), found)
    assert (side == before).all()
    assert len(set(found[:count].tolist())) == count
    return set(found[:count].tolist())


def in_the_whole_game(numbering, number, a, b):
    """The same from the slow rules of the whole game, with the opponent borne off."""
    side = numbering.decode_side(number)
    state = [0] * 28
    state[1 : 1 + numbering.points] = side.tolist()
    state[naive.OPPONENT_OFF] = 15
    ends = np.array([end[1 : 1 + numbering.points] for end in naive.results(tuple(state), (a, b))])
    return set(naive_bearoff.number_sides(numbering, ends).tolist())


@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (6, 4), (8, 3), (6, 15), (9, 15), (18, 15)])
def test_a_roll_leads_where_the_rules_of_the_whole_game_lead(points, checkers):
    numbering = SideNumbering(points, checkers)
    generator = np.random.default_rng(points * checkers)
    for number in generator.integers(1, numbering.side_count, 12).tolist():
        for a, b, _ in naive_bearoff.ROLLS:
            assert results(numbering, number, a, b) == in_the_whole_game(numbering, number, a, b)


def test_both_twins_know_the_same_rules():
    numbering = SideNumbering(8, 3)
    for number in range(1, numbering.side_count, 7):
        side = tuple(numbering.decode_side(number).tolist())
        for a, b, _ in naive_bearoff.ROLLS:
            ends = naive_bearoff.number_sides(
                numbering, np.array(list(naive_bearoff.list_roll_results(side, a, b)))
            )
            assert set(ends.tolist()) == in_the_whole_game(numbering, number, a, b)


def test_no_checker_is_borne_off_while_one_is_outside_the_home_board():
    numbering = SideNumbering(12, 2)
    number = int(naive_bearoff.number_sides(numbering, np.array([[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]]))[0])
    ends = [numbering.decode_side(end).sum() for end in results(numbering, number, 4, 1)]
    assert ends == [2] * len(ends)


def test_a_larger_die_bears_off_from_the_highest_point_only():
    numbering = SideNumbering(6, 2)
    number = int(naive_bearoff.number_sides(numbering, np.array([[0, 1, 0, 1, 0, 0]]))[0])
    ends = {tuple(numbering.decode_side(end).tolist()) for end in results(numbering, number, 6, 1)}
    # 4/off 2/1, or 4/3/off: never 2/off with the six while a checker is behind
    assert ends == {(1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0)}


def test_a_double_from_a_spread_of_eighteen_points_fits_into_the_results():
    numbering = SideNumbering(18, 15)
    side = np.zeros((1, 18), np.int64)
    side[0, 3:] = 1
    number = int(naive_bearoff.number_sides(numbering, side)[0])
    assert 1 < len(results(numbering, number, 1, 1)) < MAX_PLAYS
