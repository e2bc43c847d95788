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


@pytest.mark.parametrize(
    ("points", "checkers"), [(3, 3), (6, 4), (8, 3), (12, 2), (6, 15), (9, 15), (18, 15)]
)
def test_a_roll_leads_where_the_rules_of_the_whole_game_lead_to_smaller_numbers(points, checkers):
    numbering = SideNumbering(points, checkers)
    generator = np.random.default_rng(points * checkers)
    spread = [0] * (points - checkers) + [1] * min(points, checkers)  # has the most results
    numbers = [int(naive_bearoff.number_sides(numbering, np.array([spread]))[0])]
    for number in numbers + generator.integers(1, numbering.side_count, 12).tolist():
        for a, b, _ in naive_bearoff.ROLLS:
            found = results(numbering, number, a, b)
            assert found == in_the_whole_game(numbering, number, a, b)
            assert max(found) < number
