"""What is counted on boards, against counting it point by point."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels.board_counts import (
    ON_BOARD,
    POINTS,
    bit_count,
    find_rear,
    get_point,
    weigh_counts,
    write_point_sets,
)
from tests.support import boards


@kernel
def _find_rear(sample, at, side):
    return find_rear(sample, at, side)


@kernel
def _weigh_counts(sample, at, side, weights, row):
    return weigh_counts(sample, at, side, weights, row)


@kernel
def _write_point_sets(sample, at, side, sets):
    write_point_sets(sample, at, side, sets)


@kernel
def _get_point(bit):
    return get_point(bit)


@kernel
def _bit_count(points):
    return bit_count(points)


@pytest.mark.nojit
def test_the_rear_checker_is_found_wherever_it_is():
    sample = np.zeros((30, 2, 26), np.int8)
    for at in range(26):
        sample[at, 1, : at + 1] = 1
    sample[27, 0], sample[28, 0, [0, 25]] = 15, 7
    expected = [*range(26), 0, 0, 0, 0]
    assert [_find_rear(sample, at, 1) for at in range(30)] == expected
    assert [_find_rear(sample, at, 0) for at in range(26, 30)] == [0, 25, 25, 0]


@pytest.mark.nojit
def test_checkers_are_multiplied_by_the_weights_of_their_points():
    sample = boards.random_boards(10, seed=3)
    weights = np.random.default_rng(4).integers(-300, 300, (3, 26)).astype(np.int16)
    weights.flags.writeable = False
    for at in range(10):
        for side in range(2):
            expected = sum(int(sample[at, side, point]) * int(weights[1, point]) for point in range(26))
            assert _weigh_counts(sample, at, side, weights, 1) == expected


@pytest.mark.nojit
def test_the_sets_of_a_position_hold_the_points_they_should():
    sample = boards.random_boards(50, seed=12)
    sets = np.empty(5, np.int64)
    for i, side in np.ndindex(50, 2):
        own, other = sample[i, side], sample[i, 1 - side]
        _write_point_sets(sample, i, side, sets)
        facing = {point: int(other[25 - point]) for point in range(1, 25)}
        rear = max((point for point in range(1, 26) if other[point]), default=0)
        assert [_list_points(points) for points in sets.tolist()] == [
            {point for point in range(1, 26) if own[point]},
            {point for point in range(1, 26) if own[point] == 1},
            {point for point, count in facing.items() if count < 2},
            {point for point, count in facing.items() if count == 1},
            {point for point in range(1, 26) if point + rear > 25},
        ]


def _list_points(points):
    assert 0 <= points <= ON_BOARD
    return {25 - bit for bit in range(25) if points >> bit & 1}


@pytest.mark.nojit
def test_points_are_counted_and_found():
    sample = [0, 1, 2, 1 << 24, POINTS, *np.random.default_rng(1).integers(0, 1 << 25, 200).tolist()]
    assert [_bit_count(points) for points in sample] == [points.bit_count() for points in sample]
    assert [_get_point(1 << bit) for bit in range(26)] == list(range(25, -1, -1))
