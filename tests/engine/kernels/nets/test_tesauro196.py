"""The encoder against a slow twin written from its description."""

from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.nojit
def test_inputs_agree_with_the_slow_twin():
    crowded = [boards.position(x={point: 15}, o={25 - point: 15}).board for point in (1, 6, 24)]
    sample = np.concatenate([crowded, boards.random_boards(300, seed=11)])
    inputs = np.full((len(sample), 196), np.nan, np.float32)
    kernel_encode.encode(sample, inputs)
    assert np.array_equal(inputs, np.array([_slow_inputs(board) for board in sample], np.float32))
