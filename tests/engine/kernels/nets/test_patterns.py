"""Patterns against a slow twin, and one by hand."""

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels.nets import patterns as kernel_patterns
from gammond.engine.kernels.vectors import STEP
from gammond.nets.encoders import get_encoder
from tests.support import boards


@kernel
def list_patterns(boards, at, rows, row):
    """Call it from a kernel, where it is made of instructions."""
    return kernel_patterns.list_patterns(boards, at, rows, row)


def name_patterns(board):
    """Return the number of each pattern's row, counted point by point."""
    own, other = ([int(count) for count in row] for row in board)
    states = [
        min(own[point], 3) or (3 + min(other[25 - point], 3) if other[25 - point] else 0)
        for point in range(26)
    ]
    numbers, first = [], 0
    for low in range(1, 24):
        numbers.append(first + states[low] * 7 + states[low + 1])
        first += 7 * 7
    for side in (own, other):
        for low in range(1, 20, 3):
            digits = "".join(str(min(count, 2)) for count in side[low : low + 6])
            numbers.append(first + int(digits, 3))
            first += 3**6
    assert first == kernel_patterns.ROWS
    return numbers


@pytest.mark.nojit
def test_numbers_are_those_that_a_count_point_by_point_gives():
    sample = boards.random_boards(100, seed=8)
    inputs = get_encoder("patterns285").encode(sample)
    np.testing.assert_array_equal(inputs[:, :248], get_encoder("expert248").encode(sample))
    assert inputs[:, 248:].astype(int).tolist() == [name_patterns(board) for board in sample]


@pytest.mark.nojit
def test_patterns_with_checkers_are_listed():
    sample = boards.random_boards(30, seed=9)
    empty = set(kernel_patterns.EMPTY_ROWS.tolist())
    rows = np.full((2, kernel_patterns.MOST_LISTED), 9, np.uint16)
    for at, board in enumerate(sample):
        found = list_patterns(sample, at, rows, 1)
        expected = [number for number in name_patterns(board) if number not in empty]
        assert rows[1, : found + STEP].tolist() == expected + [0] * STEP
    assert (rows[0] == 9).all()


def test_the_opening_position_has_its_patterns_where_players_see_them():
    board = boards.position({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}).board[None]
    numbers = get_encoder("patterns285").encode(board)[0, 248:].astype(int) - kernel_patterns.EMPTY_ROWS
    pairs, own, other = numbers[:23], numbers[23:30], numbers[30:]
    assert pairs[0] == 5 * 7  # two checkers of the opponent on the ace point, none above
    assert pairs[4] == 3  # nothing on the 5 point, more than two own checkers on the 6 point
    assert pairs[11] == 6 * 7 + 3  # the opponent's midpoint beside the own one
    assert own[0] == 2  # of the home board the 6 point alone is made
    assert own.tolist() == other.tolist()
