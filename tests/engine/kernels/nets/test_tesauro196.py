"""The encoder against a slow twin written from its description."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels.nets import tesauro196 as kernel_encode
from tests.support import boards


def _slow_inputs(board) -> list[float]:
    inputs = []
    for side in range(2):
        for point in range(1, 25):
            count = int(board[side, point])
            inputs += [float(count >= 1), float(count >= 2), float(count >= 3), max(count - 3, 0) / 2]
        inputs += [int(board[side, 25]) / 2, int(board[side, 0]) / 15]
    return inputs


def _time_calls():
    crowded = [boards.position(x={point: 15}, o={25 - point: 15}) for point in (1, 6, 24)]
    return np.concatenate([np.stack([one.board for one in crowded]), boards.random_boards(300, seed=11)])


@pytest.mark.nojit
def test_inputs_agree_with_the_slow_twin():
    sample = _time_calls()
    inputs = np.full((len(sample), 196), np.nan, np.float32)
    kernel_encode.encode(sample, inputs)
    assert np.array_equal(inputs, np.array([_slow_inputs(board) for board in sample], np.float32))


@pytest.mark.nojit
def test_active_inputs_are_the_ones_that_are_not_zero_in_ascending_order():
    sample = _time_calls()
    inputs = np.empty((len(sample), 196), np.float32)
    kernel_encode.encode(sample, inputs)
    places = np.empty(kernel_encode.MAX_ACTIVE_INPUTS, np.int64)
    values = np.empty(kernel_encode.MAX_ACTIVE_INPUTS, np.float32)
    for board, row in zip(sample, inputs, strict=True):
        count = kernel_encode.list_active_inputs(board, places, values)
        assert places[:count].tolist() == np.flatnonzero(row).tolist()
        assert np.array_equal(values[:count], row[places[:count]])


def test_the_table_has_the_inputs_of_each_place_by_the_number_of_checkers():
    assert kernel_encode.PLACE_INPUTS[[1, 2, 24, 25, 0]].tolist() == [0, 4, 92, 96, 97]
    assert kernel_encode.PLACE_VALUES[7, :6].tolist() == [
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 0.5],
        [1, 1, 1, 1],
    ]
    assert kernel_encode.ACTIVE_UNITS[[7, 0, 25], :6].tolist() == [
        [0, 1, 2, 3, 4, 4],
        *[[0, 1, 1, 1, 1, 1]] * 2,
    ]


def test_each_further_checker_on_a_place_changes_one_input_by_a_step():
    for place in range(26):
        inputs = np.zeros(98 + 4)
        first = kernel_encode.PLACE_INPUTS[place]
        for count in range(1, 16):
            inputs[kernel_encode.CHECKER_INPUTS[place, count]] += kernel_encode.CHECKER_STEPS[place, count]
            np.testing.assert_allclose(
                inputs[first : first + 4], kernel_encode.PLACE_VALUES[place, count], atol=1e-6
            )


@kernel
def list_points(boards, at, rows, factors, row):
    """Call it from a kernel, where it is made of instructions."""
    return kernel_encode.list_points(boards, at, rows, factors, row)


@pytest.mark.nojit
def test_each_place_with_checkers_is_listed_by_their_number():
    sample = boards.random_boards(20, seed=6)
    rows, factors = np.zeros((2, 60), np.uint16), np.full((2, 60), 9.0, np.float32)
    for at, board in enumerate(sample):
        found = list_points(sample, at, rows, factors, 1)
        counts = board.ravel().astype(int)
        places = np.flatnonzero(counts)
        assert rows[1, :found].tolist() == [(counts[place] - 1) * 52 + place for place in places]
        assert factors[1, : found + 4].tolist() == [1.0] * len(places) + [0.0] * 4
