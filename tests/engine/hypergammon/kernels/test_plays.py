import pytest

from gammond.engine.hypergammon.kernels.plays import LAYOUT_BITS, LAYOUT_MASK, POINT_BITS, POINT_MASK
from gammond.engine.hypergammon.layouts import list_all_plays, number_layouts
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.position import Position
from gammond.tools.hypergammon.verification import draw_positions


def list_results(layouts, lists, own, opposing, roll):
    """Return the layouts after the listed plays of a roll: his who moved, and the opponent's after hits."""
    tables = layouts.tables
    start = lists.starts[own, tables.held[opposing], roll]
    results = set()
    for play in lists.plays[start : start + lists.counts[own, tables.held[opposing], roll]].tolist():
        after, touched = opposing, play >> LAYOUT_BITS
        while touched:
            after = int(tables.after_hit[(touched & POINT_MASK) * len(layouts.counts) + after])
            touched >>= POINT_BITS
        results.add((play & LAYOUT_MASK, after))
    return results


def check_plays(checkers, positions):
    layouts = number_layouts(checkers)
    lists = list_all_plays(layouts)
    numbers = {row.tobytes(): number for number, row in enumerate(layouts.counts)}
    for board in draw_positions(checkers, positions, seed=checkers):
        own, opposing = (numbers[row.tobytes()] for row in board)
        for roll, dice in enumerate(ROLLS):
            legal = generate_plays(Position(board, checkers), dice)
            expected = {(numbers[each[1].tobytes()], numbers[each[0].tobytes()]) for each in legal.boards}
            assert list_results(layouts, lists, own, opposing, roll) == expected, (board, dice)


@pytest.mark.parametrize("checkers", [pytest.param(1, marks=pytest.mark.nojit), 2, 3])
def test_plays_are_those_of_the_rules(checkers):
    check_plays(checkers, 100)


def test_the_place_of_a_play_fits_into_the_bits_of_a_choice():
    assert list_all_plays(number_layouts(3)).counts.max() == 15
    assert len(number_layouts(3).counts) <= LAYOUT_MASK + 1
